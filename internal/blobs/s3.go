package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"inlay/fault"
)

// partSize is the size of the parts in which large blobs are sent, in bytes.
const partSize = 16 << 20

// tries is how often a request is sent that the store does not answer: with the
// pauses in between a few seconds.
const tries = 5

// S3 is a [Store] in a bucket.
type S3 struct {
	client *minio.Client
	bucket string
	prefix string // of all keys; empty, or ends in a slash
}

// OpenS3 opens s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION. Its
// keys are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN);
// with credentials=iam in the address the machine's role gives them. Without
// endpoint it is Amazon's. A bucket that is not there is fault.Usage.
func OpenS3(ctx context.Context, address string, getenv func(string) string) (*S3, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, badAddress("is not the address of a bucket")
	}
	q := u.Query()
	endpoint, secure := "s3.amazonaws.com", true
	if e := q.Get("endpoint"); e != "" {
		server, err := url.Parse(e)
		if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" || strings.Trim(server.Path, "/") != "" {
			return nil, badAddress("has an endpoint that is not http://HOST:PORT or https://HOST:PORT")
		}
		endpoint, secure = server.Host, server.Scheme == "https"
	}
	creds, err := keysOf(q.Get("credentials"), getenv)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(endpoint, &minio.Options{Creds: creds, Secure: secure, Region: q.Get("region"), MaxRetries: tries})
	if err != nil {
		return nil, badAddress("cannot be used: " + err.Error())
	}
	s := &S3{client: client, bucket: u.Host}
	if p := strings.Trim(u.Path, "/"); p != "" {
		s.prefix = p + "/"
	}
	return s, Ping(ctx, s)
}

func badAddress(reason string) error {
	return &fault.Error{Code: fault.Usage, Subject: "--blobs", Reason: reason, Next: "write it like s3://bucket?endpoint=https://s3.example.org&region=us-east-1"}
}

func keysOf(from string, getenv func(string) string) (*credentials.Credentials, error) {
	if from == "iam" {
		return credentials.NewIAM(""), nil
	}
	id, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--blobs", Reason: "has no key", Next: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add credentials=iam to the address"}
	}
	return credentials.NewStaticV4(id, secret, getenv("AWS_SESSION_TOKEN")), nil
}

// Put implements [Store].
func (s *S3) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := check(key); err != nil {
		return err
	}
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+key, r, size, minio.PutObjectOptions{PartSize: partSize, ContentType: "application/octet-stream"})
	return s.explain(err)
}

// Open implements [Store].
func (s *S3) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := check(key); err != nil {
		return nil, err
	}
	o := &object{ctx: ctx, s: s, key: s.prefix + key}
	if err := o.begin(); err != nil {
		return nil, err
	}
	return o, nil
}

// object is a blob that is being read. It is asked for again where it is read
// somewhere else than after what was read last.
type object struct {
	ctx  context.Context //nolint:containedctx // it lives as long as one call
	s    *S3
	key  string
	size int64
	want int64 // where the next byte is wanted from
	at   int64 // where body is
	body io.ReadCloser
}

// begin asks for the bytes from want on.
func (o *object) begin() error {
	var options minio.GetObjectOptions
	if o.want > 0 {
		if err := options.SetRange(o.want, 0); err != nil {
			return err
		}
	}
	core := minio.Core{Client: o.s.client}
	body, info, _, err := core.GetObject(o.ctx, o.s.bucket, o.key, options)
	if err != nil {
		return o.s.explain(err)
	}
	if o.want == 0 {
		o.size = info.Size
	}
	o.body, o.at = body, o.want
	return nil
}

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	if o.want >= o.size {
		return 0, io.EOF
	}
	if o.body != nil && o.at != o.want {
		_ = o.body.Close()
		o.body = nil
	}
	if o.body == nil {
		if err := o.begin(); err != nil {
			return 0, err
		}
	}
	n, err := o.body.Read(p)
	o.at, o.want = o.at+int64(n), o.want+int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = o.s.explain(err)
	}
	return n, err
}

// Seek implements io.Seeker.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.want
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, fs.ErrInvalid
	}
	o.want = offset
	return offset, nil
}

// Close implements io.Closer.
func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	return o.body.Close()
}

// Remove implements [Store].
func (s *S3) Remove(ctx context.Context, key string) error {
	if err := check(key); err != nil {
		return err
	}
	err := s.explain(s.client.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements [Store].
func (s *S3) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
			if o.Err == nil && strings.HasSuffix(o.Key, "/") {
				continue // a folder that a store on a file system shows
			}
			if !yield(Entry{Key: strings.TrimPrefix(o.Key, s.prefix), Bytes: o.Size, Made: o.LastModified}, s.explain(o.Err)) || o.Err != nil {
				return
			}
		}
	}
}

// Tidy ends uploads in parts that were begun before a time and never completed:
// they take room, and no list shows them.
func (s *S3) Tidy(ctx context.Context, before time.Time) error {
	for o := range s.client.ListIncompleteUploads(ctx, s.bucket, s.prefix, true) {
		err := o.Err
		if err == nil && o.Initiated.Before(before) {
			err = s.client.RemoveIncompleteUpload(ctx, s.bucket, o.Key)
		}
		if err != nil {
			return s.explain(err)
		}
	}
	return nil
}

// Stat implements [Store].
func (s *S3) Stat(ctx context.Context, key string) (Entry, error) {
	if err := check(key); err != nil {
		return Entry{}, err
	}
	o, err := s.client.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
	return Entry{Key: key, Bytes: o.Size, Made: o.LastModified}, s.explain(err)
}

// explain says of an error of the store what it means.
func (s *S3) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, new(*fault.Error)) {
		return err
	}
	r := minio.ToErrorResponse(err)
	switch {
	case r.Code == minio.NoSuchKey:
		return fs.ErrNotExist
	case r.Code == minio.NoSuchBucket:
		return &fault.Error{Code: fault.Usage, Subject: "--blobs", Reason: "there is no bucket " + strconv.Quote(s.bucket), Next: "make it, and let the key read and write it", Err: err}
	case r.StatusCode >= 500, r.Code == "", errors.As(err, new(net.Error)), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &fault.Error{Code: fault.StoreUnreachable, Subject: "store of bytes", Reason: "cannot be reached", Next: "try again; see that it runs", Err: err, RetryAfter: time.Second}
	}
	return &fault.Error{Code: fault.StoreUnreachable, Subject: "store of bytes", Reason: "refuses: " + r.Code, Next: "check the key and its rights on the bucket, and see the store's log", Err: err}
}

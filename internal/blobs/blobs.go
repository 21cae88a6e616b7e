// Package blobs keeps bytes under keys, in a folder or in a store that speaks
// S3. They are no cache: nothing is ever evicted.
package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/durable"
)

// Entry is what is kept under a key.
type Entry struct {
	Key   string
	Bytes int64
	Made  time.Time // when it was last put
}

// Store keeps bytes. Keys are like files/owner/ab/abcd: letters, digits, dots,
// dashes and underscores, separated by slashes. Implementations are safe for
// concurrent use. A store that cannot be reached is fault.StoreUnreachable.
type Store interface {
	// Put keeps the size bytes of r under key, in the place of what was there,
	// wholly or not at all. When it returns nil, they outlive a crash.
	Put(ctx context.Context, key string, r io.Reader, size int64) error
	// Open reads what is under key; nothing is fs.ErrNotExist.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Remove forgets a key. It is not an error if there is nothing.
	Remove(ctx context.Context, key string) error
	// List visits the keys that begin with prefix, which ends in a slash or is
	// empty, in no particular order, until an error.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]
	// Stat is what is under key; nothing is fs.ErrNotExist.
	Stat(ctx context.Context, key string) (Entry, error)
}

// Ping is nil when the store can be used.
func Ping(ctx context.Context, s Store) error {
	for _, err := range s.List(ctx, "ping/") {
		return err
	}
	return nil
}

// Keep puts what has arrived under key. A folder takes the file as it is.
func Keep(ctx context.Context, s Store, key string, p *durable.Pending, size int64) error {
	if f, ok := s.(*Folder); ok {
		return f.commit(key, p)
	}
	file, err := os.Open(p.Name())
	if err != nil {
		return durable.Explain(p.Name(), err)
	}
	defer func() { _ = file.Close() }()
	return s.Put(ctx, key, file, size)
}

// Read is all that is under key.
func Read(ctx context.Context, s Store, key string) (data []byte, err error) {
	r, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return io.ReadAll(r)
}

// Local is a file with what is under key; done removes it where it is a copy,
// which is made below dir.
func Local(ctx context.Context, s Store, dir, key string) (name string, done func(), err error) {
	if f, ok := s.(*Folder); ok {
		return f.path(key), func() {}, nil
	}
	r, err := s.Open(ctx, key)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	p, err := durable.Create(dir)
	if err != nil {
		return "", nil, durable.Explain(dir, err)
	}
	if _, err := io.Copy(p, r); err != nil {
		p.Discard()
		return "", nil, err
	}
	return p.Name(), p.Discard, nil
}

// RemoveAll forgets all keys that begin with prefix.
func RemoveAll(ctx context.Context, s Store, prefix string) error {
	for e, err := range s.List(ctx, prefix) {
		if err == nil {
			err = s.Remove(ctx, e.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errKey refuses a key that would not be the same in every store.
var errKey = errors.New("is no key of a blob")

// check refuses keys that a client could have made up.
func check(key string) error {
	bad := strings.IndexFunc(key, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("._-/", r)
	})
	if key == "" || bad >= 0 || path.Clean("/"+key) != "/"+key {
		return errors.Join(errKey, fs.ErrNotExist)
	}
	return nil
}

// Missing turns fs.ErrNotExist into the damage that it is where a record names
// the bytes.
func Missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &fault.Error{Code: fault.StoreDamaged, Subject: "file", Reason: "its bytes are not there", Next: "upload it again", Err: err}
	}
	return err
}

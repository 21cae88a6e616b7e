package blobs_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/blobs/blobstest"
)

func TestFolder(t *testing.T) {
	blobstest.Run(t, func(t *testing.T) blobs.Store {
		t.Helper()
		return blobs.NewFolder(t.TempDir())
	})
}

// bucket is the address of an empty part of the bucket of scripts/s3.
func bucket(t *testing.T) string {
	t.Helper()
	address := os.Getenv("INLAY_S3_URL")
	if address == "" {
		t.Skip("no S3 server: run scripts/s3 run go test")
	}
	before, query, _ := strings.Cut(address, "?")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, t.Name())
	return before + "/" + name + "?" + query
}

func TestS3(t *testing.T) {
	blobstest.Run(t, func(t *testing.T) blobs.Store {
		t.Helper()
		s, err := blobs.OpenS3(t.Context(), bucket(t), os.Getenv)
		require.NoError(t, err)
		return s
	})
}

// TestTidy: an upload in parts that nobody completes takes no room for ever.
func TestTidy(t *testing.T) {
	address := bucket(t)
	s, err := blobs.OpenS3(t.Context(), address, os.Getenv)
	require.NoError(t, err)
	endpoint := strings.TrimPrefix(os.Getenv("INLAY_S3_ENDPOINT"), "http://")
	core, err := minio.NewCore(endpoint, &minio.Options{Creds: credentials.NewStaticV4(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), "")})
	require.NoError(t, err)
	_, err = core.NewMultipartUpload(t.Context(), "inlay", "TestTidy/files/ann/aa/aa1", minio.PutObjectOptions{})
	require.NoError(t, err)
	open := func() (n int) {
		for o := range core.ListIncompleteUploads(t.Context(), "inlay", "TestTidy/", true) {
			require.NoError(t, o.Err)
			n++
		}
		return n
	}
	require.NoError(t, s.Tidy(t.Context(), time.Now().Add(-time.Hour)))
	require.Equal(t, 1, open(), "it may be under way")
	require.NoError(t, s.Tidy(t.Context(), time.Now().Add(time.Hour)))
	require.Zero(t, open())
}

func TestOpenS3Refuses(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}[name]
	}
	for address, code := range map[string]fault.Code{
		"s3://": fault.Usage, "http://x": fault.Usage, "s3://b?endpoint=x": fault.Usage, "s3://b?endpoint=http://127.0.0.1:1&region=x": fault.StoreUnreachable,
	} {
		_, err := blobs.OpenS3(t.Context(), address, env)
		require.True(t, fault.Is(err, code), "%s: %v", address, err)
	}
	_, err := blobs.OpenS3(t.Context(), "s3://b", func(string) string { return "" })
	require.ErrorContains(t, err, "AWS_ACCESS_KEY_ID")

	address := bucket(t)
	_, err = blobs.OpenS3(t.Context(), strings.Replace(address, "s3://inlay", "s3://another", 1), os.Getenv)
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	_, err = blobs.OpenS3(t.Context(), address, env)
	require.True(t, fault.Is(err, fault.StoreUnreachable), "%v", err)
	require.ErrorContains(t, err, "refuses: ")
}

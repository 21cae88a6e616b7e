package httpapi

import (
	"errors"
	"io"
	"sync"
	"time"

	"inlay/fault"
)

// bodies bounds what the bodies of all requests under way take in memory. A key
// gets half of it, so that others always find some.
type bodies struct {
	most  int64
	mu    sync.Mutex
	all   int64
	owner map[string]int64
}

// firstPart is what a body may be without being counted, in bytes.
const firstPart = 64 << 10

// take adds n bytes of owner's, unless they would be too many; owner is empty
// where nobody needs a key, and there is nobody to protect. It never waits:
// whoever waits holds the beginning of a body, and could wait for another one.
func (b *bodies) take(owner string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all+n > b.most || owner != "" && b.owner[owner]+n > b.most/2 {
		return false
	}
	if b.owner == nil {
		b.owner = map[string]int64{}
	}
	b.all += n
	b.owner[owner] += n
	return true
}

// give gives n bytes back.
func (b *bodies) give(owner string, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all -= n
	if b.owner[owner] -= n; b.owner[owner] <= 0 {
		delete(b.owner, owner)
	}
}

// errBodies refuses a body for which there is no room in memory now.
func errBodies() error {
	return &limited{2 * time.Second, fault.Error{
		Code: fault.RateLimited, Subject: "body", Reason: "finds no room beside the large ones that are being worked on",
		Next: "upload large files to /v1/files first, or wait as long as Retry-After says",
	}}
}

// held reads at most limit bytes into buffer, or a larger one, and counts them among the bodies:
// the buffer doubles, and each step is counted before it is taken, so what a
// client only announces costs nothing. The request that holds it gives it back
// when it ends.
func (c *call) held(buffer []byte, r io.Reader, limit int64) ([]byte, error) {
	data, n := buffer[:cap(buffer)], 0
	if want := min(max(c.ContentLength+1, 512), firstPart); int64(len(data)) < want {
		data = make([]byte, want)
	}
	for {
		more, err := r.Read(data[n:])
		n += more
		switch {
		case int64(n) > limit:
			return nil, tooLargeBody(limit)
		case errors.Is(err, io.EOF):
			return data[:n], nil
		case err != nil:
			return nil, bodyError(err, limit)
		case n == len(data):
			if data, err = c.doubled(data, limit); err != nil {
				return nil, err
			}
		}
	}
}

// doubled is a copy of a full buffer with room for more.
func (c *call) doubled(data []byte, limit int64) ([]byte, error) {
	size := min(2*int64(len(data)), limit+1)
	if len(data) < firstPart {
		size = min(size, firstPart)
	}
	if n := size - firstPart - c.holds; n > 0 {
		if !c.api.bodies.take(c.account, n) {
			return nil, errBodies()
		}
		c.holds += n
	}
	bigger := make([]byte, size)
	copy(bigger, data)
	return bigger, nil
}

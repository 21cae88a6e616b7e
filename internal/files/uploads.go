package files

import (
	"context"
	"sync"
	"time"
)

// uploads remembers what questions must know of uploaded files, so that one
// about the same file does not ask the state again. What this process deletes
// is forgotten at once; what another process deletes is gone after uploadFresh.
type uploads struct {
	mu      sync.Mutex
	known   map[uploadKey]upload
	forgets int // how often something was forgotten
}

type uploadKey struct{ owner, id string }

// upload is a file as questions see it.
type upload struct {
	name    string
	content string // SHA-256 of its bytes, hexadecimal
	size    int64  // in bytes
	image   string // media type of an image, else empty
	picture bool   // it is an image of which no text is read
	at      time.Time
}

// uploadFresh is how long an upload is believed to be as it was.
const uploadFresh = time.Second

// maxUploads bounds how many are remembered.
const maxUploads = 4096

// get is what is remembered of an upload, else what load says of it.
func (u *uploads) get(ctx context.Context, key uploadKey, load func(context.Context, uploadKey) (upload, error)) (upload, error) {
	u.mu.Lock()
	one, ok := u.known[key]
	before := u.forgets
	u.mu.Unlock()
	if ok && time.Since(one.at) < uploadFresh {
		return one, nil
	}
	at := time.Now()
	one, err := load(ctx, key)
	if err != nil {
		return one, err
	}
	one.at = at
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.forgets != before { // it may be what was forgotten meanwhile
		return one, nil
	}
	if u.known == nil || len(u.known) >= maxUploads {
		u.known = map[uploadKey]upload{}
	}
	u.known[key] = one
	return one, nil
}

// forget drops an upload that is no more.
func (u *uploads) forget(key uploadKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.known, key)
	u.forgets++
}

// Package keys tells who may call: secrets, their owners.
package keys

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/state"
)

// Prefix begins every key, so that one that leaks is recognised.
const Prefix = "inlay_"

// Make makes a key and returns its secret, which is not kept: only its
// SHA-256 is. The secret has 256 random bits, so that a plain hash suffices.
func Make(ctx context.Context, keys state.Keys, name string) (k state.Key, secret string, err error) {
	if strings.TrimSpace(name) == "" || len(name) > state.MaxName {
		return k, "", &fault.Error{Code: fault.Usage, Subject: "key", Reason: "needs a name of at most 255 bytes", Next: "say whom it is for"}
	}
	secret = Prefix + strings.ToLower(rand.Text()+rand.Text())
	k = state.Key{ID: state.NewID("key_"), Name: name, Hint: secret[:len(Prefix)+4], Hash: hash(secret), Created: state.Now()}
	return k, secret, keys.AddKey(ctx, k)
}

func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Fresh is how long an answer about a key is believed: a revoked key is
// refused after this at the latest.
const Fresh = time.Second

// Gate tells who may call.
type Gate struct {
	Keys    state.Keys
	Require bool // callers need a key even if none was ever made

	mu    sync.Mutex
	known map[string]seen // by hash
	made  bool
	asked time.Time
}

type seen struct {
	owner string // empty: no good
	at    time.Time
}

// errKey does not say what is wrong with a key.
func errKey() error {
	return &fault.Error{Code: fault.Unauthorized, Subject: "key", Reason: "is missing or not valid", Next: "send one as Authorization: Bearer KEY; inlay keys make makes one"}
}

// Owner is who calls with a secret. Where no key was ever made and none is
// required, everybody is [state.Local], whatever key a client makes up. Every refusal is the same
// fault.Unauthorized.
func (g *Gate) Owner(ctx context.Context, secret string) (string, error) {
	if open, err := g.Open(ctx); err != nil || open {
		return state.Local, err
	}
	if secret == "" {
		return "", errKey()
	}
	owner, err := g.find(ctx, hash(secret))
	if err == nil && owner == "" {
		err = errKey()
	}
	return owner, err
}

// Open reports whether nobody needs a key. Once one is needed it stays so.
func (g *Gate) Open(ctx context.Context) (bool, error) {
	if g.Require {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.made || time.Since(g.asked) < Fresh {
		return !g.made, nil
	}
	made, err := g.Keys.AnyKey(ctx)
	if err == nil {
		g.made, g.asked = made, time.Now()
	}
	return !made, err
}

func (g *Gate) find(ctx context.Context, hash []byte) (owner string, err error) {
	g.mu.Lock()
	s, ok := g.known[string(hash)]
	g.mu.Unlock()
	if ok && time.Since(s.at) < Fresh {
		return s.owner, nil
	}
	k, err := g.Keys.KeyByHash(ctx, hash)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return "", nil // not remembered: guesses must not fill the memory
	case err != nil:
		return "", err
	case k.Revoked.IsZero():
		owner = k.ID
	}
	g.remember(string(hash), owner)
	return owner, nil
}

func (g *Gate) remember(hash, owner string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil {
		g.known = map[string]seen{}
	}
	g.known[hash] = seen{owner, time.Now()}
}

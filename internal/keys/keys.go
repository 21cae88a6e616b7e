// Package keys decides who may call: secrets, their owners, what they allow.
package keys

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/oneline"
	"inlay/internal/state"
)

// Prefix begins every key, so that one that leaks is recognised.
const Prefix = "inlay_"

// Wish is a key to be made.
type Wish struct {
	Name      string        // whom or what it is for
	Owner     string        // id of an owner that exists; empty: by name
	OwnerName string        // owner, made if there is none; empty: a new one called Name
	Scope     state.Scope   // empty: write
	Expires   time.Duration // from now; 0: never
}

// Make makes a key and returns its secret, which is not kept: only its
// SHA-256 is. The secret has 256 random bits, so that a plain hash suffices.
func Make(ctx context.Context, keys state.Keys, w Wish) (k state.Key, secret string, err error) {
	if w.Scope == "" {
		w.Scope = state.Write
	}
	if err := w.check(); err != nil {
		return k, "", err
	}
	if w.Owner == "" && w.OwnerName == "" {
		if w.OwnerName, err = newOwner(ctx, keys, w.Name); err != nil {
			return k, "", err
		}
	}
	secret = Prefix + strings.ToLower(rand.Text()+rand.Text())
	k = state.Key{
		ID: state.NewID("key_"), Owner: w.Owner, OwnerName: w.OwnerName, Name: w.Name, Hint: secret[:len(Prefix)+4], Hash: hash(secret),
		Scope: w.Scope, Created: state.Now(),
	}
	if w.Expires > 0 {
		k.Expires = k.Created.Add(w.Expires).Truncate(time.Second)
	}
	k, err = keys.AddKey(ctx, k)
	return k, secret, err
}

func (w Wish) check() error {
	for field, name := range map[string]string{"name": w.Name, "owner": w.OwnerName} {
		if field == "name" && strings.TrimSpace(name) == "" || len(name) > state.MaxName {
			return fault.Invalid(field, fmt.Sprintf("1 to %d bytes", state.MaxName))
		}
		if err := oneline.Check(field, name); err != nil {
			return err
		}
	}
	if !slices.Contains([]state.Scope{state.Read, state.Write, state.Admin}, w.Scope) {
		return fault.Invalid("scope", "read, write or admin")
	}
	if w.Expires < 0 || w.Expires > MaxLife || w.Expires > 0 && w.Expires < time.Second {
		return fault.Invalid("expires", "a time from 1s to 36500d")
	}
	return nil
}

// MaxLife is the longest time until a key expires.
const MaxLife = 36500 * 24 * time.Hour

// newOwner refuses the name of an owner that exists: who means that one says so.
func newOwner(ctx context.Context, keys state.Keys, name string) (string, error) {
	list, err := keys.ListKeys(ctx, "")
	if slices.ContainsFunc(list, func(k state.Key) bool { return k.OwnerName == name }) {
		return "", &fault.Error{Code: fault.Usage, Subject: name, Reason: "an owner of this name has keys already", Next: "give them another key with --owner, or choose another name"}
	}
	return name, err
}

// Rotate makes a key like one of owner's (of anybody's, if owner is empty), with
// a new secret and as long a life, and ends the old one after grace.
func Rotate(ctx context.Context, keys state.Keys, owner, id string, grace time.Duration) (k state.Key, secret string, err error) {
	list, err := keys.ListKeys(ctx, owner)
	if err != nil {
		return k, "", err
	}
	i := slices.IndexFunc(list, func(k state.Key) bool { return k.ID == id })
	if i < 0 {
		return k, "", state.ErrNotFound
	}
	old, now := list[i], state.Now()
	if !old.Good(time.Now()) {
		return k, "", &fault.Error{Code: fault.Conflict, Subject: id, Reason: "is revoked or has expired", Next: "make a new key"}
	}
	w := Wish{Name: old.Name, Owner: old.Owner, Scope: old.Scope}
	if !old.Expires.IsZero() {
		w.Expires = old.Expires.Sub(old.Created)
	}
	if k, secret, err = Make(ctx, keys, w); err != nil {
		return k, "", err
	}
	return k, secret, keys.RevokeKey(ctx, old.Owner, old.ID, now.Add(grace))
}

func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Caller is who calls.
type Caller struct {
	Owner   string
	Key     string // id; empty where none is needed
	Scope   state.Scope
	Keyless bool // nobody needs a key: there is one owner
}

// Gate decides who may call. It remembers no key: one that is made or revoked,
// by whatever process, counts or does not from the next request on.
type Gate struct {
	Keys    state.Keys
	Require bool // callers need a key even if none was ever made
	// Secret lets whoever sends it in as [state.Local], with or without keys; nobody
	// else comes in without one. Empty: there is none.
	Secret string

	mu   sync.Mutex
	made bool
	seen map[string]struct{} // hashes of keys that were good
}

// errKey does not say what is wrong with a key.
func errKey() error {
	return &fault.Error{Code: fault.Unauthorized, Subject: "key", Reason: "is missing or not valid", Next: "send one as Authorization: Bearer KEY; inlay keys make makes one"}
}

// Caller is who calls with a secret. Where no key was ever made and none is
// required, everybody is [state.Local], whatever key a client makes up. Every
// refusal is the same fault.Unauthorized.
func (g *Gate) Caller(ctx context.Context, secret string) (Caller, error) {
	if g.Secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(g.Secret)) == 1 {
		return Caller{Owner: state.Local, Scope: state.Admin, Keyless: true}, nil
	}
	if open, err := g.Open(ctx); err != nil || open {
		return Caller{Owner: state.Local, Scope: state.Admin, Keyless: true}, err
	}
	if secret == "" {
		return Caller{}, errKey()
	}
	sum := hash(secret)
	k, err := g.Keys.KeyByHash(ctx, sum)
	switch {
	case errors.Is(err, state.ErrNotFound), err == nil && !k.Good(time.Now()):
		return Caller{}, errKey()
	case err != nil:
		return Caller{}, err
	}
	g.remember(sum)
	return Caller{Owner: k.Owner, Key: k.ID, Scope: k.Scope}, nil
}

// Open reports whether nobody needs a key. Once one is needed it stays so.
func (g *Gate) Open(ctx context.Context) (bool, error) {
	if g.Require || g.Secret != "" {
		return false, nil
	}
	g.mu.Lock()
	made := g.made
	g.mu.Unlock()
	if made {
		return false, nil
	}
	made, err := g.Keys.AnyKey(ctx)
	if made {
		g.mu.Lock()
		g.made = true
		g.mu.Unlock()
	}
	return !made && err == nil, err
}

// maxSeen bounds how many keys are remembered as seen.
const maxSeen = 4096

// Seen reports whether a secret was good before: its holder guesses nothing.
func (g *Gate) Seen(secret string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.seen[string(hash(secret))]
	return ok
}

func (g *Gate) remember(sum []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen == nil || len(g.seen) >= maxSeen {
		g.seen = map[string]struct{}{}
	}
	g.seen[string(sum)] = struct{}{}
}

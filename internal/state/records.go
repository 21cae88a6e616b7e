package state

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"inlay/fault"
)

// Local is the owner of everything where no keys were made.
const Local = "local"

// MaxName is the longest name of a file, a chat or a key, in bytes.
const MaxName = 255

// NewID makes an id that cannot be guessed.
func NewID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// Now is the time as records keep it.
func Now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Missing turns [ErrNotFound] into a fault that does not say whether the record
// is nobody's or somebody else's.
func Missing(code fault.Code, kind, id string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return &fault.Error{Code: code, Subject: kind + " " + id, Reason: "there is no such " + kind, Next: "see the list of yours"}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, id, err)
	}
	return nil
}

// OnePage asks for one record more than wanted, to know whether there is one.
func OnePage[T any](p Page, list func(Page) ([]T, error)) ([]T, bool, error) {
	want := p.Limit
	p.Limit++
	all, err := list(p)
	if err != nil || len(all) <= want {
		return all, false, err
	}
	if p.Backwards() {
		return all[len(all)-want:], true, nil
	}
	return all[:want], true, nil
}

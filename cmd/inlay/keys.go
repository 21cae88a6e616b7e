package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inlay/fault"
	"inlay/internal/keys"
	"inlay/internal/state"
)

// keysCmd is everything about the service's keys.
type keysCmd struct {
	Make   keysMakeCmd   `cmd:"" help:"Make a key and print it: it is shown this once."`
	List   keysListCmd   `cmd:"" help:"List the keys."`
	Revoke keysRevokeCmd `cmd:"" help:"Refuse a key from now on. What was made with it stays in the data folder."`
}

type keysMakeCmd struct {
	dataSettings
	Name string `arg:"" help:"Whom the key is for."`
}

// Run makes a key.
func (c *keysMakeCmd) Run(ctx context.Context, a *app) (err error) {
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	k, secret, err := keys.Make(ctx, store, c.Name)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.stderr, k.ID, "is made. The key is shown this once:"); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, secret)
	return err
}

type keysListCmd struct {
	dataSettings
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: text or json."`
}

type keyJSON struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Hint    string     `json:"hint"`
	Created time.Time  `json:"created"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// Run lists the keys, without their secrets: those are nowhere.
func (c *keysListCmd) Run(ctx context.Context, a *app) (err error) {
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	keys, err := store.ListKeys(ctx)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		list := make([]keyJSON, len(keys))
		for i, k := range keys {
			list[i] = keyJSON{ID: k.ID, Name: k.Name, Hint: k.Hint, Created: k.Created}
			if !k.Revoked.IsZero() {
				list[i].Revoked = &k.Revoked
			}
		}
		return writeJSON(a.stdout, map[string]any{"schema": "inlay.keys/v1", "keys": list})
	}
	for _, k := range keys {
		until := ""
		if !k.Revoked.IsZero() {
			until = ", revoked " + k.Revoked.Format(time.DateOnly)
		}
		if _, err := fmt.Fprintf(a.stdout, "%s  %s...  %s (made %s%s)\n", k.ID, k.Hint, printable(k.Name), k.Created.Format(time.DateOnly), until); err != nil {
			return err
		}
	}
	return nil
}

type keysRevokeCmd struct {
	dataSettings
	ID string `arg:"" help:"The key's id, as inlay keys list shows it."`
}

// Run revokes a key.
func (c *keysRevokeCmd) Run(ctx context.Context, a *app) (err error) {
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = store.RevokeKey(ctx, c.ID, time.Now().UTC())
	if errors.Is(err, state.ErrNotFound) {
		return &fault.Error{Code: fault.Usage, Subject: c.ID, Reason: "there is no such key", Next: "see inlay keys list"}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stderr, c.ID, "is refused from now on")
	return err
}

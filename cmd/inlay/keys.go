package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/keys"
	"inlay/internal/plural"
	"inlay/internal/state"
)

// keysCmd is everything about the service's keys.
type keysCmd struct {
	Make   keysMakeCmd   `cmd:"" help:"Make a key and print it: it is shown this once."`
	List   keysListCmd   `cmd:"" help:"List the keys."`
	Rotate keysRotateCmd `cmd:"" help:"Make a key like an existing one with a new secret, print it, and end the old one."`
	Revoke keysRevokeCmd `cmd:"" help:"Refuse a key from now on. What its owner has stays."`
}

type keysMakeCmd struct {
	stateSettings
	Name    string `arg:"" help:"Whom or what the key is for."`
	Owner   string `placeholder:"NAME" help:"Whose files, chats and evaluations it opens; made if there is none. Without it a new owner called as the key is. The first owner gets what was kept without keys, and so does one called local."`
	Scope   string `enum:"read,write,admin" default:"write" help:"What it allows: read (ask, keep nothing), write, or admin (keys of its owner too)."`
	Expires string `placeholder:"DURATION" help:"When it expires, from now, for example 90d or 12h; without it never."`
}

// Run makes a key.
func (c *keysMakeCmd) Run(ctx context.Context, a *app) (err error) {
	expires, err := lifetime("--expires", c.Expires)
	if err != nil {
		return err
	}
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	k, secret, err := keys.Make(ctx, store, keys.Wish{Name: c.Name, OwnerName: c.Owner, Scope: state.Scope(c.Scope), Expires: expires})
	if err != nil {
		return err
	}
	if err := c.tellAdopted(ctx, a, store, k); err != nil {
		return err
	}
	return tellKey(a, k, secret)
}

// tellAdopted reports what the first owner gets: what was kept without keys.
func (c *keysMakeCmd) tellAdopted(ctx context.Context, a *app, store state.Keys, k state.Key) error {
	if k.Owner != state.Local {
		return nil
	}
	list, err := store.ListKeys(ctx, k.Owner)
	if err != nil || len(list) > 1 {
		return err
	}
	h, err := store.Holdings(ctx, k.Owner)
	if err != nil || h == (state.Holdings{}) {
		return err
	}
	_, err = fmt.Fprintf(a.stderr, "%s has what was kept without keys: %s, %s, %s\n",
		oneLine(k.OwnerName), plural.Of(h.Files, "file"), plural.Of(h.Chats, "chat"), plural.Of(h.Evaluations, "evaluation"))
	return err
}

// tellKey prints a secret, and beside it what it is.
func tellKey(a *app, k state.Key, secret string) error {
	until := "never expires"
	if !k.Expires.IsZero() {
		until = "expires " + k.Expires.Format(time.DateOnly)
	}
	if _, err := fmt.Fprintf(a.stderr, "%s is made (owner %s, scope %s, %s). The key is shown this once:\n", k.ID, oneLine(k.OwnerName), k.Scope, until); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, secret)
	return err
}

// lifetime reads a duration that may be in days; empty is 0.
func lifetime(flag, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(n, 100_000)) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return 0, &fault.Error{Code: fault.Usage, Subject: flag, Reason: "is not a duration above 0", Next: "write it like 90d or 12h"}
	}
	return d, nil
}

type keysRotateCmd struct {
	stateSettings
	ID    string `arg:"" help:"The key's id, as inlay keys list shows it."`
	Grace string `placeholder:"DURATION" help:"How long the old key still counts, for example 1d. Without this flag the old key ends at once."`
}

// Run rotates a key.
func (c *keysRotateCmd) Run(ctx context.Context, a *app) (err error) {
	grace, err := lifetime("--grace", c.Grace)
	if err != nil {
		return err
	}
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	k, secret, err := keys.Rotate(ctx, store, "", c.ID, grace)
	if errors.Is(err, state.ErrNotFound) {
		return errNoKey(c.ID)
	}
	if err != nil {
		return err
	}
	return tellKey(a, k, secret)
}

func errNoKey(id string) error {
	return &fault.Error{Code: fault.Usage, Subject: id, Reason: "there is no such key", Next: "see inlay keys list"}
}

type keysListCmd struct {
	stateSettings
	Owner  string `placeholder:"NAME" help:"Only the keys of this owner."`
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: text or json."`
}

type keyJSON struct {
	ID      string     `json:"id"`
	Owner   string     `json:"owner"`
	Name    string     `json:"name"`
	Scope   string     `json:"scope"`
	Hint    string     `json:"hint"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// Run lists the keys, without their secrets: those are nowhere.
func (c *keysListCmd) Run(ctx context.Context, a *app) (err error) {
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	list, err := store.ListKeys(ctx, "")
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(k state.Key) bool { return c.Owner != "" && k.OwnerName != c.Owner })
	if c.Output == "json" {
		out := make([]keyJSON, len(list))
		for i, k := range list {
			out[i] = keyJSON{ID: k.ID, Owner: k.OwnerName, Name: k.Name, Scope: string(k.Scope), Hint: k.Hint, Created: k.Created, Expires: orNil(k.Expires), Revoked: orNil(k.Revoked)}
		}
		return writeJSON(a.stdout, map[string]any{"schema": "inlay.keys/v1", "keys": out})
	}
	for _, k := range list {
		line := fmt.Sprintf("%s  %s...  %s  owner %s  %s  (made %s%s)\n",
			k.ID, k.Hint, oneLine(k.Name), oneLine(k.OwnerName), k.Scope, k.Created.Format(time.DateOnly), endOf(k, time.Now()))
		if _, err := io.WriteString(a.stdout, fitted(a.stdout, line)); err != nil {
			return err
		}
	}
	return nil
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// endOf says when a key ended or ends.
func endOf(k state.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero() && now.Before(k.Revoked):
		return ", ends " + k.Revoked.Format(time.RFC3339)
	case !k.Revoked.IsZero():
		return ", revoked " + k.Revoked.Format(time.DateOnly)
	case k.Expires.IsZero():
		return ""
	case now.Before(k.Expires):
		return ", expires " + k.Expires.Format(time.DateOnly)
	}
	return ", expired " + k.Expires.Format(time.DateOnly)
}

type keysRevokeCmd struct {
	stateSettings
	ID string `arg:"" help:"The key's id, as inlay keys list shows it."`
}

// Run revokes a key.
func (c *keysRevokeCmd) Run(ctx context.Context, a *app) (err error) {
	store, err := c.openState(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = store.RevokeKey(ctx, "", c.ID, time.Now().UTC())
	if errors.Is(err, state.ErrNotFound) {
		return errNoKey(c.ID)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stderr, c.ID, "is refused from now on")
	return err
}

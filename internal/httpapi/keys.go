package httpapi

import (
	"errors"
	"fmt"
	"time"

	"inlay/fault"
	"inlay/internal/keys"
	"inlay/internal/state"
)

// keyRequest asks for a key of the caller's owner.
type keyRequest struct {
	Name      string `json:"name" doc:"whom or what it is for"`
	Scope     string `json:"scope,omitempty" enum:"read,write,admin" doc:"what it allows; write"`
	ExpiresIn int64  `json:"expires_in,omitempty" doc:"seconds until it expires; 0: never"`
}

// rotateRequest asks for a new secret.
type rotateRequest struct {
	Grace int64 `json:"grace,omitempty" doc:"seconds for which the old key still counts; 0"`
}

// keyObject is a key without its secret.
type keyObject struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Name    string `json:"name"`
	Owner   string `json:"owner" doc:"name of the owner"`
	Scope   string `json:"scope"`
	Hint    string `json:"hint" doc:"first letters of the secret"`
	Created int64  `json:"created_at"`
	Expires int64  `json:"expires_at,omitempty"`
	Revoked int64  `json:"revoked_at,omitempty" doc:"in the future: until then it counts"`
	Secret  string `json:"secret,omitempty" doc:"the key itself, in the answer that makes it and never again"`
}

type keyList struct {
	Object string      `json:"object"`
	Data   []keyObject `json:"data"`
}

func viewKey(k state.Key, secret string) keyObject {
	o := keyObject{ID: k.ID, Object: "key", Name: k.Name, Owner: k.OwnerName, Scope: string(k.Scope), Hint: k.Hint, Created: k.Created.Unix(), Secret: secret}
	if !k.Expires.IsZero() {
		o.Expires = k.Expires.Unix()
	}
	if !k.Revoked.IsZero() {
		o.Revoked = k.Revoked.Unix()
	}
	return o
}

// errNoKeys refuses keys over HTTP where none was made: who makes the first
// decides who has what is kept, and is whoever runs the server.
func (c *call) errNoKeys() error {
	if !c.caller.Keyless {
		return nil
	}
	return &fault.Error{Code: fault.Forbidden, Subject: "keys", Reason: "this server has none", Next: "make the first with the command: inlay keys make NAME --scope admin"}
}

func (a *API) listKeys(c *call) error {
	if err := c.errNoKeys(); err != nil {
		return err
	}
	list, err := a.config.Gate.Keys.ListKeys(c.ctx(), c.owner)
	if err != nil {
		return err
	}
	out := keyList{Object: "list", Data: make([]keyObject, len(list))}
	for i, k := range list {
		out.Data[i] = viewKey(k, "")
	}
	return c.json(out)
}

func (a *API) makeKey(c *call) error {
	var r keyRequest
	if err := errors.Join(c.errNoKeys(), c.decode(&r)); err != nil {
		return err
	}
	if life := seconds(r.ExpiresIn); life < 0 || life > keys.MaxLife {
		return fault.Invalid("expires_in", fmt.Sprintf("seconds from 1 to %d, or 0: never", keys.MaxLife/time.Second))
	}
	k, secret, err := keys.Make(c.ctx(), a.config.Gate.Keys, keys.Wish{
		Name: r.Name, Owner: c.owner, Scope: state.Scope(r.Scope), Expires: seconds(r.ExpiresIn),
	})
	if err != nil {
		return err
	}
	return c.json(viewKey(k, secret))
}

func (a *API) rotateKey(c *call) error {
	var r rotateRequest
	if err := c.errNoKeys(); err != nil {
		return err
	}
	if c.ContentLength != 0 {
		if err := c.decode(&r); err != nil {
			return err
		}
	}
	if r.Grace < 0 || r.Grace > maxGrace {
		return fault.Invalid("grace", "seconds from 0 to 2592000")
	}
	id := c.PathValue("id")
	k, secret, err := keys.Rotate(c.ctx(), a.config.Gate.Keys, c.owner, id, seconds(r.Grace))
	if err != nil {
		return state.Missing(fault.NotFound, "key", id, err)
	}
	return c.json(viewKey(k, secret))
}

// maxGrace is thirty days, in seconds.
const maxGrace = 30 * 24 * 3600

func (a *API) revokeKey(c *call) error {
	id := c.PathValue("id")
	if err := c.errNoKeys(); err != nil {
		return err
	}
	if err := a.config.Gate.Keys.RevokeKey(c.ctx(), c.owner, id, time.Now().UTC()); err != nil {
		return state.Missing(fault.NotFound, "key", id, err)
	}
	return c.json(deleted{ID: id, Object: "key", Deleted: true})
}

// seconds is a duration; one that overflows is as long as can be, or less than
// nothing, and refused like that.
func seconds(n int64) time.Duration {
	if n > int64(1<<62)/int64(time.Second) {
		return 1 << 62
	}
	return time.Duration(max(n, -1)) * time.Second
}

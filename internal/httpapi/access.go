package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"inlay/fault"
	"inlay/internal/service"
	"inlay/internal/state"
)

// needs is the one table of what routes need, made once, as far as their methods do not
// say it: without an entry GET needs state.Read, everything else state.Write.
// What needs state.Read keeps nothing but caches.
var needs = map[string]state.Scope{ //nolint:gochecknoglobals // a table that nobody changes
	"POST /mcp":                          state.Read, // its tools that change something need more
	"POST /v1/chat/completions":          state.Read,
	"POST /v1/embeddings":                state.Read,
	"POST /v1/preprocess":                state.Read,
	"POST /v1/preprocessors/{id}":        state.Read,
	"POST /v1/responses":                 state.Read, // that are not stored
	"POST /v1/vector_stores/{id}/search": state.Read,
	"POST /v1/strategies/match":          state.Read,
	"POST /v1/strategies/{id}/execute":   state.Read,

	"POST /v1/chats/{id}/turns/{turn}/replay": state.Read,

	"GET /v1/keys":              state.Admin,
	"POST /v1/keys":             state.Admin,
	"POST /v1/keys/{id}/rotate": state.Admin,
	"DELETE /v1/keys/{id}":      state.Admin,
}

// scope is what a caller's key must allow for a route.
func (r route) scope() state.Scope {
	if r.method == http.MethodGet {
		return cmp.Or(needs[r.method+" "+r.path], state.Read)
	}
	return cmp.Or(needs[r.method+" "+r.path], state.Write)
}

// admit finds out who calls, and whether they may do what the route does. The
// context it returns is that of the rest of the request.
func (a *API) admit(ctx context.Context, c *call, r route) (context.Context, error) {
	secret, from := secretOf(c.Request), addressOf(c.RemoteAddr)
	if after := a.failures.wait(from); after > 0 && secret != "" && !a.config.Gate.Seen(secret) {
		return ctx, tooManyKeys(after)
	}
	caller, err := a.config.Gate.Caller(ctx, secret)
	if fault.Is(err, fault.Unauthorized) && secret != "" {
		a.failures.note(from)
	}
	if err != nil {
		return ctx, err
	}
	c.owner, c.account, c.caller = caller.Owner, caller.Owner, caller
	if caller.Keyless {
		c.account, ctx = "", service.Alone(ctx)
	}
	return ctx, c.may(r.scope())
}

// may refuses a caller whose key does not allow what needs a scope.
func (c *call) may(need state.Scope) error {
	if c.caller.Scope.Allows(need) {
		return nil
	}
	return &fault.Error{
		Code: fault.Forbidden, Subject: "key", Reason: "allows " + string(c.caller.Scope) + ", and this needs " + string(need),
		Next: "use a key of that scope: inlay keys make NAME --owner OWNER --scope " + string(need),
	}
}

// mayKeep refuses a question in a chat that the service keeps to who may only read.
func (c *call) mayKeep(chatID string) error {
	if chatID == "" {
		return nil
	}
	return c.may(state.Write)
}

// mayStore refuses a response that is stored to who may only read; store is the
// field of the request.
func (c *call) mayStore(store json.RawMessage) error {
	if c.may(state.Write) == nil || string(bytes.TrimSpace(store)) == "false" {
		return nil
	}
	return &fault.Error{
		Code: fault.Forbidden, Subject: "key", Reason: "allows read, and a response that is stored needs write",
		Next: `send "store": false, or use a key of that scope: inlay keys make NAME --owner OWNER --scope write`,
	}
}

const (
	wrongRate = 1      // wrong keys a second of one address, above Limits.WrongKeys
	maxWrong  = 10_000 // addresses remembered
)

// failures bound the wrong keys of each address.
type failures struct {
	most int // at once
	mu   sync.Mutex
	from map[netip.Prefix]*rate.Limiter
}

// wait is how long no key of an address is looked at that was not good before.
func (f *failures) wait(from netip.Prefix) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, ok := f.from[from]
	if !ok {
		return 0
	}
	if missing := 1 - l.Tokens(); missing > 0 {
		return time.Duration(missing / wrongRate * float64(time.Second))
	}
	return 0
}

// note counts a wrong key.
func (f *failures) note(from netip.Prefix) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.from == nil || len(f.from) >= maxWrong {
		f.from = map[netip.Prefix]*rate.Limiter{}
	}
	l, ok := f.from[from]
	if !ok {
		l = rate.NewLimiter(wrongRate, f.most)
		f.from[from] = l
	}
	l.Allow()
}

// addressOf is whom an address belongs to: itself, or of IPv6 its network of 64 bits.
func addressOf(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits)
	return p
}

func tooManyKeys(after time.Duration) error {
	return &limited{after, fault.Error{
		Code: fault.RateLimited, Subject: "key", Reason: "too many wrong keys came from your address", Next: "wait as long as Retry-After says, and check the key",
	}}
}

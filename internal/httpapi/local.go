package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"inlay/fault"
)

// outer is what holds for every request before it has a route: who needs no key
// must call by a name of this computer, and web pages of other origins may
// neither read nor cause anything unless they are allowed.
func (a *API) outer(next http.Handler) http.Handler {
	check := func(c *call) error {
		if err := a.checkHost(c.Request); err != nil {
			return err
		}
		return checkOrigin(c.Request, a.config.Origins)
	}
	refuse := a.serve(route{path: "", open: true, handle: check})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if check(&call{Request: r}) != nil {
			refuse.ServeHTTP(w, r)
			return
		}
		if origin := r.Header.Get("Origin"); slices.Contains(a.config.Origins, origin) {
			allowOrigin(w.Header(), origin)
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func allowOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-Id, Mcp-Protocol-Version, Mcp-Session-Id, Range, X-Api-Key, X-Request-Id")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, Accept-Ranges, Content-Length, Content-Range")
	h.Set("Access-Control-Max-Age", "600")
}

// checkHost refuses, where callers need no key, every name but those of this
// computer: a web page can bind a name of its own to this computer's address
// and is then of the same origin (DNS rebinding). The name alone decides;
// headers are the page's to choose.
// A request line with an address in it has no say: its name would stand in for
// that of the Host header, which is then not known any more.
func (a *API) checkHost(r *http.Request) error {
	name := hostName(r.Host)
	if r.URL.Host == "" && (isLocalName(name) || slices.Contains(a.config.Hosts, name) || nameless(r)) {
		return nil
	}
	if open, _ := a.config.Gate.Open(r.Context()); !open { // a store that cannot be read is for the route to report
		return nil
	}
	return &fault.Error{
		Code: fault.Forbidden, Subject: "host", Reason: "without keys only names of this computer are served",
		Next: "call localhost or 127.0.0.1, allow the name with --allow-host NAME, or make a key (inlay keys make)",
	}
}

// hostName is the name in a Host header, in lower case, without port, brackets and final dot.
func hostName(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// nameless reports a request of HTTP/1.0 without a Host header: programs that
// watch a server send it, and no browser does.
func nameless(r *http.Request) bool { return r.Host == "" && !r.ProtoAtLeast(1, 1) }

// isLocalName reports a name that no name server can give away: a loopback
// address, or localhost and what is below it (RFC 6761).
func isLocalName(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// checkOrigin refuses requests of web pages of other origins than this server's
// own and the allowed ones. Links to this server may be followed.
func checkOrigin(r *http.Request, allowed []string) error {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case len(r.Header.Values("Origin")) > 1 || len(r.Header.Values("Sec-Fetch-Site")) > 1: // no browser sends two
	case origin != "" && slices.Contains(allowed, origin):
		return nil
	case origin != "":
		if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
			return nil
		}
	case site == "" || site == "same-origin" || site == "none" || isLink(r):
		return nil
	}
	return &fault.Error{Code: fault.Forbidden, Subject: "origin", Reason: "web pages of other origins may not call", Next: "allow the page's origin with --cors ORIGIN"}
}

// isLink reports that somebody follows a link: the page that has it sees nothing of the answer.
func isLink(r *http.Request) bool {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	return safe && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

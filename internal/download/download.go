// Package download downloads what a user named by its web address, within bounds
// of size, time and redirects. Addresses of private networks are refused where
// the connection is made, so that neither a redirect nor a name that resolves to
// one leads there.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
	"time"

	"inlay/fault"
	"inlay/parse"
)

// Options bound a download. Zero values are the defaults.
type Options struct {
	Bytes     int64         // of one document, uncompressed; default 50 MiB
	Timeout   time.Duration // of one download, redirects included; default 30 s
	Redirects int           // followed in a row; default 5
	Private   bool          // private, loopback and link-local addresses too, and the proxies of the environment
}

func (o Options) withDefaults() Options {
	o.Bytes = cmp.Or(o.Bytes, 50<<20)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Redirects = cmp.Or(o.Redirects, 5)
	return o
}

// IsAddress reports whether a name is a web address: http or https.
func IsAddress(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Get downloads one document. Its Path is the address without a password, its
// Name the last part of the address that was answered. Errors name the address:
// fault.FileNotFound, fault.FileTooLarge, fault.Timeout, and
// fault.FileUnreadable for everything else.
func Get(ctx context.Context, address string, o Options) (parse.File, error) {
	o = o.withDefaults()
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		return parse.File{}, &fault.Error{Code: fault.FileUnreadable, Subject: redacted(at), Reason: "is not a valid web address", Next: "check the address", Err: err}
	}
	at.Fragment = ""
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return parse.File{}, &fault.Error{Code: fault.FileUnreadable, Subject: redacted(at), Reason: "is not a valid web address", Next: "check the address", Err: err}
	}
	req.Header.Set("User-Agent", "inlay")
	req.Header.Set("Accept", "*/*")
	client := o.client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return parse.File{}, o.failed(ctx, at, err)
	}
	defer func() { _ = resp.Body.Close() }()
	return o.take(ctx, at, resp)
}

// take reads the answer.
func (o Options) take(ctx context.Context, at *url.URL, resp *http.Response) (parse.File, error) {
	switch {
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return parse.File{}, &fault.Error{Code: fault.FileNotFound, Subject: redacted(at), Reason: "the server has no such document (status " + resp.Status + ")", Next: "check the address"}
	case resp.StatusCode != http.StatusOK:
		return parse.File{}, &fault.Error{Code: fault.FileUnreadable, Subject: redacted(at), Reason: "the server answers with status " + resp.Status, Next: "download it in a browser and attach the file"}
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, o.Bytes+1))
	if err != nil {
		return parse.File{}, o.failed(ctx, at, err)
	}
	if int64(len(data)) > o.Bytes {
		return parse.File{}, &fault.Error{
			Code: fault.FileTooLarge, Subject: redacted(at), Reason: fmt.Sprintf("is larger than %d MiB, the limit of a download", o.Bytes>>20),
			Next: "download it yourself and attach the file",
		}
	}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return parse.File{Name: name(resp.Request.URL, media), Path: redacted(at), MediaType: media, Data: data}, nil
}

// client dials no address that is refused, whoever named it. It has no cookies.
func (o Options) client() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		if !o.Private && refused(address) {
			return errPrivate
		}
		return nil
	}}
	transport := &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10}
	if o.Private {
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) > o.Redirects:
			return fmt.Errorf("the server redirects more than %d times", o.Redirects)
		case !IsAddress(req.URL.String()):
			return errors.New("the server redirects to something that is not a web address")
		case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
			return errors.New("the server redirects from https to http")
		}
		return nil
	}}
}

var (
	errPrivate = errors.New("it leads to a private, loopback or link-local address")
	errTimeout = errors.New("the time for a download is over")
)

// failed gives a failure its code, and its reason without the address again.
func (o Options) failed(ctx context.Context, at *url.URL, err error) error {
	f := &fault.Error{Code: fault.FileUnreadable, Subject: redacted(at), Next: "check the address and the network", Err: err}
	var dns *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, errPrivate):
		f.Reason, f.Next = errPrivate.Error(), "--allow-private permits that"
	case errors.Is(context.Cause(ctx), errTimeout):
		f.Code, f.Reason = fault.Timeout, fmt.Sprintf("the download takes longer than %s", o.Timeout)
		f.Next = "download it yourself and attach the file"
	case ctx.Err() != nil:
		return &fault.Error{Code: fault.Canceled, Subject: redacted(at), Reason: "canceled", Err: ctx.Err()}
	case errors.As(err, &dns):
		f.Reason = "the host " + dns.Name + " is not known"
	case errors.As(err, &wrapped):
		f.Reason = wrapped.Err.Error()
	default:
		f.Reason = "the download broke off"
	}
	return f
}

// refused reports whether an address of a connection is not one of the public
// network.
func refused(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return true
	}
	ip = ip.Unmap().WithZone("")
	for _, prefix := range reserved() {
		if prefix.Contains(ip) {
			return true
		}
	}
	return !ip.IsGlobalUnicast() || ip.IsPrivate()
}

// reserved are the networks that look global and are not (IANA's special-purpose
// registries), and those that carry IPv4 addresses inside IPv6 ones.
func reserved() []netip.Prefix {
	var out []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// redacted is an address to be shown: without its password.
func redacted(at *url.URL) string {
	if at == nil {
		return "address"
	}
	shown := *at
	shown.User = nil
	return shown.String()
}

// name is the last part of an address, with the extension of its type where it
// has none.
func name(at *url.URL, media string) string {
	last := path.Base(at.Path)
	if last == "." || last == "/" {
		last = at.Hostname()
		if media == "text/html" || media == "" {
			return last + ".html"
		}
	}
	if path.Ext(last) == "" {
		last += extension(media)
	}
	return last
}

// extension is that of the text formats that content alone does not tell.
func extension(media string) string {
	return map[string]string{
		"text/html": ".html", "text/markdown": ".md", "text/csv": ".csv", "text/tab-separated-values": ".tsv", "application/json": ".json",
		"application/pdf": ".pdf", "application/xml": ".xml", "text/xml": ".xml",
	}[media]
}

package main

// The checks of inlay doctor that look at addresses and servers.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"inlay/embed"
	"inlay/fault"
	"inlay/internal/plural"
	"inlay/internal/upstream"
	"inlay/internal/wire"
	"inlay/llm"
)

// patience is how long a check waits for a server.
const patience = 10 * time.Second

// lookAddress tries to listen.
func lookAddress(ctx context.Context, e *examination) []finding {
	reach := "this computer alone reaches it"
	if !isLoopback(e.Addr) {
		reach = "others can reach it, with keys"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, networkOf(e.Addr), e.Addr)
	if err == nil {
		if err := l.Close(); err != nil {
			return ofError(err, "")
		}
		return fine("%s is free; %s", e.Addr, reach)
	}
	if errors.Is(err, syscall.EADDRINUSE) && e.Data != "" && e.served() {
		return fine("%s is in use, and so is the data folder; %s", e.Addr, reach)
	}
	return bad(e.Addr+" cannot be listened on: "+reasonOfNet(err), nextOfAddress(err))
}

// nextOfAddress is what to do about an address that cannot be listened on.
func nextOfAddress(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "stop what uses it, or choose another with --addr"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "name an address of this computer with --addr, or 0.0.0.0 for all of them"
	case errors.Is(err, syscall.EACCES):
		return "choose a port above 1023 with --addr, or allow the program lower ones"
	}
	return "write --addr like 127.0.0.1:8765"
}

// soon is how long before its end a certificate is warned of.
const soon = 14 * 24 * time.Hour

// lookTLS reads certificate and key.
func lookTLS(_ context.Context, e *examination) []finding {
	if e.TLSCert == "" && e.TLSKey == "" {
		if isLoopback(e.Addr) {
			return left("no --tls-cert: plain HTTP, on this computer")
		}
		return []finding{{Verdict: worry, Found: "no --tls-cert: keys and documents cross the network in the clear", Next: "give --tls-cert and --tls-key, or put a proxy with HTTPS before it"}}
	}
	pair, err := tls.LoadX509KeyPair(e.TLSCert, e.TLSKey)
	if err != nil {
		return ofError(badPair(err), "")
	}
	out := lookCertificate(pair.Leaf, time.Now())
	if info, err := os.Stat(e.TLSKey); err == nil && info.Mode().Perm()&0o007 != 0 {
		out = append(out, finding{Verdict: worry, Found: "everybody here can read " + e.TLSKey, Next: "chmod 600 " + e.TLSKey})
	}
	return out
}

func lookCertificate(c *x509.Certificate, now time.Time) []finding {
	names := strings.Join(c.DNSNames, ", ")
	for _, ip := range c.IPAddresses {
		names = strings.TrimPrefix(names+", "+ip.String(), ", ")
	}
	renew := "put a new one in its place; a running server takes it up by itself"
	until := c.NotAfter.UTC().Format(time.DateOnly)
	switch {
	case now.After(c.NotAfter):
		return bad("the certificate ended on "+until, renew)
	case now.Before(c.NotBefore):
		return bad("the certificate begins only on "+c.NotBefore.UTC().Format(time.DateOnly), "check this computer's clock")
	case names == "":
		return bad("the certificate names no host (subjectAltName)", "get one for the name under which clients call")
	case c.NotAfter.Sub(now) < soon:
		return []finding{{Verdict: worry, Found: "the certificate for " + names + " ends on " + until, Next: renew}}
	}
	return fine("for %s, until %s; the key matches", names, until)
}

// lookUpstreams asks each server for its models and the windows of some.
func lookUpstreams(ctx context.Context, e *examination) []finding {
	list, err := e.upstreams(e.app, nil, nil, func(string) {})
	if err != nil {
		return ofError(err, "")
	}
	if len(list) == 0 {
		return []finding{{Verdict: skipped, Found: "none: questions are answered by no model, /v1/preprocess works with context_length", Next: "name one with --upstream NAME=ollama:URL"}}
	}
	each := make([][]finding, len(list))
	var asked sync.WaitGroup
	for i, u := range list {
		asked.Go(func() { each[i] = lookUpstream(ctx, u) })
	}
	asked.Wait()
	return slices.Concat(each...)
}

// fewModels is how many windows of one upstream are asked for.
const fewModels = 5

func lookUpstream(ctx context.Context, u upstream.Server) []finding {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	names, err := u.Models(ctx)
	if err != nil {
		if e, ok := errors.AsType[*fault.Error](err); ok && e.Reason != "" {
			err = &fault.Error{Code: e.Code, Reason: e.Reason, Next: inFlags(e.Next, "--base-url or --upstream")} // the subject is the server again
		}
		out := ofError(err, "start it, and check its address in --upstream and its key in the environment")
		out[0].Found = u.Name + ": " + out[0].Found
		return out
	}
	if len(names) == 0 {
		return []finding{{Verdict: worry, Found: u.Name + ": answers, and has no models", Next: "fetch one, for example with ollama pull"}}
	}
	var windows []string
	for _, name := range names[:min(len(names), fewModels)] {
		windows = append(windows, name+" "+windowOf(ctx, u, name))
	}
	if len(names) > fewModels {
		windows = append(windows, "...")
	}
	return fine("%s: %s: %s", u.Name, plural.Of(len(names), "model"), strings.Join(windows, ", "))
}

func windowOf(ctx context.Context, u upstream.Server, name string) string {
	m, err := u.Open(name, 0)
	if err != nil {
		return "(cannot be opened)"
	}
	var measured llm.Measurer = m
	length, err := measured.Length(ctx)
	if err != nil {
		return "(window unknown)"
	}
	if length.By == llm.Assumed {
		return fmt.Sprintf("(window unknown, %d tokens assumed)", length.N)
	}
	return fmt.Sprintf("(%d tokens)", length.N)
}

// lookEmbedder embeds a word.
func lookEmbedder(ctx context.Context, e *examination) []finding {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	embedder, err := wire.OpenEmbedder(ctx, e.Embedder, e.ModelSettings, e.app.getenv)
	if err != nil {
		return ofError(err, "choose another with --embedder")
	}
	vectors, err := embedder.Embed(ctx, embed.Query, []string{"notice period"})
	if err != nil {
		return ofError(err, "choose another with --embedder")
	}
	found := fine("%s, %d dimensions", embedder.Spec().Model, len(vectors[0]))
	if embedder.Spec().Lexical {
		found[0].Next = "it compares words; to find other words of the same meaning: ollama pull nomic-embed-text, then --embedder ollama:nomic-embed-text"
	}
	return found
}

// lookServer asks a server that runs whether it is ready. With --only server it
// is the health check of a container.
func lookServer(ctx context.Context, e *examination) []finding {
	if e.Data == "" || !e.served() {
		if len(e.Only) > 0 {
			return bad("no server works in "+e.Data, "start it: inlay serve --data DIR")
		}
		return left("none runs in the data folder")
	}
	status, ready, err := e.askReady(ctx)
	if err != nil {
		return bad("the server does not answer at "+e.Addr, "give the --addr that it was started with; else see its log")
	}
	found := fmt.Sprintf("ready at %s", e.Addr)
	if status != http.StatusOK {
		found = fmt.Sprintf("the server answers %d to /readyz", status)
	}
	for _, u := range ready.Upstreams {
		found += ", " + u.Name + " " + u.State
		if u.Code != "" {
			found += " (" + u.Code + ")"
		}
	}
	if status != http.StatusOK {
		return bad(found, "see its log, and the check of upstreams")
	}
	return fine("%s", found)
}

// readiness is what /readyz says.
type readiness struct {
	Upstreams []struct{ Name, State, Code string }
}

// askReady asks the server of this set-up on this computer. What it says is
// believed without its certificate: nothing is told to it.
func (e *examination) askReady(ctx context.Context) (status int, said readiness, err error) {
	host, port, err := net.SplitHostPort(e.Addr)
	if err != nil {
		return 0, said, err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // an image of nothing but the program knows no localhost
	}
	scheme := "http"
	if e.TLSCert != "" {
		scheme = "https"
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return 0, said, err
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, said, err
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&said)
	return resp.StatusCode, said, errors.Join(err, resp.Body.Close())
}

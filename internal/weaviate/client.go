// Package weaviate talks to a cluster of Weaviate nodes over REST and GraphQL: to
// whichever of them answers.
package weaviate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"inlay/fault"
)

// How long requests may take, and how often one is sent.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 30 * time.Second
	rounds       = 4                      // over all nodes
	firstPause   = 100 * time.Millisecond // between rounds; doubled each time
	awayFor      = 2 * time.Second        // a node that did not answer comes last for so long
	largest      = 64 << 20               // bytes of an answer
)

// KeyVariable is the variable of the environment with the key of the cluster.
const KeyVariable = "WEAVIATE_API_KEY"

// Client is a cluster. Open one with [Open]; it is safe for concurrent use.
type Client struct {
	http  *http.Client
	key   string
	nodes []*node
	turn  atomic.Uint32 // of the node that is asked first

	degraded atomic.Int64 // until when writes do not wait for every replica, in Unix nanoseconds
}

type node struct {
	url  string       // without a path
	away atomic.Int64 // until when it comes last, in Unix nanoseconds
}

func badAddress(reason string) error {
	return &fault.Error{Code: fault.Usage, Subject: "--index", Reason: reason, Next: "write it like weaviate://node1:8080,node2:8080,node3:8080, with ?tls=true for HTTPS"}
}

// Open reads an address, weaviate://HOST:PORT,HOST:PORT?tls=true, and the key in
// WEAVIATE_API_KEY, if there is one. Nothing is connected yet.
func Open(address string, getenv func(string) string) (*Client, error) {
	rest, ok := strings.CutPrefix(address, "weaviate://")
	if !ok {
		return nil, badAddress("must begin with weaviate://")
	}
	hosts, query, _ := strings.Cut(rest, "?")
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, badAddress("has settings that cannot be read")
	}
	scheme := "http"
	for name, values := range q {
		if name != "tls" || len(values) != 1 || values[0] != "true" && values[0] != "false" {
			return nil, badAddress("has a setting other than tls=true")
		}
		if values[0] == "true" {
			scheme = "https"
		}
	}
	c := &Client{key: getenv(KeyVariable), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: false}}}
	for host := range strings.SplitSeq(strings.TrimSuffix(hosts, "/"), ",") {
		u, err := url.Parse(scheme + "://" + host)
		if err != nil || u.Host == "" || u.Path != "" || u.User != nil {
			return nil, badAddress("has a node that is not HOST:PORT")
		}
		c.nodes = append(c.nodes, &node{url: scheme + "://" + host})
	}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// statusError is an answer other than success. What the server says may hold
// what was sent, so it is kept for schemas alone.
type statusError struct {
	status int
	said   string
}

// Error implements error.
func (e *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("status %d %s", e.status, e.said))
}

// passing reports whether another node, or the same one later, may do better.
func (e *statusError) passing() bool {
	return e.status >= 500 || e.status == http.StatusTooManyRequests
}

// call is one request.
type call struct {
	method, path string
	body         any
	write        bool
	says         bool // what the server says of a failure has nothing of what was sent
}

// do sends a request to one node after the other until one answers.
func (c *Client) do(ctx context.Context, r call, out any) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return err
		}
	}
	var err error
	for round, pause := 0, firstPause; round < rounds; round, pause = round+1, 2*pause {
		for _, n := range c.order() {
			err = c.ask(ctx, n, r, body, out)
			if said, ok := errors.AsType[*statusError](err); err == nil || ok && !said.passing() || ctx.Err() != nil {
				return explain(ctx, r, err)
			}
		}
		select {
		case <-ctx.Done():
			return explain(ctx, r, err)
		case <-time.After(pause):
		}
	}
	return explain(ctx, r, err)
}

// once sends a request to the node whose turn it is.
func (c *Client) once(ctx context.Context, r call, out any) error {
	body, err := json.Marshal(r.body)
	if err != nil {
		return err
	}
	return c.ask(ctx, c.order()[0], r, body, out)
}

// order is the nodes, each first in its turn, those that were away last.
func (c *Client) order() []*node {
	n := len(c.nodes)
	first := int(c.turn.Add(1)) % n
	here, away := make([]*node, 0, n), []*node(nil)
	now := time.Now().UnixNano()
	for i := range n {
		one := c.nodes[(first+i)%n]
		if one.away.Load() > now {
			away = append(away, one)
		} else {
			here = append(here, one)
		}
	}
	return append(here, away...)
}

func (c *Client) ask(ctx context.Context, n *node, r call, body []byte, out any) error {
	patience := readTimeout
	if r.write {
		patience = writeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, n.url+r.path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		n.away.Store(time.Now().Add(awayFor).UnixNano())
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(answer.Body, largest))
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		e := &statusError{status: answer.StatusCode}
		if r.says {
			e.said = string(data[:min(len(data), 500)])
		}
		return e
	}
	if out == nil || len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, out)
}

// explain says what an error means to its reader.
func explain(ctx context.Context, r call, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	said, ok := errors.AsType[*statusError](err)
	switch {
	case ok && (said.status == http.StatusUnauthorized || said.status == http.StatusForbidden):
		return &fault.Error{Code: fault.StoreUnreachable, Subject: "--index", Reason: "refuses the key", Next: "set " + KeyVariable, Err: err}
	case ok && !said.passing():
		return &fault.Error{Code: fault.Internal, Subject: "--index", Reason: "refuses " + r.method + " " + strings.SplitN(r.path, "?", 2)[0] + " with " + said.Error(), Err: err}
	}
	return away(err)
}

func away(err error) error {
	return &fault.Error{Code: fault.StoreUnreachable, Subject: "--index", Reason: "too few nodes of the Weaviate cluster answer", Next: "try again; see inlay doctor --only index", Err: err}
}

// missing reports whether a request failed because there is nothing of the name.
func missing(err error) bool {
	e, ok := errors.AsType[*statusError](err)
	return ok && (e.status == http.StatusNotFound || e.status == http.StatusUnprocessableEntity)
}

// NodeStatus is what is known of a node.
type NodeStatus struct {
	Name    string
	Version string
	Status  string // HEALTHY, or what is wrong
}

// Nodes are the nodes of the cluster, as one of them sees them.
func (c *Client) Nodes(ctx context.Context) ([]NodeStatus, error) {
	var out struct{ Nodes []NodeStatus }
	err := c.do(ctx, call{method: http.MethodGet, path: "/v1/nodes"}, &out)
	return out.Nodes, err
}

// Ping is nil when a node is ready, and most of them are in the cluster.
func (c *Client) Ping(ctx context.Context) error {
	return c.do(ctx, call{method: http.MethodGet, path: "/v1/.well-known/ready"}, nil)
}

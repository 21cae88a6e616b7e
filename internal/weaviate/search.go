package weaviate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"inlay/embed"
	"inlay/fault"
)

// Query asks for the nearest passages, by words or by a vector.
type Query struct {
	Where  Where
	Terms  []string     // BM25
	Vector embed.Vector // cosine; where it is set, Terms are not
	Limit  int
}

// Nearest returns the documents of the nearest passages, in no particular order
// and some of them more than once.
func (c *Client) Nearest(ctx context.Context, class, tenant string, q Query) ([]int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "{Get{hits:%s(tenant:%s,limit:%d,consistencyLevel:QUORUM,where:", class, literal(tenant), q.Limit)
	q.Where.clause().graphQL(&b)
	if q.Vector != nil {
		b.WriteString(",nearVector:{vector:" + literal(q.Vector) + "}")
	} else {
		b.WriteString(",bm25:{query:" + literal(strings.Join(q.Terms, " ")) + ",properties:[" + literal(terms) + "]}")
	}
	b.WriteString("){_additional{id}}}}")
	return c.fromTwo(ctx, b.String())
}

// hits is an answer of a search.
type hits struct {
	Get struct {
		Hits []struct {
			Additional struct{ ID string } `json:"_additional"`
		}
	}
}

// readers is how many nodes a search asks. Each of three searches its own replica,
// and what was written is on two of them: a node that has rejoined and is behind
// is never alone.
const readers = 2

// fromTwo searches on two nodes and returns the documents of both.
func (c *Client) fromTwo(ctx context.Context, query string) ([]int64, error) {
	var err error
	for round, pause := 0, firstPause; round < rounds; round, pause = round+1, 2*pause {
		var docs []int64
		if docs, err = c.oneRound(ctx, query); err == nil || ctx.Err() != nil {
			return docs, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil, err
}

// oneRound asks each node once at most, until two have answered.
func (c *Client) oneRound(ctx context.Context, query string) ([]int64, error) {
	nodes := c.order()
	var next atomic.Int64
	answers := make([]hits, min(readers, len(nodes)))
	errs := make([]error, len(answers))
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			errs[i] = away(nil)
			for at := int(next.Add(1)) - 1; at < len(nodes) && errs[i] != nil; at = int(next.Add(1)) - 1 {
				errs[i] = c.graphQLOn(ctx, nodes[at], query, &answers[i])
			}
		})
	}
	wait.Wait()
	var docs []int64
	for i, answer := range answers {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, h := range answer.Get.Hits {
			docs = append(docs, docOf(h.Additional.ID))
		}
	}
	return docs, nil
}

// Count counts the objects of each condition.
func (c *Client) Count(ctx context.Context, class, tenant string, list []Where) ([]int, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var b strings.Builder
	b.WriteString("{Aggregate{")
	for i, w := range list {
		fmt.Fprintf(&b, "n%d:%s(tenant:%s,where:", i, class, literal(tenant))
		w.clause().graphQL(&b)
		b.WriteString("){meta{count}}")
	}
	b.WriteString("}}")
	var out struct {
		Aggregate map[string][]struct{ Meta struct{ Count float64 } }
	}
	if err := c.graphQL(ctx, b.String(), &out); err != nil {
		return nil, err
	}
	counts := make([]int, len(list))
	for i := range list {
		if found := out.Aggregate["n"+strconv.Itoa(i)]; len(found) == 1 {
			counts[i] = int(found[0].Meta.Count)
		}
	}
	return counts, nil
}

// graphQL asks a question of the first node that can answer it.
func (c *Client) graphQL(ctx context.Context, query string, out any) error {
	var err error
	for round, pause := 0, firstPause; round < rounds; round, pause = round+1, 2*pause {
		for _, n := range c.order() {
			if err = c.graphQLOn(ctx, n, query, out); err == nil || !fault.Is(err, fault.StoreUnreachable) || ctx.Err() != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return err
}

// graphQLOn asks a question of one node. One that cannot answer may say so with
// status 200.
func (c *Client) graphQLOn(ctx context.Context, n *node, query string, out any) error {
	answer := struct {
		Data   any
		Errors []struct{ Message string }
	}{Data: out}
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	r := call{method: http.MethodPost, path: "/v1/graphql"}
	if err := c.ask(ctx, n, r, body, &answer); err != nil {
		return explain(ctx, r, err)
	}
	if len(answer.Errors) == 0 {
		return nil
	}
	failure := fmt.Errorf("graphql: %d errors", len(answer.Errors))
	if strings.Contains(answer.Errors[0].Message, "tenant not found") {
		return &fault.Error{Code: fault.NotFound, Subject: "--index", Reason: "has no such tenant", Err: failure}
	}
	return away(failure)
}

package weaviate

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

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

// Nearest returns the documents of the nearest passages, one for each passage,
// nearest first.
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
	var out struct {
		Get struct {
			Hits []struct {
				Additional struct{ ID string } `json:"_additional"`
			}
		}
	}
	if err := c.graphQL(ctx, b.String(), &out); err != nil {
		return nil, err
	}
	docs := make([]int64, len(out.Get.Hits))
	for i, h := range out.Get.Hits {
		docs[i] = docOf(h.Additional.ID)
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

// graphQL asks a question. A node that cannot answer it says so with status 200:
// the next one is asked.
func (c *Client) graphQL(ctx context.Context, query string, out any) error {
	var failure error
	for range c.nodes {
		answer := struct {
			Data   any
			Errors []struct{ Message string }
		}{Data: out}
		if err := c.do(ctx, call{method: http.MethodPost, path: "/v1/graphql", body: map[string]string{"query": query}}, &answer); err != nil {
			return err
		}
		if len(answer.Errors) == 0 {
			return nil
		}
		failure = fmt.Errorf("graphql: %d errors", len(answer.Errors))
		if strings.Contains(answer.Errors[0].Message, "tenant not found") {
			return &fault.Error{Code: fault.NotFound, Subject: "--index", Reason: "has no such tenant", Err: failure}
		}
	}
	return away(failure)
}

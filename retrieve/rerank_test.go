package retrieve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
)

// byWord is a reranker that scores texts by how often they hold a word.
type byWord struct {
	word  string
	fails error
	hangs bool
	few   bool
	nan   bool
	seen  *[]string
}

func (byWord) Name() string { return "test:by-word" }

func (b byWord) Rerank(ctx context.Context, _ string, texts []string) ([]float64, error) {
	if b.seen != nil {
		*b.seen = texts
	}
	if b.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	scores := make([]float64, len(texts))
	for i, text := range texts {
		scores[i] = float64(strings.Count(text, b.word)) - .5
	}
	if b.nan {
		scores[0] = math.NaN()
	}
	if b.few {
		scores = scores[1:]
	}
	return scores, b.fails
}

// reread asks about the test handbook with a reranker; nil is none.
func reread(t *testing.T, second retrieve.Reranker, req retrieve.Request) retrieve.Passages {
	t.Helper()
	r := retrieve.New(retrieve.Options{Splitter: small, Reranker: second, RerankTime: time.Minute})
	req.Query, req.Threshold = "How many days of paid leave do employees get, and who approves flights?", new(0.0)
	req.Documents = []parse.Document{markdown("handbook.md", handbook)}
	p, err := r.Retrieve(t.Context(), req)
	require.NoError(t, err)
	return p
}

func TestRerankerOrders(t *testing.T) {
	plain := reread(t, nil, retrieve.Request{Limit: 1})
	require.Contains(t, plain.Citations[0].Text, "25 days")
	require.Nil(t, plain.Citations[0].Rerank)
	require.Nil(t, plain.Reranking)
	var seen []string
	p := reread(t, byWord{word: "Laptops", seen: &seen}, retrieve.Request{Limit: 1})
	require.Contains(t, p.Citations[0].Text, "Laptops")
	require.InDelta(t, .5, *p.Citations[0].Rerank, 0)
	require.Equal(t, &retrieve.Reranking{Model: "test:by-word", Passages: len(seen), Millis: p.Reranking.Millis}, p.Reranking)
	require.Empty(t, p.Warnings)
	require.Equal(t, plain.Candidates, p.Candidates, "affinities are their own (RET-5)")
	require.Contains(t, strings.Join(seen, "|"), "Handbook > Equipment\n", "a passage is read with the headings above it")

	off := reread(t, byWord{word: "Laptops"}, retrieve.Request{Limit: 1, NoRerank: true})
	require.Equal(t, plain.Citations, off.Citations)
	require.Nil(t, off.Reranking)
}

// TestRerankerKeepsThreshold: what the reranker puts first is cited only with an
// affinity above the threshold.
func TestRerankerKeepsThreshold(t *testing.T) {
	all := reread(t, byWord{word: "Laptops"}, retrieve.Request{Limit: 1})
	r := retrieve.New(retrieve.Options{Splitter: small, Reranker: byWord{word: "Laptops"}})
	req := retrieve.Request{
		Query: "How many days of paid leave do employees get, and who approves flights?", Limit: 5,
		Threshold: &all.Citations[0].Affinity, Documents: []parse.Document{markdown("handbook.md", handbook)},
	}
	p, err := r.Retrieve(t.Context(), req)
	require.NoError(t, err)
	require.NotEmpty(t, p.Citations)
	require.NotContains(t, p.Citations[0].Text, "Laptops")
	require.NotNil(t, p.NearMisses[0].Rerank)
}

// TestRerankerFailsOpen: whatever goes wrong, the answer is that of the search,
// with a warning that says why.
func TestRerankerFailsOpen(t *testing.T) {
	plain := reread(t, nil, retrieve.Request{})
	for name, tt := range map[string]struct {
		second byWord
		code   fault.Code
		says   string
	}{
		"error":              {byWord{fails: &fault.Error{Code: fault.BackendUnreachable, Subject: "test:by-word", Reason: "no server answers"}}, fault.BackendUnreachable, "no server answers"},
		"foreign error":      {byWord{fails: errors.New("the text of a document")}, fault.Internal, "test:by-word: internal"},
		"too few scores":     {byWord{few: true}, fault.Internal, "scores for"},
		"not a number":       {byWord{nan: true}, fault.Internal, "not finite"},
		"longer than it may": {byWord{hangs: true}, fault.Timeout, "took longer than 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := reread(t, tt.second, retrieve.Request{})
				require.Equal(t, plain.Citations, p.Citations)
				require.Equal(t, tt.code, p.Reranking.Failure)
				require.Zero(t, p.Reranking.Passages)
				require.Len(t, p.Warnings, 1)
				require.Equal(t, "not_reranked", p.Warnings[0].Code)
				require.Contains(t, p.Warnings[0].Message, tt.says)
				require.NotContains(t, p.Warnings[0].Message, "document")
			})
		})
	}
}

// TestRerankerCanceled: the end of the caller's context is an error, not a failure
// of the reranker.
func TestRerankerCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := retrieve.New(retrieve.Options{Reranker: byWord{hangs: true}})
		_, err := r.Retrieve(ctx, retrieve.Request{Query: "leave", Documents: []parse.Document{markdown("handbook.md", handbook)}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestRankReranked: a sweep ranks as questions are, and a failure is an error, so
// that no figure is of another search than its name says.
func TestRankReranked(t *testing.T) {
	req := retrieve.Request{Documents: []parse.Document{markdown("handbook.md", handbook)}}
	c, err := retrieve.New(retrieve.Options{Splitter: small, Reranker: byWord{word: "Laptops"}}).Prepare(t.Context(), req)
	require.NoError(t, err)
	ranked, err := c.Rank(t.Context(), "paid leave", 3)
	require.NoError(t, err)
	require.Contains(t, ranked[0].Chunk.Text, "Laptops")
	require.InDelta(t, .5, *ranked[0].Rerank, 0)
	c, err = retrieve.New(retrieve.Options{Splitter: small, Reranker: byWord{few: true}}).Prepare(t.Context(), req)
	require.NoError(t, err)
	_, err = c.Rank(t.Context(), "paid leave", 3)
	require.ErrorContains(t, err, "scores for")
}

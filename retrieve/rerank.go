package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"inlay/fault"
	"inlay/parse"
)

// Reranker is a second reader: a model that reads the question and a passage
// together, which is slower and better than comparing words or vectors. It
// changes the order of passages and never their affinity (RET-5). Every
// implementation passes retrievetest.RunReranker and is safe for concurrent use.
type Reranker interface {
	// Name is "provider:model", for results and warnings.
	Name() string
	// Rerank returns a score for each text, in order: the higher, the better the
	// text answers the query. Scores compare within one call only and are finite.
	// It returns promptly with an error when ctx ends.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// RerankDepth is how many of the best passages a [Reranker] reads, at most.
const RerankDepth = 50

// DefaultRerankTime is how long a [Reranker] may take where [Options] do not say.
const DefaultRerankTime = 10 * time.Second

// Reranking says what a [Reranker] did for one question.
type Reranking struct {
	Model    string     `json:"model"`
	Passages int        `json:"passages"`          // that it read
	Failure  fault.Code `json:"failure,omitempty"` // why the order of the search was kept
	Millis   float64    `json:"-"`                 // that it took
}

// rerank reorders the first hits by the scores of the reranker. Where it fails
// or takes too long, the order stays as it is.
func (c *Corpus) rerank(ctx context.Context, query string, hits []hit) (*Reranking, error) {
	reader := c.r.reranker
	if reader == nil || len(hits) == 0 {
		return nil, ctx.Err()
	}
	first := hits[:min(RerankDepth, len(hits))]
	texts := make([]string, len(first))
	for i, h := range first {
		texts[i] = embeddedText(c.chunk(h))
	}
	done := &Reranking{Model: reader.Name(), Passages: len(first)}
	start := time.Now()
	scores, err := c.r.rerankScores(ctx, query, texts)
	done.Millis = float64(time.Since(start).Microseconds()) / 1000
	if err != nil {
		done.Passages, done.Failure = 0, fault.CodeOf(err)
		return done, err
	}
	for i := range first {
		first[i].reread = &scores[i]
	}
	slices.SortStableFunc(first, func(a, b hit) int { return cmp.Compare(*b.reread, *a.reread) })
	return done, nil
}

// rerankOpen is rerank where a failure is a warning: an answer from the order of
// the search is better than none. Only the end of ctx is an error.
func (c *Corpus) rerankOpen(ctx context.Context, query string, hits []hit) (*Reranking, []parse.Warning, error) {
	done, err := c.rerank(ctx, query, hits)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err == nil {
		return done, nil, nil
	}
	c.r.log.WarnContext(ctx, "passages not reranked", "reranker", done.Model, "code", string(done.Failure))
	return done, []parse.Warning{{
		Code:    "not_reranked",
		Message: fmt.Sprintf("The passages are in the order of the search, because the reranker failed: %s.", c.r.rerankFailure(err)),
	}}, nil
}

// rerankScores asks the reranker, bounded in time, and checks what it returns.
func (r *Retriever) rerankScores(ctx context.Context, query string, texts []string) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, r.rerankTime)
	defer cancel()
	scores, err := r.reranker.Rerank(ctx, query, texts)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(texts) {
		return nil, r.brokenReranker(fmt.Sprintf("gave %d scores for %d passages", len(scores), len(texts)))
	}
	for _, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, r.brokenReranker("gave a score that is not finite")
		}
	}
	return scores, nil
}

func (r *Retriever) brokenReranker(reason string) error {
	return &fault.Error{Code: fault.Internal, Subject: r.reranker.Name(), Reason: reason, Next: "check that it is a reranking model"}
}

// rerankFailure says why in words. Errors without a code may hold anything, so
// that these are named by their kind alone.
func (r *Retriever) rerankFailure(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Error()
	}
	if fault.Is(err, fault.Timeout) {
		return fmt.Sprintf("%s took longer than %s", r.reranker.Name(), r.rerankTime)
	}
	return fmt.Sprintf("%s: %s", r.reranker.Name(), fault.CodeOf(err))
}

package strategy

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"inlay/fault"
	"inlay/strategy/condition"
	"inlay/strategy/render"
	"inlay/strategy/source"
)

// ExtraProvider collects a subtree of extra context that conditions read, such
// as the file manager's selection. It is asked only when a condition needs it.
type ExtraProvider interface {
	Root() string       // the subtree it fills: "file_manager" for extra.file_manager
	Permission() string // what it reads, for the user: "Reads the file manager's current folder and selection"
	// Collect returns the subtree as plain data. An error that is
	// fs.ErrPermission or preprocessor.permission_unavailable means that the
	// user or the system refused.
	Collect(ctx context.Context) (any, error)
}

// Matcher finds the strategies worth offering in a context. The zero value has
// no providers. It is safe for concurrent use.
type Matcher struct {
	Providers []ExtraProvider
	Now       func() time.Time // nil means time.Now
}

// Candidate is a strategy with what became of its condition.
type Candidate struct {
	Strategy   *Strategy
	Evaluation condition.Evaluation
	Took       time.Duration
}

// Matches is the outcome of matching: the strategies whose condition is true,
// and the enabled ones whose is not, each by priority (highest first), provider,
// name and id. Values are the caller's with the extra context that was
// collected, for executing one of them.
type Matches struct {
	Candidates []Candidate
	Others     []Candidate
	Values     map[string]any
}

// Match judges every enabled strategy over the given values. Extra context that
// conditions name and the caller did not supply is collected first, all
// providers at once. It fails when ctx ends or a value has no plain form.
func (m *Matcher) Match(ctx context.Context, strategies []*Strategy, values map[string]any) (Matches, error) {
	plain, err := prepared(ExecutionContext{Values: values})
	if err != nil {
		return Matches{}, err
	}
	out := Matches{Values: plain.Values}
	provided := m.collect(ctx, strategies, out.Values)
	over := condition.NewContext(out.Values, provided)
	over.Now = m.Now
	for _, s := range strategies {
		if ctx.Err() != nil {
			return Matches{}, &fault.Error{Code: fault.Canceled, Subject: "matching", Reason: "canceled", Err: context.Cause(ctx)}
		}
		if !s.Enabled {
			continue
		}
		c := m.judge(s, over)
		if c.Evaluation.Result == condition.True {
			out.Candidates = append(out.Candidates, c)
		} else {
			out.Others = append(out.Others, c)
		}
	}
	slices.SortStableFunc(out.Candidates, order)
	slices.SortStableFunc(out.Others, order)
	return out, nil
}

func (m *Matcher) judge(s *Strategy, over *condition.Context) Candidate {
	start := time.Now()
	return Candidate{Strategy: s, Evaluation: s.When.Evaluate(over, s.Options.Limits), Took: time.Since(start)}
}

func order(a, b Candidate) int {
	return cmp.Or(
		cmp.Compare(b.Strategy.Priority, a.Strategy.Priority),
		cmp.Compare(a.Strategy.Provider, b.Strategy.Provider),
		cmp.Compare(a.Strategy.Name, b.Strategy.Name),
		cmp.Compare(a.Strategy.ID, b.Strategy.ID),
	)
}

// collect asks the providers of the subtrees that conditions need and values
// lack, and adds what they return to values. Each has the longest time that any
// strategy gives it; a strategy that gives less sees a slow one as too late.
func (m *Matcher) collect(ctx context.Context, strategies []*Strategy, values map[string]any) map[string]condition.Provided {
	limits := map[string]time.Duration{}
	for _, s := range strategies {
		if !s.Enabled {
			continue
		}
		for _, root := range s.When.ExtraRoots() {
			if _, given := render.Find(values, "extra."+root); !given && !hasUnder(values, "extra."+root+".") {
				limits[root] = max(limits[root], s.Options.WithDefaults().Extra)
			}
		}
	}
	results := make([]collected, 0, len(limits))
	var wg sync.WaitGroup
	for _, root := range sortedKeys(limits) {
		results = append(results, collected{root: root})
	}
	for i := range results {
		wg.Go(func() { results[i].ask(ctx, m.provider(results[i].root), limits[results[i].root]) })
	}
	wg.Wait()
	provided := map[string]condition.Provided{}
	for _, r := range results {
		provided[r.root] = r.Provided
		if r.Failure == "" {
			values["extra."+r.root] = r.value
		}
	}
	return provided
}

func hasUnder(values map[string]any, prefix string) bool {
	for key := range maps.Keys(values) {
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

func (m *Matcher) provider(root string) ExtraProvider {
	for _, p := range m.Providers {
		if p.Root() == root {
			return p
		}
	}
	return nil
}

// collected is what a provider gave, or why it gave nothing.
type collected struct {
	condition.Provided
	root  string
	value any
}

func (c *collected) ask(ctx context.Context, p ExtraProvider, limit time.Duration) {
	if p == nil {
		c.Failure = source.ExtraUnavailable
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type answer struct {
		value   any
		failure string
	}
	answers := make(chan answer, 1)
	start := time.Now()
	go func() {
		a := answer{failure: source.ExtraUnavailable} // stands if Collect panics
		defer func() {
			_ = recover()
			answers <- a
		}()
		value, err := p.Collect(ctx)
		if err == nil {
			value, err = render.Normalize(value)
		}
		a.value, a.failure = value, extraFailure(err)
	}()
	select {
	case a := <-answers:
		c.value, c.Failure = a.value, a.failure
	case <-ctx.Done():
		c.Failure = source.ExtraTimeout
	}
	c.Took = time.Since(start)
}

func extraFailure(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, fs.ErrPermission), fault.Is(err, fault.PreprocessorPermissionUnavailable):
		return source.ExtraPermission
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return source.ExtraTimeout
	}
	return source.ExtraUnavailable
}

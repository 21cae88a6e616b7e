package condition

import (
	"slices"
	"strings"
	"time"

	"inlay/strategy/render"
	"inlay/strategy/source"
)

// Context is what conditions are judged over: supplied data and what became of
// the providers of extra context. It keeps work shared by conditions, so it
// serves one goroutine at a time.
type Context struct {
	// Now is the clock of the limits; nil means time.Now.
	Now func() time.Time

	values map[string]any
	extra  map[string]Provided
	folded map[string]string
	tree   *tree
	parsed bool
}

// Provided is what became of one subtree of extra context.
type Provided struct {
	Failure string        // a code of package source, empty when it was collected
	Took    time.Duration // how long its provider ran
}

// NewContext takes normalised values by dotted path, as render.Find reads them.
func NewContext(values map[string]any, extra map[string]Provided) *Context {
	return &Context{values: values, extra: extra, folded: map[string]string{}}
}

func (c *Context) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Evaluate judges the condition. A nil condition is true.
func (c *Condition) Evaluate(over *Context, limits Limits) Evaluation {
	if c == nil {
		return Evaluation{Result: True}
	}
	limits = limits.WithDefaults()
	r := &run{Context: over, limits: limits, end: over.now().Add(limits.Matching)}
	return c.root.evaluate(r, nil)
}

// run is one judging of one condition.
type run struct {
	*Context
	limits Limits
	end    time.Time // of the whole condition
	until  time.Time // of the path being judged
}

// late reports whether the time of the current path or of the condition is over.
func (r *run) late() bool { return !r.now().Before(r.until) }

// within starts the time of a part, never longer than the whole's.
func (r *run) within(d time.Duration) { r.until = earlier(r.now().Add(d), r.end) }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// node is a part of a compiled condition; item is the value that relative paths
// start from.
type node interface {
	evaluate(r *run, item any) Evaluation
}

type constant bool

func (c constant) evaluate(*run, any) Evaluation { return Evaluation{Result: truth(bool(c))} }

// composite is all, any or none of its parts.
type composite struct {
	op    string
	parts []node
}

func (c composite) evaluate(r *run, item any) Evaluation {
	out := Evaluation{Operator: c.op}
	v := verdict{op: c.op}
	for _, part := range c.parts {
		p := part.evaluate(r, item)
		out.Parts = append(out.Parts, p)
		if v.add(p.Result) {
			break
		}
	}
	out.Result = v.result()
	return out
}

// verdict combines outcomes: all is false by one false, any true by one true;
// without that an unknown makes it unknown. none is not any.
type verdict struct {
	op      string
	n       int
	unknown bool
	decided bool
}

// add takes one outcome and reports whether further ones matter no more.
func (v *verdict) add(t Truth) bool {
	v.n++
	switch {
	case t == Unknown:
		v.unknown = true
	case (v.op == "all") == (t == False):
		v.decided = true
	}
	return v.decided
}

func (v *verdict) result() Truth {
	switch {
	case v.decided:
		return truth(v.op == "any")
	case v.unknown:
		return Unknown
	}
	return truth(v.op != "any")
}

// field is a path with its operators. An item's empty path is the item itself.
type field struct {
	path string
	item bool
	ops  []operator
}

func (f field) evaluate(r *run, item any) Evaluation {
	out := Evaluation{Path: f.path}
	if !f.item {
		r.within(r.limits.Condition)
	}
	if r.late() {
		return timedOut(out)
	}
	value, ok := f.value(r, item)
	if !ok || value == nil {
		out.Diagnostics = append(out.Diagnostics, r.missing(f))
		return out
	}
	v := verdict{op: "all"}
	for _, op := range f.ops {
		result, why := op.apply(r, value, f)
		if why == "" && r.late() {
			result, why = Unknown, source.ConditionTimeout
		}
		part := Evaluation{Path: f.path, Operator: op.String(), Result: result}
		if why != "" {
			part.Diagnostics = append(part.Diagnostics, note(why, f.path))
		}
		out.Parts = append(out.Parts, part)
		if v.add(result) {
			break
		}
	}
	out.Result = v.result()
	if len(out.Parts) == 1 {
		return out.Parts[0]
	}
	return out
}

func (f field) value(r *run, item any) (any, bool) {
	if f.item {
		return render.Descend(item, f.path)
	}
	if r.lateExtra(f.path) != "" {
		return nil, false
	}
	return render.Find(r.values, f.path)
}

func timedOut(e Evaluation) Evaluation {
	e.Diagnostics = append(e.Diagnostics, note(source.ConditionTimeout, e.Path))
	return e
}

// missing says why a path has no value: its provider failed or it is not there.
func (r *run) missing(f field) source.Diagnostic {
	if code := r.lateExtra(f.path); code != "" && !f.item {
		return note(code, f.path)
	}
	return note(source.PathMissing, f.path)
}

// lateExtra is the failure of the provider behind a path of extra context, if
// it failed or took longer than this strategy allows.
func (r *run) lateExtra(path string) string {
	rest, ok := strings.CutPrefix(path, "extra.")
	if !ok {
		return ""
	}
	root, _, _ := strings.Cut(rest, ".")
	p, known := r.extra[root]
	switch {
	case !known:
		return ""
	case p.Failure == "" && p.Took > r.limits.Extra:
		return source.ExtraTimeout
	}
	return p.Failure
}

// note is a diagnostic of judging; its sentence depends on the code alone.
func note(code, path string) source.Diagnostic {
	d := source.Diagnostic{Code: code, Path: path, Severity: source.Warning}
	switch code {
	case source.PathMissing:
		d.Severity, d.Message = source.Info, "Nothing supplied this value, so the condition is unknown."
	case source.TypeMismatch:
		d.Message = "The value is of another kind than the operator works on, so the condition is false."
	case source.ConditionTimeout:
		d.Message = "Judging took longer than allowed, so the condition is unknown."
	case source.RegexTimeout:
		d.Message = "The regular expression took longer than allowed, so the condition is unknown."
	case source.QueryTimeout:
		d.Message = "The visual query took longer than allowed, so the condition is unknown."
	case source.ExtraTimeout:
		d.Message = "The provider of this context took longer than allowed, so the condition is unknown."
	case source.ExtraPermission:
		d.Message = "The provider of this context may not read it, so the condition is unknown."
	default:
		d.Message = "No provider supplied this context, so the condition is unknown."
	}
	return d
}

// foldedValue folds a text, keeping the folded form of long texts that many
// conditions read.
func (r *run) foldedValue(f field, s string) string {
	const long = 256
	if f.item || len(s) < long {
		return fold(s)
	}
	got, ok := r.folded[f.path]
	if !ok {
		got = fold(s)
		r.folded[f.path] = got
	}
	return got
}

// scalars reports whether all values are of one kind of list items.
func scalars(items []any) bool {
	return !slices.ContainsFunc(items, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

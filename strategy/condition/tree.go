package condition

import (
	"slices"
	"strings"

	"inlay/strategy/render"
	"inlay/strategy/source"
)

// element is one visual element. A tree keeps its elements parent first, each
// followed by all its descendants.
type element struct {
	kind     string // folded
	fields   map[string]any
	depth    int
	end      int // index after its last descendant
	attached bool
}

// tree is the supplied tree of visual elements, under the context's "visual":
// {"roots": [element...]} or a list of elements. An element is {type, name,
// text, process, selected, ..., bounds: {x, y, width, height}, attached,
// children: [element...]}. Relative queries start at the attached elements, at
// the roots where none is attached.
type tree struct{ elements []element }

// visualTree reads the tree once per context; nil when none was supplied.
func (r *run) visualTree() *tree {
	if r.parsed {
		return r.tree
	}
	r.parsed = true
	roots, ok := render.Find(r.values, "visual.roots")
	if !ok {
		roots, ok = r.values["visual"].([]any)
	}
	list, isList := roots.([]any)
	if !ok || !isList {
		return nil
	}
	r.tree = &tree{}
	for _, e := range list {
		r.tree.add(e, 0)
	}
	return r.tree
}

// add appends an element and its descendants. Nesting is bounded where values
// are normalised.
func (t *tree) add(v any, depth int) {
	fields, ok := v.(map[string]any)
	if !ok {
		return
	}
	kind, _ := fields["type"].(string)
	attached, _ := fields["attached"].(bool)
	at := len(t.elements)
	t.elements = append(t.elements, element{kind: fold(kind), fields: fields, depth: depth, attached: attached})
	children, _ := fields["children"].([]any)
	for _, c := range children {
		t.add(c, depth+1)
	}
	t.elements[at].end = len(t.elements)
}

// attribute reads an attribute; states that are not given are false, and what a
// password field holds is never read.
func (e element) attribute(name string) (any, bool) {
	switch name {
	case "selected", "focused", "disabled", "readonly", "offscreen", "password":
		on, _ := e.fields[name].(bool)
		return on, true
	case "text":
		if secret, _ := e.fields["password"].(bool); secret {
			return nil, false
		}
	}
	v, ok := render.Descend(any(e.fields), name)
	return v, ok && v != nil
}

// visual is visual.exists, visual.count or visual.match.
type visual struct {
	op    string
	query query
	count bounds
	ops   []operator
}

func (v visual) evaluate(r *run, _ any) Evaluation {
	out := Evaluation{Path: v.op}
	r.within(r.limits.Query)
	t := r.visualTree()
	if t == nil {
		out.Diagnostics = append(out.Diagnostics, note(source.PathMissing, "visual"))
		return out
	}
	found, done := t.selectAll(r, v.query)
	if !done || r.late() {
		out.Diagnostics = append(out.Diagnostics, note(source.QueryTimeout, v.op))
		return out
	}
	switch v.op {
	case "visual.exists":
		out.Result = truth(len(found) > 0)
	case "visual.count":
		out.Result = truth(v.count.holds(float64(len(found))))
	default:
		out.Result, out.Diagnostics = v.matches(r, t, found)
	}
	return out
}

// matches is true when one selected value satisfies all operators.
func (v visual) matches(r *run, t *tree, found []int) (Truth, []source.Diagnostic) {
	some := verdict{op: "any"}
	var notes []source.Diagnostic
	for _, i := range found {
		value, ok := t.elements[i].attribute(v.query.attr)
		if !ok {
			continue
		}
		every := verdict{op: "all"}
		for _, op := range v.ops {
			result, why := op.apply(r, value, field{item: true})
			if why != "" && len(notes) == 0 {
				notes = append(notes, note(why, v.op))
			}
			if every.add(result) {
				break
			}
		}
		if some.add(every.result()) {
			return True, nil
		}
		if r.late() {
			return Unknown, []source.Diagnostic{note(source.QueryTimeout, v.op)}
		}
	}
	return some.result(), notes
}

// selectAll runs a query: indexes of elements in tree order, each once. Each
// step takes time in proportion to the tree. done is false when time ran out.
func (t *tree) selectAll(r *run, q query) (found []int, done bool) {
	current := t.start(q.relative)
	spans := t.below(current)
	if !q.relative { // the tree's roots are the children of where the query starts
		spans = []span{{0, len(t.elements)}}
	}
	for _, s := range q.steps {
		if s.kind == "." {
			continue
		}
		if current, done = t.step(r, s, spans); !done {
			return nil, false
		}
		spans = t.below(current)
	}
	return current, true
}

// step keeps what fits among the children, or all descendants, in the spans.
func (t *tree) step(r *run, s step, spans []span) (found []int, done bool) {
	covered := 0 // spans are in order, and one may lie inside another
	for _, at := range spans {
		i := at.from
		if s.descend {
			i = max(i, covered)
			covered = max(covered, at.to)
		}
		for i < at.to {
			if r.late() {
				return nil, false
			}
			keep, ok := s.keeps(r, t.elements[i])
			if !ok {
				return nil, false
			}
			if keep {
				found = append(found, i)
			}
			if s.descend {
				i++
			} else {
				i = t.elements[i].end
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), true
}

// span is a range of elements.
type span struct{ from, to int }

// below are the descendants of each element.
func (t *tree) below(elements []int) []span {
	out := make([]span, len(elements))
	for i, at := range elements {
		out[i] = span{at + 1, t.elements[at].end}
	}
	return out
}

// start is where a relative query begins.
func (t *tree) start(relative bool) []int {
	if !relative {
		return nil
	}
	var attached, roots []int
	for i, e := range t.elements {
		if e.attached {
			attached = append(attached, i)
		}
		if e.depth == 0 {
			roots = append(roots, i)
		}
	}
	if len(attached) > 0 {
		return attached
	}
	return roots
}

func (s step) keeps(r *run, e element) (keep, done bool) {
	if s.kind != "*" && s.kind != e.kind {
		return false, true
	}
	for _, f := range s.filters {
		keep, done := f.keeps(r, e)
		if !keep || !done {
			return false, done
		}
	}
	return true, true
}

func (f filter) keeps(r *run, e element) (keep, done bool) {
	value, ok := e.attribute(f.attr)
	if !ok {
		return false, true
	}
	if f.op == "" {
		on, _ := value.(bool)
		return on, true
	}
	if f.op == "=" {
		equal, _ := oneOfOp{}.equal(r, value, f.want, field{item: true})
		return equal, true
	}
	s, ok := value.(string)
	if !ok {
		return false, true
	}
	if f.op == "matches" {
		return match(r, f.re, s)
	}
	want, _ := f.want.(string)
	return strings.Contains(fold(s), want), true
}

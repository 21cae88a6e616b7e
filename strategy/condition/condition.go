// Package condition compiles a strategy's "when" and judges it over supplied
// context, in three values: true, false and unknown (STR-16).
//
// A condition reads nothing but what it is given and runs no code of its
// author: paths, operators, and queries over a tree of visual elements.
package condition

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"inlay/strategy/source"
)

// Truth is the outcome of a condition. Only True recommends a strategy.
type Truth uint8

// The three outcomes. Unknown means that data was missing, refused or late.
const (
	Unknown Truth = iota
	True
	False
)

// String is "unknown", "true" or "false".
func (t Truth) String() string { return [...]string{"unknown", "true", "false"}[t] }

// MarshalText implements encoding.TextMarshaler.
func (t Truth) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Limits bound the judging of one strategy. Zero means the default.
type Limits struct {
	Matching  time.Duration // of the whole condition; 300 ms
	Condition time.Duration // of one path with its operators; 80 ms
	Regex     time.Duration // of one regular expression; 50 ms
	Query     time.Duration // of one visual query; 120 ms
	Extra     time.Duration // of one provider of extra context; 200 ms
}

// WithDefaults fills in the default of every limit left at zero.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Matching:  cmp.Or(l.Matching, 300*time.Millisecond),
		Condition: cmp.Or(l.Condition, 80*time.Millisecond),
		Regex:     cmp.Or(l.Regex, 50*time.Millisecond),
		Query:     cmp.Or(l.Query, 120*time.Millisecond),
		Extra:     cmp.Or(l.Extra, 200*time.Millisecond),
	}
}

// Condition is a compiled "when". It is safe for concurrent use.
type Condition struct {
	root  node
	paths []string
}

// Paths lists the context paths the condition may read, sorted; "visual" stands
// for visual queries.
func (c *Condition) Paths() []string {
	if c == nil {
		return nil
	}
	return slices.Clone(c.paths)
}

// ExtraRoots lists the subtrees of extra context the condition needs:
// "file_manager" for extra.file_manager.selection.items.
func (c *Condition) ExtraRoots() []string { return ExtraRoots(c.Paths()) }

// ExtraRoots lists the subtrees of extra context that paths lie in, sorted.
func ExtraRoots(paths []string) []string {
	var roots []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, "extra."); ok {
			root, _, _ := strings.Cut(rest, ".")
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// Evaluation is the outcome of one part of a condition, for people who ask why.
type Evaluation struct {
	Result   Truth        `json:"result"`
	Path     string       `json:"path,omitempty"`     // the context path, or the path relative to an item
	Operator string       `json:"operator,omitempty"` // "all", "contains", "length"
	Parts    []Evaluation `json:"parts,omitempty"`    // as far as they were judged: all stops at a false, any at a true

	Diagnostics []source.Diagnostic `json:"diagnostics,omitempty"`
}

// All gathers the diagnostics of an evaluation and its parts, in order.
func (e Evaluation) All() []source.Diagnostic {
	all := slices.Clone(e.Diagnostics)
	for _, p := range e.Parts {
		all = append(all, p.All()...)
	}
	return all
}

// Why says in a line what decided an evaluation that is not true: the parts
// that were false or unknown.
func (e Evaluation) Why() string {
	if e.Result == True {
		return "true"
	}
	var reasons []string
	e.reasons(&reasons)
	return strings.Join(reasons, "; ")
}

func (e Evaluation) reasons(out *[]string) {
	deeper := false
	for _, p := range e.Parts {
		if p.Result == e.Result {
			deeper = true
			p.reasons(out)
		}
	}
	if deeper {
		return
	}
	var line strings.Builder
	line.WriteString(strings.TrimSpace(e.Path+" "+e.Operator) + " is " + e.Result.String())
	for _, d := range e.Diagnostics {
		line.WriteString(" (" + d.Code + ")")
	}
	*out = append(*out, strings.TrimSpace(line.String()))
}

package source

import (
	"cmp"
	"fmt"
	"math"
)

// Kind is the kind of a value in front matter.
type Kind uint8

// The kinds of values. Null is also what an empty value is.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String names the kind in a sentence.
func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "a mapping"}[k]
}

// Node is a value and where it is. Only the fields of its kind are set.
type Node struct {
	Kind   Kind
	Bool   bool
	Int    int64   // of a whole number
	Float  float64 // of any number
	Whole  bool    // the number is whole and fits Int
	Text   string
	Items  []Node
	Fields []Field // in the order written; names are unique
	At     Place
}

// Field is one entry of a mapping.
type Field struct {
	Name  string
	At    Place
	Value Node
}

// Place is a position in a file, both counted from 1.
type Place struct{ Line, Column int }

// Field finds an entry of a mapping by name.
func (n Node) Field(name string) (Node, bool) {
	for _, f := range n.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Node{}, false
}

// Value is the node as plain Go data: nil, bool, int64, float64, string, []any
// or map[string]any.
func (n Node) Value() any {
	switch n.Kind {
	case Bool:
		return n.Bool
	case Number:
		if n.Whole {
			return n.Int
		}
		return n.Float
	case String:
		return n.Text
	case List:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Value()
		}
		return items
	case Object:
		fields := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			fields[f.Name] = f.Value.Value()
		}
		return fields
	default:
		return nil
	}
}

func numberNode(v any) (Node, error) {
	switch v := v.(type) {
	case int64:
		return Node{Kind: Number, Int: v, Float: float64(v), Whole: true}, nil
	case uint64:
		if v <= math.MaxInt64 {
			return Node{Kind: Number, Int: int64(v), Float: float64(v), Whole: true}, nil
		}
		return Node{Kind: Number, Float: float64(v)}, nil
	case float64:
		whole := v == math.Trunc(v) && math.Abs(v) < 1<<53
		n := Node{Kind: Number, Float: v, Whole: whole}
		if whole {
			n.Int = int64(v)
		}
		return n, nil
	}
	return Node{}, fmt.Errorf("a %T is not a number", v)
}

// Problems collects diagnostics about one file.
type Problems struct {
	File string
	What string // what the YAML is, in sentences about it; empty: "front matter"
	List []Diagnostic
}

// what begins a sentence about the YAML.
func (p *Problems) what() string { return "The " + cmp.Or(p.What, "front matter") }

// Error records what makes the file unusable.
func (p *Problems) Error(at Place, code, path, format string, args ...any) {
	p.add(Error, at, code, path, fmt.Sprintf(format, args...))
}

// Warn records what its author should look at.
func (p *Problems) Warn(at Place, code, path, format string, args ...any) {
	p.add(Warning, at, code, path, fmt.Sprintf(format, args...))
}

func (p *Problems) add(severity string, at Place, code, path, message string) {
	p.List = append(p.List, Diagnostic{Code: code, Severity: severity, Message: message, Path: path, File: p.File, Line: at.Line, Column: at.Column})
}

// Failed reports whether an error was recorded.
func (p *Problems) Failed() bool {
	for _, d := range p.List {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

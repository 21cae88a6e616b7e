// Package schema checks JSON against a JSON schema, by names and never by
// values: what it says of a mistake can be logged and shown.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Schema is a compiled JSON schema, draft 2020-12 unless it names another. It is
// safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// Problem is one thing that is wrong with a value.
type Problem struct {
	Path    string   // where, as dotted names: "params.path"; empty for the value itself
	Keyword string   // which rule of the schema: "required", "type", "enum"
	Names   []string // the properties that are missing or not known, sorted
}

// Error is a value that does not follow its schema.
type Error struct{ Problems []Problem }

// Error names places and rules, never values.
func (e *Error) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = p.String()
	}
	return strings.Join(texts, "; ")
}

// String is "path: is missing" and the like.
func (p Problem) String() string {
	text := "breaks the rule " + p.Keyword
	switch p.Keyword {
	case "required":
		text = "lacks " + strings.Join(p.Names, ", ")
	case "additionalProperties":
		text = "has properties that are not known"
	case "type":
		text = "is of the wrong type"
	case "json":
		text = "is not valid JSON"
	}
	if p.Path == "" {
		return "it " + text
	}
	return p.Path + " " + text
}

// refuse loads nothing: a schema that points elsewhere is an error.
type refuse struct{}

var errRemote = errors.New("a schema must not point to another file or address")

func (refuse) Load(string) (any, error) { return nil, errRemote }

const where = "mem:///schema.json"

// Compile reads a JSON schema. One that is none, or that refers to anything
// outside itself, is an error.
func Compile(text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refuse{})
	if err := c.AddResource(where, doc); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	compiled, err := c.Compile(where)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// Check reports what is wrong with a JSON value as an [*Error], or nil.
func (s *Schema) Check(value []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return &Error{[]Problem{{Keyword: "json"}}}
	}
	err = s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return &Error{[]Problem{{Keyword: "schema"}}}
	}
	var problems []Problem
	collect(invalid, &problems)
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path+a.Keyword, b.Path+b.Keyword) })
	return &Error{problems}
}

// CheckValue is Check for a value that has no JSON text yet.
func (s *Schema) CheckValue(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return &Error{[]Problem{{Keyword: "json"}}}
	}
	return s.Check(text)
}

// collect takes the leaves: what is wrong, not what contains it.
func collect(e *jsonschema.ValidationError, out *[]Problem) {
	for _, c := range e.Causes {
		collect(c, out)
	}
	if len(e.Causes) > 0 {
		return
	}
	p := Problem{Path: strings.Join(e.InstanceLocation, ".")}
	if keywords := e.ErrorKind.KeywordPath(); len(keywords) > 0 {
		p.Keyword = keywords[len(keywords)-1]
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		p.Names = slices.Sorted(slices.Values(k.Missing))
	case *kind.AdditionalProperties:
		p.Names = slices.Sorted(slices.Values(k.Properties))
	}
	*out = append(*out, p)
}

package processor

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"inlay/strategy/source"
)

// Options are the options of one entry of a configuration.
type Options struct {
	node    source.Node
	given   bool
	place   func(source.Place, string) error
	at      source.Place
	subject string
}

// Into fills v, a pointer to a struct whose json tags are the option's names.
// A name that v does not have, at any depth, and a value of the wrong type are
// errors with their place in the file. Without options v stays as it is.
func (o Options) Into(v any) error {
	if !o.given {
		return nil
	}
	if at, reason := unknownField(o.node, reflect.TypeOf(v).Elem()); reason != "" {
		return o.place(at, o.subject+" has no option "+reason)
	}
	data, err := json.Marshal(o.node.Value())
	if err != nil {
		return o.place(o.at, "the options of "+o.subject+" cannot be read")
	}
	if err := json.Unmarshal(data, v); err != nil {
		if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return o.place(o.find(typed.Field), fmt.Sprintf("%s: the option %s is a %s, want %s", o.subject, typed.Field, typed.Value, inWords(typed.Type)))
		}
		return o.place(o.at, "the options of "+o.subject+" cannot be read: "+err.Error())
	}
	return nil
}

// unknownField finds a name in n that the type t has no field for.
func unknownField(n source.Node, t reflect.Type) (at source.Place, reason string) {
	switch {
	case n.Kind == source.List && t.Kind() == reflect.Slice:
		for _, item := range n.Items {
			if at, reason = unknownField(item, t.Elem()); reason != "" {
				return at, reason
			}
		}
	case n.Kind == source.Object && t.Kind() == reflect.Struct:
		fields := fieldsOf(t)
		for _, f := range n.Fields {
			i := slices.IndexFunc(fields, func(k field) bool { return k.name == f.Name })
			if i < 0 {
				return f.At, f.Name + "; it has " + orNone(namesOf(fields)) + didYouMean(f.Name, namesOf(fields))
			}
			if at, reason = unknownField(f.Value, fields[i].kind); reason != "" {
				return at, f.Name + "." + reason
			}
		}
	}
	return at, ""
}

// field is an option: its name and the type of its value.
type field struct {
	name string
	kind reflect.Type
}

func fieldsOf(t reflect.Type) (out []field) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			out = append(out, field{name, f.Type})
		}
	}
	return out
}

func namesOf(fields []field) (out []string) {
	for _, f := range fields {
		out = append(out, f.name)
	}
	return out
}

// inWords is a type as the author of a configuration knows it.
func inWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	default:
		return "a mapping"
	}
}

// Given reports whether the configuration has a value for an option.
func (o Options) Given(option string) bool {
	_, ok := o.node.Field(option)
	return ok
}

// Bad is an error about an option, with its place in the file.
func (o Options) Bad(option, reason string) error {
	if o.place == nil {
		o.place = placeless
	}
	return o.place(o.find(option), o.subject+": the option "+option+" "+reason)
}

func (o Options) find(field string) source.Place {
	name, _, _ := strings.Cut(field, ".")
	for _, f := range o.node.Fields {
		if f.Name == name {
			return f.At
		}
	}
	return o.at
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// didYouMean offers the known name that a mistyped one is nearest to, if it is
// near.
func didYouMean(name string, known []string) string {
	best, least := "", max(2, len(name)/4)+1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

package processor

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"inlay/strategy/source"
)

// Entry is a processor that a configuration may name.
type Entry[P any] struct {
	Name    string
	Default bool // stands in the chain, at its place in the registry, unless dropped
	// Make builds it. o holds its options in the configuration.
	Make func(o Options) (P, error)
}

// Fixed is an entry without options.
func Fixed[T any](p Processor[T], isDefault bool) Entry[Processor[T]] {
	return Entry[Processor[T]]{Name: p.Name, Default: isDefault, Make: func(o Options) (Processor[T], error) { return p, o.Into(&struct{}{}) }}
}

// Registry is everything that a configuration may name, each family in its
// default order. Names are unique within a family.
type Registry struct {
	Messages   []Entry[MessageModifier]
	Injection  []Entry[ToolInjection]
	Parameters []Entry[ToolParameter]
	Validation []Entry[ToolValidation]
	Steps      []Entry[Step]
	Responses  []Entry[ResponseModifier]
}

// Options are the options of one entry of a configuration.
type Options struct {
	node    source.Node
	given   bool
	place   func(source.Place, string) error
	at      source.Place
	subject string
}

// Into fills v, a pointer to a struct whose json tags are the option's names.
// A name that v does not have and a value of the wrong type are errors with
// their place in the file. Without options v stays as it is.
func (o Options) Into(v any) error {
	if !o.given {
		return nil
	}
	known := fieldNames(reflect.TypeOf(v).Elem())
	for _, f := range o.node.Fields {
		if !slices.Contains(known, f.Name) {
			return o.place(f.At, o.subject+" has no option "+f.Name+"; it has "+orNone(known))
		}
	}
	data, err := json.Marshal(o.node.Value())
	if err != nil {
		return o.place(o.at, "the options of "+o.subject+" cannot be read")
	}
	if err := json.Unmarshal(data, v); err != nil {
		if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return o.place(o.find(typed.Field), o.subject+": the option "+typed.Field+" is a "+typed.Value+", want "+typed.Type.String())
		}
		return o.place(o.at, "the options of "+o.subject+" cannot be read: "+err.Error())
	}
	return nil
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

func fieldNames(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func names[P any](entries []Entry[P]) (all, defaults []string) {
	for _, e := range entries {
		all = append(all, e.Name)
		if e.Default {
			defaults = append(defaults, e.Name)
		}
	}
	return all, defaults
}

// Package options is the one table of inlay's options.
//
// Each option is a row of [All]: the key that it has in inlay.yaml, in the JSON
// of a request and in a strategy, its flag and environment name, the kind of
// its values with their bounds, its default and one line of help. Whoever takes
// options (a door) decodes them by this table, so that a value is accepted or
// refused everywhere alike and with the same sentence:
//
//	values, err := options.Request.Decode("", map[string]any{"retrieval_limit": 0})
//	// retrieval_limit: must be a whole number from 1 to 100 or auto, not 0
package options

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"inlay/fault"
)

// Door is a place where options are given; one option may be given at several.
type Door uint8

// The doors.
const (
	Command Door = 1 << iota // flags, environment and configuration file of the commands that ask
	Service                  // the same of inlay serve
	Request                  // fields of a JSON body, and of the object inlay of a chat completion
	Files                    // a strategy's options.preprocessors.files
	Route                    // a strategy's options.preprocessors.route
	Eval                     // flags, environment and configuration file of inlay eval
	Routing                  // the same of inlay route
)

// Name is a door in words.
func (d Door) Name() string {
	return map[Door]string{Command: "command", Service: "serve", Request: "request", Files: "strategy (files)", Route: "strategy (route)", Eval: "eval", Routing: "route"}[d]
}

// Doors lists the doors one by one, in the order of their documentation.
func Doors() []Door { return []Door{Command, Eval, Routing, Service, Request, Files, Route} }

// Option is a row of the table.
type Option struct {
	Key            string   // in snake_case: its one name outside the command line
	Flag           string   // without dashes; empty: it is not a setting of the command
	Short          string   // one letter, for the flags typed most
	Kind           Kind     // of its values
	Choices        []string // the values of a Choice
	Also           string   // what flags, environment and configuration take besides Choices; whoever opens it checks it
	Bounds         Bounds   // of numbers
	Word           string   // a word that a Count also takes; its value is WordValue
	WordValue      int64
	Default        string            // as a user would write it; empty: none, or the zero value
	CommandDefault map[string]string // defaults of single commands that differ from Default, by the command's name
	Placeholder    string            // of its value in help; empty: as the kind has it
	Help           string            // one line
	Doors          Door
	Former         []string // names that it had, refused with the present one
}

// Env is its name in the environment: INLAY_CONTEXT_LENGTH.
func (o Option) Env() string { return EnvName(o.Flag) }

// EnvName is the name of a flag in the environment.
func EnvName(flag string) string {
	return "INLAY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// At reports whether the option is taken at every one of doors.
func (o Option) At(doors Door) bool { return o.Doors&doors == doors }

// Hint is what help shows for its value: N, 0..1, auto|full|none.
func (o Option) Hint() string {
	if o.Placeholder == "" && o.Kind == Choice {
		return strings.Join(o.Choices, "|")
	}
	return o.Placeholder
}

// DefaultIn is the default of one command.
func (o Option) DefaultIn(command string) string {
	if d, ok := o.CommandDefault[command]; ok {
		return d
	}
	return o.Default
}

// Usage is its help with the default of a command.
func (o Option) Usage(command string) string {
	d := o.DefaultIn(command)
	if d == "" || d == "0" || d == "false" {
		return o.Help
	}
	return fmt.Sprintf("%s (default: %s).", strings.TrimSuffix(o.Help, "."), d)
}

// All returns the table in the order of its documentation. It is the caller's.
func All() []Option { return slices.Clone(table()) }

func table() []Option { return rows().list }

// index finds rows by key.
type index struct {
	list  []Option
	byKey map[string]int
}

// rows is the table with its index, made when it is first asked for.
//
//nolint:gochecknoglobals // it never changes; making it for every value would cost more than reading the value
var rows = sync.OnceValue(func() index {
	x := index{list: slices.Concat(modelRows(), readingRows(), searchRows(), fileRows(), libraryRows(), routeRows(), serviceRows(), serviceLimitRows()), byKey: map[string]int{}}
	for i, o := range x.list {
		x.byKey[o.Key] = i
	}
	return x
})

// Find looks a key up.
func Find(key string) (Option, bool) {
	i, ok := rows().byKey[key]
	if !ok {
		return Option{}, false
	}
	return table()[i], true
}

// Renamed is the key of an option of d (one door or several) that was once
// called name.
func (d Door) Renamed(name string) (key string, ok bool) {
	i := slices.IndexFunc(table(), func(o Option) bool { return o.Doors&d != 0 && slices.Contains(o.Former, name) })
	if i < 0 {
		return "", false
	}
	return table()[i].Key, true
}

// Lookup finds what a door calls name. An unknown name, and one that an option
// had before, is fault.Usage about subject.
func (d Door) Lookup(subject, name string) (Option, error) {
	if o, ok := Find(name); ok && o.Doors&d != 0 {
		return o, nil
	}
	if now, ok := d.Renamed(name); ok {
		return Option{}, &fault.Error{Code: fault.Usage, Subject: subject, Reason: RenamedReason(now), Next: "rename it"}
	}
	return Option{}, &fault.Error{Code: fault.Usage, Subject: subject, Reason: "is not an option here", Next: "known are " + strings.Join(d.Keys(), ", ")}
}

// RenamedReason says that an option has another name by now.
func RenamedReason(key string) string { return "is now called " + key }

// Keys are those of the options that d takes, sorted.
func (d Door) Keys() []string {
	var keys []string
	for _, o := range table() {
		if o.Doors&d != 0 {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Values are options by key. A value has the Go type of its kind (see [Kind]);
// an option that was not given is not there.
type Values map[string]any

// Text is a Text or a Choice; empty where it was not given.
func (v Values) Text(key string) string {
	s, _ := v[key].(string)
	return s
}

// Int is a Count, Tokens or Bytes; 0 where it was not given.
func (v Values) Int(key string) int {
	n, _ := v[key].(int64)
	return int(n)
}

// Decode reads options that are values already, as JSON and YAML have them. The
// subject of an error is prefix and the name. Errors are fault.Usage, of the
// first name in order.
func (d Door) Decode(prefix string, given map[string]any) (Values, error) {
	values := make(Values, len(given))
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o, err := d.Lookup(prefix+name, name)
		if err != nil {
			return nil, err
		}
		if values[name], err = o.Decode(prefix+name, given[name]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

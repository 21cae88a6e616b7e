package main

import (
	"cmp"
	"reflect"
	"strings"
)

// grammar is the command line for kong: the subcommand that args begin with
// alone, since looking through the flags of all takes longer than many a command.
// It is the whole where args begin with none.
func grammar(args []string) any {
	if len(args) == 0 {
		return new(cli)
	}
	whole := reflect.TypeFor[cli]()
	var fields []reflect.StructField
	found := false
	for f := range whole.Fields() {
		_, command := f.Tag.Lookup("cmd")
		named := command && cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)) == args[0]
		found = found || named
		if !command || named {
			fields = append(fields, f)
		}
	}
	if !found {
		return new(cli)
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

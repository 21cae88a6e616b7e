package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// configCmd prints the configuration in force. Its output is itself a valid
// configuration file.
type configCmd struct {
	settings
	strategySettings
	serviceSettings
}

// Run prints one line for each row of the table of options.
func (c *configCmd) Run(_ context.Context, a *app) error {
	var b strings.Builder
	if a.settings.path != "" {
		fmt.Fprintf(&b, "# file: %s\n", a.settings.path)
	}
	values := valuesOf(c)
	for _, o := range settingRows() {
		from := cmp.Or(a.settings.from[o.Flag], "default")
		value, about := o.Key+": "+scalar(o.Written(values[o.Key])), fmt.Sprintf("# %s; --%s, %s", from, o.Flag, o.Env())
		if columns := columnsOf(a.stdout); columns > 0 && max(len(value), 52)+1+len(about) > columns {
			fmt.Fprintf(&b, "%s\n%s\n", strings.ReplaceAll(wrapLine(about, columns-2, 0), "\n", "\n# "), value) // can be read back
			continue
		}
		fmt.Fprintf(&b, "%-52s %s\n", value, about)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

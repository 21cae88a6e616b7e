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
		fmt.Fprintf(&b, "%-52s # %s; --%s, %s\n", o.Key+": "+scalar(o.Written(values[o.Key])), from, o.Flag, o.Env())
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// configCmd prints the configuration in force. Its output is itself a valid
// configuration file.
type configCmd struct {
	settings
	strategySettings
	serviceSettings
}

// Run prints one line for each setting.
func (c *configCmd) Run(_ context.Context, a *app, k *kong.Context) error {
	if a.settings.path != "" {
		if _, err := fmt.Fprintf(a.stdout, "# file: %s\n", a.settings.path); err != nil {
			return err
		}
	}
	for _, f := range k.Selected().Flags {
		key := f.Tag.Get("key")
		if key == "" {
			continue
		}
		from := a.settings.from[f.Name]
		if from == "" {
			from = "default"
		}
		if _, err := fmt.Fprintf(a.stdout, "%-52s # %s; --%s, %s\n", key+": "+scalar(f.Target), from, f.Name, envName(f.Name)); err != nil {
			return err
		}
	}
	return nil
}

// scalar writes a setting's value as YAML.
func scalar(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "null"
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	if v.Kind() == reflect.Slice {
		list := make([]string, v.Len())
		for i := range list {
			list[i] = scalar(v.Index(i))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

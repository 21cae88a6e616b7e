package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"inlay/fault"
	"inlay/options"
)

// fillFlags gives every flag with a key what its row of the table says: name,
// help, default and how its values are read.
func fillFlags(k *kong.Kong) error {
	command := ""
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		if node, ok := v.(*kong.Node); ok {
			command = node.Name
		}
		flag, ok := v.(*kong.Flag)
		if !ok || flag.Tag.Get("key") == "" {
			return next(nil)
		}
		o, ok := options.Find(flag.Tag.Get("key"))
		if !ok {
			return fmt.Errorf("flag --%s: key %s is not in the table of options", flag.Name, flag.Tag.Get("key"))
		}
		for _, letter := range o.Short {
			flag.Short = letter
		}
		flag.Name, flag.Help, flag.PlaceHolder = o.Flag, o.Usage(command), o.Hint()
		flag.Default, flag.HasDefault = o.DefaultIn(command), o.DefaultIn(command) != ""
		flag.Mapper = optionMapper{o}
		return next(nil)
	})
}

// optionMapper reads the value of a flag by its row.
type optionMapper struct{ option options.Option }

// IsBool implements kong.BoolMapper: such a flag needs no value.
func (m optionMapper) IsBool() bool { return m.option.Kind == options.Bool }

// Decode implements kong.Mapper.
func (m optionMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if m.IsBool() && ctx.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	token, err := ctx.Scan.PopValue("value")
	if err != nil {
		return err
	}
	text := fmt.Sprint(token.Value)
	value, err := m.option.Parse("--"+m.option.Flag, text)
	if err != nil {
		_, typed := token.Value.(string)
		return m.explain(err, text, typed)
	}
	assign(target, value)
	return nil
}

// explain adds to an error the value, where that was typed, and how to write one.
func (m optionMapper) explain(err error, text string, typed bool) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	said := *e
	if typed && !strings.Contains(e.Reason, ", not ") {
		said.Reason += fmt.Sprintf(", not %q", text)
	}
	if said.Next == "" {
		said.Next = map[options.Kind]string{
			options.Tokens: "write it like 8192, 8k or 128k", options.Bytes: "write it like 65536, 64KiB or 64MB",
		}[m.option.Kind]
	}
	return &said
}

// assign sets a field of a settings struct; a list is added to.
func assign(target reflect.Value, value any) {
	if target.Kind() == reflect.Pointer {
		if target.IsNil() {
			target.Set(reflect.New(target.Type().Elem()))
		}
		target = target.Elem()
	}
	switch v := value.(type) {
	case int64:
		target.SetInt(v)
	case time.Duration:
		target.SetInt(int64(v))
	case []string:
		target.Set(reflect.AppendSlice(target, reflect.ValueOf(v)))
	default:
		target.Set(reflect.ValueOf(v))
	}
}

// valuesOf gathers the fields of a settings struct by their keys, with the types
// that package options gives them; nil pointers are left out.
func valuesOf(settings any) options.Values {
	values := options.Values{}
	gather(reflect.ValueOf(settings).Elem(), values)
	return values
}

func gather(v reflect.Value, values options.Values) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		key := field.Tag.Get("key")
		if field.Anonymous && value.Kind() == reflect.Struct {
			gather(value, values)
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if key == "" || !value.IsValid() {
			continue
		}
		switch d, isTime := reflect.TypeAssert[time.Duration](value); {
		case isTime:
			values[key] = d
		case value.CanInt():
			values[key] = value.Int()
		default:
			values[key] = value.Interface()
		}
	}
}

// scalar writes a value of an option as YAML.
func scalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", v)
	case []string:
		list := make([]string, len(v))
		for i, one := range v {
			list[i] = scalar(one)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprint(v)
}

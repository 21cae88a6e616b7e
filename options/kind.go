package options

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"inlay/fault"
)

// Kind is what an option's values are.
type Kind uint8

// The kinds, with the Go type of their values.
const (
	Text     Kind = iota // string
	Choice               // string, one of Option.Choices
	Bool                 // bool
	Count                // int64
	Tokens               // int64; as text also 8k, 128k, 1m: thousands and millions
	Bytes                // int64; as text also 64k, 64KiB, 1GiB (powers of 1024), 64MB (powers of 1000)
	Number               // float64
	Duration             // time.Duration; as text 30s, 10m
	List                 // []string; as text separated by commas
)

// String names the kind as the documentation does.
func (k Kind) String() string {
	return [...]string{"text", "choice", "true or false", "whole number", "tokens", "bytes", "number", "duration", "list"}[k]
}

// Bounds are the numbers that an option takes. The zero value takes all from 0 on.
type Bounds struct {
	Min, Max float64 // both included; a Max of 0 is none
	Above    bool    // Min itself is not included
	Any      bool    // no bounds at all
}

// holds reports whether n is within b.
func (b Bounds) holds(n float64) bool {
	if b.Any {
		return !math.IsNaN(n)
	}
	low := n > b.Min || n == b.Min && !b.Above
	return low && (b.Max == 0 || n <= b.Max)
}

// String writes the bounds after "a number".
func (b Bounds) String() string {
	switch {
	case b.Any:
		return ""
	case b.Above && b.Max != 0:
		return fmt.Sprintf(" above %g and at most %g", b.Min, b.Max)
	case b.Above:
		return fmt.Sprintf(" above %g", b.Min)
	case b.Max != 0:
		return fmt.Sprintf(" from %g to %g", b.Min, b.Max)
	}
	return fmt.Sprintf(", %g or more", b.Min)
}

// Wants says what the option takes: "a whole number from 1 to 100".
func (o Option) Wants() string {
	switch o.Kind {
	case Choice:
		return alternatives(o.Choices)
	case Bool:
		return "true or false"
	case Count:
		wants := "a whole number" + o.Bounds.String()
		if o.Word != "" {
			wants += " or " + o.Word
		}
		return wants
	case Tokens:
		return "a number of tokens" + o.Bounds.String()
	case Bytes:
		return "a number of bytes" + o.Bounds.String()
	case Number:
		return "a number" + o.Bounds.String()
	case Duration:
		if o.Bounds.Above {
			return "a duration above 0 such as 30s or 10m"
		}
		return "a duration such as 30s or 10m"
	case List:
		return "a list of texts"
	default:
		return "a text"
	}
}

// alternatives writes "a, b or c".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// WantsText is Wants where also what Also names is taken.
func (o Option) WantsText() string {
	if o.Also == "" {
		return o.Wants()
	}
	return alternatives(append(slices.Clone(o.Choices), o.Also))
}

// refuse is the one sentence about a value that is not taken. A number is
// repeated, a text never is.
func (o Option) refuse(subject string, got any) error {
	reason := "must be " + o.Wants()
	switch n := got.(type) {
	case int64, time.Duration:
		reason += fmt.Sprintf(", not %v", n)
	case float64:
		reason += ", not " + strconv.FormatFloat(n, 'g', -1, 64)
	}
	return &fault.Error{Code: fault.Usage, Subject: subject, Reason: reason}
}

// Parse reads a value as people write it: in a flag, the environment, a
// configuration file. Errors are fault.Usage about subject.
func (o Option) Parse(subject, text string) (any, error) {
	if o.Word != "" && text == o.Word {
		return o.WordValue, nil
	}
	switch o.Kind {
	case Bool:
		return o.parseBool(subject, text)
	case Count, Tokens, Bytes, Number:
		n, ok := o.number(text)
		if !ok {
			return nil, o.refuse(subject, text)
		}
		return o.check(subject, n)
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, o.refuse(subject, text)
		}
		return o.check(subject, d)
	case List:
		return strings.Split(text, ","), nil
	case Choice:
		if o.Also != "" {
			return text, nil
		}
		return o.check(subject, text)
	default:
		return o.check(subject, text)
	}
}

func (o Option) parseBool(subject, text string) (any, error) {
	switch strings.ToLower(text) {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	}
	return nil, o.refuse(subject, text)
}

// number reads a number of the kind, with its unit.
func (o Option) number(text string) (any, bool) {
	text, factor := unit(o.Kind, strings.TrimSpace(text))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && o.Kind != Number {
		scaled := n * factor
		return scaled, scaled/factor == n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	return f * float64(factor), true
}

// unit takes the unit off a number: a thousand tokens and a kibibyte are both
// called k.
func unit(k Kind, text string) (number string, factor int64) {
	units := map[string]int64{}
	switch k {
	case Tokens:
		units = map[string]int64{"k": 1e3, "m": 1e6}
	case Bytes:
		units = map[string]int64{
			"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
			"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
			"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
		}
	default:
	}
	number = strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if factor, ok := units[strings.ToLower(text[len(number):])]; ok {
		return strings.TrimSpace(number), factor
	}
	return text, 1
}

// Decode reads a value as JSON and YAML have it. Errors are fault.Usage about
// subject.
func (o Option) Decode(subject string, value any) (any, error) {
	switch v := value.(type) {
	case int:
		return o.check(subject, int64(v))
	case uint64:
		return o.check(subject, float64(v))
	case []any:
		list := make([]string, len(v))
		for i, one := range v {
			s, ok := one.(string)
			if !ok {
				return nil, o.refuse(subject, value)
			}
			list[i] = s
		}
		return o.check(subject, list)
	case string:
		if o.Kind == Duration || o.Word != "" && v == o.Word {
			return o.Parse(subject, v)
		}
	}
	return o.check(subject, value)
}

// check holds a value to kind and bounds, and gives it the kind's type.
func (o Option) check(subject string, value any) (any, error) {
	var ok bool
	switch o.Kind {
	case Text:
		_, ok = value.(string)
	case Choice:
		s, isText := value.(string)
		ok = isText && slices.Contains(o.Choices, s)
	case Bool:
		_, ok = value.(bool)
	case List:
		_, ok = value.([]string)
	case Duration:
		d, isTime := value.(time.Duration)
		ok = isTime && o.Bounds.holds(d.Seconds())
	case Number:
		if n, whole := value.(int64); whole {
			value = float64(n)
		}
		n, isNumber := value.(float64)
		ok = isNumber && o.Bounds.holds(n)
	default:
		if n, isNumber := value.(float64); isNumber && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			value = int64(n)
		}
		n, whole := value.(int64)
		ok = whole && o.Bounds.holds(float64(n))
	}
	if !ok {
		return nil, o.refuse(subject, value)
	}
	return value, nil
}

// Written is a value as people write it: the word where a number stands for it.
func (o Option) Written(value any) any {
	if o.Word != "" && value == o.WordValue {
		return o.Word
	}
	return value
}

// Check holds a value that a program has set to the table, for example in a
// struct of options. Its type is that of the kind, or int. Errors are
// fault.Usage about the key.
func Check(key string, value any) error {
	o, ok := Find(key)
	if !ok {
		return &fault.Error{Code: fault.Internal, Subject: key, Reason: "is not in the table of options"}
	}
	_, err := o.Decode(key, value)
	return err
}

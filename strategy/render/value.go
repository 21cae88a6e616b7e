package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a value: how deep it may nest and how many parts it may have. A
// value that contains itself reaches one of them.
const (
	maxDepth = 256
	maxParts = 4 << 20
)

var (
	errDepth = errors.New("nested deeper than 256 levels")
	errParts = errors.New("more than 4,194,304 parts")
	errFinal = errors.New("more than one value")
)

// Normalize copies a value into the few forms that are stored and rendered:
// nil, bool, string (valid UTF-8), int64, float64, []any and map[string]any;
// whole numbers that an int64 cannot hold are a json.Number, digit for digit.
// Other values take the way of their JSON form. Channels, functions, NaN,
// infinities and values that contain themselves are errors. Normalising what
// was normalised, stored as JSON and read back changes no rendered byte.
func Normalize(v any) (out any, err error) {
	defer func() { // a value's own MarshalJSON may panic
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("writing a %T panicked with a %T", v, p)
		}
	}()
	var n normalizer
	return n.value(v, 0)
}

// normalizer counts the parts of one value.
type normalizer struct{ parts int }

func (n *normalizer) value(v any, depth int) (any, error) {
	if n.parts++; n.parts > maxParts {
		return nil, errParts
	}
	if depth > maxDepth {
		return nil, errDepth
	}
	switch v := v.(type) {
	case nil, bool, int64:
		return v, nil
	case string:
		return repaired(v), nil
	case int:
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v has no text form", v)
		}
		return v, nil
	case json.Number:
		return number(v)
	case []string:
		return list(n, v, depth, func(s string) any { return s })
	case []any:
		return list(n, v, depth, func(a any) any { return a })
	case map[string]any:
		return n.object(v, depth)
	}
	return n.throughJSON(v, depth)
}

func repaired(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func list[T any](n *normalizer, in []T, depth int, item func(T) any) (any, error) {
	out := make([]any, len(in))
	for i, v := range in {
		plain, err := n.value(item(v), depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = plain
	}
	return out, nil
}

func (n *normalizer) object(in map[string]any, depth int) (any, error) {
	out := make(map[string]any, len(in))
	for _, k := range slices.Sorted(keys(in)) { // sorted, so that two keys repaired to one collide alike every time
		plain, err := n.value(in[k], depth+1)
		if err != nil {
			return nil, err
		}
		out[repaired(k)] = plain
	}
	return out, nil
}

// number keeps every digit of a whole number; fractions become a float64.
func number(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("number out of range: %w", errors.Unwrap(err))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%v has no text form", f)
	}
	if whole, ok := new(big.Int).SetString(n.String(), 10); ok { // at most 309 digits, else it is out of range
		return json.Number(whole.String()), nil
	}
	return f, nil
}

// throughJSON brings structs, pointers, typed maps and marshalers to JSON's
// own types.
func (n *normalizer) throughJSON(v any, depth int) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("a %T has no JSON form", v)
	}
	plain, err := DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("a %T has a broken JSON form: %w", v, err)
	}
	return n.value(plain, depth)
}

// DecodeJSON reads one JSON value without losing digits of its numbers.
func DecodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errFinal
	}
	return v, nil
}

// formatNumber writes numbers as JSON does.
func formatNumber(v any) string {
	switch n := v.(type) {
	case int64:
		return strconv.FormatInt(n, 10)
	case json.Number:
		return n.String()
	}
	f, _ := v.(float64)
	if f == 0 {
		return "0"
	}
	if a := math.Abs(f); a < 1e-6 || a >= 1e21 {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

package httpapi

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFastAnswer: what the fast encoder writes is what encoding/json writes,
// byte for byte, whatever the answer holds.
func TestFastAnswer(t *testing.T) {
	f := filler{rand.New(rand.NewPCG(1, 2))}
	refused := 0
	for range 500 {
		var answer preprocessAnswer
		f.fill(reflect.ValueOf(&answer).Elem(), 0)
		got, err := appendJSON(nil, &answer)
		want, wantErr := slow(answer)
		require.Equal(t, wantErr == nil, err == nil, "%v, %v", wantErr, err)
		if err != nil {
			refused++
			continue
		}
		require.Equal(t, string(want), string(got))
	}
	require.Less(t, refused, 50)
}

func slow(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// filler makes values of any type.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value, depth int) {
	switch {
	case !v.CanSet() || depth > 6 || f.IntN(5) == 0:
		return // zero
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(f.Int64N(1<<32), f.Int64N(1e9)).UTC()))
		return
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(pick(f, "null", `{"a":[1,2.50,"<\u2028>"]}`, `"x"`)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64() >> f.IntN(64) % 128)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(f.Uint64N(4))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(pick(f, 0, 1, -1, .25, 1e-7, 1e21, 100, f.NormFloat64()))
	case reflect.String:
		v.SetString(f.text())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Interface:
		f.fillAny(v, depth)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(4), 4))
		f.each(v, depth)
	case reflect.Array:
		f.each(v, depth)
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.Struct:
		for _, field := range v.Fields() {
			f.fill(field, depth+1)
		}
	default:
	}
}

func (f filler) each(v reflect.Value, depth int) {
	for i := range v.Len() {
		f.fill(v.Index(i), depth+1)
	}
}

func (f filler) fillMap(v reflect.Value, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	for range f.IntN(5) {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth+1)
		f.fill(value, depth+1)
		v.SetMapIndex(key, value)
	}
}

// fillAny puts what variables and contexts hold.
func (f filler) fillAny(v reflect.Value, depth int) {
	if v.NumMethod() > 0 {
		return
	}
	kind := pick(f, reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
		reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]string](), reflect.TypeFor[json.Number]())
	if kind == reflect.TypeFor[json.Number]() {
		v.Set(reflect.ValueOf(json.Number("12.50")))
		return
	}
	one := reflect.New(kind).Elem()
	f.fill(one, depth+1)
	v.Set(one)
}

func (f filler) text() string {
	return pick(f, "plain", "<a href='x'>&amp;", "quote\" back\\slash", "line\nbreak\ttab\r\x00\x1f\x7f", "\u2028\u2029", "öß 漢字 🙂", "bad \xff\xc3 utf-8", "a longer text without anything odd in it")
}

func pick[T any](f filler, of ...T) T { return of[f.IntN(len(of))] }

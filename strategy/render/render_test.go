package render_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/strategy/render"
)

func from(values map[string]any) render.Lookup {
	return func(path string) (any, bool) {
		v, ok := values[path]
		return v, ok
	}
}

func TestPlaceholders(t *testing.T) {
	values := map[string]any{"a": "A", "a.b": "AB", "_x9.y_z": "U", "loop": "{a} {{a}} {loop}", "empty": "", "n": 3}
	for _, tt := range []struct{ body, want string }{
		{"", ""},
		{"plain", "plain"},
		{"{a}", "A"},
		{"x{a}y{a.b}z", "xAyABz"},
		{"{_x9.y_z}", "U"},
		{"{a}{a}", "AA"},
		{"{{a}}", "{{a}}"},
		{"{{{a}}}", "{{{a}}}"},
		{"{{a}", "{{a}"},
		{"{a}}", "A}"},
		{`{"k": {a}}`, `{"k": A}`},
		{"{ a }", "{ a }"},
		{"{}", "{}"},
		{"{9}", "{9}"},
		{"{a-b}", "{a-b}"},
		{"{é}", "{é}"},
		{"{a", "{a"},
		{"{", "{"},
		{"{a{a}", "{aA"},
		{"func f() { return map[string]int{\"a\": 1} }", "func f() { return map[string]int{\"a\": 1} }"},
		{"${n}", "$3"},
		{"[{loop}]", "[{a} {{a}} {loop}]"},
		{"<{empty}>", "<>"},
		{"\xff{a}\x00", "\xffA\x00"},
	} {
		tmpl, err := render.Parse(tt.body)
		require.NoError(t, err, tt.body)
		out, err := tmpl.Render(from(values), render.Options{})
		require.NoError(t, err, tt.body)
		require.Equal(t, tt.want, out.Text, tt.body)
		require.Empty(t, out.Missing, tt.body)
	}
}

func TestMissing(t *testing.T) {
	tmpl, err := render.Parse("{z.z} and {Zed}{a} and {z.z}")
	require.NoError(t, err)
	require.Equal(t, []string{"Zed", "a", "z.z"}, tmpl.Paths())
	require.True(t, tmpl.Uses("Zed"))
	require.False(t, tmpl.Uses("z"))

	out, err := tmpl.Render(from(map[string]any{"a": 1.5}), render.Options{})
	require.NoError(t, err)
	require.Equal(t, " and 1.5 and ", out.Text)
	require.Equal(t, []string{"Zed", "z.z"}, out.Missing)
	require.Equal(t, map[string]any{"a": 1.5}, out.Read)

	out, err = tmpl.Render(from(map[string]any{"a": 1.5}), render.Options{KeepMissing: true})
	require.NoError(t, err)
	require.Equal(t, "{z.z} and {Zed}1.5 and {z.z}", out.Text)
}

func TestRenderingErrors(t *testing.T) {
	for _, body := range []string{"{a.}", "{a..b}", "x {_.} y"} {
		_, err := render.Parse(body)
		require.True(t, fault.Is(err, fault.StrategyRenderFailed), body)
	}
	tmpl, err := render.Parse("{a}{a}{a}")
	require.NoError(t, err)
	loop := map[string]any{}
	loop["self"] = loop
	bush := map[string]any{}
	bush["left"], bush["right"] = bush, bush
	for name, v := range map[string]any{
		"bush": bush, "channel": make(chan int), "function": func() {}, "nan": math.NaN(), "infinity": []any{math.Inf(1)},
		"itself": loop, "panics": panics{}, "nested": map[string]any{"deep": []any{func() {}}},
	} {
		_, err := tmpl.Render(from(map[string]any{"a": v}), render.Options{})
		require.True(t, fault.Is(err, fault.StrategyRenderFailed), name)
		require.Contains(t, err.Error(), "a: ", name)
	}
	_, err = tmpl.Render(from(map[string]any{"a": "four"}), render.Options{Limit: 11})
	require.True(t, fault.Is(err, fault.StrategyRenderFailed))
	out, err := tmpl.Render(from(map[string]any{"a": "four"}), render.Options{Limit: 12})
	require.NoError(t, err)
	require.Len(t, out.Text, 12)
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("secret") }

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   any
		want string
	}{
		{"nothing", nil, ""},
		{"text", "a\nb", "a\nb"},
		{"bool", true, "true"},
		{"int", 42, "42"},
		{"big int", int64(math.MaxInt64), "9223372036854775807"},
		{"beyond int64", uint64(math.MaxUint64), "18446744073709551615"},
		{"many digits", json.Number("-123456789012345678901"), "-123456789012345678901"},
		{"whole float", 5.0, "5"},
		{"float", 0.1, "0.1"},
		{"small", 1e-9, "1e-09"},
		{"negative zero", math.Copysign(0, -1), "0"},
		{"time", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05Z"},
		{"texts", []string{"a: b", "two\nlines"}, "- a: b\n- two\n  lines"},
		{"empty list", []string{}, ""},
		{"numbers", []int{1, 2}, "- 1\n- 2"},
		{"object", map[string]any{"b": 1, "a": "x", "none": nil, "yes": "no"}, "a: x\nb: 1\nnone: null\n\"yes\": \"no\""},
		{"empty object", map[string]any{}, "{}"},
		{"objects", []any{map[string]any{"name": "a.pdf", "size": 3}, map[string]any{"tags": []string{"x", "1"}}}, "- name: a.pdf\n  size: 3\n- tags:\n    - x\n    - \"1\""},
		{"block", map[string]any{"t": "one\n\ntwo\n", "u": " odd\n"}, "t: |\n  one\n\n  two\nu: \" odd\\n\""},
		{"struct", chat.ToolCall{ID: "1", Name: "tool"}, "arguments: \"\"\nid: \"1\"\nname: tool"},
		{"nested lists", []any{[]any{1, 2}, []any{}}, "- - 1\n  - 2\n- []"},
	} {
		v, err := render.Normalize(tt.in)
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.want, render.Format(v), tt.name)
	}
}

// What is written as YAML is read back as the same value.
func TestObjectsAreYAML(t *testing.T) {
	texts := []string{
		"", " ", "plain words", "a: b", "x #y", "- dash", "1", "0x1f", "1e3", "2026-01-02", "null", "~", "Yes", "'q'", `"q"`, "tail:", "a\tb",
		"one\ntwo", "one\ntwo\n", "one\n\n\n", "\none", "  in\nline", "tab\n\tin", "cr\r\nlf", "nul\x00", "\u2028", "日本語", "é{a}", "a\n \nb", "/p/q", "*x", "a,b]", "true", ".5", "=",
	}
	for _, s := range texts {
		in := map[string]any{"k": s, "list": []any{s, map[string]any{"in": s}}, "deep": map[string]any{"k": s}}
		var back map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(render.Format(in)+"\n"), &back), "%q\n%s", s, render.Format(in))
		require.Equal(t, in, back, "%q\n%s", s, render.Format(in))
	}
}

func TestNormalizeIsStableThroughJSON(t *testing.T) {
	in := map[string]any{
		"i": 7, "f": 2.0, "u": uint64(math.MaxUint64), "big": 1e300, "s": "bad \xff utf8", "l": []any{nil, true, json.Number("12345678901234567890")},
		"c": []chat.Citation{{ID: "x", Affinity: .25}},
	}
	once, err := render.Normalize(in)
	require.NoError(t, err)
	data, err := json.Marshal(once)
	require.NoError(t, err)
	plain, err := render.DecodeJSON(data)
	require.NoError(t, err)
	twice, err := render.Normalize(plain)
	require.NoError(t, err)
	require.Equal(t, render.Format(once), render.Format(twice))

	_, err = render.DecodeJSON([]byte("1 2"))
	require.Error(t, err)
	_, err = render.Normalize(json.Number("1e999"))
	require.Error(t, err)
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{"{a}", "{{a}}", "{a.b.}", "{a{b}c}", "}{", "{\"a\": {b}}", strings.Repeat("{", 99)} {
		f.Add(s, "{a}")
	}
	f.Fuzz(func(t *testing.T, body, value string) {
		tmpl, err := render.Parse(body)
		if err != nil {
			require.True(t, fault.Is(err, fault.StrategyRenderFailed))
			return
		}
		kept, err := tmpl.Render(from(nil), render.Options{KeepMissing: true})
		require.NoError(t, err)
		require.Equal(t, body, kept.Text, "with nothing known, diagnostics mode changes nothing")
		all := func(string) (any, bool) { return value, true }
		out, err := tmpl.Render(all, render.Options{})
		require.NoError(t, err)
		want := len(body)
		for _, p := range tmpl.Paths() {
			n := strings.Count(kept.Text, "{"+p+"}") - strings.Count(kept.Text, "{{"+p+"}")
			want += n * (len(strings.ToValidUTF8(value, "\uFFFD")) - len(p) - 2)
		}
		require.Len(t, out.Text, want, "every placeholder is replaced once and nothing else is touched")
	})
}

func FuzzFormat(f *testing.F) {
	f.Add("k", "v\nw", "x")
	f.Add(": ", "# a", "|-")
	f.Fuzz(func(t *testing.T, key, a, b string) {
		v, err := render.Normalize(map[string]any{key: []any{a, map[string]any{a: b}}, "z": b})
		require.NoError(t, err)
		data, err := json.Marshal(v)
		require.NoError(t, err)
		plain, err := render.DecodeJSON(data)
		require.NoError(t, err)
		again, err := render.Normalize(plain)
		require.NoError(t, err)
		require.Equal(t, render.Format(v), render.Format(again))
	})
}

func BenchmarkRender10MB(b *testing.B) {
	body := strings.Repeat("Some words and {a} and { \"json\": {\"x\": 1} } and {{b}}.\n", 10<<20/58)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		tmpl, err := render.Parse(body)
		require.NoError(b, err)
		_, err = tmpl.Render(from(map[string]any{"a": "value"}), render.Options{})
		require.NoError(b, err)
	}
}

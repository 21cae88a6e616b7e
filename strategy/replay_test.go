package strategy_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
)

// What was stored as JSON gives the same bytes again, whatever it holds.
func TestReplayOfStoredExecutions(t *testing.T) {
	numbers := map[string]any{
		"preprocess.id":    json.Number("18446744073709551615"),
		"preprocess.max":   uint64(math.MaxUint64),
		"preprocess.int":   int64(math.MaxInt64),
		"preprocess.min":   int64(math.MinInt64),
		"preprocess.huge":  1e300,
		"preprocess.whole": 1e20,
		"preprocess.edge":  1e21,
		"preprocess.tiny":  5e-324,
		"preprocess.zero":  math.Copysign(0, -1),
		"preprocess.third": 1.0 / 3,
		"preprocess.digits": []any{
			json.Number("123456789012345678901234567890"), json.Number("0.1234567890123456789"), map[string]any{"n": json.Number("-9223372036854775809")},
		},
	}
	body := "{preprocess.id} {preprocess.max} {preprocess.int} {preprocess.min} {preprocess.huge} {preprocess.whole} {preprocess.edge} {preprocess.tiny} {preprocess.zero} {preprocess.third}\n{preprocess.digits}\n{extra.id}"
	e := engine(t, writes("p", numbers), writes("q", map[string]any{"preprocess.text": "a\xffb\u2028<&>\x00"}))
	e.BuiltIns = map[string]any{"Date": "2026"}
	values := map[string]any{"extra": map[string]any{"id": json.Number("98765432109876543210")}}
	s := using(body, "p", "q")
	out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Values: values})
	require.NoError(t, err)
	require.Equal(t, "18446744073709551615 18446744073709551615 9223372036854775807 -9223372036854775808 1e+300 100000000000000000000 1e+21 5e-324 0 0.3333333333333333\n"+
		"- 123456789012345678901234567890\n- 0.12345678901234568\n- \"n\": -9223372036854775809\n98765432109876543210", string(out.Prompt), "digits of whole numbers are kept")
	replayed(t, out)

	for name, tt := range map[string]struct{ body, system, input string }{
		"white body":         {"\n \n\n\n", "", ""},
		"white body, system": {"\n\n\n\n\n\n\n\n", "x", "i"},
		"system":             {"{preprocess.text}", "S {preprocess.text} {extra.id} {Date} {gone}", "in"},
		"empty system":       {"b", " ", "in"},
		"not UTF-8":          {"\xfe{preprocess.text}\xff{Argument}", "\xff\xfe {Argument}", "\xc3\x28 \xed\xa0\x80 \uFFFD"},
		"input only":         {"", "", "\xff\xff"},
		"long input":         {"{Argument}{Argument}", "{Argument}", string(make([]byte, 10_000))},
	} {
		t.Run(name, func(t *testing.T) {
			s := using(tt.body, "p", "q")
			s.SystemPrompt = nil
			if tt.system != "" {
				s.SystemPrompt = &tt.system
			}
			out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: tt.input, Values: values})
			require.NoError(t, err)
			replayed(t, out)
		})
	}
}

// Any body, system prompt, input and value replay from their stored form.
func FuzzReplay(f *testing.F) {
	f.Add("{preprocess.v} {Argument}", "{extra.v}", "in\xff", 1e21, "18446744073709551615")
	f.Add("\n\n", "", "", 0.0, "-0")
	f.Add("{preprocess.v.a}{preprocess.v}", "{preprocess.o.deep}", "{Argument}", 5e-324, "1e5")
	f.Fuzz(func(t *testing.T, body, system, input string, number float64, digits string) {
		values := map[string]any{"preprocess.v": []any{number, input}, "preprocess.o": map[string]any{"deep": json.Number(digits), input: number}}
		e := engine(t, writes("p", values))
		e.MaxBytes = 1 << 20
		s := using(body, "p")
		if system != "" {
			s.SystemPrompt = &system
		}
		out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: input, Values: map[string]any{"extra.v": number}})
		if err != nil {
			require.Equal(t, strategy.Failed, out.Status)
			return
		}
		replayed(t, out)
	})
}

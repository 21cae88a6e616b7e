package injection_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/injection"
	"inlay/tokens"
)

func window(length, used int) tokens.Window {
	return tokens.Window{Length: tokens.Count{N: length}, Used: tokens.Count{N: used}}
}

func TestAvailable(t *testing.T) {
	for _, c := range []struct {
		length, used int
		share        float64
		want         int
		why          string
	}{
		{1000, 0, .7, 700, "an empty window"},
		{1000, 200, .7, 447, "floor of 447.999...: the steps are rounded, not fused"},
		{1000, 200, 1, 640, "target 1"},
		{1000, 500, .7, 175, "half occupied"},
		{1000, 1000, .7, 0, "occupied 100 percent"},
		{1000, 999, .7, 0, "one token left"},
		{1000, 1500, .7, 0, "remaining below zero makes no room"},
		{1000, 3000, 1, 0, "two negative factors make no room"},
		{0, 0, .7, 0, "no length"},
		{4096, 0, .7, 2867, "floor of 2867.2"},
		{4096, 1024, .7, 1612, "floor of 1612.8"},
		{8192, 100, .7, 5595, "floor"},
		{128000, 12345, .7, 73150, "a large window"},
		{3, 1, .7, 0, "floor of 0.93"},
		{10, 3, .7, 3, "3.43"},
		{1, 0, 1, 1, "the smallest window"},
	} {
		t.Run(fmt.Sprintf("%d-%d-%g", c.length, c.used, c.share), func(t *testing.T) {
			require.Equal(t, c.want, injection.Available(window(c.length, c.used), c.share), c.why)
		})
	}
}

// TestAvailableNearExact compares with rational arithmetic: the float64 result
// is the exact floor or, by the rounding that the seed's own program has, one less.
func TestAvailableNearExact(t *testing.T) {
	for length := 1; length < 3000; length += 37 {
		for used := 0; used <= length; used += 11 {
			r := new(big.Rat).SetFrac64(int64(length-used), int64(length))
			r.Mul(r, big.NewRat(7, 10)).Mul(r, big.NewRat(int64(length-used), 1))
			exact := int(new(big.Int).Div(r.Num(), r.Denom()).Int64())
			got := injection.Available(window(length, used), .7)
			require.LessOrEqual(t, exact-1, got, "%d of %d", used, length)
			require.LessOrEqual(t, got, exact, "%d of %d", used, length)
		}
	}
}

func TestDecide(t *testing.T) {
	exact := func(n int) tokens.Count { return tokens.Count{N: n} }
	for name, c := range map[string]struct {
		w             tokens.Window
		files, prompt tokens.Count
		share         float64
		want          injection.Strategy
		code          injection.ReasonCode
	}{
		"equality injects":           {window(1000, 0), exact(690), exact(10), .7, injection.InjectFull, injection.Fits},
		"one more retrieves":         {window(1000, 0), exact(691), exact(10), .7, injection.Retrieval, injection.ExceedsBudget},
		"edge at 447":                {window(1000, 200), exact(440), exact(7), .7, injection.InjectFull, injection.Fits},
		"edge at 448":                {window(1000, 200), exact(441), exact(7), .7, injection.Retrieval, injection.ExceedsBudget},
		"full window":                {window(1000, 1000), exact(1), exact(1), .7, injection.Retrieval, injection.NoWindowLeft},
		"history overflows":          {window(1000, 2000), exact(1), exact(1), .7, injection.Retrieval, injection.NoWindowLeft},
		"target one":                 {window(1000, 0), exact(990), exact(10), 1, injection.InjectFull, injection.Fits},
		"zero share is the default":  {window(1000, 0), exact(701), exact(0), 0, injection.Retrieval, injection.ExceedsBudget},
		"share above one likewise":   {window(1000, 0), exact(701), exact(0), 1.5, injection.Retrieval, injection.ExceedsBudget},
		"the prompt counts":          {window(1000, 0), exact(0), exact(701), .7, injection.Retrieval, injection.ExceedsBudget},
		"a lower bound over decides": {window(1000, 0), tokens.Count{N: 701, Method: tokens.AtLeast}, exact(0), .7, injection.Retrieval, injection.ExceedsBudget},
		"an estimate within margin":  {window(1000, 0), tokens.Count{N: 600, Method: tokens.Estimated, Margin: .15}, exact(10), .7, injection.InjectFull, injection.Fits},
		"an estimate beyond margin":  {window(1000, 0), tokens.Count{N: 600, Method: tokens.Estimated, Margin: .16}, exact(5), .7, injection.Retrieval, injection.ExceedsBudget},
		"margins round up":           {window(1000, 0), tokens.Count{N: 699, Method: tokens.Estimated, Margin: .001}, exact(1), .7, injection.Retrieval, injection.ExceedsBudget},
	} {
		t.Run(name, func(t *testing.T) {
			d := injection.Decide(c.w, c.files, c.prompt, c.share)
			require.Equal(t, c.want, d.Strategy)
			require.Equal(t, c.code, d.ReasonCode)
			require.NotEmpty(t, d.Reason)
			require.Equal(t, c.w.Length.N-c.w.Used.N, d.Window.Remaining)
		})
	}
}

func ExampleDecide() {
	w := tokens.Window{Length: tokens.Count{N: 1000}, Used: tokens.Count{N: 200}}
	d := injection.Decide(w, tokens.Count{N: 440}, tokens.Count{N: 8}, 0.7)
	fmt.Println(d.Strategy, d.Available)
	fmt.Println(d.Reason)
	// Output:
	// retrieval 447
	// The new files have 440 tokens and the question 8; 447 tokens are available (800 remaining x 0.7 x 80 % free), so passages are retrieved.
}

package tokens_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/tokens"
)

func estimator(tb testing.TB, f tokens.Family) *tokens.Estimator {
	tb.Helper()
	s, err := tokens.NewEstimator(encoding(tb, "cl100k_base"), f)
	require.NoError(tb, err)
	return s
}

func ExampleEstimator() {
	base, _ := tokens.NewEncoding("cl100k_base")
	s, _ := tokens.NewEstimator(base, tokens.Qwen)
	for _, text := range []string{"Twenty days of leave, counted from the first.", "2024;17.5;83\n2025;18.1;91\n"} {
		c := s.Count(text)
		fmt.Println(c.N, c.Method, c.Margin, c.Budgeted(), c.By)
	}
	// Output:
	// 11 estimated 0.2 14 qwen, estimated by cl100k_base
	// 26 estimated 0.22 32 qwen, estimated by cl100k_base
}

func TestEstimatorWantsItsBase(t *testing.T) {
	_, err := tokens.NewEstimator(encoding(t, "r50k_base"), tokens.Qwen)
	require.True(t, fault.Is(err, fault.Usage))
	_, err = tokens.NewEstimator(encoding(t, "cl100k_base"), "rwkv")
	require.True(t, fault.Is(err, fault.Usage))
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		want tokens.Kind
		text string
	}{
		{tokens.Prose, ""},
		{tokens.Prose, "New employees get twenty days of leave, and a day more each year."},
		{tokens.Accented, "Les employés reçoivent vingt jours de congé, plus un jour par année à l'étranger."},
		{tokens.Code, "func add(a, b int) int { return a + b } // x[i] = y[j]"},
		{tokens.Table, "| 2024 | 17.5 | 83 |\n| 2025 | 18.1 | 91 |"},
		{tokens.CJK, "新员工有二十天假期。"},
		{tokens.CJK, "새 직원은 이십 일의 휴가를 받습니다."},
		{tokens.Script, "Новые сотрудники получают двадцать дней отпуска."},
		{tokens.Script, "الموظفون الجدد يحصلون على عشرين يوما."},
	} {
		require.Equal(t, c.want, tokens.KindOf(c.text), "%q", c.text)
	}
	mixed := strings.Repeat("Plain words. ", 20000) + strings.Repeat("数", 60000)
	require.Equal(t, tokens.CJK, tokens.KindOf(mixed), "windows are spread over the whole text")
}

// The decision on estimates is the one that the sum of the full counts gives,
// with the margin on top.
func TestEstimatorExceedsAsAFullCount(t *testing.T) {
	for _, f := range []tokens.Family{tokens.Unknown, tokens.Llama3, tokens.Qwen} {
		s := estimator(t, f)
		r := rand.New(rand.NewPCG(7, 8))
		for range some(300) {
			var texts []string
			var sum tokens.Count
			for range r.IntN(4) {
				texts = append(texts, randomText(r, r.IntN(3000)))
				sum = sum.Add(s.Count(texts[len(texts)-1]))
			}
			full := sum.Budgeted()
			for _, budget := range []int{-1, 0, full - 1, full, full + 1, full / 2, 2 * full} {
				over, c := s.Exceeds(budget, texts...)
				require.Equal(t, full > budget, over, "%d of %d", budget, full)
				if over {
					require.Greater(t, c.Budgeted(), budget)
					require.LessOrEqual(t, c.Budgeted(), full)
				} else {
					require.Equal(t, sum.N, c.N)
					require.InDelta(t, sum.Margin, c.Margin, 1e-9)
				}
			}
		}
	}
}

func TestCalibration(t *testing.T) {
	before := estimator(t, tokens.Unknown)
	text := strings.Repeat("The server says how many tokens it saw. ", 60)
	base := encoding(t, "cl100k_base").Count(text).N
	after := before
	for range 5 {
		after = after.Calibrated(text, base*12/10)
	}
	require.Equal(t, before.Count(text).N, base, "an estimator does not change")
	require.InDelta(t, 1.2*float64(base), after.Count(text).N, 2)
	require.Less(t, after.Count(text).Margin, .03)
	other := "Das fällt natürlich überhaupt nicht auf, weil für Akzentzeichen nichts gemeldet wurde."
	require.Equal(t, before.Count(other), after.Count(other), "prose teaches nothing about other text")
	require.Equal(t, before, before.Calibrated("too short", 90))
	require.Equal(t, before, before.Calibrated(text, 0))

	for _, absurd := range []int{-1, 11, base / 3, len(text) + 1, 1 << 40} {
		require.Equal(t, before, before.Calibrated(text, absurd), "%d tokens of %d bytes", absurd, len(text))
		require.Equal(t, after, after.Calibrated(text, absurd), "%d tokens of %d bytes", absurd, len(text))
	}

	worse := before.Calibrated(text, base).Calibrated(text, base*3/2)
	c := worse.Count(text)
	require.GreaterOrEqual(t, c.Budgeted(), base*3/2, "the margin covers every report")
}

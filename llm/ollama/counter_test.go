package ollama

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"

	"inlay/tokens"
)

// recordedShow reads a verbose show from a recording.
func recordedShow(tb testing.TB, recording string) *api.ShowResponse {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "exchanges", recording))
	require.NoError(tb, err)
	var exchanges []struct {
		Path     string
		Response []json.RawMessage
	}
	require.NoError(tb, json.Unmarshal(data, &exchanges))
	for _, x := range exchanges {
		if x.Path == "/api/show" {
			var show api.ShowResponse
			require.NoError(tb, json.Unmarshal(x.Response[0], &show))
			return &show
		}
	}
	tb.Fatal("the recording has no show")
	return nil
}

func recordedVocabulary(t *testing.T, recording string) *vocabulary {
	t.Helper()
	v := newVocabulary(recordedShow(t, recording).ModelInfo)
	require.NotNil(t, v)
	return v
}

// randomText mixes what tokenizers differ on.
func randomText(r *rand.Rand, n int) string {
	parts := []string{
		"the", " answer", "The ", "door", " ", "  ", "\n", "\r\n", "\t", "1", "2024", "é", "東京", "🙂", "don't", "     \r\n",
		"       x", "=======", "<|im_end|>", "=", "a", "aaaa", ". ", "_x", "\x00", "\xff",
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func recordedCounters(t *testing.T) map[string]*counter {
	t.Helper()
	return map[string]*counter{
		"gpt-2":         {vocabulary: recordedVocabulary(t, "TestAnswerStreams-tiny-chat.json"), by: "x"},
		"llama 3":       {vocabulary: recordedVocabulary(t, "TestAnswerStreams-tiny-llama3.json"), by: "x"},
		"sentencepiece": {vocabulary: recordedVocabulary(t, "TestUnequalCountsAreNotCalledExact.json"), by: "x", sure: calibration{checked: true, margin: .07}},
	}
}

func TestCuttingTextDoesNotChangeItsCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range recordedCounters(t) {
		t.Run(name, func(t *testing.T) {
			require.True(t, c.vocabulary.plain.cuts)
			require.True(t, c.vocabulary.prompts.cuts)
			for range 6 {
				text := randomText(r, r.IntN(6*longStretch))
				for _, s := range []*stretches{c.vocabulary.plain, c.vocabulary.prompts} {
					whole, err := s.encoder.Encode(text, false)
					require.NoError(t, err)
					for _, asked := range []string{"counted", "remembered"} {
						n, err := s.count(text)
						require.NoError(t, err)
						require.Equal(t, len(whole), n, asked)
					}
				}
			}
		})
	}
}

func TestExceedsDecidesAsAFullCount(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, c := range recordedCounters(t) {
		t.Run(name, func(t *testing.T) {
			for range 6 {
				texts := []string{randomText(r, r.IntN(3*longStretch)), "", randomText(r, r.IntN(3*longStretch))}
				full := c.Count(texts[0]).Add(c.Count(texts[2]))
				for _, off := range []int{-1 - r.IntN(full.N/2+1), -1, 0, 1, r.IntN(full.N + 1)} {
					budget := full.Budgeted() + off
					over, n := c.Exceeds(budget, texts...)
					require.Equal(t, full.Budgeted() > budget, over, "budget %d, full %v", budget, full)
					require.LessOrEqual(t, n.N, full.N)
					if n.Method == tokens.Exact {
						require.Equal(t, full.N, n.N)
					}
				}
			}
		})
	}
}

func TestExceedsCostsTheBudgetNotTheText(t *testing.T) {
	c := recordedCounters(t)["gpt-2"]
	text := strings.Repeat("the answer ", 1<<20)
	over, n := c.Exceeds(1000, text)
	require.True(t, over)
	require.Equal(t, tokens.AtLeast, n.Method)
	require.Greater(t, n.N, 1000)
}

func TestSpecialTokensInDocumentsAreText(t *testing.T) {
	c := recordedCounters(t)["gpt-2"]
	require.Greater(t, c.Count("<|im_end|>").N, 1)
	ids, err := c.vocabulary.prompts.encoder.Encode("<|im_end|>", false)
	require.NoError(t, err)
	require.Len(t, ids, 1)
}

func TestCalibrationStatesAMargin(t *testing.T) {
	require.Equal(t, calibration{checked: true}, calibrated(40, 40))
	require.InDelta(t, .15, calibrated(40, 44).margin, 1e-9)
	require.Equal(t, tokens.Count{N: 40, Method: tokens.Estimated, Margin: .15, By: "x"}, calibrated(40, 44).count(40, "x"))
}

func TestUnknownVocabulariesAreRefused(t *testing.T) {
	require.Nil(t, newVocabulary(modelInfo{}))
	require.Nil(t, newVocabulary(modelInfo{
		"tokenizer.ggml.model":      "rwkv",
		"tokenizer.ggml.tokens":     []any{"a", "b", "c", "d", "e"},
		"tokenizer.ggml.token_type": []any{1.0, 1.0, 1.0, 1.0, 1.0},
	}))
}

// TestStretchesStayWhatTheyAre holds that a changed beginning leaves later
// stretches alone, and that what is remembered is bounded.
func TestStretchesStayWhatTheyAre(t *testing.T) {
	document := strings.Repeat("The notice period of the lease is one month, counted from the first working day. ", 200)
	asked := 0
	s := newStretches(encode(func(text string) ([]int32, error) {
		asked += len(text)
		return make([]int32, len(text)), nil
	}), true)
	for i, question := range []string{"How long is it?", "And when does it begin, if the first of the month is a Sunday?"} {
		n, err := s.count(question + "\n\n" + document)
		require.NoError(t, err)
		require.Equal(t, len(question)+2+len(document), n)
		if i > 0 {
			require.Less(t, asked, 1000, "the document was counted again")
		}
		asked = 0
	}
	for i := range 3 * remembered {
		s.remember(stretch{uint64(i), 0}, 1)
	}
	require.LessOrEqual(t, len(s.recent)+len(s.before), 2*remembered)
}

// encode is an encoder of its own.
type encode func(text string) ([]int32, error)

// Encode implements encoder.
func (e encode) Encode(text string, _ bool) ([]int32, error) { return e(text) }

package ollama

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ollama/ollama/tokenizer"
	"github.com/stretchr/testify/require"

	"inlay/llm"
	"inlay/llm/ollama/ollamatest"
)

// slowly merges as the rule says it, without a heap: the pair of lowest rank,
// leftmost among equals, until none is left.
func slowly(v *tokenizer.Vocabulary, spelled string) []string {
	parts := strings.Split(spelled, "")
	for {
		best, at := -1, -1
		for i := range len(parts) - 1 {
			if rank := v.Merge(parts[i], parts[i+1]); rank >= 0 && (best < 0 || rank < best) {
				best, at = rank, i
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

// FuzzBytePairs holds the merges of a model's vocabulary to their definition,
// and its tokens to the bytes of the text.
func FuzzBytePairs(f *testing.F) {
	for _, s := range []string{
		"", "hello", "five     spaces     \r\n", "the and the in", "naïve 東京 🙂", "<|im_end|>x<|im_start|>", "\x00\xff\u00ad\u007f",
		strings.Repeat("=", 40), strings.Repeat("the ", 20), "don't 1234567",
	} {
		f.Add(s)
	}
	p, err := newPrompter(recordedShow(f, "TestAnswerStreams-"+ollamatest.Chat+".json"))
	require.NoError(f, err)
	plain, prompts := p.vocabulary.plain.encoder.(*bytePairs), p.vocabulary.prompts.encoder.(*bytePairs)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 400 {
			text = text[:400]
		}
		m := newMerger(plain.vocabulary, visible(text))
		m.run()
		var parts []string
		for _, part := range m.parts {
			if part.text != "" {
				parts = append(parts, part.text)
			}
		}
		if text != "" {
			require.Equal(t, slowly(plain.vocabulary, visible(text)), parts)
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		for _, b := range []*bytePairs{plain, prompts} {
			ids, err := b.Encode(text, false)
			require.NoError(t, err)
			var spelled strings.Builder
			for _, id := range ids {
				spelled.WriteString(b.vocabulary.Decode(id))
			}
			if b == plain {
				require.Equal(t, visible(text), spelled.String())
			}
		}
	})
}

// body is a server that answers every request with the same bytes.
type body string

// RoundTrip implements http.RoundTripper.
func (b body) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(b))), Request: r}, nil
}

// FuzzStream reads streamed answers: whatever the server sends, the sequence
// ends with one last delta or one error, and nothing follows.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{\"message\":{\"content\":\"hi\"}}\n", "{\"message\":{\"content\":\"hi\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3}\n",
		"{\"done\":true}\n{\"done\":true}\n", "{\"done\":true}\nSECRET\n", "{\"error\":\"SECRET\"}\n", "SECRET",
		"{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]}}\n{\"done\":true}",
		"null\n7\n", "{\"done\":true}\n{\"error\":\"x\"}\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		m, err := New(Config{Model: "m", HTTP: &http.Client{Transport: body(stream)}})
		require.NoError(t, err)
		m.length = 512 // as if it had been measured
		ends := 0
		for d, err := range m.Generate(t.Context(), llm.Request{}) {
			require.Zero(t, ends, "nothing follows the end")
			if err != nil {
				require.NotContains(t, err.Error(), "SECRET")
			}
			if err != nil || d.Done != "" {
				ends++
			}
		}
		require.Equal(t, 1, ends)
	})
}

package rerank_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/rerank"
	"inlay/retrieve"
	"inlay/retrieve/retrievetest"
)

// reader is a chat model that reads the prompt and orders by shared words, or
// says what it is told to.
type reader struct {
	says  string
	fails error
	calls *int
	last  *llm.Request
}

func (reader) Name() string { return "test:reader" }

func (m reader) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if err := ctx.Err(); err != nil || m.fails != nil {
			yield(llm.Delta{}, cmpErr(err, m.fails))
			return
		}
		if m.calls != nil {
			*m.calls++
			*m.last = r
		}
		text := m.says
		if text == "" {
			text = ordered(r.Messages[0].Text)
		}
		yield(llm.Delta{Text: text, Done: "stop"}, nil)
	}
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// ordered reads the question and the passages back out of the prompt.
func ordered(prompt string) string {
	var query string
	var passages []struct {
		Number int
		Text   string
	}
	for line := range strings.Lines(prompt) {
		if q, ok := strings.CutPrefix(line, "Question: "); ok && json.Unmarshal([]byte(q), &query) != nil {
			panic(q)
		}
		if strings.HasPrefix(line, "[{") && json.Unmarshal([]byte(line), &passages) != nil {
			panic(line)
		}
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	var numbers []string
	for _, f := range order(query, texts) {
		numbers = append(numbers, fmt.Sprint(passages[f.index].Number))
	}
	return "```json\n{\"order\": [" + strings.Join(numbers, ", ") + "]}\n```"
}

func TestChat(t *testing.T) {
	retrievetest.RunReranker(t, true, func(*testing.T) retrieve.Reranker { return rerank.Chat{Model: reader{}} })
}

// TestChatWindows: the best passage comes first from the last place, and no call
// sees more passages than the window.
func TestChatWindows(t *testing.T) {
	texts := slices.Repeat([]string{"The canteen opens at noon."}, 50)
	texts[49] = "The notice period is three months. " + strings.Repeat("x", 2000)
	calls, last := 0, llm.Request{}
	scores, err := rerank.Chat{Model: reader{calls: &calls, last: &last}}.Rerank(t.Context(), "notice period", texts)
	require.NoError(t, err)
	require.Equal(t, 4, calls)
	require.Equal(t, 49, slices.Index(scores, slices.Max(scores)))
	require.Equal(t, 20, strings.Count(last.Messages[0].Text, `"number":`))
	require.NotContains(t, last.Messages[0].Text, strings.Repeat("x", 1500), "only the beginning of a long passage is read")
	require.JSONEq(t, `{"type":"object","properties":{"order":{"type":"array","items":{"type":"integer","minimum":1,"maximum":20},`+
		`"minItems":1,"maxItems":20}},"required":["order"],"additionalProperties":false}`, string(last.Schema))
}

func TestChatAnswers(t *testing.T) {
	texts := []string{"a", "b", "c"}
	for says, want := range map[string][]int{
		`{"order":[3,1,2]}`:               {2, 0, 1},
		`Sure: {"order":[2]}`:             {1, 0, 2},
		`{"order":[9,2,2,0,-1,1]}`:        {1, 0, 2},
		`{"order":[]}`:                    nil,
		`{"order":[7]}`:                   nil,
		`{"order":"3,1,2"}`:               nil,
		`I cannot say`:                    nil,
		`{"order":[1,2,3],"why":"as is"}`: {0, 1, 2},
	} {
		scores, err := rerank.Chat{Model: reader{says: says}}.Rerank(t.Context(), "q", texts)
		if want == nil {
			require.True(t, fault.Is(err, fault.Internal), "%s: %v", says, err)
			continue
		}
		require.NoError(t, err, says)
		got := []int{0, 1, 2}
		slices.SortStableFunc(got, func(a, b int) int { return int(100 * (scores[b] - scores[a])) })
		require.Equal(t, want, got, says)
	}
	_, err := rerank.Chat{Model: reader{fails: &fault.Error{Code: fault.BackendUnreachable}}}.Rerank(t.Context(), "q", texts)
	require.True(t, fault.Is(err, fault.BackendUnreachable))
}

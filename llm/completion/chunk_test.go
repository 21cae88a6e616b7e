package completion

import (
	"encoding/json"
	"strings"
	"testing"

	official "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"inlay/chat"
)

func decode(t *testing.T, data string) *Chunk {
	t.Helper()
	c, err := Decode([]byte(data))
	require.NoError(t, err)
	return c
}

func bytesOf(t *testing.T, c *Chunk) string {
	t.Helper()
	data, err := c.Bytes()
	require.NoError(t, err)
	return string(data)
}

// TestDeepJSONEndsNoProcess: eight million brackets are an error, not a stack
// overflow.
func TestDeepJSONEndsNoProcess(t *testing.T) {
	deep := strings.Repeat("[", 8<<20)
	_, err := Decode([]byte(`{"choices":` + deep))
	require.ErrorIs(t, err, errNotJSON)
	_, err = ParseMessages(json.RawMessage(deep))
	require.Error(t, err)
}

// inOrder compares JSON with the order of its fields.
func inOrder(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, want, got)
}

const (
	relayedChunk = `{"id":"chatcmpl-9","object":"chat.completion.chunk","created":1732260000,"model":"m","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" days of leave"},"logprobs":null,"finish_reason":null}],"usage":null}`
	wholeAnswer  = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Twenty","annotations":[{"type":"url_citation"}]},"logprobs":{"x":1},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":23,"completion_tokens":2,"total_tokens":25}}`
)

func TestChunksAreDecoded(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want Chunk
	}{
		"a piece": {relayedChunk, Chunk{ID: "chatcmpl-9", Object: ChunkObject, Choices: []Choice{{Delta: true, Text: " days of leave"}}}},
		"whole": {wholeAnswer, Chunk{
			ID: "c1", Object: WholeObject, Usage: &Usage{23, 2},
			Choices: []Choice{
				{Role: "assistant", Text: "Twenty", Finish: "stop"},
				{Index: 1, Role: "assistant", Calls: []CallPiece{{ID: "a", Name: "f", Arguments: "{}"}}, Finish: "tool_calls"},
			},
		}},
		"thoughts":      {`{"choices":[{"delta":{"reasoning_content":"a"}},{"index":3,"delta":{"reasoning":"b"},"finish_reason":"content_filter"}]}`, Chunk{Choices: []Choice{{Delta: true, Thinking: "a"}, {Index: 3, Delta: true, Thinking: "b", Finish: "content_filter"}}}},
		"content parts": {`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"thinking"},{"type":"text","text":"b"}]}}]}`, Chunk{Choices: []Choice{{Text: "ab"}}}},
		"calls": {
			`{"choices":[{"delta":{"tool_calls":[{"index":2,"function":{"arguments":"x"}},{"custom":{"name":"sql","input":"y"}}]}}]}`,
			Chunk{Choices: []Choice{{Delta: true, Calls: []CallPiece{{Index: 2, Arguments: "x"}, {Index: 1, Name: "sql", Arguments: "y", Custom: true}}}}},
		},
		"an error":     {`{"error":{"message":"no"}}`, Chunk{Err: json.RawMessage(`{"message":"no"}`)}},
		"without both": {`{"choices":null,"error":null,"usage":null,"id":7}`, Chunk{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := decode(t, c.data)
			require.Equal(t, c.data, bytesOf(t, got))
			got.Raw = nil
			require.Equal(t, &c.want, got)
		})
	}
}

func TestOddAnswersAreRefusedWithTheReason(t *testing.T) {
	for data, reason := range map[string]string{
		`SECRET`: "is not JSON", ``: "is not JSON", `{"SECRET":`: "is not JSON", `{} SECRET`: "is not JSON",
		`null`: "not a JSON object", `["SECRET"]`: "not a JSON object",
		`{"choices":"SECRET"}`:                        "choices of an answer is not a list",
		`{"choices":[{}, "SECRET"]}`:                  "choices[1] of an answer: it is not an object",
		`{"choices":[{"index":"SECRET"}]}`:            "choices[0] of an answer: index is invalid",
		`{"choices":[{"delta":{"content":7}}]}`:       "choices[0] of an answer: delta is invalid",
		`{"choices":[{"delta":"SECRET"}]}`:            "choices[0] of an answer: delta is invalid",
		`{"choices":[{"message":{"tool_calls":{}}}]}`: "choices[0] of an answer: message is invalid",
		`{"choices":[{"finish_reason":["SECRET"]}]}`:  "choices[0] of an answer: finish_reason is invalid",
		`{"usage":{"prompt_tokens":"SECRET"}}`:        "usage of an answer is invalid",
	} {
		_, err := Decode([]byte(data))
		require.ErrorContains(t, err, reason, data)
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestFieldsAndAnnotationsAreAdded(t *testing.T) {
	c := decode(t, wholeAnswer)
	c.Set("inlay", map[string]string{"reason": "5 < 6"})
	c.Set("model", "other")
	c.Annotate(0, []any{map[string]int{"n": 1}})
	c.Annotate(1, nil)
	c.Annotate(1, []any{map[string]int{"n": 2}, map[string]int{"n": 3}})
	inOrder(t, `{"id":"c1","object":"chat.completion","created":1,"model":"other","choices":[`+
		`{"index":0,"message":{"role":"assistant","content":"Twenty","annotations":[{"type":"url_citation"},{"n":1}]},"logprobs":{"x":1},"finish_reason":"stop"},`+
		`{"index":1,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}],"annotations":[{"n":2},{"n":3}]},"finish_reason":"tool_calls"}],`+
		`"usage":{"prompt_tokens":23,"completion_tokens":2,"total_tokens":25},"inlay":{"reason":"5 < 6"}}`, bytesOf(t, c))

	last := decode(t, `{"object":"chat.completion.chunk","choices":[{"index":0,"finish_reason":"stop"}]}`)
	last.Annotate(0, []any{1})
	inOrder(t, `{"object":"chat.completion.chunk","choices":[{"index":0,"finish_reason":"stop","delta":{"annotations":[1]}}]}`, bytesOf(t, last))

	c.Set("bad", func() {})
	_, err := c.Bytes()
	require.ErrorContains(t, err, "encode bad")
}

func TestAnswersArePutTogether(t *testing.T) {
	var a Answers
	for _, data := range []string{
		`{"id":"c","choices":[],"prompt_filter_results":[]}`,
		`{"id":"c","choices":[{"index":1,"delta":{"role":"assistant","content":"B"}},{"index":0,"delta":{"content":"A"}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"f","arguments":"{\"a\""}}]}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":1,"function":{"arguments":":1}"}},{"index":4,"id":"y","function":{"name":"g"}}]}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`{"id":"c","choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`,
		`{"id":"c","choices":[],"usage":{"prompt_tokens":1}}`,
	} {
		require.NoError(t, a.Add(decode(t, data)))
	}
	want := []Answer{
		{Text: "Aa", Calls: []chat.ToolCall{{ID: "x", Name: "f", Arguments: `{"a":1}`}, {ID: "y", Name: "g"}}, Finish: "tool_calls"},
		{Index: 1, Text: "B", Finish: "stop"},
	}
	require.Equal(t, want, a.All())

	want[1].Text = "C"
	out := a.Rebuild(true, want)
	require.Len(t, out, 2)
	inOrder(t, `{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Aa","tool_calls":[`+
		`{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"index":1,"id":"y","type":"function","function":{"name":"g","arguments":""}}]},"finish_reason":"tool_calls"},`+
		`{"index":1,"delta":{"role":"assistant","content":"C"},"finish_reason":"stop"}],"prompt_filter_results":[]}`, bytesOf(t, out[0]))
	require.Equal(t, &Usage{Prompt: 1}, out[1].Usage)
	var again Answers
	for _, c := range out {
		require.NoError(t, again.Add(decode(t, bytesOf(t, c))))
	}
	require.Equal(t, want, again.All())
}

func TestAWholeAnswerIsRebuilt(t *testing.T) {
	var a Answers
	require.Nil(t, a.Rebuild(false, nil))
	require.NoError(t, a.Add(decode(t, wholeAnswer)))
	all := a.All()
	all[0].Text = "<none>"
	out := a.Rebuild(false, all)
	require.Len(t, out, 1)
	inOrder(t, `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[`+
		`{"index":0,"message":{"role":"assistant","content":"<none>"},"finish_reason":"stop"},`+
		`{"index":1,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],`+
		`"usage":{"prompt_tokens":23,"completion_tokens":2,"total_tokens":25}}`, bytesOf(t, out[0]))
}

// TestCallsOfCustomToolsStayThose, in answers and in messages.
func TestCallsOfCustomToolsStayThose(t *testing.T) {
	const calls = `"tool_calls":[{"id":"a","type":"custom","custom":{"name":"sql","input":"select 1"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]`
	var a Answers
	require.NoError(t, a.Add(decode(t, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,`+calls+`},"finish_reason":"tool_calls"}]}`)))
	require.Contains(t, bytesOf(t, a.Rebuild(false, a.All())[0]), calls)
	m := parseOne(t, `{"role":"assistant","content":null,`+calls+`}`)
	m.SetCalls(m.Calls, "")
	inOrder(t, `{"role":"assistant","content":null,`+calls+`}`, encoded(t, m))
}

// TestUsageBesideTheLastChoiceIsKept: servers that report usage with the last
// piece of text.
func TestUsageBesideTheLastChoiceIsKept(t *testing.T) {
	var a Answers
	require.NoError(t, a.Add(decode(t, `{"choices":[{"delta":{"content":"a"}}],"usage":null}`)))
	require.NoError(t, a.Add(decode(t, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"cost":0.5}}`)))
	out := a.Rebuild(true, a.All())
	require.Len(t, out, 1)
	require.Equal(t, &Usage{5, 1}, out[0].Usage)
	require.JSONEq(t, `{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"cost":0.5}}`, bytesOf(t, out[0]))
}

func TestAnswersAreBounded(t *testing.T) {
	var a Answers
	c := &Chunk{}
	for i := range maxChoices + 1 {
		c.Choices = append(c.Choices, Choice{Index: i})
	}
	require.ErrorContains(t, a.Add(c), "more than 128 choices")
	var calls Calls
	pieces := make([]CallPiece, maxCalls+1)
	for i := range pieces {
		pieces[i].Index = -i
	}
	require.ErrorContains(t, calls.Add(pieces), "more than 1024 tools")
}

// TestOfficialClientReadsWhatIsMade compares with the types of OpenAI's client.
func TestOfficialClientReadsWhatIsMade(t *testing.T) {
	a := Answer{Text: "Twenty <b>", Calls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}, Finish: "tool_calls"}
	var whole official.ChatCompletion
	made := New(Envelope{ID: "c", Model: "m", Usage: &Usage{3, 4}}, false, a.Choice(false))
	require.NoError(t, json.Unmarshal(made.Raw, &whole))
	require.Equal(t, "Twenty <b>", whole.Choices[0].Message.Content)
	require.Equal(t, "f", whole.Choices[0].Message.ToolCalls[0].Function.Name)
	require.EqualValues(t, 7, whole.Usage.TotalTokens)
	require.Equal(t, "c m", whole.ID+" "+whole.Model)

	var sum official.ChatCompletionAccumulator
	for _, c := range []*Chunk{
		New(Envelope{ID: "c"}, true, Choice{Role: "assistant"}), New(Envelope{ID: "c"}, true, Choice{Text: "Twenty"}),
		New(Envelope{ID: "c"}, true, Choice{Calls: []CallPiece{{ID: "1", Name: "f", Arguments: "{}"}}, Finish: "tool_calls"}),
	} {
		decoded := decode(t, string(c.Raw))
		decoded.Raw, c.Raw = nil, append(c.Raw, ' ')
		var one official.ChatCompletionChunk
		require.NoError(t, json.Unmarshal(c.Raw, &one))
		require.True(t, sum.AddChunk(one))
		c.Raw = nil
		require.Equal(t, c, decoded, "what New says of a chunk is what is decoded from it")
	}
	require.Equal(t, "Twenty", sum.Choices[0].Message.Content)
	require.Equal(t, "f", sum.Choices[0].Message.ToolCalls[0].Function.Name)
}

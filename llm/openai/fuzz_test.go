package openai

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"inlay/llm"
)

// seen is a stream as its reader got it.
type seen struct {
	text, done string
	usage      int
	failed     bool
}

func read(t *testing.T, oneByOne bool, stream string) (s seen) {
	t.Helper()
	r := strings.NewReader(stream)
	source := iotest.DataErrReader(r)
	if oneByOne {
		source = iotest.OneByteReader(r)
	}
	var last reading
	m, err := New(Config{Model: "m"})
	require.NoError(t, err)
	for c, err := range m.events(source, &ending{}) {
		require.False(t, s.failed, "nothing follows an error")
		if err != nil {
			require.NotContains(t, err.Error(), "SECRET", "an error does not repeat the stream")
			s.failed = true
			continue
		}
		d, err := last.delta(c)
		require.NoError(t, err)
		s.text += d.Text
		s.usage++
	}
	s.done = last.Done
	return s
}

// readResponse reads a stream of the Responses API: it ends after the first error
// or the answer's end, and no error repeats it.
func readResponse(t *testing.T, stream string) {
	t.Helper()
	m, err := NewResponses(Config{Model: "m"})
	require.NoError(t, err)
	var last llm.Delta
	ended := false
	for d, err := range m.model.responseDeltas(strings.NewReader(stream), &last, &ending{}) {
		require.False(t, ended, "nothing follows the end")
		ended = err != nil
		require.True(t, err != nil || d.Text != "" || d.Thinking != "")
		if err != nil {
			require.NotContains(t, err.Error(), "SECRET")
		}
	}
}

// FuzzEvents reads streams of server-sent events: any bytes, in any pieces.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		"", "data: [DONE]\n", "data:{}\n\ndata: [DONE]\n\ndata: SECRET\n", "data: SECRET\n", ": ping\n\nevent: x\nid: 1\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\r\n\r\n",
		`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n" + `data: {"choices":[],"usage":{"prompt_tokens":3}}`,
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{"}}]}}]}`,
		`data: {"type":"response.output_text.delta","delta":"a"}` + "\n" +
			`data: {"type":"response.output_item.done","item":{"type":"function_call","call_id":"1"}}` + "\n" + `data: {"type":"response.completed"}`,
		`data: {"type":"error","message":"SECRET"}` + "\n", `data: {"type":"response.failed"}` + "\n",
		"data: {\"error\":{\"message\":\"x\"}}\n", "data: null\ndata: 7\n", "data: {\"choices\":null}\x00\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		if strings.Contains(stream, "SECRET") && len(stream) > 1<<16 {
			return
		}
		whole := read(t, false, stream)
		require.Equal(t, whole, read(t, true, stream), "the same in pieces of one byte")
		readResponse(t, stream)
		ended := read(t, false, "data: [DONE]\n"+stream)
		require.Equal(t, seen{}, ended, "nothing follows [DONE]")
	})
}

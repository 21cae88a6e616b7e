package chat_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
)

var update = flag.Bool("update", false, "rewrite golden files")

func sample() chat.History {
	return chat.History{Messages: []chat.Message{
		{Role: chat.System, Text: "Be brief."},
		{
			Role: chat.User, Text: "rewritten <b>&\u2028",
			Attachments: []chat.Attachment{{FileID: "file-1", Name: "a.pdf", MediaType: "application/pdf", Path: "/tmp/a.pdf"}},
			Injected: &chat.Injected{Strategy: "retrieval", Query: "q", FileIDs: []string{"file-0"}, Citations: []chat.Citation{{
				ID: "c1", Number: 1, Text: "text", File: "a.pdf", FileID: "file-1", Page: 3, Sheet: "s", Slide: 2, Heading: "h",
				LineStart: 1, LineEnd: 2, Start: 10, End: 14, Affinity: .5, Rank: 1, Header: "| a |",
			}}},
		},
		{Role: chat.Assistant, Text: "", ToolCalls: []chat.ToolCall{{ID: "t1", Name: "read", Arguments: `{"x":1}`}}},
		{Role: chat.Tool, Text: "result", ToolCallID: "t1"},
	}}
}

// TestHistoryForm holds inlay.history/v1 to its bytes.
func TestHistoryForm(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sample().Write(&b))
	const golden = "testdata/history.json"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())

	back, err := chat.ReadHistory(bytes.NewReader(want))
	require.NoError(t, err)
	require.Equal(t, sample().Messages, back.Messages)

	b.Reset()
	require.NoError(t, chat.History{}.Write(&b))
	require.Contains(t, b.String(), `"messages": []`, "an empty history has a list, not null")
}

func TestReadHistoryRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"":                 "EOF",
		"{":                "unexpected EOF",
		`{"messages": []}`: `schema is ""`,
		`{"schema": "inlay.history/v2", "messages": []}`:                                     `want "inlay.history/v1"`,
		`{"schema": "inlay.history/v1", "messages": [{"role": "user"}, {"role": "wizard"}]}`: `message 2 has role "wizard"`,
		`{"schema": "inlay.history/v1", "messages": [], "colour": "red"}`:                    "colour",
		`{"schema": "inlay.history/v1", "messages": []} {"schema": "inlay.history/v1"}`:      "more than one",
	} {
		_, err := chat.ReadHistory(strings.NewReader(text))
		require.ErrorContains(t, err, reason, text)
	}
}

func TestIsImage(t *testing.T) {
	require.True(t, chat.Attachment{MediaType: "image/png"}.IsImage())
	require.False(t, chat.Attachment{MediaType: "application/pdf"}.IsImage())
}

// TestCut: places come from histories that clients send.
func TestCut(t *testing.T) {
	data, ok := chat.Attachment{Label: "user_context", Start: 2, End: 4}.Cut("abcdef")
	require.True(t, ok)
	require.Equal(t, "cd", string(data))
	for _, a := range []chat.Attachment{{Start: 2, End: 4}, {Label: "x", Start: -1, End: 2}, {Label: "x", Start: 4, End: 2}, {Label: "x", Start: 2, End: 7}} {
		_, ok := a.Cut("abcdef")
		require.False(t, ok)
	}
}

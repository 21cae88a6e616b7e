package httpapi_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

type resultAnswer struct {
	Schema, Strategy string
	ReasonCode       string `json:"reason_code"`
	Prompt           string
	DryRun           bool `json:"dry_run"`
	Files            []struct {
		FileID string `json:"file_id"`
		Name   string
		Index  *struct{ Cached, Parsed bool }
	}
	Citations []struct {
		Text                 string
		FileID               string `json:"file_id"`
		Start, End           int
		StartUTF16, EndUTF16 int
	}
	Failures []struct{ Code string }
}

func user(text string) []map[string]any { return []map[string]any{{"role": "user", "text": text}} }

// TestPreprocess by id, inline and as a form: the same decision and citations,
// and the second time nothing is parsed or embedded.
func TestPreprocess(t *testing.T) {
	s := start(t, setup{})
	text := handbook(t)
	id := s.upload("", "handbook.md", text)
	question := "How long is the notice period?"
	request := map[string]any{"messages": user(question), "context_length": 1024, "retrieval_limit": 1}
	var byID, inline, asForm resultAnswer

	request["files"] = []map[string]any{{"id": id}}
	got := s.do("POST", "/v1/preprocess", "", request)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	got.into(t, &byID)
	require.Equal(t, "inlay.result/v1", byID.Schema)
	require.Equal(t, "retrieval", byID.Strategy)
	require.Equal(t, "exceeds_budget", byID.ReasonCode)
	require.Len(t, byID.Citations, 1)
	require.Contains(t, byID.Citations[0].Text, "notice")
	require.Contains(t, byID.Prompt, question)
	require.Equal(t, id, byID.Citations[0].FileID)
	require.False(t, byID.Files[0].Index.Parsed, "the upload was parsed already")

	request["files"] = []map[string]any{{"name": "handbook.md", "data": base64.StdEncoding.EncodeToString([]byte(text))}}
	s.do("POST", "/v1/preprocess", "", request).into(t, &inline)
	require.Equal(t, byID.Prompt, inline.Prompt)
	require.True(t, inline.Files[0].Index.Cached)

	var inOpenAIsForm resultAnswer
	request["messages"] = []map[string]any{{"role": "user", "content": question}}
	s.do("POST", "/v1/preprocess", "", request).into(t, &inOpenAIsForm)
	require.Equal(t, byID.Prompt, inOpenAIsForm.Prompt)

	delete(request, "files")
	data, err := json.Marshal(request)
	require.NoError(t, err)
	s.do("POST", "/v1/preprocess", "", formOf(t, "request", string(data), "@file:handbook.md", text)).into(t, &asForm)
	require.Equal(t, byID.Prompt, asForm.Prompt)

	request["files"] = []map[string]any{{"id": id}}
	request["dry_run"], request["context_length"] = true, 100000
	var dry resultAnswer
	s.do("POST", "/v1/preprocess", "", request).into(t, &dry)
	require.True(t, dry.DryRun)
	require.Equal(t, "inject-full-content", dry.Strategy)
	require.Empty(t, dry.Prompt)
}

// TestUTF16 counts as JavaScript does.
func TestUTF16(t *testing.T) {
	s := start(t, setup{})
	text := strings.Repeat("Über 𝒳 und 🙂 spricht man selten.\n\n", 80) + "Die Kündigungsfrist 🙂 beträgt vier Wochen."
	var r struct {
		Citations []struct {
			Text  string
			Start int `json:"start_utf16"`
			End   int `json:"end_utf16"`
		}
	}
	s.do("POST", "/v1/preprocess", "", formOf(t, "@file:a.txt", text, "request",
		`{"messages": [{"role": "user", "text": "Kündigungsfrist"}], "context_length": 500, "utf16": true}`)).into(t, &r)
	require.NotEmpty(t, r.Citations)
	units := utf16.Encode([]rune(text))
	for _, c := range r.Citations {
		require.Equal(t, c.Text, string(utf16.Decode(units[c.Start:c.End])))
	}
}

// TestPreprocessStreams statuses, then the result; a failure is an event too.
func TestPreprocessStreams(t *testing.T) {
	s := start(t, setup{})
	got := s.do("POST", "/v1/preprocess", "", formOf(t, "@file:handbook.md", handbook(t), "request",
		`{"messages": [{"role": "user", "text": "notice period?"}], "context_length": 1024}`), "Accept", "text/event-stream")
	require.Equal(t, "text/event-stream", got.header.Get("Content-Type"))
	names, data := eventsOf(t, got.body)
	require.Equal(t, "status", names[0])
	require.Equal(t, "result", names[len(names)-1])
	require.Contains(t, string(got.body), "Deciding how to handle the document(s)...")
	var r resultAnswer
	require.NoError(t, json.Unmarshal([]byte(data[len(data)-1]), &r))
	require.Equal(t, "retrieval", r.Strategy)

	got = s.do("POST", "/v1/preprocess", "", formOf(t, "@file:a.pdf", "", "request",
		`{"messages": [{"role": "user", "text": "?"}], "context_length": 1024}`), "Accept", "text/event-stream")
	names, data = eventsOf(t, got.body)
	require.Equal(t, "error", names[len(names)-1])
	require.Contains(t, data[len(data)-1], `"code":"no_text_layer"`)
}

func eventsOf(t *testing.T, body []byte) (names, data []string) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(string(body)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names = append(names, name)
		}
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = append(data, d)
		}
	}
	return names, data
}

// TestPreprocessRefuses names the field and never repeats a value.
func TestPreprocessRefuses(t *testing.T) {
	s := start(t, setup{})
	for body, want := range map[string]string{
		``:     `body: is not valid JSON`,
		`null`: `messages: does not end with a message of the user`,
		`{"messages": [{"role": "assistant", "text": "SECRET"}]}`:           `messages: does not end with a message of the user`,
		`{"messages": [{"role": "SECRET"}, {"role": "user", "text": "q"}]}`: `messages[0].role: is not system`,
		`{"messages": "SECRET"}`:                        `messages: is of the wrong type, want a list`,
		`{"SECRET text": 1}`:                            `body: has an unknown field`,
		`{"mesages": []}`:                               `body: has the unknown field mesages`,
		`{"messages": [{"role": "user", "text": "q"}]}`: `its context window is not known (send context_length`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": -1}`:                                               `context_length: must be a number of tokens, 0 or more, not -1`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "mode": "SECRET"}`:                              `mode: must be auto, full, retrieval or none`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "limit": 1}`:                                    `limit: is now called retrieval_limit`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "retrieval_limit": 1000}`:                       `retrieval_limit: must be a whole number from 1 to 100 or auto, not 1000`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "prompt_set": "/etc"}`:                          `prompt_set: must be classic or cited`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "files": [{"name": "x"}, {"data": "SECRET="}]}`: `is not valid base64 at byte`,
		`{"messages": [{"role": "user", "text": "SECRET", "content": "SECRET"}]}`:                                           `messages[0]: has both text and content`,
		`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "files": [{"id": "x", "name": "y"}]}`:           `files[0]: is invalid`,
	} {
		got := s.do("POST", "/v1/preprocess", "", []byte(body))
		require.Contains(t, []int{400, 422}, got.status, body)
		require.Equal(t, "application/problem+json", got.header.Get("Content-Type"))
		var p struct {
			Detail, Type, Code string
			Status             int
		}
		got.into(t, &p)
		require.Equal(t, got.status, p.Status)
		require.Equal(t, "urn:inlay:error:"+p.Code, p.Type)
		require.Contains(t, p.Detail, want, body)
		require.NotContains(t, string(got.body), "SECRET")
	}
	require.NotContains(t, s.logs.String(), "SECRET")
	twice := s.do("POST", "/v1/preprocess", "", formOf(t, "request", "{}", "request", "{}"))
	require.Contains(t, string(twice.body), "request: is there twice")
	many := fmt.Sprintf(`{"messages": [{"role": "user", "text": "q"}], "context_length": 9, "files": [%s{"id": "x"}]}`, strings.Repeat(`{"id": "x"},`, 40))
	require.Contains(t, string(s.do("POST", "/v1/preprocess", "", []byte(many)).body), "at most 32")
}

// TestNoContentInLogs: what is asked, attached and answered stays out of logs
// and metrics.
func TestNoContentInLogs(t *testing.T) {
	s := start(t, setup{})
	s.do("POST", "/v1/preprocess", "", formOf(t, "@file:ZEBRANAME.txt", "The ZEBRATEXT is striped.", "request",
		`{"messages": [{"role": "user", "text": "What is the ZEBRAQUESTION?"}], "context_length": 4096}`))
	s.do("POST", "/v1/strategies/ZEBRAID/execute", "", map[string]any{"input": "ZEBRAINPUT"})
	s.do("GET", "/v1/files/ZEBRAFILE?purpose=ZEBRAPURPOSE", "", nil)
	require.NotContains(t, s.logs.String(), "ZEBRA")
	figures := regexp.MustCompile(`(?m)^inlay_decisions.*$`).FindString(string(s.do("GET", "/metrics", "", nil).body))
	require.NotContains(t, string(s.do("GET", "/metrics", "", nil).body), "ZEBRA")
	require.Equal(t, `inlay_decisions_total{reason="fits",strategy="inject-full-content"} 1`, figures)
}

// TestStrategies are listed, shown, matched and executed.
func TestStrategies(t *testing.T) {
	s := start(t, setup{})
	var list struct{ Strategies []struct{ ID string } }
	s.do("GET", "/v1/strategies", "", nil).into(t, &list)
	require.NotEmpty(t, list.Strategies)
	shown := s.do("GET", "/v1/strategies/summarize-documents", "", nil)
	require.Contains(t, string(shown.body), "Reads attached files")
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/strategies/none", "", nil).status)

	id := s.upload("", "handbook.md", handbook(t))
	matched := s.do("POST", "/v1/strategies/match", "", map[string]any{"files": []map[string]any{{"id": id}}})
	require.Equal(t, http.StatusOK, matched.status, string(matched.body))
	require.Contains(t, string(matched.body), "builtin.summarize-documents")

	var made struct {
		Schema, Status, Prompt string
	}
	s.do("POST", "/v1/strategies/summarize-documents/execute", "", map[string]any{"files": []map[string]any{{"id": id}}, "context_length": 8000}).into(t, &made)
	require.Equal(t, "inlay.execution/v1", made.Schema)
	require.Contains(t, made.Prompt, `begin [1] "handbook.md"`)

	var one struct {
		Variables   map[string]any
		Diagnostics []any
	}
	got := s.do("POST", "/v1/preprocessors/selected-text", "", map[string]any{"context": map[string]any{"attachments": map[string]any{"selection": map[string]any{"text": "chosen"}}}})
	got.into(t, &one)
	require.Equal(t, "chosen", one.Variables["preprocess.selection.text"], string(got.body))
	require.NotNil(t, one.Diagnostics)
	got = s.do("POST", "/v1/preprocessors/selected-text", "", map[string]any{})
	require.Equal(t, http.StatusUnprocessableEntity, got.status, string(got.body))
	require.Contains(t, string(got.body), "preprocessor.context_missing")
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/preprocessors/none", "", map[string]any{}).status)
	require.Contains(t, string(s.do("GET", "/v1/preprocessors", "", nil).body), `"id":"files"`)
}

// TestChats keep the history, the files and the results; a follow-up searches
// what was attached before.
func TestChats(t *testing.T) {
	s := start(t, setup{})
	var made struct{ ID string }
	s.do("POST", "/v1/chats", "", map[string]any{"title": "Leave"}).into(t, &made)
	id := s.upload("", "handbook.md", handbook(t))
	first := s.do("POST", "/v1/preprocess", "", map[string]any{
		"messages": user("How long is the notice period?"), "chat_id": made.ID, "context_length": 1024, "files": []map[string]any{{"id": id}},
	})
	require.Equal(t, http.StatusOK, first.status, string(first.body))
	added := s.do("POST", "/v1/chats/"+made.ID+"/messages", "", map[string]any{"role": "assistant", "text": "Four weeks."})
	require.Equal(t, http.StatusOK, added.status, string(added.body))
	var second resultAnswer
	s.do("POST", "/v1/preprocess", "", map[string]any{"messages": user("What is the notice period?"), "chat_id": made.ID, "context_length": 2048}).into(t, &second)
	require.Equal(t, "follow_up", second.ReasonCode)

	var whole struct {
		Turns   int
		History struct {
			Schema   string
			Messages []struct{ Role, Text string }
		}
		Files []struct {
			FileID string `json:"file_id"`
		}
		Results []struct {
			Turn   int
			Result json.RawMessage
		}
	}
	s.do("GET", "/v1/chats/"+made.ID, "", nil).into(t, &whole)
	require.Equal(t, "inlay.history/v1", whole.History.Schema)
	require.Len(t, whole.History.Messages, 3)
	require.Equal(t, id, whole.Files[0].FileID)
	require.Len(t, whole.Results, 3)
	require.JSONEq(t, string(first.body), string(whole.Results[0].Result), "the result is kept for replay")

	both := s.do("POST", "/v1/preprocess", "", map[string]any{
		"messages": append(user("a"), user("b")...), "chat_id": made.ID, "context_length": 1024,
	})
	require.Contains(t, string(both.body), "with a history")
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/chats/"+made.ID, "", nil).status)
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/chats/"+made.ID, "", nil).status)
}

package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/chat"
)

// calls answers with a call until it is shown a result, as a whole or a stream.
func calls(w http.ResponseWriter, body map[string]any) {
	list := body["messages"].([]any)
	say := `"content": "Four weeks [1]."`
	finish := "stop"
	if list[len(list)-1].(map[string]any)["role"] == "user" && body["tools"] != nil {
		say, finish = `"content": null, "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Bergen\"}"}}]`, "tool_calls"
	}
	if body["stream"] == true {
		streams(fmt.Sprintf(`{"choices": [{"index": 0, "delta": {"role": "assistant", %s}}]}`, say), fmt.Sprintf(`{"choices": [{"index": 0, "delta": {}, "finish_reason": %q}]}`, finish), "[DONE]")(w, nil)
		return
	}
	_, _ = fmt.Fprintf(w, `{"choices": [{"index": 0, "finish_reason": %q, "message": {"role": "assistant", %s}}]}`, finish, say)
}

// calling is a server of models that calls tools.
func calling(t *testing.T) *fakeServer {
	t.Helper()
	u := newUpstream(t, nil)
	u.answer = func(w http.ResponseWriter, _ *http.Request) { calls(w, u.last()) }
	return u
}

func inline(text, name, content string) map[string]any {
	file := map[string]any{"filename": name, "file_data": base64.StdEncoding.EncodeToString([]byte(content))}
	return map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": text}, map[string]any{"type": "file", "file": file}}}
}

var weather = []any{map[string]any{"type": "function", "function": map[string]any{"name": "weather", "parameters": map[string]any{"type": "object"}}}}

// kept is a chat of the service, with what a test looks at.
type kept struct {
	Turns   int
	History struct{ Messages []chat.Message }
	Files   []chat.Attachment
}

func (s *server) newChat(tb testing.TB) (id string, look func() kept) {
	tb.Helper()
	var made struct{ ID string }
	s.do("POST", "/v1/chats", "", map[string]any{}).into(tb, &made)
	return made.ID, func() (k kept) {
		s.do("GET", "/v1/chats/"+made.ID, "", nil).into(tb, &k)
		return k
	}
}

// TestToolsInKeptChat: calls, results and a file that came inside the request
// are kept; a turn under way stays as it was laid out; later turns search the file.
func TestToolsInKeptChat(t *testing.T) {
	for _, stream := range []bool{false, true} {
		u := calling(t)
		s := start(t, setup{upstreams: u.list(), chains: chained(t, redacting)})
		id, look := s.newChat(t)
		say := func(messages ...any) string {
			r := ask(messages, "stream", stream, "tools", weather)
			r["inlay"].(map[string]any)["chat_id"] = id
			got := s.do("POST", "/v1/chat/completions", "", r)
			require.Equal(t, http.StatusOK, got.status, string(got.body))
			return string(got.body)
		}
		system := map[string]any{"role": "system", "content": "Be brief."}
		answer := say(system, inline("How long is the notice period?", "handbook.md", handbook(t)))
		require.Contains(t, answer, "call_1")
		first := u.last()["messages"].([]any)
		answer = say(system, map[string]any{"role": "tool", "tool_call_id": "call_1", "content": "It rains."})
		require.Contains(t, answer, "already_in_context")
		require.Contains(t, answer, `"cited":true`, "the passages of the turn, not of the call")
		second := u.last()["messages"].([]any)
		require.Equal(t, first, second[:2], "what the model called tools for stays as it was")
		require.Len(t, second, 4)
		require.Equal(t, "call_1", second[3].(map[string]any)["tool_call_id"])

		k := look()
		require.Equal(t, []chat.Role{chat.User, chat.Assistant, chat.Tool, chat.Assistant}, roles(k.History.Messages))
		require.JSONEq(t, `{"city":"Bergen"}`, k.History.Messages[1].ToolCalls[0].Arguments)
		require.Equal(t, "It rains.", k.History.Messages[2].Text)
		require.Equal(t, "Four weeks [1].", k.History.Messages[3].Text)
		require.Len(t, k.Files, 1)
		require.Equal(t, http.StatusOK, s.do("GET", "/v1/files/"+k.Files[0].FileID, "", nil).status, "an upload")

		r := ask([]any{map[string]any{"role": "user", "content": "And in the trial period, what notice?"}})
		r["inlay"].(map[string]any)["chat_id"] = id
		got := s.do("POST", "/v1/chat/completions", "", r)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		require.Contains(t, string(got.body), "follow_up")
		require.Len(t, look().History.Messages, 6)
	}
}

func roles(list []chat.Message) (out []chat.Role) {
	for _, m := range list {
		out = append(out, m.Role)
	}
	return out
}

// TestFailedTurnLeavesNothing: neither a turn nor an upload.
func TestFailedTurnLeavesNothing(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	s := start(t, setup{upstreams: u.list()})
	id, look := s.newChat(t)
	for _, messages := range [][]any{
		{inline("How long is the notice period?", "handbook.md", handbook(t))},
		{inline("", "handbook.md", handbook(t))},
		{map[string]any{"role": "user", "content": "a"}, map[string]any{"role": "user", "content": "b"}},
		{map[string]any{"role": "system", "content": "a"}},
	} {
		r := ask(messages)
		r["inlay"].(map[string]any)["chat_id"] = id
		require.GreaterOrEqual(t, s.do("POST", "/v1/chat/completions", "", r).status, 400)
	}
	require.Zero(t, look().Turns)
	got := s.do("GET", "/v1/files", "", nil)
	require.Contains(t, string(got.body), `"data":[]`)
}

// TestToolLoopKeepsItsPrompt: a client that sends its own history gets the same
// message above the model's calls as before them.
func TestToolLoopKeepsItsPrompt(t *testing.T) {
	u := calling(t)
	s := start(t, setup{upstreams: u.list()})
	question := withFile("How long is the notice period?", s.upload("", "handbook.md", handbook(t)))
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{question}, "tools", weather))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	first := u.last()["messages"].([]any)
	call := map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "weather", "arguments": "{}"}}}}
	result := map[string]any{"role": "tool", "tool_call_id": "call_1", "content": strings.Repeat("It rains. ", 200)}
	got = s.do("POST", "/v1/chat/completions", "", ask([]any{question, call, result}, "tools", weather))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.Equal(t, first[0], u.last()["messages"].([]any)[0])
	require.Contains(t, string(got.body), `"cited":true`)
}

const shortened = `
processors: { drop_defaults: true, message_modifiers: [ChatHistoryMessageModifier, ConversationCompactorModifier] }
`

// TestLongChat: a chat that has outgrown its window goes on, over a restart
// too; the model sees the newest turns, the service keeps all, and a document
// whose turn is out of sight is injected again.
func TestLongChat(t *testing.T) {
	var seen []int
	u := newUpstream(t, nil)
	u.answer = func(w http.ResponseWriter, _ *http.Request) {
		data, _ := json.Marshal(u.last()["messages"])
		seen = append(seen, len(data))
		_, _ = io.WriteString(w, `{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Four weeks [1]."}}]}`)
	}
	dir := t.TempDir()
	o := setup{dir: dir, upstreams: u.list(), chains: chained(t, shortened)}
	s := start(t, o)
	id, look := s.newChat(t)
	const turns = 60
	for i := range turns {
		if i == turns/2 {
			s.stop()
			s = start(t, o)
			look = func() (k kept) {
				s.do("GET", "/v1/chats/"+id, "", nil).into(t, &k)
				return k
			}
		}
		message := map[string]any{"role": "user", "content": fmt.Sprintf("Question %d: how long is the notice period, please, in weeks or in months?", i)}
		switch i {
		case 0:
			message = inline(message["content"].(string), "leaving.md", "# Leaving\n\nThe notice period is four weeks.\n")
		case turns - 2: // takes the room of the turns that would be beside it
			message["content"] = message["content"].(string) + strings.Repeat(" please", 250)
		}
		r := ask([]any{message})
		r["inlay"].(map[string]any)["chat_id"] = id
		got := s.do("POST", "/v1/chat/completions", "", r)
		require.Equal(t, http.StatusOK, got.status, "turn %d: %s", i, got.body)
		last := u.last()["messages"].([]any)
		require.Contains(t, last[len(last)-1].(map[string]any)["content"], fmt.Sprintf("Question %d:", i))
		require.Contains(t, fmt.Sprint(last), "The notice period is four weeks.", "turn %d: the document is in the window again", i)
		if i >= turns-2 {
			require.Contains(t, string(got.body), "history_shortened")
		}
	}
	for _, size := range seen {
		require.Less(t, size, 5000, "the window has 1024 tokens")
	}
	k := look()
	require.Len(t, k.History.Messages, 2*turns)
	require.Contains(t, k.History.Messages[2].Text, "Question 1:")
}

// TestOutgrownChat: where nothing shortens a chat, the refusal says what helps,
// whether the service or the server of models refuses; a first message is
// shortened.
func TestOutgrownChat(t *testing.T) {
	u := newUpstream(t, says("Four weeks."))
	s := start(t, setup{upstreams: u.list()})
	id, _ := s.newChat(t)
	long := strings.Repeat("how long is the notice period? ", 300)
	post := func(path string, body map[string]any) string {
		got, want := s.do("POST", path, "", body), http.StatusUnprocessableEntity
		if path == "/v1/chat/completions" {
			want = http.StatusBadRequest // as the OpenAI API says it
		}
		require.Equal(t, want, got.status, string(got.body))
		return string(got.body)
	}
	turn := func(message any) map[string]any {
		r := ask([]any{message})
		r["inlay"].(map[string]any)["chat_id"] = id
		return r
	}
	note := "The notice period is four weeks."
	require.NotContains(t, post("/v1/chat/completions", turn(inline(long, "a.txt", note))), "new chat")
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/chats/"+id+"/messages", "", map[string]any{"role": "user", "text": long}).status)
	said := post("/v1/chat/completions", turn(inline("And in the trial period?", "a.txt", note)))
	require.Contains(t, said, `"code":"context_length_exceeded"`)
	require.Contains(t, said, "begin a new chat")
	require.Contains(t, said, "--processors")
	said = post("/v1/preprocess", map[string]any{"chat_id": id, "messages": user("And later?"), "context_length": 1024, "files": []any{map[string]any{"name": "a.txt", "data": []byte(note)}}})
	require.Contains(t, said, `"next":"begin a new chat, or use a model with a larger window"`)

	u.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error": {"code": "context_length_exceeded"}}`)
	}
	said = post("/v1/chat/completions", turn(map[string]any{"role": "user", "content": "And later?"}))
	require.Contains(t, said, "--processors")
}

// BenchmarkKeptChat is a long chat with a document and processors: what a turn
// takes late in it, against one early in it.
func BenchmarkKeptChat(b *testing.B) {
	u := newUpstream(b, func(w http.ResponseWriter, r *http.Request) { says("Four weeks [1].")(w, r) })
	s := start(b, setup{upstreams: u.list(), chains: chained(b,
		`processors: { drop_defaults: true, message_modifiers: [ChatHistoryMessageModifier, ChatCompressionModifier, ConversationCompactorModifier] }`)})
	for b.Loop() {
		id, _ := s.newChat(b)
		took := make([]time.Duration, 400)
		for i := range took {
			message := map[string]any{"role": "user", "content": fmt.Sprintf("Question %d: how long is the notice period in the trial period?", i)}
			if i == 0 {
				message = inline(message["content"].(string), "handbook.md", handbook(b))
			}
			r := map[string]any{"model": "m", "messages": []any{message}, "inlay": map[string]any{"context_length": 4096, "chat_id": id}}
			at := time.Now()
			got := s.do("POST", "/v1/chat/completions", "", r)
			took[i] = time.Since(at)
			require.Equal(b, http.StatusOK, got.status, string(got.body))
		}
		early, late := middle(took[50:100]), middle(took[350:])
		b.ReportMetric(float64(late)/float64(early), "late/early")
		b.ReportMetric(late.Seconds()*1000, "late-ms")
	}
}

func middle(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

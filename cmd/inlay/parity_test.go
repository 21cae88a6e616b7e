package main

// The parity matrix (TRN-1): turns through every door that can express them.
// What a door shows of a turn must be what the Go API shows of it.

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var onlyTurn = flag.String("turn", "", "of the parity matrix: only the turn of that name, with everything that the doors show of it")

// parityTurn is a conversation whose last turn is compared.
type parityTurn struct {
	name      string
	steps     []parityStep
	config    string   // inlay.yaml of all doors
	serve     []string // flags of the service: what it puts around a model
	model     string   // empty: gpt-4o
	says      string   // the upstream's answer; empty: "Noted [1]."
	calls     string   // the tool that the upstream calls instead
	canceled  bool     // before it begins
	wants     string   // what the Go API must show: "decision reason", or an error's code
	differs   map[string]string
	cannot    map[string]string // doors that cannot express it, beyond what their own rules say
	reranker  string            // address of the reranker of all doors; empty: none
	processed bool              // the processors of config are applied by doors that ask a model
}

// parityStep is one turn.
type parityStep struct {
	text     string
	files    []parityFile
	strategy string
	options  map[string]any // by the keys of package options
	dry      bool
	tools    []string
	rules    map[string]map[string]bool
}

type parityFile struct{ name, content, mode string }

// seen is what a door shows of a turn, without ids, times and paths. Of two
// doors what both show is compared.
type seen map[string]string

// parityDoor is a way to have a turn made.
type parityDoor struct {
	name  string
	shows string                  // for the document
	na    func(parityTurn) string // why it cannot express a turn; empty: it can
	walk  func(*parityRun) seen
}

// TestParity prints the table of turns and doors, which is part of docs/turns.md.
func TestParity(t *testing.T) {
	doors, host := parityDoors(), newParityHost(t)
	rows := make([][]string, 0, 32)
	reasons := &footnotes{}
	for _, turn := range parityTurns(newReranker(t)) {
		if *onlyTurn != "" && turn.name != *onlyTurn {
			continue
		}
		t.Run(turn.name, func(t *testing.T) { rows = append(rows, parityRow(t, host, turn, doors, reasons)) })
	}
	if *onlyTurn != "" || t.Failed() {
		return
	}
	table := parityTable(doors, rows, reasons)
	t.Log("\n" + table)
	parityDocument(t, table)
}

// parityRow walks one turn through all doors. The Go API, which is first, is
// what the others are compared with.
func parityRow(t *testing.T, host *parityHost, turn parityTurn, doors []parityDoor, reasons *footnotes) []string {
	t.Helper()
	row := []string{turn.name, "`" + turn.wants + "`"}
	var reference seen
	for _, door := range doors {
		why := turn.cannot[door.name]
		if why == "" {
			why = door.na(turn)
		}
		if why != "" {
			row = append(row, "n.a."+reasons.mark(why))
			continue
		}
		got := door.walk(host.run(t, turn))
		if *onlyTurn != "" {
			t.Logf("%s shows\n%s", door.name, got)
		}
		if reference == nil {
			reference = got
			require.Equal(t, turn.wants, got.outcome())
		}
		different := got.against(reference)
		if why, declared := turn.differs[door.name]; declared {
			require.NotEmpty(t, different, "%s: the difference that the table declares is gone", door.name)
			row = append(row, "differs"+reasons.mark(why))
			continue
		}
		if !assertEmpty(t, door.name, different) {
			row = append(row, "FAILS")
			continue
		}
		row = append(row, "same")
	}
	return row
}

func assertEmpty(t *testing.T, door string, different []string) bool {
	t.Helper()
	if len(different) > 0 {
		t.Errorf("%s differs from the Go API:\n%s", door, strings.Join(different, "\n"))
	}
	return len(different) == 0
}

// outcome is the decision with its reason, or the error's code.
func (s seen) outcome() string {
	if s["code"] != "" {
		return s["code"]
	}
	return strings.TrimSpace(s["decision"] + " " + s["reason"])
}

func (s seen) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "  %s: %s\n", name, s[name])
	}
	return b.String()
}

// against lists what both show and is not the same. A door that shows nothing
// that can be compared is a mistake of the test.
func (s seen) against(reference seen) (different []string) {
	if s["code"] != reference["code"] {
		return []string{fmt.Sprintf("code is %q, want %q", s["code"], reference["code"])}
	}
	shared := 0
	for _, name := range slices.Sorted(maps.Keys(s)) {
		want, ok := reference[name]
		if !ok {
			continue
		}
		shared++
		if s[name] != want {
			is, want := around(s[name], want)
			different = append(different, fmt.Sprintf("%s\n  is   %s\n  want %s", name, is, want))
		}
	}
	if shared < 2 && s["code"] == "" {
		different = append(different, "nothing that can be compared:\n"+s.String())
	}
	return different
}

// around is what two texts have where they begin to differ.
func around(a, b string) (string, string) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	part := func(s string) string { return fmt.Sprintf("%q", s[max(0, at-40):min(len(s), at+120)]) }
	return part(a), part(b)
}

// footnotes number reasons.
type footnotes struct{ list []string }

func (f *footnotes) mark(why string) string {
	i := slices.Index(f.list, why)
	if i < 0 {
		i = len(f.list)
		f.list = append(f.list, why)
	}
	return fmt.Sprintf(" (%d)", i+1)
}

func parityTable(doors []parityDoor, rows [][]string, reasons *footnotes) string {
	var b strings.Builder
	b.WriteString("| turn | outcome |")
	for _, d := range doors {
		b.WriteString(" " + d.name + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(doors)+2) + "\n")
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	b.WriteString("\n")
	for i, why := range reasons.list {
		fmt.Fprintf(&b, "%d. %s\n", i+1, why)
	}
	b.WriteString("\nWhat each door shows, and is therefore compared:\n\n")
	for _, d := range doors {
		fmt.Fprintf(&b, "- %s: %s\n", d.name, d.shows)
	}
	return b.String()
}

const (
	parityBegin = "<!-- table: written by go test ./cmd/inlay -run TestParity -update -->\n"
	parityEnd   = "<!-- end of table -->\n"
)

// parityDocument holds docs/turns.md to the table.
func parityDocument(t *testing.T, table string) {
	t.Helper()
	const path = "../../docs/turns.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), parityBegin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, parityEnd)
	require.True(t, ok)
	want := head + parityBegin + table + parityEnd + tail
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "run go test ./cmd/inlay -run TestParity -update")
}

// parityModel is a server of models that says what a turn's script says, and
// records what it was asked.
type parityModel struct {
	url string

	mu    sync.Mutex
	turn  parityTurn
	asked []map[string]any
}

func newParityModel(t *testing.T) *parityModel {
	t.Helper()
	m := &parityModel{}
	s := httptest.NewServer(m)
	s.Config.SetKeepAlivesEnabled(false)
	t.Cleanup(s.Close)
	m.url = s.URL + "/v1"
	return m
}

// ServeHTTP implements http.Handler.
func (m *parityModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch r.URL.Path {
	case "/v1/chat/completions":
		var body map[string]any
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m.asked = append(m.asked, body)
		answerScript(w, m.turn, body["stream"] == true)
	case "/v1/models":
		_, _ = fmt.Fprint(w, `{"object": "list", "data": [{"id": "gpt-4o", "object": "model"}, {"id": "mystery", "object": "model"}]}`)
	default:
		http.NotFound(w, r)
	}
}

// begin sets the script.
func (m *parityModel) begin(turn parityTurn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn = turn
}

// answerScript says what the script says, at once or as a stream.
func answerScript(w http.ResponseWriter, turn parityTurn, stream bool) {
	message, finish := map[string]any{"role": "assistant", "content": turn.answer()}, "stop"
	if turn.calls != "" {
		call := map[string]any{"index": 0, "id": "c1", "type": "function", "function": map[string]any{"name": turn.calls, "arguments": "{}"}}
		message, finish = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
	}
	if !stream {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event, _ := json.Marshal(map[string]any{"id": "x", "choices": []any{map[string]any{"index": 0, "finish_reason": finish, "delta": message}}})
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", event)
}

// requests are how many chat completions were asked for.
func (m *parityModel) requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// sent adds to what is seen what the model was asked after the first n requests:
// the messages and the names of the tools.
func (m *parityModel) sent(s seen, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.asked) <= n {
		s["sent"] = "nothing"
		return
	}
	body := m.asked[len(m.asked)-1]
	var messages, tools []string
	list, _ := body["messages"].([]any)
	for _, one := range list {
		message, _ := one.(map[string]any)
		messages = append(messages, fmt.Sprintf("%v: %s", message["role"], contentOf(message["content"])))
	}
	offered, _ := body["tools"].([]any)
	for _, one := range offered {
		tool, _ := one.(map[string]any)
		function, _ := tool["function"].(map[string]any)
		tools = append(tools, fmt.Sprint(function["name"]))
	}
	s["sent"] = strings.Join(messages, "\n")
	s["tools"] = strings.Join(tools, " ")
}

// contentOf is the text of a message, with a mark for each image.
func contentOf(content any) string {
	parts, ok := content.([]any)
	if !ok {
		text, _ := content.(string)
		return text
	}
	var b strings.Builder
	for _, one := range parts {
		part, _ := one.(map[string]any)
		if part["type"] == "text" {
			fmt.Fprint(&b, part["text"])
		}
	}
	return b.String()
}

func (t parityTurn) answer() string {
	if t.says != "" {
		return t.says
	}
	return "Noted [1]."
}

func (t parityTurn) modelName() string {
	if t.model != "" {
		return t.model
	}
	return "gpt-4o"
}

// last is the step that is compared.
func (t parityTurn) last() parityStep { return t.steps[len(t.steps)-1] }

// any reports whether a step is such.
func (t parityTurn) any(is func(parityStep) bool) bool { return slices.ContainsFunc(t.steps, is) }

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"

	"inlay/injection"
	"inlay/internal/locked"
)

// screen collects what a terminal shows.
type screen struct{ locked.Buffer }

func (s *screen) count(what string) int {
	return strings.Count(s.String(), what)
}

// talkative is an OpenAI-compatible server that answers a word every few
// milliseconds and never ends; left counts the answers whose reader left.
func talkative(t *testing.T) (url string, left chan struct{}) {
	t.Helper()
	left = make(chan struct{}, 8)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		for i := 1; r.Context().Err() == nil; i++ {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word%d \"}}]}\n\n", i)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(10 * time.Millisecond)
		}
		left <- struct{}{}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1", left
}

// TestCtrlCOnATerminal types Ctrl-C, as a person does, while an answer that
// would never end streams: its words are on the screen already, the model is
// stopped, and the chat goes on.
func TestCtrlCOnATerminal(t *testing.T) {
	url, left := talkative(t)
	cmd := command(t, "chat", "--model", "openai:m", "--base-url", url, "--context-length", "4096")
	terminal, err := pty.Start(cmd)
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	var shown screen
	go func() { _, _ = io.Copy(&shown, terminal) }()
	wait := func(what string, times int) {
		t.Helper()
		require.Eventually(t, func() bool { return shown.count(what) >= times }, waitFor, 5*time.Millisecond, "%s in %q", what, &shown)
	}
	wait("> ", 1)
	for turn := range 2 {
		_, err = io.WriteString(terminal, "Tell me more\n")
		require.NoError(t, err)
		wait("word3 ", turn+1) // while the answer goes on
		_, err = io.WriteString(terminal, "\x03")
		require.NoError(t, err)
		wait("stopped", turn+1)
		<-left
	}
	_, err = io.WriteString(terminal, "/quit\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), "%q", &shown)
}

// TestTreeTallerThanTheScreen: the cursor never climbs higher than the screen,
// where it would overwrite what is not the tree.
func TestTreeTallerThanTheScreen(t *testing.T) {
	const rows = 6
	dir := t.TempDir()
	args := []string{"ask", "--context-length", "100000", "when do tides rise?"}
	for i := range 12 {
		path := filepath.Join(dir, fmt.Sprintf("港の手引き%d.txt", i))
		require.NoError(t, os.WriteFile(path, []byte("Tides rise over the harbour."), 0o600))
		args = append(args, "-f", path)
	}
	cmd := command(t, args...)
	terminal, tty, err := pty.Open()
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	require.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: rows, Cols: 24}))
	cmd.Stderr = tty
	require.NoError(t, cmd.Start())
	require.NoError(t, tty.Close())
	all, _ := io.ReadAll(terminal)
	require.NoError(t, cmd.Wait(), "%s", all)
	require.Contains(t, string(all), "\x1b[K")
	for _, up := range regexp.MustCompile(`\x1b\[(\d+)A`).FindAllStringSubmatch(string(all), -1) {
		n, err := strconv.Atoi(up[1])
		require.NoError(t, err)
		require.Less(t, n, rows)
	}
	for line := range strings.SplitSeq(string(all), "\r\n") {
		_, text, _ := strings.Cut(line, "\x1b[K")
		columns := 0
		for _, r := range text {
			columns += runeColumns(r)
		}
		require.Less(t, columns, 24, "%q would wrap", text)
	}
}

func TestClipCountsColumns(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"港の手引き", 10, "港の手引き"},
		{"港の手引き", 9, "港の手引…"},
		{"港の手引き", 8, "港の手…"},
		{"e\u0301te\u0301", 3, "e\u0301te\u0301"},
		{"ok 🙂 fine", 6, "ok 🙂…"},
		{"x", 0, "…"},
	} {
		require.Equal(t, c.want, clip(c.text, c.columns), "%q in %d", c.text, c.columns)
	}
}

// TestTwoProcessesOnOneHistory: the second to write is told, and nothing that
// the first wrote is lost.
func TestTwoProcessesOnOneHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.json")
	first, err := openHistory(path)
	require.NoError(t, err)
	second, err := openHistory(path)
	require.NoError(t, err)
	message := injection.Result{}.Message
	message.Role, message.Text = "user", "one"
	require.NoError(t, first.add(message))
	message.Text = "two"
	require.ErrorContains(t, second.add(message), "another process has changed the history meanwhile")
	require.NoError(t, first.add(message), "the first goes on")
	again, err := openHistory(path)
	require.NoError(t, err)
	require.Len(t, again.Messages, 2)
	require.NoError(t, again.add(message))
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.json")
	require.NoError(t, second.save(elsewhere))
	require.NoFileExists(t, path+".lock")
}

// TestLockOfADeadProcess: a lock that nobody holds any more does not stop a chat.
func TestLockOfADeadProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.json")
	require.NoError(t, os.WriteFile(path+".lock", nil, 0o600))
	old := time.Now().Add(-time.Minute)
	require.NoError(t, os.Chtimes(path+".lock", old, old))
	unlock, err := lockFile(path)
	require.NoError(t, err)
	unlock()
	require.NoFileExists(t, path+".lock")
}

// onTerminal runs the command on a terminal of its own, and returns what it shows
// and a way to type.
func onTerminal(t *testing.T, args ...string) (shown *screen, typed func(string), ended func() error) {
	t.Helper()
	shown, typed, _, ended = editedOn(t, args...)
	return shown, typed, ended
}

// editedOn is onTerminal for a command with an editor: editing reports whether that
// has the terminal now.
func editedOn(t *testing.T, args ...string) (shown *screen, typed func(string), editing func() bool, ended func() error) {
	t.Helper()
	cmd := command(t, args...)
	cmd.Env = append(cmd.Environ(), "TERM=xterm", "INPUTRC=/dev/null", "HOME="+t.TempDir())
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	require.NoError(t, err)
	t.Cleanup(func() { _ = terminal.Close() })
	usual, err := term.GetState(int(terminal.Fd()))
	require.NoError(t, err)
	editing = func() bool {
		now, err := term.GetState(int(terminal.Fd()))
		return err == nil && !reflect.DeepEqual(usual, now)
	}
	shown = new(screen)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(shown, terminal)
	}()
	typed = func(text string) {
		_, err := io.WriteString(terminal, text)
		require.NoError(t, err)
	}
	return shown, typed, editing, func() error {
		err := cmd.Wait()
		<-read
		return err
	}
}

// parrot is an OpenAI-compatible server that answers with the last line it was
// sent, and that a passage says so.
func parrot(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data": [{"id": "first"}, {"id": "second"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		asked := body.Messages[len(body.Messages)-1].Content
		answer, _ := json.Marshal(fmt.Sprintf("%s heard %q [1].", body.Model, asked[max(0, len(asked)-30):]))
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", answer)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// TestAskOnATerminal: with a model the answer is at the end, its sources under it;
// without one, what to do next.
func TestAskOnATerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tides.md")
	require.NoError(t, os.WriteFile(path, []byte("# Harbour\n\nTides rise twice a day.\n"), 0o600))
	shown, _, ended := onTerminal(t, "ask", "-q", "--model", "openai:m", "--base-url", parrot(t), "--context-length", "4096", path, "When do tides rise?")
	require.NoError(t, ended(), "%q", &shown)
	require.Regexp(t, `^m heard ".*When do tides rise\?" \[1\]\.\r\n\r\nSources \(\* cited\):\r\n  \* \[1\] tides\.md, whole`, shown.String())

	shown, _, ended = onTerminal(t, "ask", "--no-answer", "-q", "--model", "openai:m", "--base-url", parrot(t), "--context-length", "4096", path, "When do tides rise?")
	require.NoError(t, ended())
	require.Contains(t, shown.String(), "strategy   inject-full-content")
	require.NotContains(t, shown.String(), "heard")

	shown, _, ended = onTerminal(t, "ask", path, "When do tides rise?")
	require.NoError(t, ended())
	require.Regexp(t, `\r\nnext: .*--output prompt prints the prompt`, shown.String())
	shown, _, ended = onTerminal(t, "ask", "When do tides rise?")
	require.NoError(t, ended())
	require.Regexp(t, `\r\nnext: attach files with -f FILE`, shown.String())
}

// TestEditor: commands and files are completed, earlier lines come back, a question
// may have several lines, typed or pasted, and a model may be picked from a list.
func TestEditor(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tides-of-the-harbour.md"), []byte("Tides rise twice a day.\n"), 0o600))
	shown, typed, editing, ended := editedOn(t, "chat", "-q", "--base-url", parrot(t), "--context-length", "4096")
	wait := func(what string) {
		t.Helper()
		require.Eventually(t, func() bool { return shown.count(what) > 0 }, waitFor, 5*time.Millisecond, "%s in %q", what, &shown)
	}
	wait("Number or name [1]: ")
	typed("2\n")
	wait("> ")
	edit := func(text string) { // once the editor reads: what is typed before is the terminal's own to echo, and Ctrl-C its to send
		t.Helper()
		require.Eventually(t, editing, waitFor, 5*time.Millisecond, "%q", &shown)
		typed(text)
	}
	edit("/att\t")
	wait("/attach")
	typed(" " + dir + "/tides-\t\r")
	edit("Is it tides?\r")
	wait(`second heard "`)
	wait(`Is it tides?" [1].`)
	wait("* [1] tides-of-the-harbour.md, whole")
	edit("\x1b[A\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[Dhigh \r") // up, and before "tides?"
	wait(`Is it high tides?" [1].`)
	edit("One\\\rTwo?\r")
	wait(`One\nTwo?" [1].`)
	edit("\"\"\"Three\rFour?\"\"\"\r")
	wait(`Three\nFour?" [1].`)
	edit("\x1b[200~Five\nSix?\x1b[201~\r")
	wait(`Five\nSix?" [1].`)
	edit("\x03")
	wait("Ctrl-C again")
	edit("\x04")
	require.NoError(t, ended(), "%q", &shown)
}

func TestQuestionsOfSeveralLines(t *testing.T) {
	lines := make(chan string, 8)
	for _, line := range []string{"one", `"""two`, "three", `"""`, `"""four"""`, `"""open`, "end"} {
		lines <- line
	}
	close(lines)
	require.Equal(t, []string{"one", "two\nthree", "four", "\"\"\"open\nend"}, slices.Collect(gathered(lines)))
}

// onNarrow is what a command shows on a terminal of so many columns.
func onNarrow(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	cmd := command(t, args...)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: columns})
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	shown, _ := io.ReadAll(terminal)
	_ = cmd.Wait() // doctor and errors end with a code of their own
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

// TestNarrowTerminal: no command cuts words in the middle at 60 columns, and a
// folder does not fill the screen.
func TestNarrowTerminal(t *testing.T) {
	const columns = 60
	dir, data := t.TempDir(), t.TempDir()
	for i := range 12 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("note%d.txt", i)), fmt.Appendf(nil, "Tides rise %d times.", i), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.txt"), nil, 0o600))
	for _, args := range [][]string{
		{"library", "add", "-q", "notes", dir, "--data", data},
		{"library", "show", "notes", "--data", data},
		{"library", "list", "--data", data},
		{"doctor", "--only", "settings,embedder,intent,upstreams"},
		{"config"},
		{"ask", "-m", "llama3.2", "When do tides rise?"},
		{"ask", "-q", "--context-length", "16k", "When do tides rise?", dir},
	} {
		shown := onNarrow(t, columns, args...)
		require.NotEmpty(t, strings.TrimSpace(shown), "%v", args)
		for line := range strings.SplitSeq(shown, "\n") {
			words := strings.Fields(line)
			long := len(words) > 0 && widthOf(words[len(words)-1]) > columns/2 // a path is one word
			require.True(t, long || widthOf(line) <= columns, "%v: %q", args, line)
		}
		if args[0] == "ask" && args[1] == "-q" {
			require.Contains(t, shown, "and 7 more (--output json lists them)")
		}
	}
}

// TestChatBegins: a chat says what is attached, what of it cannot be read, and that
// its server does not answer.
func TestChatBegins(t *testing.T) {
	dir := t.TempDir()
	good, empty := filepath.Join(dir, "good.txt"), filepath.Join(dir, "empty.txt")
	require.NoError(t, os.WriteFile(good, []byte("Tides rise."), 0o600))
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	cmd := command(t, "chat", "-m", "ollama:x", "--base-url", "http://127.0.0.1:9", "-f", good, "-f", empty)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	var shown screen
	go func() { _, _ = io.Copy(&shown, terminal) }()
	require.Eventually(t, func() bool { return shown.count("> ") > 0 }, waitFor, 5*time.Millisecond, "%q", &shown)
	_, err = io.WriteString(terminal, "/quit\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	for _, what := range []string{"attached: good.txt", "cannot be read: empty.txt: the file is empty", "no Ollama server answers at", "--base-url"} {
		require.Equal(t, 1, shown.count(what), "%s in %q", what, &shown)
	}
}

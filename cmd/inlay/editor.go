package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reeflective/readline"
	"golang.org/x/term"
)

// typedLine is what a person entered, or why nothing more comes.
type typedLine struct {
	text string
	err  error // io.EOF: they left; errInterrupted: Ctrl-C
}

var errInterrupted = errors.New("interrupted")

// lineSource is where the lines of a chat come from.
type lineSource interface {
	// ask shows that the next line is awaited, and returns where it will come.
	ask() (<-chan typedLine, error)
	close()
}

// piped are lines that nobody edits.
type pipedLines struct {
	prompt func() error
	lines  <-chan typedLine
}

func (p pipedLines) ask() (<-chan typedLine, error) { return p.lines, p.prompt() }

func (p pipedLines) close() {}

// editor lets a person edit lines: history, completion of commands and files, and
// questions of several lines.
type editor struct {
	shell *readline.Shell
	state *term.State // of the terminal, before it was changed
	fd    int
}

// newEditor is nil where standard input and output are not a terminal that can
// move its cursor.
func newEditor(a *app, earlier []string) *editor {
	in, isFile := a.stdin.(*os.File)
	if !isFile || in != os.Stdin || !isTerminal(a.stdin) || !isTerminal(a.stdout) || slices.Contains([]string{"", "dumb"}, a.getenv("TERM")) {
		return nil
	}
	fd := int(in.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return nil
	}
	shell := readline.NewShell()
	for name, value := range map[string]any{"enable-bracketed-paste": true, "cursor-position-probe": false, "multiline-column": false} {
		if err := shell.Config.Set(name, value); err != nil {
			return nil
		}
	}
	shell.Prompt.Primary(func() string { return "> " })
	shell.Prompt.Secondary(func() string { return "  " })
	shell.AcceptMultiline = func(line []rune) bool { return wholeQuestion(string(line)) }
	shell.Completer = func(line []rune, cursor int) readline.Completions { return lineCompletions(string(line[:cursor])) }
	for _, line := range earlier {
		_, _ = shell.History.Current().Write(line)
	}
	return &editor{shell: shell, state: state, fd: fd}
}

func (e *editor) ask() (<-chan typedLine, error) {
	came := make(chan typedLine, 1)
	go func() {
		line, err := e.shell.Readline()
		if errors.Is(err, readline.ErrInterrupt) {
			err = errInterrupted
		}
		came <- typedLine{joined(line), err}
	}()
	return came, nil
}

// close leaves the terminal as it was, also while a line is being read.
func (e *editor) close() { _ = term.Restore(e.fd, e.state) }

// fence opens and closes a question of several lines.
const fence = `"""`

// wholeQuestion reports whether a question is all there: """ is closed, and no
// backslash says that it goes on.
func wholeQuestion(text string) bool {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, fence) {
		return len(trimmed) >= 2*len(fence) && strings.HasSuffix(trimmed, fence)
	}
	return !strings.HasSuffix(trimmed, `\`)
}

// joined is a question without the marks of its lines.
func joined(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, fence) && wholeQuestion(trimmed) {
		return strings.TrimSpace(trimmed[len(fence) : len(trimmed)-len(fence)])
	}
	return strings.ReplaceAll(text, "\\\n", "\n")
}

// lineCompletions are those of a line so far: the commands, and what follows them.
func lineCompletions(line string) readline.Completions {
	name, rest, argument := strings.Cut(line, " ")
	switch {
	case !strings.HasPrefix(line, "/"):
		return readline.Completions{}
	case !argument:
		return readline.CompleteValuesDescribed(commandNames()...)
	case name == "/mode":
		return readline.CompleteValues("auto", "full", "retrieval", "none")
	case name == "/attach" || name == "/save":
		return readline.CompleteValues(pathsBeginning(rest)...).NoSpace('/')
	}
	return readline.Completions{}
}

// pathsBeginning are the files and folders whose names begin so, hidden ones only
// where that was typed.
func pathsBeginning(prefix string) []string {
	dir, base := filepath.Split(prefix)
	entries, _ := os.ReadDir(filepath.Join(".", dir))
	if filepath.IsAbs(dir) {
		entries, _ = os.ReadDir(dir)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(base, ".") || !strings.HasPrefix(e.Name(), base) {
			continue
		}
		name := dir + e.Name()
		if e.IsDir() {
			name += "/"
		}
		out = append(out, name)
	}
	return out
}

// isTerminal reports whether a stream is one.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// source of the lines of this chat: the editor on a terminal, else plain lines.
func (t *talk) source(ctx context.Context) lineSource {
	var earlier []string
	for _, m := range t.past.Messages {
		if m.Role == "user" {
			earlier = append(earlier, m.Text)
		}
	}
	if e := newEditor(t.app, earlier); e != nil {
		return e
	}
	lines := make(chan typedLine)
	go func() {
		defer close(lines)
		for line := range gathered(readLines(ctx, t.app.stdin)) {
			select {
			case lines <- typedLine{text: line}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case lines <- typedLine{err: io.EOF}:
		case <-ctx.Done():
		}
	}()
	return pipedLines{prompt: func() error { return t.say(t.prompt) }, lines: lines}
}

// gathered puts the lines of a question between """ together.
func gathered(lines <-chan string) func(func(string) bool) {
	return func(yield func(string) bool) {
		var open []string
		for line := range lines {
			open = append(open, line)
			text := strings.Join(open, "\n")
			if strings.HasPrefix(strings.TrimSpace(text), fence) && !wholeQuestion(text) {
				continue
			}
			if open = nil; !yield(joined(text)) {
				return
			}
		}
		if len(open) > 0 {
			yield(strings.Join(open, "\n"))
		}
	}
}

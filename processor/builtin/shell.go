package builtin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"inlay/fault"
	"inlay/processor"
)

// Shell puts what a command prints in the place of $(command). No shell reads
// it: the words are split here, quotes group them, and nothing else has a
// meaning. It is off until commands are allowed, one by one.
type Shell struct {
	Workspace *Workspace `json:"-"`
	// Allow lists commands word by word: "git status", "git log *" (one word of
	// any kind in the place of *), "wc **" (any number of words at the end).
	Allow   []string `json:"allow"`
	Seconds int      `json:"timeout_seconds"` // default 10
	Max     int      `json:"max_bytes"`       // of output; more is an error; default 65536
}

func (p Shell) check() (option, reason string) {
	for _, a := range p.Allow {
		words := strings.Fields(a)
		if len(words) == 0 || strings.ContainsAny(words[0], "*") {
			return "allow", "begins with no program's name"
		}
		if i := slices.Index(words, "**"); i >= 0 && i < len(words)-1 {
			return "allow", "has ** before its last word"
		}
	}
	return "", ""
}

// Modify implements the processor.
func (p Shell) Modify(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	if len(p.Allow) == 0 || p.Workspace == nil {
		return v, processor.Continue(), nil
	}
	out := processor.CloneMessages(v)
	for i := range out {
		parts, err := p.expand(ctx, t, out[i].Parts)
		if err != nil {
			return v, processor.Continue(), err
		}
		out[i].Parts = parts
	}
	return out, processor.Continue(), nil
}

// expand runs the commands of a message. A command is written by the user or
// the author; of anything else only values of arguments may be inside it.
func (p Shell) expand(ctx context.Context, t *processor.Turn, parts []processor.Part) ([]processor.Part, error) {
	var out []processor.Part
	for len(parts) > 0 {
		c, ok := nextCommand(parts)
		out = append(out, c.before...)
		if !ok {
			return out, nil
		}
		parts = c.rest
		if !p.allowed(c.argv) {
			t.Note("command_not_allowed", "A command that is not on the list of allowed ones, or names a file that is kept out, was not run and stays as it is written.")
			out = append(out, c.written...)
			continue
		}
		text, err := p.run(ctx, c.argv)
		if err != nil {
			return nil, err
		}
		out = append(out, processor.Part{Text: text, Origin: processor.FromCommand, Name: c.argv[0].text})
	}
	return out, nil
}

// word is one element of a command's argv.
type word struct {
	text  string
	given bool // it holds the value of an argument
	bare  bool // it begins with that value
}

// allowed reports whether a rule lets the command run. A value may not pass for
// an option: a word that begins with one must not begin with a dash. Words that
// the rule leaves open must not name what lies outside of the workspace or what
// an ignore file keeps out; those that it spells out are the author's choice.
func (p Shell) allowed(argv []word) bool {
	if len(argv) == 0 || argv[0].given {
		return false
	}
	for _, w := range argv {
		if w.bare && strings.HasPrefix(w.text, "-") {
			return false
		}
	}
	return slices.ContainsFunc(p.Allow, func(rule string) bool {
		open, ok := matches(strings.Fields(rule), argv)
		return ok && p.Workspace.rules.CheckWords("", open...) == nil
	})
}

// matches compares a command with a rule and returns the words that the rule
// leaves open.
func matches(rule []string, argv []word) (open []string, ok bool) {
	for i, r := range rule {
		switch {
		case r == "**":
			for _, w := range argv[i:] {
				open = append(open, w.text)
			}
			return open, true
		case i >= len(argv), r != "*" && r != argv[i].text:
			return nil, false
		case r == "*":
			open = append(open, argv[i].text)
		}
	}
	return open, len(argv) == len(rule)
}

// run starts the program itself, in the workspace, with nothing of this
// process's environment but what finding programs and languages takes.
func (p Shell) run(ctx context.Context, argv []word) (string, error) {
	limit := time.Duration(cmp.Or(p.Seconds, 10)) * time.Second
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var args []string
	for _, w := range argv[1:] {
		args = append(args, w.text)
	}
	cmd := exec.CommandContext(inner, argv[0].text, args...)
	cmd.Dir = p.Workspace.Dir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C.UTF-8", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		// what the configuration of a repository from elsewhere would run
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=" + os.DevNull,
	}
	cmd.WaitDelay = time.Second
	out := &bounded{most: cmp.Or(p.Max, 64<<10), over: cancel}
	problems := &bounded{most: 2 << 10, over: func() {}}
	cmd.Stdout, cmd.Stderr = out, problems
	err := cmd.Run()
	subject := "$(" + argv[0].text + " ...)"
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case out.full:
		return "", &fault.Error{Code: fault.LimitExceeded, Subject: subject, Reason: fmt.Sprintf("it prints more than %d bytes", out.most), Next: "ask for less, or raise max_bytes"}
	case inner.Err() != nil:
		return "", &fault.Error{Code: fault.Timeout, Subject: subject, Reason: fmt.Sprintf("it did not end within %s", limit), Next: "raise timeout_seconds"}
	}
	text := out.String()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := []string{text, problems.String(), fmt.Sprintf("(exit status %d)", exit.ExitCode())}
		return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n"), nil
	}
	if err != nil {
		return "", &fault.Error{Code: fault.FileNotFound, Subject: subject, Reason: "the program cannot be started", Next: "install it, or take it off the list", Err: err}
	}
	return text, nil
}

// bounded keeps output up to a limit.
type bounded struct {
	text bytes.Buffer // not embedded: its ReadFrom would know no limit
	most int
	full bool
	over func()
}

// String is what was kept, as text without line breaks at its end.
func (b *bounded) String() string {
	s := strings.TrimRight(strings.ToValidUTF8(b.text.String(), "\ufffd"), "\n")
	if b.full {
		s += " [...]"
	}
	return s
}

// Write implements io.Writer.
func (b *bounded) Write(data []byte) (int, error) {
	if b.text.Len()+len(data) > b.most {
		b.full = true
		b.over()
		b.text.Write(data[:b.most-b.text.Len()])
		return len(data), nil
	}
	return b.text.Write(data)
}

// found is a command in a message.
type found struct {
	before, written, rest []processor.Part
	argv                  []word
}

// nextCommand finds the first command in parts: it begins and ends in
// expandable ones, and between them only arguments may be.
func nextCommand(parts []processor.Part) (found, bool) {
	for i, p := range parts {
		from := 0
		for p.Origin.Expandable() {
			n := strings.Index(p.Text[from:], "$(")
			if n < 0 {
				break
			}
			start := from + n
			if c, ok := commandAt(parts, i, start); ok {
				return c, true
			}
			from = start + 2
		}
	}
	return found{before: parts}, false
}

// commandAt reads the command that opens in part i at start.
func commandAt(parts []processor.Part, i, start int) (found, bool) {
	s := splitter{}
	for j := i; j < len(parts); j++ {
		p := parts[j]
		if p.Origin == processor.FromArgument {
			s.value(p.Text)
			continue
		}
		if !p.Origin.Expandable() || p.Origin != parts[i].Origin {
			return found{}, false
		}
		from := 0
		if j == i {
			from = start + 2
		}
		n, ok := s.literal(p.Text[from:])
		if !ok {
			return found{}, false
		}
		if n < 0 {
			continue
		}
		end := from + n + 1
		c := found{argv: s.words(), before: slices.Clone(parts[:i]), rest: slices.Concat(literal(p, p.Text[end:]), parts[j+1:])}
		c.before = append(c.before, literal(parts[i], parts[i].Text[:start])...)
		if j == i {
			c.written = literal(p, p.Text[start:end])
		} else {
			c.written = slices.Concat(literal(parts[i], parts[i].Text[start:]), parts[i+1:j], literal(p, p.Text[:end]))
		}
		return c, true
	}
	return found{}, false
}

// splitter splits a command into words. The value of an argument is always
// part of one word, whatever it holds.
type splitter struct {
	argv  []word
	now   word
	open  bool // a word has begun
	quote byte
	depth int
}

func (s *splitter) value(text string) {
	if !s.open {
		s.now.bare = true
	}
	s.open, s.now.given = true, true
	s.now.text += text
}

func (s *splitter) end() {
	if s.open {
		s.argv = append(s.argv, s.now)
	}
	s.now, s.open = word{}, false
}

func (s *splitter) words() []word {
	s.end()
	return s.argv
}

// literal reads text up to the bracket that closes the command and returns
// its offset; -1 if it is not in text. A line break ends a command: not ok.
func (s *splitter) literal(text string) (end int, ok bool) {
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\n':
			return 0, false
		case s.quote != 0 && c == s.quote:
			s.quote = 0
		case s.quote == 0 && (c == '\'' || c == '"'):
			s.quote, s.open = c, true
		case s.quote == 0 && (c == ' ' || c == '\t'):
			s.end()
		case s.quote == 0 && c == ')' && s.depth == 0:
			return i, true
		default:
			if s.quote == 0 && c == '(' {
				s.depth++
			} else if s.quote == 0 && c == ')' {
				s.depth--
			}
			s.open = true
			s.now.text += text[i : i+1]
		}
	}
	return -1, true
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/turn"
)

// chatCommand is a command of a chat, as help and completion know it.
type chatCommand struct{ name, takes, help string }

func chatCommands() []chatCommand {
	return []chatCommand{
		{"/attach", "FILE[=MODE]", "attach a file, folder or web address to the next question"},
		{"/files", "", "files of this chat"},
		{"/why", "", "the last decision, with its numbers"},
		{"/citations", "", "the passages of the last answer"},
		{"/mode", "MODE", "auto, full, retrieval or none"},
		{"/threshold", "NUMBER", "affinity that a passage must exceed; default"},
		{"/save", "FILE", "write the conversation to a file"},
		{"/help", "", "this list"},
		{"/quit", "", "leave"},
	}
}

// chatHelp is the list that /help prints.
func chatHelp() string {
	var b strings.Builder
	for _, c := range chatCommands() {
		fmt.Fprintf(&b, "%-21s %s\n", strings.TrimSpace(c.name+" "+c.takes), c.help)
	}
	b.WriteString("Put a question of several lines between two \"\"\", or end each line but the last with a backslash.\n")
	return b.String()
}

// commandNames are the names with their help, one after the other.
func commandNames() (out []string) {
	for _, c := range chatCommands() {
		out = append(out, c.name, c.help)
	}
	return out
}

// command runs a line that begins with a slash.
func (t *talk) command(ctx context.Context, line string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/attach":
		if rest == "" {
			return &fault.Error{Code: fault.Usage, Subject: "/attach", Reason: "names no file"}
		}
		return t.attach(ctx, []rawArg{rawArg(rest)})
	case "/files":
		return t.say(t.listFiles())
	case "/why":
		return t.why()
	case "/citations":
		return t.citations()
	case "/mode":
		mode, err := injection.ParseMode(rest)
		if err != nil {
			return err
		}
		t.options.Mode = mode
		return nil
	case "/threshold":
		return t.threshold(rest)
	case "/save":
		if rest == "" {
			return &fault.Error{Code: fault.Usage, Subject: "/save", Reason: "names no file"}
		}
		return t.past.save(rest)
	case "/help":
		return t.say(fittedAt(t.app.stdout, chatHelp(), 22))
	default:
		return &fault.Error{Code: fault.Usage, Subject: printable(name), Reason: "is not a command", Next: "see /help"}
	}
}

// attach reads files for the next question. What has no path to be read from again
// is kept for later turns.
func (t *talk) attach(ctx context.Context, names []rawArg) error {
	o, err := openFiles(ctx, t.app, names)
	if err != nil {
		return err
	}
	o.tell(t.app)
	t.past.hold(o.files)
	t.files, t.images = append(t.files, o.files...), append(t.images, o.images...)
	return nil
}

// listFiles names the files of the chat: those of earlier turns, then those of
// the next.
func (t *talk) listFiles() string {
	var b strings.Builder
	for _, f := range t.past.files() {
		b.WriteString(f.Name + "\n")
	}
	for _, f := range t.files {
		b.WriteString(f.Name + " (with the next question)\n")
	}
	for _, i := range t.images {
		b.WriteString(i.Name + " (image, with the next question)\n")
	}
	return printable(b.String())
}

func (t *talk) why() error {
	if t.last == nil {
		return t.say("Nothing has been decided yet.\n")
	}
	if split := t.last.Intent; split != nil && split.Decision != intent.Small { // small is what nearly all questions are
		if err := printSplit(t.app.stdout, split); err != nil {
			return err
		}
	}
	return printResult(t.app.stdout, *t.last.Result)
}

func (t *talk) citations() error {
	var b strings.Builder
	if t.last != nil {
		printCitations(&b, *t.last.Result)
	}
	if b.Len() == 0 {
		return t.say("The last answer had no passages.\n")
	}
	return t.say(printable(b.String()))
}

func (t *talk) threshold(arg string) error {
	if arg == "default" {
		t.options.Threshold = nil
		return nil
	}
	x, err := strconv.ParseFloat(arg, 64)
	if err != nil {
		return &fault.Error{Code: fault.Usage, Subject: "/threshold", Reason: "is neither a number from 0 to 1 nor default"}
	}
	o := t.options
	o.Threshold = &x
	if err := o.Validate(); err != nil {
		return err
	}
	t.options = o
	return nil
}

// sources lists what the answer could draw on, with file and page, and flags
// numbers that it cites and that do not exist.
func sources(made *turn.Turn, answer string) string {
	list, unknown := made.Sources(answer)
	return sourceList(*made.Result, list, unknown)
}

func sourceList(r injection.Result, list []turn.Source, unknown []int) string {
	var b strings.Builder
	whole := map[string]turn.Source{} // files that are cited, by id
	for _, s := range list {
		if s.Text == "" {
			whole[s.FileID] = s
			continue
		}
		fmt.Fprintf(&b, "  %1s %s\n", only(s.Cited, "*"), injection.Cite(s.Citation))
	}
	names := injection.ShownNames(r.Files, nil)
	for i, f := range r.Files {
		if f.Strategy == injection.InjectFull {
			s, cited := whole[f.FileID]
			mark := cmp.Or(s.Number, markOf(r, f.FileID))
			fmt.Fprintf(&b, "  %1s %s%s, whole%s\n", only(cited, "*"), only(mark > 0, fmt.Sprintf("[%d] ", mark)), names[i], only(f.InContext, above))
			delete(whole, f.FileID)
		}
	}
	for _, s := range list {
		if _, left := whole[s.FileID]; left && s.Text == "" {
			fmt.Fprintf(&b, "  * %s, whole%s\n", injection.Cite(s.Citation), above)
		}
	}
	if r.Decision.Strategy == injection.Retrieval {
		for _, n := range unknown {
			fmt.Fprintf(&b, "  ! [%d] is cited and does not exist\n", n)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return printable("Sources (* cited):\n" + b.String())
}

const above = ", above in the conversation"

// markOf is the mark of a whole file in the new message; 0 is none.
func markOf(r injection.Result, id string) int {
	in := r.Message.Injected
	if in == nil {
		return 0
	}
	if at := slices.Index(in.FileIDs, id); at >= 0 {
		return in.FileNumber(at)
	}
	return 0
}

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
)

const chatHelp = `/attach FILE[=MODE]   attach a file to the next question
/files                files of this chat
/why                  the last decision, with its numbers
/citations            the passages of the last answer
/mode MODE            auto, full, retrieval or none
/threshold NUMBER     affinity that a passage must exceed; default
/save FILE            write the conversation to a file
/quit                 leave
`

// command runs a line that begins with a slash.
func (t *talk) command(ctx context.Context, line string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/attach":
		return t.attach(ctx, rest)
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
		return t.say(chatHelp)
	default:
		return &fault.Error{Code: fault.Usage, Subject: printable(name), Reason: "is not a command", Next: "see /help"}
	}
}

func (t *talk) attach(ctx context.Context, arg string) error {
	if arg == "" {
		return &fault.Error{Code: fault.Usage, Subject: "/attach", Reason: "names no file"}
	}
	files, images, err := openFiles(ctx, t.app, []string{arg})
	if err != nil {
		return err
	}
	t.files, t.images = append(t.files, files...), append(t.images, images...)
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
func sources(r injection.Result, answer string) string {
	var b strings.Builder
	for _, f := range r.Files {
		if f.Strategy == injection.InjectFull {
			fmt.Fprintf(&b, "    %s, whole%s\n", f.Name, only(f.InContext, ", above in the conversation"))
		}
	}
	numbers := injection.CitedNumbers(answer)
	for _, c := range r.Citations {
		mark := " "
		if slices.Contains(numbers, c.Number) {
			mark = "*"
		}
		fmt.Fprintf(&b, "  %s %s\n", mark, injection.Cite(c))
	}
	if r.Decision.Strategy == injection.Retrieval {
		for _, n := range numbers {
			if n < 1 || n > len(r.Citations) {
				fmt.Fprintf(&b, "  ! [%d] is cited and does not exist\n", n)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return printable("Sources (* cited):\n" + b.String())
}

package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/parse"
	"inlay/parse/internal/advice"
)

// ended explains how a worker ended, nil if it ended well.
func (c cage) ended(err error, words string) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("run the worker: %w", err)
	}
	limit := &fault.Error{Code: fault.LimitExceeded, Err: err}
	switch {
	case c.starved(exit.ProcessState, words):
		limit.Reason = fmt.Sprintf("reading it takes more memory than the limit of %d MiB", c.memory>>20)
		limit.Next = advice.Raise("memory", fmt.Sprintf("%dMiB", c.memory>>19))
		return limit
	case c.spent(exit.ProcessState, words):
		limit.Reason = fmt.Sprintf("reading it takes more processor time than the limit of %v", c.cpu)
		limit.Next = advice.Raise("cpu", 2*c.cpu)
		return limit
	case killed(exit.ProcessState):
		return &fault.Error{Code: fault.Internal, Reason: "its reader was killed from outside, as a system short of memory does", Next: "try again with more memory free", Err: err}
	}
	return &fault.Error{Code: fault.Corrupt, Reason: "the reader broke down on it", Next: "open and save it again in the program that made it", Err: err}
}

// reasonOf makes an error of a worker that gave no result one about the file.
func reasonOf(name string, err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		about := *f
		about.Subject = name
		return &about
	}
	return &fault.Error{Code: fault.Internal, Subject: name, Reason: "the worker that reads documents did not answer", Next: "try again", Err: err}
}

// partial makes a document of the pages that arrived before the worker ended
// for the given reason; without any, the reason is the error.
func (r *run) partial(info parse.Info, reason *fault.Error) (parse.Document, error) {
	d := parse.Document{Library: info.Library, Partial: true, Coverage: parse.Coverage{Pages: r.total}}
	var b strings.Builder
	for n := 1; n <= r.total; n++ {
		p, ok := r.pages[n]
		if !ok {
			p.section = parse.Section{Kind: parse.Page, Number: n, Status: parse.Failed}
		}
		if b.Len() > 0 && p.text != "" {
			b.WriteString("\n\n")
		}
		p.section.Start = b.Len()
		b.WriteString(strings.ToValidUTF8(p.text, "\uFFFD"))
		p.section.End = b.Len()
		d.WordBoxes = append(d.WordBoxes, p.boxes...)
		d.Sections = append(d.Sections, p.section)
	}
	d.Text = b.String()
	if strings.TrimSpace(d.Text) == "" {
		return parse.Document{}, reason
	}
	d.Warnings = []parse.Warning{{
		Code:    parse.WarnPartial,
		Message: fmt.Sprintf("only %s %s read: %s (%s)", plural.OfAll(len(r.pages), r.total, "page"), plural.Pick(len(r.pages), "was", "were"), reason.Reason, reason.Next),
	}}
	return d, nil
}

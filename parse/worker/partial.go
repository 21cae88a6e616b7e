package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"unicode/utf8"

	"inlay/fault"
	"inlay/parse"
)

// ended explains how a worker ended, nil if it ended well.
func ended(err error, words string) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("run the worker: %w", err)
	}
	limit := &fault.Error{Code: fault.LimitExceeded, Next: "split the document or raise the limits", Err: err}
	status, _ := exit.Sys().(syscall.WaitStatus)
	switch {
	case strings.Contains(words, "out of memory"), strings.Contains(words, "cannot allocate memory"):
		limit.Reason = "reading it takes more memory than the limit"
		return limit
	case spent(status):
		limit.Reason = "reading it takes more processor time than the limit"
		return limit
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
	d := parse.Document{
		FileID: parse.FileID(r.file.Data), Name: r.file.Name, Path: r.file.Path,
		MediaType: info.MediaTypes[0], Library: info.Library, Parser: info.Name + "/" + info.Version + "/partial",
		Coverage: parse.Coverage{Pages: r.total},
	}
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
		text := strings.ToValidUTF8(p.text, "\uFFFD")
		b.WriteString(text)
		p.section.End = b.Len()
		d.Sections = append(d.Sections, p.section)
		d.Coverage.PerPage = append(d.Coverage.PerPage, utf8.RuneCountInString(text))
		note(&d.Coverage, p.section)
	}
	d.Text = b.String()
	if strings.TrimSpace(d.Text) == "" {
		return parse.Document{}, reason
	}
	d.Coverage.Characters = utf8.RuneCountInString(d.Text)
	d.Warnings = []parse.Warning{{
		Code:    "partial",
		Message: fmt.Sprintf("only %d of %d pages were read: %s (%s)", len(r.pages), r.total, reason.Reason, reason.Next),
	}}
	return d, nil
}

// note counts a page without text.
func note(c *parse.Coverage, s parse.Section) {
	switch s.Status {
	case parse.Scanned:
		c.Scanned = append(c.Scanned, s.Number)
	case parse.Empty:
		c.Empty = append(c.Empty, s.Number)
	case parse.Failed:
		c.Failed = append(c.Failed, s.Number)
	default:
	}
}

package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/llm"
	"inlay/parse"
	"inlay/processor"
)

// Reader turns bytes into documents, as [parse.Registry] and [parse.Cached] do.
type Reader interface {
	Lookup(f parse.File) (parse.Parser, error)
	Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error)
}

// ReadOnlyTools are tools that look at a workspace and change nothing:
// read_file (any format that read knows, by lines), list_directory and
// search_text.
func ReadOnlyTools(w *Workspace, read Reader) []processor.Tool {
	r := reading{w, read}
	return []processor.Tool{
		{
			Tool: llm.Tool{
				Name: "read_file", Description: "Reads a file of the workspace as text, from a line on. Documents such as PDF and Word are read too.",
				Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string","description":"Relative to the workspace."},"line":{"type":"integer","minimum":1,"description":"First line; 1 if not given."}},"required":["path"],"additionalProperties":false}`),
			},
			Paths: []string{"path"}, Run: r.readFile,
		},
		{
			Tool: llm.Tool{
				Name: "list_directory", Description: "Lists the files and folders of a folder of the workspace.",
				Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string","description":"Relative to the workspace; \".\" is the workspace itself."}},"required":["path"],"additionalProperties":false}`),
			},
			Paths: []string{"path"}, Run: r.list,
		},
		{
			Tool: llm.Tool{
				Name: "search_text", Description: "Finds lines that hold a text, in any case, in the text files of a folder of the workspace.",
				Parameters: []byte(`{"type":"object","properties":{"text":{"type":"string","minLength":1},"path":{"type":"string","description":"Folder; the workspace if not given."}},"required":["text"],"additionalProperties":false}`),
			},
			Paths: []string{"path"}, Run: r.search,
		},
	}
}

type reading struct {
	w    *Workspace
	read Reader
}

type toolArguments struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// What one result of a tool holds.
const (
	maxResult  = 16 << 10 // bytes of a file
	maxEntries = 200      // of a folder
	maxHits    = 50       // of a search
	maxSearch  = 1 << 20  // bytes of a file that is searched
)

func (r reading) readFile(ctx context.Context, _ *processor.Turn, arguments json.RawMessage) (string, error) {
	var a toolArguments
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", err
	}
	data, err := r.w.Read(a.Path, maxFile)
	if err != nil {
		return "", err
	}
	doc, err := r.read.Parse(ctx, parse.File{Name: a.Path, Data: data}, nil)
	if err != nil {
		return "", err
	}
	lines := parse.NewLines(doc.Text)
	first := cmp.Or(a.Line, 1)
	if first > lines.Count() {
		return "", &fault.Error{Code: fault.Usage, Subject: a.Path, Reason: "it has " + plural.Of(lines.Count(), "line")}
	}
	rest := doc.Text[lines.Start(first):]
	if len(rest) <= maxResult {
		return rest, nil
	}
	cut := strings.LastIndexByte(rest[:maxResult], '\n') + 1
	if cut == 0 {
		cut = maxResult
		for !utf8.RuneStart(rest[cut]) {
			cut--
		}
		return fmt.Sprintf("%s\n[line %d goes on, and is too long to be read whole; the file has %s]", rest[:cut], first, plural.Of(lines.Count(), "line")), nil
	}
	return fmt.Sprintf("%s[more from line %d on; the file has %s]", rest[:cut], first+strings.Count(rest[:cut], "\n"), plural.Of(lines.Count(), "line")), nil
}

func (r reading) list(ctx context.Context, _ *processor.Turn, arguments json.RawMessage) (string, error) {
	var a toolArguments
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", err
	}
	rel, info, err := r.w.Resolve(a.Path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", &fault.Error{Code: fault.FileUnreadable, Subject: a.Path, Reason: "it is not a folder"}
	}
	lines, more, err := listing(ctx, r.w, rel, 1, maxEntries)
	if more > 0 {
		lines = append(lines, fmt.Sprintf("(and %s more)", atLeast(more)))
	}
	if len(lines) == 0 {
		return "(empty)", err
	}
	return strings.Join(lines, "\n"), err
}

func (r reading) search(ctx context.Context, _ *processor.Turn, arguments json.RawMessage) (string, error) {
	var a toolArguments
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", err
	}
	rel, _, err := r.w.Resolve(cmp.Or(a.Path, "."))
	if err != nil {
		return "", err
	}
	var hits []string
	large := 0 // files that are not searched
	want := strings.ToLower(a.Text)
	err = r.w.Walk(rel, 0, func(name string, d fs.DirEntry) bool {
		if !d.IsDir() {
			found, err := r.hits(name, want)
			hits = append(hits, found...)
			if fault.Is(err, fault.FileTooLarge) {
				large++
			}
		}
		return len(hits) < maxHits && ctx.Err() == nil
	})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", err
	case len(hits) == 0:
		hits = []string{"(nothing found)"}
	case len(hits) >= maxHits:
		hits = append(hits[:maxHits], "(there may be more)")
	}
	if large > 0 {
		hits = append(hits, fmt.Sprintf("(%s too large to be searched)", plural.Of(large, "file")+plural.Pick(large, " is", " are")))
	}
	return strings.Join(hits, "\n"), nil
}

// hits are the lines of a text file that hold what is looked for. What is no
// text has none.
func (r reading) hits(name, want string) ([]string, error) {
	data, err := r.w.Read(name, maxSearch)
	if err != nil || !utf8.Valid(data) {
		return nil, err
	}
	var out []string
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.Contains(strings.ToLower(line), want) {
			out = append(out, fmt.Sprintf("%s:%d: %s", oneLine(name), n, firstWords(line, 200)))
		}
	}
	return out, nil
}

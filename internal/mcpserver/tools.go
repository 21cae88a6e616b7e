package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/library"
	"inlay/parse"
	"inlay/retrieve"
	"inlay/turn"
)

// Citation is a passage in a tool's answer.
type Citation struct {
	Number   int     `json:"number"`
	Library  string  `json:"library,omitempty"`
	File     string  `json:"file"`
	URI      string  `json:"uri,omitempty"`
	Where    string  `json:"where,omitempty"`
	Heading  string  `json:"heading,omitempty"`
	Page     int     `json:"page,omitempty"`
	Lines    [2]int  `json:"lines"`
	Start    int     `json:"start"`
	End      int     `json:"end"`
	Affinity float64 `json:"affinity"`
	Text     string  `json:"text"`
}

func citations(list []chat.Citation) []Citation {
	out := make([]Citation, len(list))
	for i, c := range list {
		out[i] = Citation{
			Number: c.Number, Library: c.Library, File: c.File, Where: injection.Where(c), Heading: c.Heading, Page: c.Page,
			Lines: [2]int{c.LineStart, c.LineEnd}, Start: c.Start, End: c.End, Affinity: c.Affinity, Text: c.Text,
		}
		if c.Library != "" {
			out[i].URI = documentURI(c.Library, c.File)
		}
	}
	return out
}

// addTools adds the tools; those that change something only where that is allowed.
func (s *server) addTools(m *mcp.Server) {
	closed := false
	read := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
	mcp.AddTool(m, &mcp.Tool{
		Name: "search_documents", Title: "Search documents", Annotations: read,
		Description: "Find the passages of the user's documents that bear on a question, with file, place and affinity (0..1).",
	}, s.search)
	mcp.AddTool(m, &mcp.Tool{
		Name: "read_document", Title: "Read a document", Annotations: read,
		Description: "Read the text of a document of a library, or of a file of the folder: all of it, or some lines.",
	}, s.read)
	mcp.AddTool(m, &mcp.Tool{
		Name: "list_documents", Title: "List documents", Annotations: read,
		Description: "List libraries and the documents in them, with title, type, date and size.",
	}, s.list)
	mcp.AddTool(m, &mcp.Tool{
		Name: "decide", Title: "Decide", Annotations: read,
		Description: "Say whether documents fit whole into a model's context window for a question, or have to be searched, with the token counts.",
	}, s.decide)
	mcp.AddTool(m, &mcp.Tool{
		Name: "build_context", Title: "Build a context", Annotations: read,
		Description: "Build the part of a prompt that a question needs: whole documents where they fit the window, else cited passages.",
	}, s.build)
	if !s.Write {
		return
	}
	mcp.AddTool(m, &mcp.Tool{
		Name: "add_document", Title: "Add a document", Annotations: &mcp.ToolAnnotations{IdempotentHint: true, OpenWorldHint: &closed},
		Description: "Add a document to a library, or replace it.",
	}, s.add)
	mcp.AddTool(m, &mcp.Tool{
		Name: "delete_document", Title: "Delete a document", Annotations: &mcp.ToolAnnotations{IdempotentHint: true, OpenWorldHint: &closed},
		Description: "Delete a document that was added with add_document from its library, for good.",
	}, s.remove)
}

// SearchIn is a search.
type SearchIn struct {
	Query     string   `json:"query" jsonschema:"what to look for, in words that the documents may use"`
	Limit     int      `json:"limit,omitempty" jsonschema:"most passages, 1 to 100; 5 if left out"`
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"affinity that a passage must exceed, 0 to 1"`
	Filter
}

// SearchOut is what a search found.
type SearchOut struct {
	Citations []Citation `json:"citations"`
	Near      []Citation `json:"near_misses,omitempty"` // below the threshold, where nothing is above it
	Passages  int        `json:"passages"`              // that were searched
	Threshold float64    `json:"threshold"`
}

func (s *server) search(ctx context.Context, _ *mcp.CallToolRequest, in SearchIn) (*mcp.CallToolResult, SearchOut, error) {
	names, err := s.chosen(ctx, in.Library)
	if err != nil {
		return nil, SearchOut{}, err
	}
	filter, err := in.filter()
	if err != nil {
		return nil, SearchOut{}, err
	}
	req := retrieve.Request{Query: in.Query, Limit: cmp.Or(in.Limit, 5), Threshold: in.Threshold}
	of := map[string]string{}
	for _, name := range names {
		settings, err := s.Keeper.Index.Settings(ctx, s.Owner, name)
		if err == nil {
			err = settings.Check(name, s.Retriever.Fingerprint())
		}
		if err != nil {
			return nil, SearchOut{}, err
		}
		req.Collections = append(req.Collections, noted{library.Collection{Index: s.Keeper.Index, Owner: s.Owner, Library: name, Filter: filter}, of})
	}
	found, err := s.Retriever.Retrieve(ctx, req)
	if err != nil {
		return nil, SearchOut{}, err
	}
	for _, list := range [][]chat.Citation{found.Citations, found.NearMisses} {
		for i := range list {
			list[i].Library = of[list[i].FileID]
		}
	}
	out := SearchOut{Citations: citations(found.Citations), Passages: found.Total, Threshold: found.Threshold}
	if len(out.Citations) == 0 {
		out.Near = citations(found.NearMisses)
	}
	return text(out.text()), out, nil
}

// noted writes down which library each document came from.
type noted struct {
	library.Collection
	of map[string]string
}

// Candidates implements [retrieve.Collection].
func (n noted) Candidates(ctx context.Context, q retrieve.Question) (retrieve.Candidates, error) {
	found, err := n.Collection.Candidates(ctx, q)
	for _, d := range found.Documents {
		if _, ok := n.of[d.Document.FileID]; !ok {
			n.of[d.Document.FileID] = n.Library
		}
	}
	return found, err
}

func (o SearchOut) text() string {
	var b strings.Builder
	b.WriteString(found(len(o.Citations), o.Passages))
	for _, c := range o.Citations {
		citationText(&b, c)
	}
	if len(o.Near) > 0 {
		fmt.Fprintf(&b, "Nothing has an affinity above %g. Nearest:\n\n", o.Threshold)
		for _, c := range o.Near {
			citationText(&b, c)
		}
	}
	return b.String()
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// ReadIn says what to read.
type ReadIn struct {
	Library string `json:"library,omitempty" jsonschema:"library of the document; left out for a file of the folder"`
	Path    string `json:"path" jsonschema:"path of the document, as list_documents and citations have it"`
	From    int    `json:"from_line,omitempty" jsonschema:"first line, from 1"`
	To      int    `json:"to_line,omitempty" jsonschema:"last line"`
}

// ReadOut is a part of a document.
type ReadOut struct {
	Path      string `json:"path"`
	MediaType string `json:"media_type"`
	From      int    `json:"from_line"`
	To        int    `json:"to_line"`
	Lines     int    `json:"lines"` // of the whole document
	Text      string `json:"text"`
}

// mostRead is how many bytes of text one call returns.
const mostRead = 256 << 10

func (s *server) read(ctx context.Context, _ *mcp.CallToolRequest, in ReadIn) (*mcp.CallToolResult, ReadOut, error) {
	d, err := s.document(ctx, in.Library, in.Path)
	if err != nil {
		return nil, ReadOut{}, err
	}
	lines := strings.SplitAfter(d.Text, "\n")
	if n := len(lines) - 1; lines[n] == "" {
		lines = lines[:n]
	}
	out := ReadOut{Path: in.Path, MediaType: d.MediaType, Lines: len(lines), From: max(in.From, 1), To: len(lines)}
	if in.To > 0 {
		out.To = min(in.To, out.To)
	}
	if out.From > out.To && len(lines) > 0 {
		return nil, ReadOut{}, &fault.Error{Code: fault.Usage, Subject: "from_line", Reason: fmt.Sprintf("is beyond the range; the document has %d lines", len(lines))}
	}
	if len(lines) > 0 {
		out.Text = strings.Join(lines[out.From-1:out.To], "")
	}
	if len(out.Text) > mostRead {
		return nil, ReadOut{}, &fault.Error{
			Code: fault.LimitExceeded, Subject: in.Path, Reason: fmt.Sprintf("these lines have %d bytes, and one call returns %d", len(out.Text), mostRead),
			Next: "read fewer lines at a time, with from_line and to_line",
		}
	}
	return text(out.Text), out, nil
}

// document reads a document of a library, or a file below the root.
func (s *server) document(ctx context.Context, name, inside string) (parse.Document, error) {
	if name != "" {
		if _, err := s.chosen(ctx, []string{name}); err != nil {
			return parse.Document{}, err
		}
		return s.Keeper.Index.Open(ctx, s.Owner, name, inside)
	}
	f, err := s.rootFile(ctx, inside)
	if err != nil {
		return parse.Document{}, err
	}
	return s.Keeper.Parser.Parse(ctx, f, nil)
}

// rootFile reads a file below the root that ignore files leave.
func (s *server) rootFile(ctx context.Context, inside string) (parse.File, error) {
	if s.root == nil {
		return parse.File{}, &fault.Error{Code: fault.Usage, Subject: "library", Reason: "is missing, and no folder is offered", Next: "name a library"}
	}
	led, err := s.rules.Resolve(inside)
	if err != nil {
		return parse.File{}, &fault.Error{Code: fault.FileNotFound, Subject: inside, Reason: "is not offered: " + err.Error(), Next: "use a path in the folder", Err: err}
	}
	file, err := s.root.Open(led)
	if err != nil {
		return parse.File{}, &fault.Error{Code: fault.FileNotFound, Subject: inside, Reason: "there is no such file in the folder", Next: "check the path", Err: err}
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return parse.File{}, &fault.Error{Code: fault.FileUnreadable, Subject: inside, Reason: "it is not a regular file", Next: "name a file"}
	}
	return parse.ReadFrom(ctx, path.Base(inside), file, s.Limits)
}

// AskIn is a question about documents.
type AskIn struct {
	Question      string   `json:"question" jsonschema:"what the user asks"`
	Files         []string `json:"files,omitempty" jsonschema:"files of the folder to use as well, by path"`
	ContextLength int      `json:"context_length,omitempty" jsonschema:"tokens of the model's context window"`
	Limit         int      `json:"limit,omitempty" jsonschema:"most passages, 1 to 100"`
	Mode          string   `json:"mode,omitempty" jsonschema:"auto, full or retrieval; auto if left out"`
	Filter
}

// prepare makes the turn of a question.
func (s *server) prepare(ctx context.Context, req *mcp.CallToolRequest, in AskIn, dry bool) (*injection.Result, error) {
	o := s.Options
	o.Namespace = s.Owner
	var err error
	if o.Libraries, err = s.chosen(ctx, in.Library); err != nil {
		return nil, err
	}
	if len(in.Files) > 0 && len(in.Library) == 0 {
		o.Libraries = nil
	}
	if o.Filter, err = in.filter(); err != nil {
		return nil, err
	}
	if o.Mode, err = injection.ParseMode(in.Mode); err != nil {
		return nil, err
	}
	o.Limit, o.DryRun = cmp.Or(in.Limit, o.Limit), dry
	var files []injection.File
	for _, name := range in.Files {
		f, err := s.rootFile(ctx, name)
		if err != nil {
			return nil, err
		}
		files = append(files, injection.File{Name: f.Name, Path: name, Data: f.Data})
	}
	model, err := s.Model(in.ContextLength)
	if err != nil {
		return nil, err
	}
	var report func(injection.Status)
	if req != nil {
		report = progress(ctx, req)
	}
	t, err := s.Engine.Prepare(ctx, turn.Request{Text: in.Question, Files: files, Model: model, Options: o, Report: report})
	if err != nil {
		return nil, err
	}
	return t.Result, nil
}

package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/plural"
	"inlay/library"
	"inlay/parse"
)

// DecideOut is a decision with its numbers.
type DecideOut struct {
	Strategy   string   `json:"strategy"`
	ReasonCode string   `json:"reason_code"`
	Reason     string   `json:"reason"`
	Window     int      `json:"context_length"`
	Available  int      `json:"available_tokens"`
	Files      int      `json:"document_tokens"`
	Method     string   `json:"document_tokens_method"` // exact, at_least or estimated
	Prompt     int      `json:"question_tokens"`
	Warnings   []string `json:"warnings,omitempty"`
}

func decision(r *injection.Result) DecideOut {
	d := r.Decision
	out := DecideOut{
		Strategy: string(d.Strategy), ReasonCode: string(r.ReasonCode), Reason: d.Reason, Window: d.Window.Length.N,
		Available: d.Available, Files: d.Files.N, Method: d.Files.Method.String(), Prompt: d.Prompt.N,
	}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, w.Message)
	}
	return out
}

func (s *server) decide(ctx context.Context, req *mcp.CallToolRequest, in AskIn) (*mcp.CallToolResult, DecideOut, error) {
	r, err := s.prepare(ctx, req, in, true)
	if err != nil {
		return nil, DecideOut{}, err
	}
	out := decision(r)
	return text(out.Strategy + ": " + out.Reason), out, nil
}

// BuildOut is a context for a question.
type BuildOut struct {
	Decision  DecideOut  `json:"decision"`
	Strategy  string     `json:"strategy"` // what is in the context
	Context   string     `json:"context"`  // the documents or passages, without instructions and question
	Prompt    string     `json:"prompt"`   // the whole message for the model
	Tokens    int        `json:"tokens"`   // of the prompt
	Citations []Citation `json:"citations"`
}

func (s *server) build(ctx context.Context, req *mcp.CallToolRequest, in AskIn) (*mcp.CallToolResult, BuildOut, error) {
	r, err := s.prepare(ctx, req, in, false)
	if err != nil {
		return nil, BuildOut{}, err
	}
	out := BuildOut{Decision: decision(r), Strategy: string(r.Strategy), Context: r.Context, Prompt: r.Prompt, Tokens: r.Used.N, Citations: citations(r.Citations)}
	return text(out.Prompt), out, nil
}

// ListIn says what to list.
type ListIn struct {
	Limit  int `json:"limit,omitempty" jsonschema:"most documents, up to 1000; 100 if left out"`
	Offset int `json:"offset,omitempty" jsonschema:"documents to skip"`
	Filter
}

// ListOut is libraries and documents.
type ListOut struct {
	Libraries []LibraryInfo  `json:"libraries"`
	Documents []DocumentInfo `json:"documents"`
	Total     int            `json:"total"` // documents that the filter leaves
}

// LibraryInfo is a library.
type LibraryInfo struct {
	Name      string `json:"name"`
	Title     string `json:"title,omitempty"` // of one that has another name for people
	Documents int    `json:"documents"`
	Passages  int    `json:"passages"`
	TextBytes int64  `json:"text_bytes"`
}

// DocumentInfo is a document of a library.
type DocumentInfo struct {
	Library   string   `json:"library"`
	Path      string   `json:"path"`
	URI       string   `json:"uri"`
	Title     string   `json:"title,omitempty"`
	MediaType string   `json:"media_type"`
	Modified  string   `json:"modified"`
	Bytes     int64    `json:"bytes"`
	Tags      []string `json:"tags,omitempty"`
}

// mostListed is how many documents one call lists.
const mostListed = 1000

func (s *server) list(ctx context.Context, _ *mcp.CallToolRequest, in ListIn) (*mcp.CallToolResult, ListOut, error) {
	out := ListOut{Libraries: []LibraryInfo{}, Documents: []DocumentInfo{}}
	names, err := s.chosen(ctx, in.Library)
	if err != nil {
		return nil, out, err
	}
	filter, err := in.filter()
	if err != nil {
		return nil, out, err
	}
	titles, err := s.titles(ctx)
	if err != nil {
		return nil, out, err
	}
	limit := min(in.Limit, mostListed)
	if limit <= 0 {
		limit = 100
	}
	for _, name := range names {
		extent, err := s.Keeper.Index.Extent(ctx, s.Owner, name, filter)
		if err != nil {
			return nil, out, err
		}
		out.Libraries = append(out.Libraries, LibraryInfo{name, titles[name], extent.Documents, extent.Passages, extent.Text})
		entries, err := s.Keeper.Index.Entries(ctx, s.Owner, name, filter)
		if err != nil {
			return nil, out, err
		}
		for _, e := range entries {
			if out.Total++; out.Total > in.Offset && len(out.Documents) < limit {
				out.Documents = append(out.Documents, documentInfo(name, e))
			}
		}
	}
	return text(out.text()), out, nil
}

func documentInfo(name string, e library.Entry) DocumentInfo {
	return DocumentInfo{
		Library: name, Path: e.Path, URI: documentURI(name, e.Path), Title: e.Title, MediaType: e.MediaType,
		Modified: e.Modified.Format(time.RFC3339), Bytes: e.Size, Tags: e.Tags,
	}
}

func (o ListOut) text() string {
	var b strings.Builder
	for _, l := range o.Libraries {
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(l.Name+" "+l.Title), plural.Of(l.Documents, "document"))
	}
	for _, d := range o.Documents {
		fmt.Fprintf(&b, "%s:%s (%s)\n", d.Library, d.Path, d.MediaType)
	}
	return b.String()
}

// AddIn is a document to be added.
type AddIn struct {
	Library string   `json:"library" jsonschema:"library to add it to"`
	Path    string   `json:"path" jsonschema:"path in the library, such as notes/today.md; its extension says what kind of text it is"`
	Text    string   `json:"text,omitempty" jsonschema:"the text; left out if file is given"`
	File    string   `json:"file,omitempty" jsonschema:"file of the folder to add, by path"`
	Tags    []string `json:"tags,omitempty"`
}

// AddOut is a document that was added.
type AddOut struct {
	Document DocumentInfo `json:"document"`
	Passages int          `json:"passages"`
}

func (s *server) add(ctx context.Context, _ *mcp.CallToolRequest, in AddIn) (*mcp.CallToolResult, AddOut, error) {
	if err := s.changeable(ctx, in.Library); err != nil {
		return nil, AddOut{}, err
	}
	f := parse.File{Data: []byte(in.Text)}
	if in.File != "" {
		var err error
		if f, err = s.rootFile(ctx, in.File); err != nil {
			return nil, AddOut{}, err
		}
	} else if in.Text == "" {
		return nil, AddOut{}, &fault.Error{Code: fault.Usage, Subject: "text", Reason: "is empty", Next: "give text or file"}
	}
	f.Name = in.Path
	e, err := s.Keeper.Put(ctx, s.Owner, in.Library, f, in.Tags)
	if err != nil {
		return nil, AddOut{}, err
	}
	out := AddOut{documentInfo(in.Library, e), e.Passages}
	return text(fmt.Sprintf("added %s to %s (%s)", e.Path, in.Library, plural.Of(e.Passages, "passage"))), out, nil
}

// DeleteIn is a document to be deleted.
type DeleteIn struct {
	Library string `json:"library"`
	Path    string `json:"path" jsonschema:"path in the library"`
}

// DeleteOut says how many documents were deleted.
type DeleteOut struct {
	Deleted int `json:"deleted"`
}

func (s *server) remove(ctx context.Context, _ *mcp.CallToolRequest, in DeleteIn) (*mcp.CallToolResult, DeleteOut, error) {
	if err := s.changeable(ctx, in.Library); err != nil {
		return nil, DeleteOut{}, err
	}
	if _, err := s.Keeper.Index.Open(ctx, s.Owner, in.Library, in.Path); err != nil {
		return nil, DeleteOut{}, err
	}
	n, err := s.Keeper.Delete(ctx, s.Owner, in.Library, in.Path)
	if err != nil {
		return nil, DeleteOut{}, err
	}
	return text(fmt.Sprintf("deleted %s from %s", in.Path, in.Library)), DeleteOut{n}, nil
}

// addPrompt offers the prompt that inlay ask would send.
func (s *server) addPrompt(m *mcp.Server) {
	m.AddPrompt(&mcp.Prompt{
		Name: "ask_documents", Title: "Ask the documents", Description: "A question with what the documents say about it: whole where they fit, else cited passages.",
		Arguments: []*mcp.PromptArgument{
			{Name: "question", Description: "what you want to know", Required: true},
			{Name: "library", Description: "library to ask; all if left out"},
		},
	}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		in := AskIn{Question: req.Params.Arguments["question"]}
		if name := req.Params.Arguments["library"]; name != "" {
			in.Library = []string{name}
		}
		r, err := s.prepare(ctx, nil, in, false)
		if err != nil {
			return nil, err
		}
		return &mcp.GetPromptResult{Description: r.Reason, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: r.Prompt}}}}, nil
	})
}

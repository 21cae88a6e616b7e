// Package mcpserver offers libraries, and the files below one folder, to agents
// by the Model Context Protocol: tools to search, read, list, decide and build a
// context, documents as resources, and one prompt.
package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"inlay/fault"
	"inlay/ignore"
	"inlay/injection"
	"inlay/internal/plural"
	"inlay/library"
	"inlay/llm"
	"inlay/parse"
	"inlay/retrieve"
	"inlay/turn"
)

// Config is what a server works with.
type Config struct {
	Version   string
	Keeper    *library.Keeper
	Owner     string // of the libraries; empty: a person alone on a computer
	Retriever *retrieve.Retriever
	Engine    *turn.Engine
	Options   injection.Options                             // in force where a call says nothing
	Model     func(contextLength int) (llm.Measurer, error) // measures the window; 0: as configured
	Allowed   []string                                      // libraries that may be asked; empty: all of the user's
	Root      string                                        // folder whose files may be read; empty: none
	Write     bool                                          // documents may be added and deleted
	// Titles are names for people of libraries that are made of uploads, by their
	// own; documents of these are not added or deleted here. Nil: there are none.
	Titles func(ctx context.Context) (map[string]string, error)
	Limits parse.Limits
	Logger *slog.Logger
}

// server is the tools over a Config.
type server struct {
	Config
	root  *os.Root
	rules *ignore.Rules
}

// private is who may keep what is answered: all of it depends on who asks.
const private = "private"

// New makes a server. Close ends its use of the root folder.
func New(ctx context.Context, c Config) (s *mcp.Server, closing func() error, err error) {
	one := &server{Config: c}
	closing = func() error { return nil }
	if c.Root != "" {
		if one.root, err = os.OpenRoot(c.Root); err != nil {
			return nil, nil, &fault.Error{Code: fault.FileNotFound, Subject: "--root " + c.Root, Reason: "cannot be opened", Next: "name a folder", Err: err}
		}
		one.rules, closing = ignore.New(one.root.FS(), nil), one.root.Close
	}
	s = mcp.NewServer(&mcp.Implementation{Name: "inlay", Title: "inlay documents", Version: c.Version}, &mcp.ServerOptions{
		Instructions: one.instructions(ctx), Logger: c.Logger,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = private },
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{}},
	})
	one.addTools(s)
	one.addResources(s)
	one.addPrompt(s)
	return s, closing, nil
}

func (s *server) instructions(ctx context.Context) string {
	text := "Documents of the user. Search them with search_documents and cite passages by file and place; read more of a document with read_document."
	if names, err := s.names(ctx); err == nil && len(names) > 0 {
		text += " Libraries: " + strings.Join(names, ", ") + "."
	}
	if s.root != nil {
		text += " Files of the folder can be read by their path in it."
	}
	return text
}

// names are the libraries that may be asked.
func (s *server) names(ctx context.Context) ([]string, error) {
	if len(s.Allowed) > 0 {
		return s.Allowed, nil
	}
	return s.Keeper.Index.Libraries(ctx, s.Owner)
}

func (s *server) titles(ctx context.Context) (map[string]string, error) {
	if s.Titles == nil {
		return nil, nil
	}
	return s.Titles(ctx)
}

// changeable refuses a library whose documents are not added and deleted here.
func (s *server) changeable(ctx context.Context, name string) error {
	if _, err := s.chosen(ctx, []string{name}); err != nil {
		return err
	}
	titles, err := s.titles(ctx)
	if _, made := titles[name]; made && err == nil {
		return &fault.Error{Code: fault.Usage, Subject: "library " + name, Reason: "is a vector store, made of uploads", Next: "change its files with /v1/vector_stores"}
	}
	return err
}

// chosen are the libraries that a call names, or all; others are refused.
func (s *server) chosen(ctx context.Context, asked []string) ([]string, error) {
	names, err := s.names(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range asked {
		if !slices.Contains(names, name) {
			return nil, &fault.Error{Code: fault.FileNotFound, Subject: "library " + name, Reason: "is not offered here", Next: "use one of: " + strings.Join(names, ", ")}
		}
	}
	if len(asked) > 0 {
		return asked, nil
	}
	return names, nil
}

// Filter is the part of a call that chooses documents.
type Filter struct {
	Library []string `json:"library,omitempty" jsonschema:"libraries to use; all if left out"`
	Path    []string `json:"path_globs,omitempty" jsonschema:"only documents whose path matches one of these, such as *.md or guides/**"`
	Type    []string `json:"types,omitempty" jsonschema:"only documents of these extensions or media types"`
	Tag     []string `json:"tags,omitempty" jsonschema:"only documents with all of these tags"`
	Title   string   `json:"title,omitempty" jsonschema:"only documents with this text in their title"`
	After   string   `json:"modified_after,omitempty" jsonschema:"only documents modified on this day or later, such as 2026-03-31"`
	Until   string   `json:"modified_until,omitempty" jsonschema:"only documents modified before this day"`
}

func (f Filter) filter() (library.Filter, error) {
	return library.FilterOf(map[string]any{
		"library_path": f.Path, "library_type": f.Type, "library_tag": f.Tag, "library_title": f.Title, "library_after": f.After, "library_until": f.Until,
	})
}

// progress sends statuses to a client that asked for them.
func progress(ctx context.Context, req *mcp.CallToolRequest) func(injection.Status) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	n := 0.0
	return func(s injection.Status) {
		n++
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: s.Text})
	}
}

// citationText is a passage as a model reads it in a tool's answer.
func citationText(b *strings.Builder, c Citation) {
	fmt.Fprintf(b, "[%d] %s", c.Number, c.File)
	if c.Where != "" {
		fmt.Fprintf(b, ", %s", c.Where)
	}
	fmt.Fprintf(b, " (affinity %.3f)\n%s\n\n", c.Affinity, c.Text)
}

func found(n, total int) string {
	return fmt.Sprintf("%d of %s\n\n", n, plural.Of(total, "passage"))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"inlay/internal/mcpserver"
	"inlay/internal/wire"
	"inlay/library"
	"inlay/llm"
	"inlay/turn"
)

// mcpCmd offers libraries to agents over standard input and output.
type mcpCmd struct {
	settings
	Root  string `placeholder:"DIR" help:"Folder whose files may be read too, but for what ignore files exclude."`
	Write bool   `help:"Offer tools that add and delete documents of libraries."`
}

// Run serves one client until it leaves.
func (c *mcpCmd) Run(ctx context.Context, a *app) (err error) {
	options, err := c.options()
	if err != nil {
		return err
	}
	allowed := options.Libraries
	injector, err := c.injector(ctx, a)
	if err != nil {
		return err
	}
	name := ""
	if len(allowed) > 0 {
		name = allowed[0]
	}
	s, err := shelfSettings{dataSettings: c.dataSettings, ModelSettings: c.ModelSettings, searchSettings: c.searchSettings}.open(ctx, a, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	for _, one := range allowed {
		if _, err := s.store.Settings(ctx, "", one); err != nil {
			return err
		}
	}
	injector.Libraries = library.Index(s.store)
	server, closing, err := mcpserver.New(ctx, mcpserver.Config{
		Version: version, Keeper: s.Keeper, Retriever: s.retriever, Engine: &turn.Engine{Injector: injector}, Options: options,
		Allowed: allowed, Root: c.Root, Write: c.Write, Limits: a.limits,
		Model: func(length int) (llm.Measurer, error) {
			m := c.ModelSettings
			if length > 0 {
				m.ContextLength = length
			}
			return wire.OpenModel(m, a.getenv)
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	if _, err := fmt.Fprintln(a.stderr, "inlay: serving MCP on standard input and output"); err != nil {
		return err
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(a.stdin), Writer: keepOpen{a.stdout}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // the client left, or this was stopped
	}
	return err
}

// keepOpen is a writer that its user cannot close.
type keepOpen struct{ io.Writer }

// Close implements io.Closer.
func (keepOpen) Close() error { return nil }

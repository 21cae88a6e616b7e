package service

import (
	"context"

	"inlay/internal/mcpserver"
	"inlay/internal/state"
	"inlay/library"
	"inlay/llm"
)

// MCP is what a server of the Model Context Protocol works with for an owner;
// write: documents may be added to libraries and deleted.
func (s *Service) MCP(ctx context.Context, owner string, write bool) (mcpserver.Config, error) {
	if _, err := s.VectorStores(); err != nil {
		return mcpserver.Config{}, err
	}
	libraries := s.config.Libraries
	return mcpserver.Config{
		Owner: owner, Write: write, Retriever: libraries.Retriever, Engine: s.plain(owner), Options: s.config.Defaults, Logger: s.log,
		Keeper: &library.Keeper{Index: libraries.Index, Parser: s.config.Injector(owner).Reader, Indexer: libraries.Retriever},
		Model:  func(length int) (llm.Measurer, error) { return s.measurer(ctx, "", length) },
		Titles: func(ctx context.Context) (map[string]string, error) { return s.titles(ctx, owner) },
	}, nil
}

// titles are the names of an owner's vector stores by their ids.
func (s *Service) titles(ctx context.Context, owner string) (map[string]string, error) {
	out := map[string]string{}
	p := state.Page{Limit: 1000}
	for {
		list, more, err := s.stores.Stores(ctx, owner, p)
		for _, v := range list {
			out[v.ID], p.After = v.Name, v.ID
		}
		if err != nil || !more {
			return out, err
		}
	}
}

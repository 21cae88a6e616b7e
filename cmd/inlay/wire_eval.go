package main

// This file is the part of the wiring that evaluations run with.

import (
	"cmp"
	"context"

	"inlay/eval"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/parse"
	"inlay/retrieve"
)

// wireEval fills in the parts that name concrete types.
func wireEval(ctx context.Context, o *eval.Options, c *evalCmd, a *app) error {
	registry, err := wire.OpenKeptParsers(a.limits, a.ocr, a.getenv, &a.workers)
	if err != nil {
		return err
	}
	o.Reader = registry
	if dir := c.store(a); dir != "" {
		if o.Store, err = wire.OpenStore(dir); err != nil {
			return err
		}
		o.Reader = parse.Cached{Registry: registry, Store: o.Store, Limits: a.limits}
	}
	served := ""
	for _, name := range c.Embedder {
		m := wire.ModelSettings{BaseURL: c.BaseURL}
		if provider, _ := llm.SplitModel(name); provider != "" {
			served = cmp.Or(served, name)
			m.Model = served // --base-url is the address of one server
		}
		e, err := wire.OpenEmbedder(ctx, name, m, a.getenv)
		if err != nil {
			return err
		}
		o.Embedders = append(o.Embedders, e)
	}
	second, err := wire.OpenReranker(c.reranker(), wire.ModelSettings{BaseURL: c.BaseURL}, a.getenv)
	if err != nil {
		return err
	}
	if second != nil {
		o.Rerankers, o.RerankTime = []retrieve.Reranker{second}, c.RerankTime
	}
	o.NewIndex = func() (retrieve.Index, error) { return wire.OpenIndex(), nil }
	return nil
}

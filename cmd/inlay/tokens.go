package main

import (
	"cmp"
	"context"
	"fmt"

	"inlay/tokens"
)

// tokensCmd counts the tokens of what files yield.
type tokensCmd struct {
	readSettings
	Encoding string `default:"o200k_base" enum:"o200k_base,cl100k_base,p50k_base,r50k_base" help:"Vocabulary to count with."`
	Output   string `short:"o" enum:"text,json" default:"text" help:"What to print."`

	File []rawArg `arg:"" optional:"" help:"Files, folders, web addresses and globs to count; - is standard input, as is a pipe without a file."`
}

// tokenCount is one line of the result.
type tokenCount struct {
	File     string `json:"file"`
	Tokens   int    `json:"tokens"`
	Encoding string `json:"encoding"`
	Exact    bool   `json:"exact"`
}

// Run counts every file and prints a line for each.
func (c *tokensCmd) Run(ctx context.Context, a *app) error {
	encoding, err := tokens.NewEncoding(c.Encoding)
	if err != nil {
		return err
	}
	var counts []tokenCount
	failed := a.parseEach(ctx, c.File, true, func(d read) error {
		n := encoding.Count(d.Text)
		counts = append(counts, tokenCount{File: d.path, Tokens: n.N, Encoding: c.Encoding, Exact: n.Method == tokens.Exact})
		return nil
	})
	if failed != nil && counts == nil {
		return failed
	}
	return cmp.Or(c.print(a, counts), failed)
}

func (c *tokensCmd) print(a *app, counts []tokenCount) error {
	if c.Output == "json" {
		return writeJSON(a.stdout, counts)
	}
	for _, n := range counts {
		if _, err := fmt.Fprintf(a.stdout, "%8d  %s\n", n.Tokens, oneLine(n.File)); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"

	"inlay/tokens"
)

// tokensCmd counts the tokens of what files yield.
type tokensCmd struct {
	readSettings
	Encoding string `default:"o200k_base" enum:"o200k_base,cl100k_base,p50k_base,r50k_base" help:"Vocabulary to count with."`
	Output   string `enum:"text,json" default:"text" help:"What to print."`

	File []string `arg:"" help:"Files to count; - is standard input."`
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
	counts := make([]tokenCount, len(c.File))
	for i, path := range c.File {
		doc, err := parseOne(ctx, a, path, true)
		if err != nil {
			return err
		}
		n := encoding.Count(doc.Text)
		counts[i] = tokenCount{File: path, Tokens: n.N, Encoding: c.Encoding, Exact: n.Method == tokens.Exact}
	}
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

package main

import (
	"cmp"
	"context"
	"fmt"

	"inlay/parse"
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
	files, err := c.read(ctx, a)
	if err != nil {
		return err
	}
	counts := make([]tokenCount, len(files))
	for i, f := range files {
		doc, err := a.parse(ctx, f, true)
		if err != nil {
			return err
		}
		n := encoding.Count(doc.Text)
		counts[i] = tokenCount{File: cmp.Or(f.Path, f.Name), Tokens: n.N, Encoding: c.Encoding, Exact: n.Method == tokens.Exact}
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

// read reads what the arguments name, or standard input where a pipe is all there is.
func (c *tokensCmd) read(ctx context.Context, a *app) (files []parse.File, err error) {
	if len(c.File) == 0 {
		name, err := a.named("")
		if err != nil {
			return nil, err
		}
		c.File = []rawArg{rawArg(name)}
	}
	for _, name := range c.File {
		more, notes, err := a.read(ctx, string(name))
		if err != nil {
			return nil, err
		}
		opened{notes: notes}.tell(a)
		files = append(files, more...)
	}
	return files, nil
}

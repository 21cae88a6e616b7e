package main

import (
	"context"
	"encoding/json"

	"inlay/chat"
	"inlay/internal/wire"
)

// chunkCmd prints the passages that retrieval would search.
type chunkCmd struct {
	readSettings
	Chunk string `key:"chunk"`
	Quiet bool   `short:"q" help:"No statuses."`

	File []rawArg `arg:"" optional:"" help:"Files, folders, web addresses and globs to split; - is standard input, as is a pipe without a file."`
}

// chunkLine is one passage as a JSON line.
type chunkLine struct {
	ID    string `json:"_id"`
	File  string `json:"file,omitempty"` // where there are several
	Start int    `json:"start"`
	End   int    `json:"end"`

	Ranges []chat.Range `json:"ranges,omitempty"` // that are searched, where headers and footers of pages are left out

	Tokens  int    `json:"tokens"`
	Section string `json:"section,omitempty"`
	Header  string `json:"header,omitempty"`
	Text    string `json:"text"`
}

// Run splits the files.
func (c *chunkCmd) Run(ctx context.Context, a *app) error {
	splitter, err := wire.OpenSplitter(c.Chunk)
	if err != nil {
		return err
	}
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return a.parseEach(ctx, c.File, c.Quiet, func(d read) error {
		file := ""
		if d.several {
			file = d.path
		}
		for _, chunk := range splitter.Split(d.Document) {
			line := chunkLine{
				ID: chunk.ID, File: file, Start: chunk.Start, End: chunk.End, Tokens: chunk.Tokens,
				Ranges: chunk.Ranges, Section: chunk.Heading, Header: chunk.Header, Text: d.Text[chunk.Start:chunk.End],
			}
			if err := e.Encode(line); err != nil {
				return err
			}
		}
		return nil
	})
}

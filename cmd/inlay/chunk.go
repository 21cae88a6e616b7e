package main

import (
	"context"
	"encoding/json"

	"inlay/retrieve"
)

// chunkCmd prints the passages that retrieval would search.
type chunkCmd struct {
	readSettings
	Size    int  `default:"0" placeholder:"N" help:"Most tokens of a passage (default: the splitter's own)."`
	Overlap int  `default:"0" placeholder:"N" help:"Tokens that neighbouring passages share."`
	Quiet   bool `short:"q" help:"No statuses."`

	File rawArg `arg:"" optional:"" help:"File or web address to split; - is standard input, as is a pipe without a file."`
}

// chunkLine is one passage as a JSON line.
type chunkLine struct {
	ID      string `json:"_id"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Tokens  int    `json:"tokens"`
	Section string `json:"section,omitempty"`
	Header  string `json:"header,omitempty"`
	Text    string `json:"text"`
}

// Run cuts one file.
func (c *chunkCmd) Run(ctx context.Context, a *app) error {
	splitter := retrieve.Splitter{Size: c.Size, Overlap: c.Overlap}
	if err := splitter.Validate(); err != nil {
		return err
	}
	doc, err := parseOne(ctx, a, string(c.File), c.Quiet)
	if err != nil {
		return err
	}
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	for _, chunk := range splitter.Split(doc) {
		line := chunkLine{ID: chunk.ID, Start: chunk.Start, End: chunk.End, Tokens: chunk.Tokens, Section: chunk.Heading, Header: chunk.Header, Text: chunk.Text}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

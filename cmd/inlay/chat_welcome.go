package main

import (
	"context"
	"fmt"
	"time"

	"inlay/injection"
	"inlay/internal/plural"
	"inlay/parse"
)

// welcomeFiles is how many files a chat reads and names before the first question.
const welcomeFiles = 5

// serverPatience is how long a chat waits for its server before the first question.
const serverPatience = 5 * time.Second

// welcome says before the first question of a person what is attached, which of it
// cannot be read, and whether the server of the model does not answer.
func (t *talk) welcome(ctx context.Context) {
	if t.prompt == "" || t.quiet {
		return
	}
	for i, f := range t.files {
		if i == welcomeFiles {
			t.note(fmt.Sprintf("and %s more; /files lists them", plural.Of(len(t.files)-i, "file")))
			break
		}
		t.note(t.greet(ctx, f))
	}
	for _, i := range t.images {
		t.note("attached: " + oneLine(i.Name) + " (image)")
	}
	asked, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	if _, err := t.model.Length(asked); err != nil && ctx.Err() == nil {
		t.note("inlay: " + printable(t.app.message(err)))
	}
}

// greet is the line about one file.
func (t *talk) greet(ctx context.Context, f injection.File) string {
	registry, err := t.app.registry()
	if err == nil {
		_, err = registry.Parse(ctx, parse.File{Name: f.Name, Path: f.Path, MediaType: f.MediaType, Data: f.Data}, func(float64) {})
	}
	if err != nil {
		return "cannot be read: " + oneLine(t.app.message(err))
	}
	return "attached: " + oneLine(f.Name)
}

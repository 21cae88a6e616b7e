package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"inlay/injection"
	"inlay/internal/plural"
	"inlay/library"
	"inlay/retrieve"
)

func jsonLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

type libraryListCmd struct {
	shelfSettings
	Output string `enum:"text,json" default:"text" help:"What to print: text or json."`
}

type libraryJSON struct {
	Name   string         `json:"name"`
	Counts library.Counts `json:"counts"`
	library.Settings
	Error string `json:"error,omitempty"`
}

// Run lists the libraries.
func (c *libraryListCmd) Run(ctx context.Context, a *app) (err error) {
	s, err := c.open(ctx, a, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	names, err := s.store.Libraries(ctx, c.Owner)
	if err != nil {
		return err
	}
	list := []libraryJSON{}
	for _, name := range names {
		list = append(list, s.describe(ctx, name))
	}
	if c.Output == "json" {
		return writeJSON(a.stdout, map[string]any{"schema": "inlay.libraries/v1", "libraries": list})
	}
	for _, l := range list {
		line := describeCounts(l.Counts)
		if l.Error != "" {
			line = l.Error
		}
		if _, err := fmt.Fprint(a.stdout, fitted(a.stdout, fmt.Sprintf("%s: %s\n", l.Name, printable(line)))); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		_, err = fmt.Fprintln(a.stderr, "no libraries; make one with: inlay library add NAME FOLDER")
	}
	return err
}

// describe is a library with its sizes, or why they are not known.
func (s *shelves) describe(ctx context.Context, name string) libraryJSON {
	l := libraryJSON{Name: name}
	var err error
	if l.Settings, err = s.store.Settings(ctx, s.owner, name); err == nil {
		l.Counts, err = s.store.Counts(ctx, s.owner, name)
	}
	if err != nil {
		l.Error = err.Error()
	}
	return l
}

type libraryShowCmd struct {
	shelfSettings
	filterSettings
	Files  bool   `help:"List the files."`
	Verify bool   `help:"Read all of it and compare the checksums."`
	Output string `enum:"text,json" default:"text" help:"What to print: text or json."`
	Name   string `arg:"" help:"Name of the library."`
}

// Run shows one library.
func (c *libraryShowCmd) Run(ctx context.Context, a *app) (err error) {
	s, err := c.open(ctx, a, c.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	filter, err := c.filter()
	if err != nil {
		return err
	}
	if c.Verify {
		if err := s.store.Verify(ctx, c.Owner, c.Name); err != nil {
			return err
		}
	}
	settings, err := s.store.Settings(ctx, c.Owner, c.Name)
	if err != nil {
		return err
	}
	counts, err := s.store.Counts(ctx, c.Owner, c.Name)
	if err != nil {
		return err
	}
	failed, err := s.store.Failures(ctx, c.Owner, c.Name)
	if err != nil {
		return err
	}
	var entries []library.Entry
	if c.Files || !filter.Empty() {
		if entries, err = s.store.Entries(ctx, c.Owner, c.Name, filter); err != nil {
			return err
		}
	}
	if c.Output == "json" {
		return writeJSON(a.stdout, struct {
			Schema string `json:"schema"`
			libraryJSON
			Files  []library.Entry   `json:"files,omitempty"`
			Failed []library.Failure `json:"failed"`
		}{"inlay.library/v1", libraryJSON{Name: c.Name, Counts: counts, Settings: settings}, entries, append([]library.Failure{}, failed...)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "library  %s: %s\n", c.Name, describeCounts(counts))
	for _, f := range settings.Folders {
		fmt.Fprintf(&b, "folder   %s as %s%s\n", oneLine(f.Path), oneLine(f.Label), only(len(f.Tags) > 0, ", tags "+strings.Join(f.Tags, ", ")))
	}
	fmt.Fprintf(&b, "search   embedder %s, %s, made %s\n", settings.Embedder, plural.Of(counts.Segments, "segment"), settings.Created.Format(time.DateOnly))
	if c.Verify {
		b.WriteString("checked  every checksum matches\n")
	}
	for _, e := range entries {
		fmt.Fprintf(&b, "  %s  %s  %s  %s\n", e.Modified.Format("2006-01-02 15:04"), megabytes(e.Size), oneLine(e.Path), oneLine(e.Title))
	}
	printUnread(&b, failed)
	_, err = io.WriteString(a.stdout, fittedAt(a.stdout, printable(b.String()), 9))
	return err
}

type libraryFindCmd struct {
	shelfSettings
	filterSettings
	Output   string   `enum:"text,json" default:"text" help:"What to print: text or json."`
	Name     string   `arg:"" help:"Name of the library."`
	Question []string `arg:"" help:"What to look for."`
}

// Run searches one library.
func (c *libraryFindCmd) Run(ctx context.Context, a *app) (err error) {
	s, err := c.open(ctx, a, c.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	filter, err := c.filter()
	if err != nil {
		return err
	}
	settings, err := s.store.Settings(ctx, c.Owner, c.Name)
	if err == nil {
		err = settings.Check(c.Name, s.retriever.Fingerprint())
	}
	if err != nil {
		return err
	}
	start := time.Now()
	found, err := s.retriever.Retrieve(ctx, retrieve.Request{
		Query: strings.Join(c.Question, " "), Limit: c.Limit, Threshold: c.Threshold,
		Collections: []retrieve.Collection{library.Collection{Index: s.store, Owner: c.Owner, Library: c.Name, Filter: filter}},
	})
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return writeJSON(a.stdout, map[string]any{
			"schema": "inlay.search/v1", "library": c.Name, "passages": found.Total, "embedder": found.Embedder, "threshold": found.Threshold,
			"took_ms": float64(time.Since(start).Microseconds()) / 1000, "citations": orEmpty(found.Citations), "near_misses": orEmpty(found.NearMisses),
		})
	}
	var b strings.Builder
	for _, w := range found.Warnings {
		fmt.Fprintf(&b, "note: %s\n", w.Message)
	}
	for _, one := range found.Citations {
		fmt.Fprintf(&b, "%s, affinity %.3f%s\n%s\n\n", oneLine(injection.Cite(one)), one.Affinity, rerankScore(one), indent(one.Text))
	}
	if len(found.Citations) == 0 {
		fmt.Fprintf(&b, "none of %s has an affinity above %g\n", plural.Of(found.Total, "passage"), found.Threshold)
		for _, one := range found.NearMisses {
			fmt.Fprintf(&b, "near  %s, %s, affinity %.3f\n", oneLine(one.File), injection.Where(one), one.Affinity)
		}
	}
	fmt.Fprintf(&b, "%s searched in %s\n", plural.Of(found.Total, "passage"), time.Since(start).Round(time.Millisecond))
	_, err = io.WriteString(a.stdout, fitted(a.stdout, printable(b.String())))
	return err
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

type libraryRemoveCmd struct {
	shelfSettings
	Name string   `arg:"" help:"Name of the library."`
	Path []string `arg:"" optional:"" help:"Folders, or files of no folder, to take out of it. Without any the library itself is removed; the files it was made of stay."`
}

// Run removes a library or some of it.
func (c *libraryRemoveCmd) Run(ctx context.Context, a *app) (err error) {
	s, err := c.open(ctx, a, c.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	if len(c.Path) > 0 {
		n, err := s.RemovePaths(ctx, c.Owner, c.Name, c.Path)
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "removed %s from the library %s\n", plural.Of(n, "file"), c.Name)
		}
		return err
	}
	counts, err := s.store.Counts(ctx, c.Owner, c.Name)
	if err != nil {
		counts = library.Counts{} // a damaged library can be removed too
	}
	if err := s.store.Drop(ctx, c.Owner, c.Name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "removed the library %s (%s)\n", c.Name, describeCounts(counts))
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/internal/wire"
	"inlay/library"
	"inlay/library/disk"
	"inlay/retrieve"
)

// libraryCmd is everything about libraries.
type libraryCmd struct {
	Add    libraryAddCmd    `cmd:"" help:"Make a library of folders and files, or add some to it, and read them."`
	Sync   librarySyncCmd   `cmd:"" help:"Bring a library up to date with its folders."`
	Watch  libraryWatchCmd  `cmd:"" help:"Keep a library up to date until this is stopped."`
	List   libraryListCmd   `cmd:"" help:"List the libraries."`
	Show   libraryShowCmd   `cmd:"" help:"Show the folders and sizes of a library, its files, and what could not be read."`
	Search libraryFindCmd   `cmd:"" help:"Find the passages of a library that bear on a question."`
	Remove libraryRemoveCmd `cmd:"" help:"Remove a library, or folders and files from it."`
}

// shelfSettings are those of commands that work with libraries.
type shelfSettings struct {
	dataSettings
	Owner string `placeholder:"KEY" help:"Whose library: the id of a key of the service (see inlay keys list). Without it your own."`
	wire.ModelSettings
	searchSettings
}

// shelves are the libraries of a command.
type shelves struct {
	*library.Keeper
	retriever *retrieve.Retriever
	made      library.Settings // of a new library
	store     *disk.Store
	owner     string
}

// open opens the libraries. Settings that were given hold; of a library that is
// there already its own do.
func (s shelfSettings) open(ctx context.Context, a *app, name string) (*shelves, error) {
	search, err := s.search()
	if err != nil {
		return nil, err
	}
	data := wire.DataDir(s.Data, a.getenv)
	store := wire.OpenLibraries(data)
	if name != "" {
		if err := library.CheckName(name); err != nil {
			return nil, err
		}
		if old, err := store.Settings(ctx, s.Owner, name); err == nil {
			search = wire.LikeLibrary(search, old)
		}
	}
	k, retriever, embedder, err := wire.OpenKeeper(ctx, search, s.ModelSettings, data, store, a.getenv)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &shelves{Keeper: k, retriever: retriever, made: wire.LibrarySettings(search, embedder), store: store, owner: s.Owner}, nil
}

// filterSettings choose among the files of libraries.
type filterSettings struct {
	LibraryPath  []string `key:"library_path"`
	LibraryType  []string `key:"library_type"`
	LibraryTag   []string `key:"library_tag"`
	LibraryTitle string   `key:"library_title"`
	LibraryAfter string   `key:"library_after"`
	LibraryUntil string   `key:"library_until"`
}

func (s filterSettings) filter() (library.Filter, error) { return library.FilterOf(valuesOf(&s)) }

type libraryAddCmd struct {
	shelfSettings
	Tag    []string `placeholder:"TAG" help:"Tag of the files of these folders, to filter by."`
	Quiet  bool     `short:"q" help:"No progress."`
	Output string   `enum:"text,json" default:"text" help:"What to print: text or json."`
	Name   string   `arg:"" help:"Name of the library."`
	Path   []string `arg:"" help:"Folders and files. Folders are taken with all below them, but for what ignore files exclude."`
}

// Run adds folders and reads them.
func (c *libraryAddCmd) Run(ctx context.Context, a *app) (err error) {
	s, err := c.open(ctx, a, c.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	if err := s.AddFolders(ctx, c.Owner, c.Name, s.made, c.Path, c.Tag); err != nil {
		return err
	}
	return syncAndTell(ctx, a, s, c.Name, c.Quiet, c.Output)
}

type librarySyncCmd struct {
	shelfSettings
	Repair bool   `help:"First give up parts of the library that are damaged: their files are read again."`
	Retry  bool   `help:"Try files again that could not be read before."`
	Quiet  bool   `short:"q" help:"No progress."`
	Output string `enum:"text,json" default:"text" help:"What to print: text or json."`
	Name   string `arg:"" help:"Name of the library."`
}

// Run reads what changed.
func (c *librarySyncCmd) Run(ctx context.Context, a *app) (err error) {
	s, err := c.open(ctx, a, c.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	if c.Repair {
		lost, err := s.store.Repair(ctx, c.Owner, c.Name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.stderr, "gave up %s\n", plural.Of(lost, "damaged file")); err != nil {
			return err
		}
	}
	s.Retry = c.Retry
	return syncAndTell(ctx, a, s, c.Name, c.Quiet, c.Output)
}

// syncAndTell brings a library up to date and says what that came to. What was
// done before it was stopped is said too.
func syncAndTell(ctx context.Context, a *app, s *shelves, name string, quiet bool, output string) error {
	view := newShelfView(a.stderr, quiet)
	s.Report = view.show
	out, err := s.Sync(ctx, s.owner, name)
	view.close()
	if err != nil && len(out.Changes) == 0 {
		return err
	}
	counts, countErr := s.store.Counts(context.WithoutCancel(ctx), s.owner, name)
	if countErr != nil {
		return errors.Join(err, countErr)
	}
	if output == "json" {
		err = errors.Join(err, writeJSON(a.stdout, map[string]any{"schema": "inlay.library/v1", "library": name, "sync": out, "counts": counts}))
	} else {
		err = errors.Join(err, printSync(a.stdout, name, out, counts))
	}
	return err
}

func printSync(w io.Writer, name string, out library.Outcome, counts library.Counts) error {
	var b strings.Builder
	fmt.Fprintf(&b, "library  %s: %s\n", name, describeCounts(counts))
	fmt.Fprintf(&b, "changes  %d added, %d changed, %d moved, %d removed, %d unchanged", out.Added, out.Changed, out.Moved, out.Removed, out.Unchanged)
	fmt.Fprintf(&b, " (%s in %s)\n", megabytes(out.Bytes), out.Took.Round(10*time.Millisecond))
	printUnread(&b, out.Failed)
	printWarnings(&b, out.Changes)
	_, err := io.WriteString(w, fittedAt(w, printable(b.String()), 9))
	return err
}

func describeCounts(c library.Counts) string {
	return fmt.Sprintf("%s, %s of text, %s, %s on disk", plural.Of(c.Paths, "file"), megabytes(c.Text), plural.Of(c.Passages, "passage"), megabytes(c.Disk))
}

// shownWarnings is how many warnings about files that were read are printed.
const shownWarnings = 20

// printWarnings prints what parsers said of the files that were read.
func printWarnings(b *strings.Builder, changes []library.PathChange) {
	n := 0
	for _, c := range changes {
		for _, w := range c.Warnings {
			if n++; n <= shownWarnings {
				fmt.Fprintf(b, "warning  %s: %s\n", oneLine(c.Path), oneLine(w.Message))
			}
		}
	}
	if n > shownWarnings {
		fmt.Fprintf(b, "         and %d more; inlay parse FILE repeats those of a file\n", n-shownWarnings)
	}
}

// shownUnread is how many files of one reason are named.
const shownUnread = 5

// printUnread names what could not be read, by reason.
func printUnread(b *strings.Builder, failed []library.Failure) {
	if len(failed) == 0 {
		return
	}
	fmt.Fprintf(b, "unread   %s could not be read:\n", plural.Of(len(failed), "file"))
	var order []string
	by := map[string][]library.Failure{}
	for _, f := range failed {
		key := string(f.Code) + "\x00" + f.Reason
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], f)
	}
	for _, key := range order {
		list := by[key]
		fmt.Fprintf(b, "  %s", list[0].Reason)
		if list[0].Next != "" {
			fmt.Fprintf(b, "; %s", list[0].Next)
		}
		b.WriteString("\n")
		for _, f := range list[:min(shownUnread, len(list))] {
			fmt.Fprintf(b, "    %s\n", oneLine(f.Path))
		}
		if more := len(list) - shownUnread; more > 0 {
			fmt.Fprintf(b, "    and %d more\n", more)
		}
	}
}

// megabytes writes a size as a person reads it.
func megabytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

type libraryWatchCmd struct {
	shelfSettings
	Settle time.Duration `default:"500ms" placeholder:"DURATION" help:"How long a folder must be quiet before its changes are read."`
	Rescan time.Duration `default:"10m" placeholder:"DURATION" help:"How often all is looked at, whatever the system reported."`
	Output string        `enum:"text,json" default:"text" help:"What to print for each change: text or json (one object a line)."`
	Name   string        `arg:"" help:"Name of the library."`
}

// Run watches until it is stopped.
func (c *libraryWatchCmd) Run(ctx context.Context, a *app) (err error) {
	if c.Settle <= 0 || c.Rescan <= 0 {
		return &fault.Error{Code: fault.Usage, Subject: "--settle and --rescan", Reason: "must be durations above 0"}
	}
	s, err := c.open(ctx, a, c.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	err = s.Watch(ctx, c.Owner, c.Name, library.Watching{
		Quiet: c.Settle, Rescan: c.Rescan,
		Changes: func(out library.Outcome, err error) { c.print(a, out, err) },
		Ready: func(folders int) {
			_, _ = fmt.Fprintf(a.stderr, "watching %s; Ctrl-C ends it\n", plural.Of(folders, "folder"))
		},
	})
	if ctx.Err() != nil {
		return nil // it was stopped, as it is meant to be
	}
	return err
}

// print writes one line for each change.
func (c *libraryWatchCmd) print(a *app, out library.Outcome, err error) {
	reasons := map[string]library.Failure{}
	for _, f := range out.Failed {
		reasons[f.Path] = f
	}
	for _, change := range out.Changes {
		if c.Output == "json" {
			_ = jsonLine(a.stdout, change)
			continue
		}
		var line strings.Builder
		line.WriteString(change.Kind + " " + oneLine(change.Path))
		if change.From != "" {
			line.WriteString(" from " + oneLine(change.From))
		}
		if f, ok := reasons[change.Path]; ok && change.Kind == "failed" {
			line.WriteString(": " + f.Reason)
		}
		for _, w := range change.Warnings {
			line.WriteString("; warning: " + oneLine(w.Message))
		}
		_, _ = fmt.Fprintln(a.stdout, line.String())
	}
	if err != nil {
		_, _ = fmt.Fprintln(a.stderr, "inlay:", printable(err.Error()))
	}
}

package injection

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"inlay/fault"
	"inlay/parse"
	"inlay/prompts"
	"inlay/tokens"
)

// attached is a file on its way through one turn.
type attached struct {
	File
	fresh     bool   // attached to the new message
	content   string // parse.FileID of the bytes, once they are read
	library   string // that it is of; empty: it was attached
	inContext bool   // its whole text is in the history
	doc       parse.Document
	count     tokens.Count
	strategy  Strategy
	read      time.Duration
	counted   time.Duration
	err       error
}

// id is the name under which the caller knows the file.
func (a *attached) id() string {
	switch {
	case a.ID != "":
		return a.ID
	case a.content == "" && a.Data != nil:
		return parse.FileID(a.Data)
	}
	return a.content
}

// identify makes sure of the content id. It reads the bytes unless the caller
// knows the id.
func (a *attached) identify(ctx context.Context) error {
	if a.content != "" {
		return nil
	}
	if a.Data == nil && a.Content != "" {
		a.content = a.Content
		return nil
	}
	if err := a.load(ctx); err != nil {
		return err
	}
	a.content = parse.FileID(a.Data)
	return nil
}

// load reads the bytes.
func (a *attached) load(ctx context.Context) error {
	if a.Data != nil || a.Open == nil {
		return nil
	}
	start := time.Now()
	data, err := a.Open(ctx)
	if err != nil {
		return fmt.Errorf("read %s: %w", a.Name, err)
	}
	a.Data = data
	a.read += time.Since(start)
	return nil
}

// file is a as its reader takes it.
func (a *attached) file() parse.File {
	return parse.File{Name: a.Name, Path: a.Path, MediaType: a.MediaType, Data: a.Data}
}

// recall takes the document that the reader has at hand, if it has.
func (t *turn) recall(a *attached, n *node) bool {
	reader, ok := t.in.Reader.(Recaller)
	if !ok || a.Data != nil || a.Content == "" {
		return false
	}
	a.content = a.Content
	start := time.Now()
	if a.doc, ok = reader.Recall(a.content, a.file()); !ok {
		return false
	}
	a.read += time.Since(start)
	if t.track.send != nil { // else nobody hears the words
		n.set(Loading, textParserLoaded(a.doc.Library, a.Name))
		n.set(Done, textParserLoaded(a.doc.ReadBy(), a.Name))
	}
	return true
}

// parse reads the document and reports its progress below parent.
func (t *turn) parse(ctx context.Context, a *attached, n *node) error {
	if err := a.identify(ctx); err != nil {
		return err
	}
	if err := a.load(ctx); err != nil {
		return err
	}
	n.set(Loading, textLoadingParser(a.Name))
	f := a.file()
	parser, err := t.in.Reader.Lookup(f)
	if err != nil {
		return err
	}
	n.set(Loading, textParserLoaded(parser.Info().Library, a.Name))
	start := time.Now()
	doc, err := t.in.Reader.Parse(ctx, f, func(done float64) { n.set(Loading, textParsing(a.Name, done)) })
	a.read += time.Since(start)
	if err != nil {
		return err
	}
	a.doc = doc
	n.set(Done, textParserLoaded(doc.ReadBy(), a.Name))
	return nil
}

// parseAll parses files side by side, at most Injector.Parallel at once, and
// returns those that could be read, in the order given. What fails is recorded
// in the turn and does not lose the others, unless the request is strict.
func (t *turn) parseAll(ctx context.Context, files []*attached, parent *node) ([]*attached, error) {
	if len(files) > 0 {
		staged, end := t.stage(ctx, "parse")
		defer end()
		ctx = staged
	}
	nodes := make([]*node, len(files))
	for i, a := range files {
		nodes[i] = t.track.open(parent, Waiting, textLoadingParser(a.Name))
	}
	slots := make(chan struct{}, t.in.parallel())
	var wg sync.WaitGroup
	for i, a := range files {
		if t.recall(a, nodes[i]) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if a.err = ctx.Err(); a.err == nil {
				a.err = t.parse(ctx, a, nodes[i])
			}
			if a.err != nil {
				nodes[i].fail(a.err)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, canceled(err)
	}
	return t.keepReadable(files)
}

// warnOfReading repeats what the parser said of a new file: pages that could not be
// read, parts that were left out.
func (t *turn) warnOfReading(a *attached) {
	if !a.fresh {
		return // said when it was attached
	}
	for _, w := range a.doc.Warnings {
		if w.Code != parse.WarnRepeated { // nothing is missing
			t.warn(w.Code, a.Name, a.Name+": "+w.Message)
		}
	}
}

// ErrGone is what Open of an earlier file answers when its owner deleted it: the
// turn goes on without it, and a warning names it.
var ErrGone = errors.New("the file was deleted")

// keepReadable drops the files that failed and records each failure. An earlier
// file that was deleted is none.
func (t *turn) keepReadable(files []*attached) ([]*attached, error) {
	var ok []*attached
	for _, a := range files {
		if a.err == nil {
			ok = append(ok, a)
			t.warnOfReading(a)
			continue
		}
		if kind := ImageType(a.Data); kind != "" && fault.Is(a.err, fault.NoTextLayer) {
			a.MediaType, a.err = kind, nil // it stays on the message
			t.warn("image", a.Name, a.Name+" is an image in which no text was found: a model that sees images can be shown it.")
			continue
		}
		if !a.fresh && errors.Is(a.err, ErrGone) {
			t.warn("file_gone", a.Name, a.Name+" of an earlier turn was deleted since, so it is not searched; attach it again if it is needed.")
			continue
		}
		if t.req.Options.Strict {
			return nil, a.err
		}
		t.failures = append(t.failures, failureOf(a))
		if t.cause == nil {
			t.cause = a.err
		}
	}
	return ok, nil
}

// Failure is a file that could not be read: which, why and what to do.
type Failure struct {
	FileID string     `json:"file_id,omitempty"`
	File   string     `json:"file"`
	Code   fault.Code `json:"code"`
	Reason string     `json:"reason"`
	Next   string     `json:"next,omitempty"`
}

func failureOf(a *attached) Failure {
	f := Failure{FileID: a.id(), File: a.Name, Code: fault.CodeOf(a.err), Reason: a.err.Error()}
	if e, ok := errors.AsType[*fault.Error](a.err); ok {
		f.Next = e.Next
		if e.Reason != "" {
			f.Reason = e.Reason
		}
	}
	return f
}

func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled) || fault.Is(err, fault.Canceled)
}

// canceled gives the end of a context its code.
func canceled(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &fault.Error{Code: fault.Timeout, Reason: "the time for the request ran out", Err: err}
	}
	return &fault.Error{Code: fault.Canceled, Reason: "canceled", Err: err}
}

// distinct keeps the first of files with the same bytes; a warning names the
// others. It reads those whose content id is not known.
func (t *turn) distinct(ctx context.Context, files []*attached) ([]*attached, error) {
	first := map[string]*attached{}
	var kept []*attached
	for _, a := range files {
		if err := ctx.Err(); err != nil {
			return nil, canceled(err)
		}
		if a.err = a.identify(ctx); a.err != nil {
			if err := ctx.Err(); err != nil {
				return nil, canceled(err)
			}
			kept = append(kept, a)
			continue
		}
		if kind := Picture(t.in.Reader, a.Data); kind != "" {
			a.MediaType = kind
			t.warnImage(a.Name)
			continue
		}
		if same, ok := first[a.content]; ok {
			t.mergeEqual(same, a)
			continue
		}
		first[a.content] = a
		kept = append(kept, a)
	}
	return t.keepReadable(kept)
}

// warnImage says what becomes of an image that is attached as a file.
func (t *turn) warnImage(name string) {
	t.warn("image", name, name+" is an image: a model that sees images can be shown it; --ocr reads its text.")
}

// mergeEqual has the first of two files with the same bytes count for both. Its
// name holds; a mode that was set for the other one holds where it has none of
// its own, or only the mode none.
func (t *turn) mergeEqual(first, other *attached) {
	names := prompts.Names([]prompts.Name{{Name: first.Name, Path: first.Path}, {Name: other.Name, Path: other.Path}})
	message := fmt.Sprintf("%s has the same content as %s and counts once.", names[1], names[0])
	if first.Path != "" && first.Path == other.Path {
		message = names[0] + " is attached twice and counts once."
	}
	t.warn("duplicate_file", other.Name, message)
	switch {
	case other.Mode == Auto || other.Mode == first.Mode:
	case first.Mode == Auto, first.Mode == ModeNone:
		first.Mode = other.Mode
	case other.Mode != ModeNone:
		t.warn("duplicate_mode", other.Name, fmt.Sprintf("The mode %s of %s is not used, because %s has the mode %s.", other.Mode, other.Name, first.Name, first.Mode))
	}
}

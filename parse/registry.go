package parse

import (
	"context"
	"fmt"
	"slices"

	"inlay/fault"
)

// Registry chooses the parser for a file and holds every document to the same
// promises. It is immutable and safe for concurrent use.
type Registry struct {
	parsers    []Parser
	byType     map[string]Parser
	byExt      map[string]Parser
	plainTexts Parser
}

// Container is a Parser of files that hold other files. NewRegistry replaces it
// by what Within returns, which can read what is inside.
type Container interface {
	Parser
	Within(r *Registry) Parser
}

// NewRegistry collects parsers. Two that claim the same media type or extension
// are refused with fault.Usage. The one that claims "text/plain" reads all text
// that no other claims.
func NewRegistry(parsers ...Parser) (*Registry, error) {
	r := &Registry{byType: map[string]Parser{}, byExt: map[string]Parser{}}
	names := map[string]Parser{}
	for _, p := range parsers {
		if c, ok := p.(Container); ok {
			p = c.Within(r)
		}
		info := p.Info()
		if err := claim(names, "the name "+info.Name, p); err != nil {
			return nil, err
		}
		for _, t := range info.MediaTypes {
			if err := claim(r.byType, t, p); err != nil {
				return nil, err
			}
		}
		for _, e := range info.Extensions {
			if err := claim(r.byExt, e, p); err != nil {
				return nil, err
			}
		}
		r.parsers = append(r.parsers, p)
	}
	r.plainTexts = r.byType["text/plain"]
	return r, nil
}

func claim(claims map[string]Parser, what string, p Parser) error {
	if other, taken := claims[what]; taken {
		return &fault.Error{
			Code: fault.Usage, Subject: "parsers",
			Reason: fmt.Sprintf("%s and %s both claim %s", other.Info().Name, p.Info().Name, what),
			Next:   "register one of them",
		}
	}
	claims[what] = p
	return nil
}

// same compares parsers by name: their values need not be comparable.
func same(a, b Parser) bool {
	return a != nil && b != nil && a.Info().Name == b.Info().Name
}

// Parsers describes the registered parsers, in order.
func (r *Registry) Parsers() []Info {
	infos := make([]Info, len(r.parsers))
	for i, p := range r.parsers {
		infos[i] = p.Info()
	}
	return infos
}

// Named returns the parser of that name, or fault.Usage.
func (r *Registry) Named(name string) (Parser, error) {
	for _, p := range r.parsers {
		if p.Info().Name == name {
			return p, nil
		}
	}
	return nil, &fault.Error{Code: fault.Usage, Subject: "parser " + name, Reason: "is not registered"}
}

// Lookup chooses the parser for a file without reading it: content first, then,
// among forms of text, the extension, then the claimed media type. Formats that
// nothing here reads are errors: fault.UnsupportedFormat, fault.PasswordRequired,
// fault.Corrupt, and fault.NoTextLayer for an empty file.
func (r *Registry) Lookup(f File) (Parser, error) {
	p, _, err := r.choose(f)
	return p, err
}

func (r *Registry) choose(f File) (Parser, Detection, error) {
	if len(f.Data) == 0 {
		return nil, Detection{}, &fault.Error{Code: fault.NoTextLayer, Subject: f.Name, Reason: "the file is empty", Next: "check that it was saved or uploaded completely"}
	}
	d := Detect(f)
	p := r.byType[d.MediaType]
	switch {
	case d.Text:
		p = r.chooseText(f, d)
	case d.MediaType == "application/zip" && (d.Damaged || zippedKind(d) != d.MediaType):
		p = nil // what it should hold cannot be told, or is not read
	}
	if p == nil {
		return nil, d, unsupported(f, d)
	}
	return p, d, nil
}

// chooseText picks among the forms of text. A known extension is believed,
// except that data files that begin as HTML are saved web pages.
func (r *Registry) chooseText(f File, d Detection) Parser {
	content := r.byType[d.MediaType]
	named := r.byExt[d.Extension]
	if named != nil && !slices.ContainsFunc(named.Info().MediaTypes, isTextual) {
		named = nil
	}
	if named == nil {
		if claimed := r.byType[f.MediaType]; claimed != nil && isTextual(f.MediaType) {
			named = claimed
		}
	}
	switch {
	case named != nil && !same(named, r.plainTexts) && (d.MediaType != "text/html" || !isData(d.Extension)):
		return named
	case named != nil && same(named, r.plainTexts) && d.MediaType != "text/html" && d.MediaType != "message/rfc822":
		return named
	case content != nil:
		return content
	}
	return r.plainTexts
}

func isData(extension string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".json", ".jsonl", ".eml", ".xml", ".yaml", ".yml"}, extension)
}

// Parse reads a file with the parser chosen for it and makes good the promises
// of [Document]: identity, media type, valid UTF-8, sections in order, inside
// the text and on rune boundaries, coverage, and never an empty text.
func (r *Registry) Parse(ctx context.Context, f File, report Progress) (Document, error) {
	if err := ctx.Err(); err != nil {
		return Document{}, fmt.Errorf("parsing %s: %w", f.Name, err)
	}
	p, detected, err := r.choose(f)
	if err != nil {
		return Document{}, err
	}
	ctx, err = deeper(ctx)
	if err != nil {
		return Document{}, about(f.Name, err)
	}
	progress := monotonic(report)
	d, err := guarded(ctx, p, f, progress)
	if err != nil {
		return Document{}, about(f.Name, err)
	}
	if err := finish(&d, f, p.Info(), detected); err != nil {
		return Document{}, about(f.Name, err)
	}
	if w, odd := r.mismatch(p, detected); odd {
		d.Warnings = append(d.Warnings, w)
	}
	progress(1)
	return d, nil
}

// maxNested bounds files in files: attachments of mails, members of archives.
const maxNested = 20

// nested is the key of how deep in other files the file being read is.
type nested struct{}

// deeper counts one level of files in files, or refuses it.
func deeper(ctx context.Context) (context.Context, error) {
	depth, _ := ctx.Value(nested{}).(int)
	if depth >= maxNested {
		return ctx, &fault.Error{Code: fault.LimitExceeded, Reason: fmt.Sprintf("files are packed in files more than %d deep", maxNested), Next: "unpack it and attach the documents in it"}
	}
	return context.WithValue(ctx, nested{}, depth+1), nil
}

// guarded turns a parser's panic into an error: no document may end the process.
func guarded(ctx context.Context, p Parser, f File, report Progress) (d Document, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			d = Document{}
			err = &fault.Error{Code: fault.Corrupt, Subject: f.Name, Reason: p.Info().Library + " failed on it", Next: "open and save it again in the program that made it"}
		}
	}()
	return p.Parse(ctx, f, report)
}

// monotonic hands on progress that only grows, between 0 and 1.
func monotonic(report Progress) Progress {
	last := -1.0
	return func(done float64) {
		done = min(max(done, 0), 1)
		if report != nil && done > last {
			last = done
			report(done)
		}
	}
}

// mismatch warns when a file was read as something other than its name says.
func (r *Registry) mismatch(p Parser, d Detection) (Warning, bool) {
	named, known := r.byExt[d.Extension]
	if known && same(named, p) || !known && !isRefused(d.Extension) {
		return Warning{}, false
	}
	return Warning{Code: WarnTypeMismatch, Message: fmt.Sprintf("named %s but holds %s: read as that", d.Extension, d.MediaType)}, true
}

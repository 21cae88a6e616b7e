// Package pdf reads PDF files page by page.
//
// The objects of a file are read by github.com/ledongthuc/pdf, the text by a
// layer of this package: it finds the objects itself (cross-reference tables are
// not trusted), interprets content streams within budgets, decodes fonts, and
// parts words and lines by where their glyphs are. One document is read on one
// goroutine; several may be read at once.
//
// # What is promised about hostile files
//
// Every loop of this package is bounded by [parse.Limits] and asks the context.
// The object reader it is on was written for honest files. It is fed only
// checked structure, and no file we know makes it hang or exhaust memory, but a
// guarantee takes a process of its own: see inlay/parse/worker.
package pdf

import (
	"bytes"
	"context"
	"fmt"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/parse"
)

// Library is the name under which the own text layer appears in documents.
const Library = "ledongthuc/pdf"

// Parser reads PDF files. The zero value is ready to use.
type Parser struct {
	Limits parse.Limits // zero fields mean the defaults
	Second *PDFium      // reads what the own text layer cannot; nil: nothing does
}

// Info implements [parse.Parser].
func (p Parser) Info() parse.Info {
	version := "9"
	if p.Second != nil {
		version += "+pdfium"
	}
	return parse.Info{
		Name: "pdf", Version: version, Library: Library,
		MediaTypes: []string{"application/pdf"},
		Extensions: []string{".pdf"},
	}
}

// Parse implements [parse.Parser]: one section of kind [parse.Page] per page,
// their texts separated by a blank line that belongs to no page.
//
// A document that is over a limit after pages with text is [parse.Document.Partial]:
// it has these pages, and a warning says which limit it was.
//
// Errors: fault.FileTooLarge, fault.PasswordRequired, fault.Corrupt,
// fault.LimitExceeded, fault.Timeout, fault.Canceled, and fault.NoTextLayer or
// fault.UnmappedFont for a document in which no page has text.
func (p Parser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	return p.ParsePages(ctx, f, report, nil)
}

// ParsePages implements [parse.Pager]: Parse, with each page handed over as soon
// as it has been read.
func (p Parser) ParsePages(ctx context.Context, f parse.File, report parse.Progress, each func(parse.PageText)) (parse.Document, error) {
	limits := p.Limits.WithDefaults()
	if err := parse.CheckSize(f, limits.File); err != nil {
		return parse.Document{}, err
	}
	if err := ctx.Err(); err != nil {
		return parse.Document{}, failure(f, err)
	}
	var missing []parse.Warning
	var marks map[string]int
	pages, err := p.readBoth(ctx, f.Data, limits, listener{report, each, &missing, &marks})
	withoutGarbled(pages)
	if cutOff(f.Data) {
		missing = append(missing, parse.Warning{Code: parse.WarnDamaged, Message: "the end of the file is missing, so pages and words can be missing too: " + copyAgain})
	}
	if err != nil && !isBudget(err) {
		return parse.Document{}, failure(f, err)
	}
	doc, failed := assemble(f, p.Info(), pages, marks)
	doc.Warnings = append(doc.Warnings, missing...)
	if err == nil {
		return doc, failed
	}
	if failed != nil {
		return parse.Document{}, failure(f, err)
	}
	cutShort(&doc, len(pages)-len(doc.Coverage.Failed), failure(f, err))
	return doc, nil
}

// listener hears what becomes of a document while it is read. All may be nil.
type listener struct {
	report  parse.Progress
	each    func(parse.PageText)
	missing *[]parse.Warning // gets what of the document is on no page
	marks   *map[string]int  // gets the bookmarks
}

// page tells of the page with index i of n.
func (l listener) page(i, n int, p pageText) {
	if l.each != nil {
		l.each(parse.PageText{Section: section(i, p), Of: n, Text: p.text, Boxes: p.boxes})
	}
}

// progress tells that done of n pages have been read.
func (l listener) progress(done, n int) {
	if l.report != nil {
		l.report(float64(done) / float64(n))
	}
}

// readPagesOf reads every page with the own text layer, and says whether the
// document is encrypted. Where a limit ends it, the pages before are read and the
// others are marked as failed.
func readPagesOf(ctx context.Context, data []byte, limits parse.Limits, to listener) (pages []pageText, encrypted bool, err error) {
	err = timed(ctx, limits.Time, func(ctx context.Context) error {
		d, err := openDocument(ctx, data, limits)
		if err != nil {
			return err
		}
		encrypted = d.encrypted
		if to.missing != nil {
			*to.missing = append(leftInside(d.attached()), d.dynamicForm()...)
		}
		if to.marks != nil {
			*to.marks = d.bookmarks()
		}
		pages = make([]pageText, len(d.pages))
		for i := range pages {
			pages[i].status = parse.Failed
		}
		for i := range d.pages {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			page, err := d.readPage(i)
			if err != nil {
				return err
			}
			pages[i] = page
			to.page(i, len(d.pages), page)
			to.progress(i+1, len(d.pages))
		}
		return nil
	})
	return pages, encrypted, err
}

// nothing is the error for a document without any text.
func nothing(file parse.File, pages []pageText) error {
	f := &fault.Error{Code: fault.NoTextLayer, Subject: file.Name}
	scanned, unmapped, failed := 0, 0, 0
	for _, p := range pages {
		switch {
		case p.status == parse.Scanned:
			scanned++
		case p.lost > 0:
			unmapped++
		case p.status == parse.Failed:
			failed++
		}
	}
	switch {
	case scanned > 0:
		f.Reason = "it has no text layer: " + scannedPages(scanned, len(pages))
		f.Next = "run OCR: " + howOCR
	case unmapped > 0:
		f.Code = fault.UnmappedFont
		f.Reason = "its fonts do not say which characters they show"
		f.Next = "export it again with embedded text, or run OCR: " + howOCR
	case cutOff(file.Data):
		f.Code = fault.Corrupt
		f.Reason, f.Next = "it is cut off: the end of the file is missing, and what is there has no text", copyAgain
	case failed > 0:
		f.Code = fault.Corrupt
		f.Reason, f.Next = "none of its pages could be read", printAgain
	default:
		f.Reason = "it has no text: " + plural.Pick(len(pages), "its only page is empty or a drawing", fmt.Sprintf("all %d pages are empty or drawings", len(pages)))
		f.Next = "attach a version with text, or run OCR on it"
	}
	return f
}

// What to do about a file that is damaged, and about one that is cut off.
const (
	printAgain = "open it in a PDF viewer and save or print it to a new PDF"
	copyAgain  = "download or copy it again"
)

// cutOff reports whether the end of a PDF is missing, as of a download that broke
// off: each part of a file that was written whole ends with startxref.
func cutOff(data []byte) bool {
	end := bytes.LastIndex(data, []byte("startxref"))
	return end < 0 || bytes.Contains(data[end:], []byte(" obj"))
}

func scannedPages(scanned, all int) string {
	if all == 1 {
		return "its only page looks scanned"
	}
	return fmt.Sprintf("%d of its %d pages %s scanned", scanned, all, plural.Pick(scanned, "looks", "look"))
}

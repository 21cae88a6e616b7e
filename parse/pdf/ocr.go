package pdf

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/klippa-app/go-pdfium/requests"

	"inlay/fault"
	"inlay/parse"
)

// OCR is a parser around another parser of PDF files. It lets tesseract read
// the pages in which the inner one found no text although they are not empty.
// PDFium draws them, in its sandbox, each in an instance of its own.
type OCR struct {
	Inner     parse.Parser
	Engine    *PDFium // not Unstoppable: a page's time limit ends it
	Tesseract Tesseract
	Limits    parse.Limits
}

// A page is drawn at drawnDPI, fewer if it would have more than drawnPixels.
const (
	drawnDPI    = 300
	leastDPI    = 36
	drawnPixels = 24 << 20
)

// innerShare is the part of the progress that is the inner parser's.
const innerShare = .1

// Info implements [parse.Parser].
func (o OCR) Info() parse.Info {
	info := o.Inner.Info()
	info.Version += "+" + OCRLibrary + "(" + o.Tesseract.withDefaults().Language + ")"
	return info
}

// Parse implements [parse.Parser]. Pages that tesseract read have it as their
// Library. One that it could not read, or not in time, keeps its status.
//
// Errors: those of the inner parser; fault.Canceled; fault.Usage if tesseract
// or its data is missing and pages want it.
func (o OCR) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if report == nil {
		report = func(float64) {}
	}
	doc, err := o.Inner.Parse(ctx, f, func(done float64) { report(innerShare * done) })
	wanted := append(slices.Clone(doc.Coverage.Scanned), doc.Coverage.Failed...)
	slices.Sort(wanted)
	switch {
	case err != nil && !fault.Is(err, fault.NoTextLayer) && !fault.Is(err, fault.UnmappedFont):
		return doc, err
	case err == nil && len(wanted) == 0 || doc.Partial:
		return doc, err
	}
	turn, missing := o.Tesseract.ready(ctx)
	if missing == nil {
		missing = o.Engine.Prepare() // no page's time goes into it
	}
	switch {
	case missing != nil:
		return parse.Document{}, o.failure(f, missing)
	case err != nil: // no page has text, so there is no list of pages either
		return o.all(ctx, f, turn, err, report)
	}
	read, total := map[int]recognizedPage{}, len(doc.Text)
	var unread []parse.Warning
	for i, number := range wanted {
		page, err := o.page(ctx, f.Data, number-1, turn)
		if ctx.Err() != nil {
			return parse.Document{}, failure(f, ctx.Err())
		}
		switch {
		case err != nil:
			unread = append(unread, parse.Warning{Code: "ocr_failed", Message: fmt.Sprintf("page %d could not be read by tesseract: %v", number, err)})
		case countLetters(page.text) > 0:
			read[number] = page
			total += len(page.text)
		}
		if total > o.Limits.WithDefaults().Text {
			return parse.Document{}, failure(f, tooMuchText(o.Limits.WithDefaults().Text))
		}
		report(innerShare + (1-innerShare)*float64(i+1)/float64(len(wanted)))
	}
	doc = spliced(doc, read)
	doc.Warnings = slices.Concat(doc.Warnings, unread)
	return doc, nil
}

func (o OCR) failure(f parse.File, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	return failure(f, err)
}

// all reads every page of a document in which nothing was found, for which
// cause is the inner parser's error.
func (o OCR) all(ctx context.Context, f parse.File, turn bool, cause error, report parse.Progress) (parse.Document, error) {
	count, err := o.count(ctx, f.Data)
	if err != nil {
		return parse.Document{}, cause
	}
	pages := make([]pageText, 0, count)
	total := 0
	for i := range count {
		page, err := o.page(ctx, f.Data, i, turn)
		if ctx.Err() != nil {
			return parse.Document{}, failure(f, ctx.Err())
		}
		p := pageText{text: page.text, boxes: page.boxes, library: OCRLibrary, broken: err != nil}
		if p.status = statusOf(p); err == nil && countLetters(page.text) == 0 {
			p = pageText{library: OCRLibrary, status: parse.Empty}
		}
		if total += len(p.text); total > o.Limits.WithDefaults().Text {
			return parse.Document{}, failure(f, tooMuchText(o.Limits.WithDefaults().Text))
		}
		pages = append(pages, p)
		report(innerShare + (1-innerShare)*float64(i+1)/float64(count))
	}
	doc, err := assemble(f, o.Info(), pages, nil)
	if err != nil {
		return doc, cause
	}
	doc.Library = OCRLibrary
	return doc, nil
}

// count returns the number of pages, at most as many as the limits allow.
func (o OCR) count(ctx context.Context, data []byte) (n int, err error) {
	limits := o.Limits.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	err = o.Engine.with(ctx, data, func(s session) error {
		if n = s.pages; n > limits.Pages {
			return tooManyPages(limits.Pages)
		}
		return nil
	})
	return n, err
}

// page draws the page with index i and reads the drawing; turn as in recognize.
func (o OCR) page(ctx context.Context, data []byte, i int, turn bool) (recognizedPage, error) {
	t := o.Tesseract.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, t.PageTime)
	defer cancel()
	var img *image.Gray
	dpi := 0
	var onPage matrix
	var shown parse.BoxedPage
	err := o.Engine.with(ctx, data, func(s session) (err error) {
		if img, dpi, err = s.draw(i); err == nil {
			onPage, shown = s.onPage(i, img.Rect.Size()), s.frame(i)
		}
		return err
	})
	if err != nil || white(img) {
		return recognizedPage{}, err
	}
	text, words, err := t.recognize(ctx, img, dpi, turn)
	text = tidy(text)
	for i := range words {
		words[i].box = onPage.bounds(words[i].box)
	}
	shown.Boxes, _ = locate(text, words)
	return recognizedPage{text, parse.AppendBoxes(nil, shown)}, err
}

// recognizedPage is what was read of the drawing of a page.
type recognizedPage struct {
	text  string
	boxes []byte // the page's record of word boxes
}

// onPage maps the dots of a drawing, from its lower left corner, to the page, which
// may have been turned for it.
func (s session) onPage(i int, size image.Point) matrix {
	at := func(x, y int) point {
		p, err := s.engine.FPDF_DeviceToPage(&requests.FPDF_DeviceToPage{Page: s.page(i), SizeX: size.X, SizeY: size.Y, DeviceX: x, DeviceY: y})
		if err != nil {
			return point{}
		}
		return point{p.PageX, p.PageY}
	}
	zero, right, up := at(0, size.Y), at(size.X, size.Y), at(0, 0)
	w, h := float64(size.X), float64(size.Y)
	return matrix{(right.x - zero.x) / w, (right.y - zero.y) / w, (up.x - zero.x) / h, (up.y - zero.y) / h, zero.x, zero.y}
}

// leastInk is how many dark dots a page has at least if something is on it.
const leastInk = 100

// white reports whether nothing is drawn on an image.
func white(img *image.Gray) bool {
	ink := 0
	for _, v := range img.Pix {
		if v < 0xC0 {
			if ink++; ink == leastInk {
				return false
			}
		}
	}
	return true
}

// draw returns a page as an image and its resolution in dots per inch.
func (s session) draw(i int) (*image.Gray, int, error) {
	size, err := s.engine.GetPageSize(&requests.GetPageSize{Page: s.page(i)})
	if err != nil {
		return nil, 0, errMalformed
	}
	dpi := drawnDPI
	for dpi > leastDPI && size.Width*size.Height/(72*72)*float64(dpi*dpi) > drawnPixels {
		dpi = max(dpi*3/4, leastDPI)
	}
	if size.Width*size.Height/(72*72)*float64(dpi*dpi) > drawnPixels {
		return nil, 0, fmt.Errorf("page %d is too large to draw: %w", i+1, errBudget)
	}
	drawn, err := s.engine.RenderPageInDPI(&requests.RenderPageInDPI{Page: s.page(i), DPI: dpi, ImageFormat: requests.RenderImageFormatGrayscale})
	if err != nil {
		return nil, 0, errMalformed
	}
	defer drawn.Cleanup()
	gray, ok := drawn.Result.RenderedImage.(*image.Gray)
	if !ok {
		return nil, 0, errMalformed
	}
	out := *gray
	out.Pix = slices.Clone(gray.Pix)
	return &out, dpi, nil
}

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	pdfium "github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"inlay/parse"
)

// SecondLibrary is the name under which PDFium appears in documents.
const SecondLibrary = "klippa-app/go-pdfium"

// PDFium is the second engine: Chromium's PDF library compiled to WebAssembly,
// in a sandbox without files, network or clock, of bounded memory, that stops
// when its context ends. The zero value works; it starts when it is first
// needed and is safe for concurrent use. A program keeps one for its lifetime.
type PDFium struct {
	CacheDir  string // where the compiled module is kept; empty: compiled again in each process, about 2 s
	Memory    uint32 // most memory of one document, in MiB; default 256
	Instances int    // documents read at once; default 2
	// Unstoppable leaves out the checks that let a context end PDFium in the
	// middle of a page. Only for a process that something else will end.
	Unstoppable bool
	// Quick interprets the module while CacheDir does not hold it compiled: a first page
	// takes half a second then, where compiling takes seconds, and each further one a
	// tenth of a second and more. A document with many pages to read has it compiled.
	Quick bool

	mu    sync.Mutex
	cache wazero.CompilationCache
	idle  []*engine
	slots chan struct{}
	epoch int // how often it was closed
}

// engine is a compiled module that makes one instance at a time. Ending its
// context ends that instance in the middle of what it does, and the engine with
// it. The library's own Kill does too, but races with the call it ends.
type engine struct {
	pool  pdfium.Pool
	end   context.CancelFunc
	epoch int
	slow  bool // it interprets the module
}

// take returns an engine that nobody uses, a new one where there is none, and only a
// compiled one if it must be fast. It waits for one of as many as there may be
// instances.
func (p *PDFium) take(ctx context.Context, fast bool) (*engine, error) {
	p.mu.Lock()
	if p.slots == nil {
		p.slots = make(chan struct{}, orDefault(p.Instances, 2))
	}
	slots := p.slots
	p.mu.Unlock()
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e, err := p.start(fast)
	if err != nil {
		<-slots
	}
	return e, err
}

// start returns an idle engine, or a new one. A failed start is tried again at
// the next use.
func (p *PDFium) start(fast bool) (*engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fast = fast || !p.Quick || p.Kept()
	for n := len(p.idle); n > 0; n = len(p.idle) {
		e := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if !fast || !e.slow {
			return e, nil
		}
		e.end()
		_ = e.pool.Close() // a compiled one takes its place
	}
	config := wazero.NewRuntimeConfigInterpreter()
	if fast {
		if p.cache == nil {
			p.cache = p.keeper()
		}
		config = wazero.NewRuntimeConfigCompiler().WithCompilationCache(p.cache)
	}
	ctx, end := context.WithCancel(context.Background())
	pool, err := webassembly.Init(webassembly.Config{
		Context:  ctx,
		MaxTotal: 1, MaxIdle: 1,
		FSConfig: wazero.NewFSConfig(), // left out, it would be the host's whole disk
		RuntimeConfig: config.
			WithMemoryLimitPages(orDefault(p.Memory, 256) << 4). // of 64 KiB
			WithCloseOnContextDone(!p.Unstoppable),
		Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		end()
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return &engine{pool, end, p.epoch, !fast}, nil
}

// keeper is where compiled modules are kept: on disk, or, where nothing can be
// kept there, in memory.
func (p *PDFium) keeper() wazero.CompilationCache {
	if p.CacheDir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(p.CacheDir); err == nil {
			return cache
		}
	}
	return wazero.NewCompilationCache()
}

// give takes an engine back; one that has ended, or that was started before the
// last Close, is closed.
func (p *PDFium) give(e *engine, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ended || e.epoch != p.epoch {
		e.end()
		_ = e.pool.Close() // its module is closed by now
	} else {
		p.idle = append(p.idle, e)
	}
}

// Prepare compiles the module, so that the first document does not wait for it.
func (p *PDFium) Prepare() error {
	e, err := p.start(true)
	if err == nil {
		p.give(e, false)
	}
	return err
}

// Close frees what the engine holds, but for documents that are being read. It
// starts again when it is used again.
func (p *PDFium) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.epoch++
	var err error
	for _, e := range p.idle {
		e.end()
		err = errors.Join(err, e.pool.Close())
	}
	p.idle = nil
	if p.cache != nil {
		err = errors.Join(err, p.cache.Close(context.Background()))
		p.cache = nil
	}
	return err
}

func orDefault[T int | uint32](v, standard T) T {
	if v == 0 {
		return standard
	}
	return v
}

// session is one document open in an instance of its own.
type session struct {
	slow     bool // its engine interprets
	engine   pdfium.Pdfium
	document references.FPDF_DOCUMENT
	pages    int
}

// with opens a document and hands it to f. When the context ends, so does what
// the instance is doing.
func (p *PDFium) with(ctx context.Context, data []byte, f func(s session) error) error {
	return p.withEngine(ctx, data, false, f)
}

// withEngine is with, on a compiled engine if it must be fast.
func (p *PDFium) withEngine(ctx context.Context, data []byte, fast bool, f func(s session) error) error {
	e, err := p.take(ctx, fast)
	if err != nil {
		return err
	}
	defer func() { <-p.slots }()
	instance, err := e.pool.GetInstanceWithContext(ctx)
	if err != nil {
		p.give(e, true)
		return errors.Join(ctx.Err(), err)
	}
	stop := context.AfterFunc(ctx, e.end)
	err = guard(func() error {
		doc, err := instance.OpenDocument(&requests.OpenDocument{File: &data})
		if err != nil {
			return pdfiumError(err)
		}
		count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
		if err != nil {
			return errMalformed
		}
		return f(session{e.slow, instance, doc.Document, count.PageCount})
	})
	ended := !stop()
	_ = instance.Close() // it is never used twice
	p.give(e, ended)
	if ended {
		return ctx.Err()
	}
	return err
}

// pdfiumError names the reasons that callers branch on.
func pdfiumError(err error) error {
	switch {
	case errors.Is(err, pdferrors.ErrPassword):
		return errPassword
	case errors.Is(err, pdferrors.ErrSecurity):
		return errEncryption
	}
	return errMalformed
}

// read returns the page with index i.
func (s session) read(i int) pageText {
	p := pageText{library: SecondLibrary}
	err := guard(func() error {
		text, err := s.engine.GetPageText(&requests.GetPageText{Page: s.page(i)})
		if err != nil {
			return errMalformed
		}
		p.text = tidy(text.Text)
		p = s.laidOut(i, p)
		if countLetters(p.text) < scannedLetters {
			p.images = s.imageShare(i)
		}
		return nil
	})
	p.broken = err != nil
	p.status = statusOf(p)
	return p
}

// frame is the page with index i as a viewer shows it.
func (s session) frame(i int) parse.BoxedPage {
	var shown box
	if b, err := s.engine.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: s.page(i)}); err == nil {
		shown = box{float64(b.Rect.Left), float64(b.Rect.Bottom), float64(b.Rect.Right), float64(b.Rect.Top)}
	}
	quarters := 0
	if r, err := s.engine.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: s.page(i)}); err == nil {
		quarters = int(r.PageRotation)
	}
	return framed(i, shown, quarters)
}

func (s session) page(i int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: s.document, Index: i}}
}

// imageShare returns the share of a page that its images cover.
func (s session) imageShare(i int) float64 {
	size, err := s.engine.GetPageSize(&requests.GetPageSize{Page: s.page(i)})
	if err != nil || size.Width*size.Height <= 0 {
		return 0
	}
	objects, err := s.engine.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: s.page(i)})
	if err != nil {
		return 0
	}
	covered := 0.0
	for n := range min(objects.Count, 1000) {
		o, err := s.engine.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: s.page(i), Index: n})
		if err != nil {
			break
		}
		kind, err := s.engine.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		if err != nil || int(kind.Type) != imageObject {
			continue
		}
		if b, err := s.engine.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o.PageObject}); err == nil {
			covered += float64(b.Right-b.Left) * float64(b.Top-b.Bottom)
		}
	}
	return covered / (size.Width * size.Height)
}

// imageObject is PDFium's FPDF_PAGEOBJ_IMAGE.
const imageObject = 3

// tidy brings PDFium's text into our form: line feeds, words that it marks as
// hyphenated made whole, no trailing blanks, ligatures as letters.
func tidy(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\uFFFE", "\x02").Replace(s)
	s = strings.NewReplacer("\x02\n", "", "\x02", "", "\x00", "").Replace(s)
	var b strings.Builder
	for _, r := range s {
		if r >= 'ﬀ' && r <= 'ﬆ' {
			b.WriteString(ligature(r))
			continue
		}
		b.WriteRune(r)
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \u00A0")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// mostInterpreted is how many pages of a document are read by an engine that
// interprets; for more, compiling takes less time.
const mostInterpreted = 4

// readSecond reads the pages that want names, given how many there are.
func (p *PDFium) readSecond(ctx context.Context, data []byte, limits parse.Limits, want func(pages int) []int, each func(i int, page pageText)) error {
	return timed(ctx, limits.Time, func(ctx context.Context) error {
		later := false
		read := func(s session) error {
			if s.pages > limits.Pages {
				return tooManyPages(limits.Pages)
			}
			wanted := want(s.pages)
			if later = s.slow && len(wanted) > mostInterpreted; later {
				return nil
			}
			return s.readAll(ctx, wanted, limits, each)
		}
		err := p.with(ctx, data, read)
		if err == nil && later {
			err = p.withEngine(ctx, data, true, read)
		}
		return err
	})
}

// readAll reads pages by their indexes.
func (s session) readAll(ctx context.Context, wanted []int, limits parse.Limits, each func(i int, page pageText)) error {
	total := 0
	for _, i := range wanted {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		page := s.read(i)
		if total += len(page.text); total > limits.Text {
			return tooMuchText(limits.Text)
		}
		each(i, page)
	}
	return nil
}

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
	CacheDir  string // where the compiled module is kept; empty: compiled anew in each process, about 2 s
	Memory    uint32 // most memory of one document, in MiB; default 256
	Instances int    // documents read at once; default 2
	// Unstoppable leaves out the checks that let a context end PDFium in the
	// middle of a page. Only for a process that something else will end.
	Unstoppable bool

	mu   sync.Mutex
	pool pdfium.Pool
}

// start compiles the module once. A failed start is tried again at the next use.
func (p *PDFium) start() (pdfium.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool != nil {
		return p.pool, nil
	}
	config := wazero.NewRuntimeConfig().
		WithMemoryLimitPages(orDefault(p.Memory, 256) << 4). // of 64 KiB
		WithCloseOnContextDone(!p.Unstoppable)
	if p.CacheDir != "" {
		// Where nothing can be kept, the module is compiled anew, as without a folder.
		if cache, err := wazero.NewCompilationCacheWithDir(p.CacheDir); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	instances := orDefault(p.Instances, 2)
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: instances, MaxIdle: instances,
		FSConfig:      wazero.NewFSConfig(), // left out, it would be the host's whole disk
		RuntimeConfig: config,
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	p.pool = pool
	return pool, nil
}

// Prepare compiles the module, so that the first document does not wait for it.
func (p *PDFium) Prepare() error {
	_, err := p.start()
	return err
}

// Close frees what the engine holds. It starts again when it is used again.
func (p *PDFium) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool == nil {
		return nil
	}
	err := p.pool.Close()
	p.pool = nil
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
	engine   pdfium.Pdfium
	document references.FPDF_DOCUMENT
	pages    int
}

// with opens a document and hands it to f. When the context ends, the instance
// is killed in the middle of what it does.
func (p *PDFium) with(ctx context.Context, data []byte, f func(s session) error) error {
	pool, err := p.start()
	if err != nil {
		return err
	}
	engine, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = engine.Kill()
	})
	err = guard(func() error {
		doc, err := engine.OpenDocument(&requests.OpenDocument{File: &data})
		if err != nil {
			return pdfiumError(err)
		}
		count, err := engine.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
		if err != nil {
			return errMalformed
		}
		return f(session{engine, doc.Document, count.PageCount})
	})
	if !stop() {
		<-killed
		return ctx.Err()
	}
	_ = engine.Close() // an instance is never used twice
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
		if countLetters(p.text) < scannedLetters {
			p.images = s.imageShare(i)
		}
		return nil
	})
	p.broken = err != nil
	p.status = statusOf(p)
	return p
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

// readSecond reads the pages that want names, or all of them where it is nil.
func (p *PDFium) readSecond(ctx context.Context, data []byte, limits parse.Limits, want func(pages int) []int, each func(i int, page pageText)) error {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	total := 0
	return p.with(ctx, data, func(s session) error {
		if s.pages > limits.Pages {
			return errBudget
		}
		for _, i := range want(s.pages) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			page := s.read(i)
			if total += len(page.text); total > limits.Text {
				return errBudget
			}
			each(i, page)
		}
		return nil
	})
}

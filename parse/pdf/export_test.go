package pdf

import (
	"context"
	"os"
	"path/filepath"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// Chars are the characters of a page, as PDFium sees them.
type Chars = responses.GetPageTextStructured

// WithPDFium hands the characters of the first pages of a document to each.
func WithPDFium(ctx context.Context, data []byte, most int, each func(page int, chars *Chars)) error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	p := &PDFium{CacheDir: filepath.Join(dir, "inlay", "wasm"), Unstoppable: true}
	defer func() { _ = p.Close() }() // of a test
	return p.with(ctx, data, func(s session) error {
		for i := range min(s.pages, most) {
			chars, err := s.engine.GetPageTextStructured(&requests.GetPageTextStructured{Page: s.page(i), Mode: requests.GetPageTextStructuredModeChars})
			if err != nil {
				return err
			}
			each(i+1, chars)
		}
		return nil
	})
}

// Package picture reads the text in pictures by recognition of characters.
package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // decoders of image.Decode
	_ "image/jpeg"
	_ "image/png"
	"strings"

	_ "golang.org/x/image/bmp" // and these
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/outline"
)

// Recognizer reads the text of a picture in gray; dpi is its resolution.
type Recognizer interface {
	Recognize(ctx context.Context, img *image.Gray, dpi int) (string, error)
}

// maxPixels bounds a picture: 40 megapixels are a page of A3 at 450 dpi.
const maxPixels = 40_000_000

// New reads pictures (PNG, JPEG, GIF, TIFF, BMP, WebP) by a recognizer called by its
// library's name. Of files of several pictures, the first is read.
func New(limits parse.Limits, r Recognizer, library string) parse.Parser {
	return parser{limits.WithDefaults(), r, library}
}

type parser struct {
	limits     parse.Limits
	recognizer Recognizer
	library    string
}

// Info implements [parse.Parser].
func (p parser) Info() parse.Info {
	return parse.Info{
		Name: "picture", Version: "1", Library: p.library,
		MediaTypes: []string{"image/png", "image/jpeg", "image/gif", "image/tiff", "image/bmp", "image/webp"},
		Extensions: []string{".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp"},
	}
}

// Parse implements [parse.Parser].
func (p parser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	if err := ctx.Err(); err != nil {
		return parse.Document{}, err
	}
	img, err := decode(f.Data)
	if err != nil {
		return parse.Document{}, err
	}
	report.Tell(.1)
	text, err := p.recognizer.Recognize(ctx, img, resolution(img.Rect.Dx()))
	if err != nil {
		return parse.Document{}, err
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\f", "\n"))
	return parse.Document{Text: text, Sections: outline.Paragraphs(text)}, nil
}

// decode reads a picture in gray, on white where it is transparent.
func decode(data []byte) (*image.Gray, error) {
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(err)
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height {
		return nil, &fault.Error{
			Code:   fault.LimitExceeded,
			Reason: fmt.Sprintf("it has %d times %d pixels, more than the %d million that are read", size.Width, size.Height, maxPixels/1_000_000),
			Next:   "save it smaller",
		}
	}
	source, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(err)
	}
	bounds := source.Bounds()
	img := image.NewGray(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(img, img.Rect, source, bounds.Min, draw.Over)
	return img, nil
}

func damaged(err error) error {
	return &fault.Error{Code: fault.Corrupt, Reason: "the picture is damaged or cut short", Next: "get a fresh copy of the file", Err: err}
}

// pageWidth is what a picture is taken to be as wide as, in inches: it mostly is a
// page or a screen.
const pageWidth = 8.5

// resolution is a likely number of pixels an inch, within what recognition is made for.
func resolution(width int) int { return min(max(int(float64(width)/pageWidth), 70), 600) }

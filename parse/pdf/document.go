package pdf

import (
	"context"
	"errors"

	lib "github.com/ledongthuc/pdf"

	"inlay/parse"
)

// document is an open file with the budgets that all of its pages share.
type document struct {
	ctx         context.Context //nolint:containedctx // lives for one call of Parse
	limits      parse.Limits
	file        segments
	reader      *lib.Reader
	pages       []leaf
	glyphs      glyphNames
	fonts       map[string]*font // by object, see fontIn
	forms       map[string]*xobject
	collections map[string][]rune // characters of glyphs, by the collection's name
	off         layers            // what is not shown
	encrypted   bool
	spent       int // operations
	text        int // bytes of text
}

// openDocument finds the objects of a file and its pages.
func openDocument(ctx context.Context, data []byte, limits parse.Limits) (*document, error) {
	s, err := scanFile(data, int(limits.Stream))
	if err != nil {
		return nil, err
	}
	if s.opaque && s.trailer.Encrypt != "" {
		return nil, errEncryption
	}
	if s.trailer.Encrypt != "" {
		s.data = hideFilters(s.data)
	}
	file, err := s.rebuilt()
	if err != nil {
		return nil, err
	}
	d := &document{ctx: ctx, limits: limits, file: file, fonts: map[string]*font{}, forms: map[string]*xobject{}, collections: map[string][]rune{}, encrypted: s.trailer.Encrypt != ""}
	if d.reader, err = openReader(file, s.trailer.Encrypt != ""); err != nil {
		return nil, err
	}
	d.off = readLayers(d.reader)
	d.pages, err = readPages(d.reader, limits.Pages)
	return d, err
}

// charge counts n operations and stops the document when they are spent or the
// context ends. It panics with the cause, which guard hands on.
func (d *document) charge(n int) {
	before := d.spent
	d.spent += n
	if d.spent > d.limits.Operations {
		panic(tooManyOperations(d.limits.Operations))
	}
	if before>>10 != d.spent>>10 && d.ctx.Err() != nil {
		panic(d.ctx.Err())
	}
}

// stream decodes a stream; decoding costs operations too, so that one stream
// used a thousand times is not free.
func (d *document) stream(v lib.Value, limit int64) ([]byte, error) {
	data, err := d.decoded(v, min(limit, d.limits.Stream))
	d.charge(len(data) / 16)
	return data, err
}

func (d *document) decoded(v lib.Value, limit int64) (data []byte, err error) {
	if v.Kind() != lib.Stream {
		return nil, errStream
	}
	err = guard(func() (err error) {
		raw, ok := d.raw(v, d.limits.Stream)
		if !ok {
			return errStream
		}
		data, err = decode(raw, filtersOf(v), limit)
		return err
	})
	return data, err
}

// fontIn returns the font that resources call by the given name. Fonts are
// remembered by the object they are, since names repeat from page to page.
func (d *document) fontIn(r *resources, name string) *font {
	if f, ok := r.fonts[name]; ok {
		return f
	}
	key := r.keys("Font")[name]
	f, ok := d.fonts[key]
	if !ok {
		d.charge(64)
		err := guard(func() error {
			if v := r.dict.Key("Font").Key(name); v.Kind() == lib.Dict {
				f = d.loadFont(v)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errMalformed) {
			panic(err)
		}
		if f == nil {
			f = d.fallbackFont()
		}
		if key != "" {
			d.fonts[key] = f
		}
	}
	r.fonts[name] = f
	return f
}

// fallbackFont stands in for a font that is missing or cannot be read.
func (d *document) fallbackFont() *font {
	table := baseTable("")
	var out [256]glyph
	for code := range out {
		out[code] = glyph{table[code], .5}
	}
	return &font{simple: &out}
}

// resources is a resource dictionary with what has been looked up in it.
type resources struct {
	dict   lib.Value
	fonts  map[string]*font
	names  map[string]map[string]string
	marked map[string]marked // properties of marked content
}

func newResources(dict lib.Value) *resources {
	return &resources{dict: dict, fonts: map[string]*font{}, names: map[string]map[string]string{}}
}

// keys returns how the entries of one category are written.
func (r *resources) keys(category string) map[string]string {
	if _, ok := r.names[category]; !ok {
		r.names[category] = entryKeys(r.dict.Key(category))
	}
	return r.names[category]
}

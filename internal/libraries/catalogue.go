package libraries

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"inlay/internal/state/tables"
	"inlay/library"
	"inlay/retrieve"
)

// explain says what an error of the database means.
func (s *Store) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	if s.Database.Explain != nil {
		err = s.Database.Explain(err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (s *Store) again(ctx context.Context, f func() error) error {
	if s.Database.Again == nil {
		return f()
	}
	return s.Database.Again(ctx, f)
}

// read visits the rows of an answer; visit must not mind rows that it has seen,
// so what it fills is empty at each first row.
func (s *Store) read(ctx context.Context, visit func(tables.Row) error, query string, args ...any) error {
	return s.explain("read libraries", s.Database.Read.Each(ctx, visit, query, args...))
}

func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	return s.explain("change libraries", s.again(ctx, func() error {
		_, err := s.Database.Write.Exec(ctx, query, args...)
		return err
	}))
}

// change runs f in one transaction.
func (s *Store) change(ctx context.Context, f func(tables.Queries) error) error {
	return s.explain("change a library", s.again(ctx, func() error { return s.Database.Transact(ctx, f) }))
}

// found is a library's record.
type found struct {
	id         int64
	generation int64
	class      string
	settings   string
}

// find is a library's record; fault.FileNotFound if there is none.
func (s *Store) find(ctx context.Context, p place) (f found, err error) {
	err = s.again(ctx, func() error {
		return s.Database.Read.One(ctx, "SELECT id, generation, class, settings FROM libraries WHERE owner = $1 AND name = $2", p.owner, p.name).
			Scan(&f.id, &f.generation, &f.class, &f.settings)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return f, library.Unknown(p.name)
	}
	return f, s.explain("find a library", err)
}

// view is a library at one moment. It never changes.
type view struct {
	found

	place place
	paths []placed // in order
	docs  map[int64]docRow
}

// placed is a path and its document.
type placed struct {
	library.Entry

	doc int64
}

// docRow is what is known of a document without reading it.
type docRow struct {
	language string
	size     retrieve.Size
	text     int64
}

// viewsLimit bounds the views in memory, in paths.
const viewsLimit = 1_000_000

// look is the library as it is now.
func (s *Store) look(ctx context.Context, p place) (*view, error) {
	now, err := s.find(ctx, p)
	if err != nil {
		return nil, err
	}
	if v, ok := s.views.Get(p); ok && v.id == now.id && v.generation == now.generation {
		return v, nil
	}
	v, err := s.load(ctx, p)
	if err == nil {
		s.views.Put(p, v, int64(len(v.paths)+1), viewsLimit)
	}
	return v, err
}

// load reads a library in one statement, so that all of it is of one moment.
func (s *Store) load(ctx context.Context, p place) (*view, error) {
	v := &view{place: p, docs: map[int64]docRow{}}
	seen := false
	tags := map[string][]string{}
	err := s.read(ctx, func(row tables.Row) error {
		seen = true
		return v.take(row, tags)
	}, `SELECT l.id, l.generation, l.class, l.settings, p.path, p.folder, p.tags, p.size, p.modified, p.attributes,
			d.doc, d.file_id, d.title, d.media_type, d.language, d.text, d.passages, d.words, d.beside
		FROM libraries l LEFT JOIN library_paths p ON p.library = l.id LEFT JOIN library_documents d ON d.doc = p.doc
		WHERE l.owner = $1 AND l.name = $2 ORDER BY p.path`, p.owner, p.name)
	if err == nil && !seen {
		err = library.Unknown(p.name)
	}
	return v, err
}

// take adds a row of load.
func (v *view) take(row tables.Row, known map[string][]string) error {
	var path, folder, tags, attributes, file, title, media, language *string
	var size, modified, doc, text, passages, words, beside *int64
	err := row.Scan(&v.id, &v.generation, &v.class, &v.settings, &path, &folder, &tags, &size, &modified, &attributes,
		&doc, &file, &title, &media, &language, &text, &passages, &words, &beside)
	if err != nil || path == nil {
		return err
	}
	p := placed{doc: *doc, Entry: library.Entry{
		Path: *path, FileID: *file, Folder: *folder, Title: *title, MediaType: *media, Size: *size, Modified: time.Unix(0, *modified).UTC(),
		Text: int(*text), Passages: int(*passages),
	}}
	if _, ok := known[*tags]; !ok {
		var read []string
		if err := json.Unmarshal([]byte(*tags), &read); err != nil {
			return err
		}
		known[*tags] = read
	}
	p.Tags = known[*tags]
	if *attributes != "" {
		if err := json.Unmarshal([]byte(*attributes), &p.Attributes); err != nil {
			return err
		}
	}
	v.paths = append(v.paths, p)
	v.docs[*doc] = docRow{*language, retrieve.Size{Documents: 1, Passages: int(*passages), Words: int(*words), Beside: int(*beside)}, *text}
	return nil
}

// docIDs are the documents, each once.
func (v *view) docIDs() []int64 {
	seen := make(map[int64]bool, len(v.docs))
	list := make([]int64, 0, len(v.docs))
	for _, p := range v.paths {
		if !seen[p.doc] {
			seen[p.doc] = true
			list = append(list, p.doc)
		}
	}
	return list
}

// arrangement is the documents that a search is about.
type arrangement struct {
	places []int         // in view.paths, of the first path of each document, in order
	place  map[int64]int // of documents, in places
	langs  map[string]bool
	size   retrieve.Size
	text   int64
	whole  bool // they are all documents of the library
}

// arrange chooses the documents of which a path is kept, each content once, in
// the order of these paths.
func (v *view) arrange(f library.Filter) (*arrangement, error) {
	keep, err := f.Matcher()
	if err != nil {
		return nil, err
	}
	a := &arrangement{place: map[int64]int{}, langs: map[string]bool{}}
	seen := make(map[string]bool, len(v.paths))
	for i := range v.paths {
		p := &v.paths[i]
		if seen[p.FileID] || !keep(p.Entry) {
			continue
		}
		seen[p.FileID] = true
		a.place[p.doc] = len(a.places)
		a.places = append(a.places, i)
		d := v.docs[p.doc]
		a.langs[d.language] = true
		a.size.Documents++
		a.size.Passages += d.size.Passages
		a.size.Words += d.size.Words
		a.size.Beside += d.size.Beside
		a.text += d.text
	}
	a.whole = len(a.places) == len(v.docs)
	return a, nil
}

// keyOf names content by its bytes and the extension of its path.
func keyOf(fileID, extension string) string { return fileID + extension }

func extensionOf(name string) string { return strings.ToLower(path.Ext(name)) }

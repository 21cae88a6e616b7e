package service

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/library"
	"inlay/parse"
)

// Library is a library that folders are in.
type Library struct {
	Name      string `json:"name" doc:"what the field library of a question takes"`
	Object    string `json:"object"`
	CreatedAt int64  `json:"created_at"`
	Documents int    `json:"documents"`
	Passages  int    `json:"passages"`
	TextBytes int64  `json:"text_bytes"`
	Failed    int    `json:"failed" doc:"files that could not be read"`
}

// Libraries are the libraries of an owner that folders are in: those that are no vector stores.
func (s *Service) Libraries(ctx context.Context, owner string) ([]Library, error) {
	list := []Library{}
	index := s.config.Libraries.Index
	if index == nil {
		return list, nil
	}
	names, err := index.Libraries(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := s.config.State.VectorStore(ctx, owner, name); err == nil {
			continue
		} else if !errors.Is(err, state.ErrNotFound) {
			return nil, err
		}
		settings, err := index.Settings(ctx, owner, name)
		if err != nil {
			return nil, err
		}
		n, err := index.Counts(ctx, owner, name)
		if err != nil {
			return nil, err
		}
		list = append(list, Library{name, "library", settings.Created.Unix(), n.Documents, n.Passages, n.Text, n.Failed})
	}
	return list, nil
}

// Shelved is a document of a library.
type Shelved struct {
	parse.Document

	File string // id of the upload that it was made of; empty: a folder has it
}

// LibraryDocument is the document at a path of a library or of a vector store, as the library keeps it:
// citations are slices of its text.
func (s *Service) LibraryDocument(ctx context.Context, owner, name, at string) (d Shelved, err error) {
	index := s.config.Libraries.Index
	if index == nil {
		return d, noSuch(name)
	}
	if _, err := index.Settings(ctx, owner, name); err != nil {
		return d, noSuch(name)
	}
	if d.Document, err = index.Open(ctx, owner, name, at); err != nil {
		return d, err
	}
	f, err := s.config.State.StoreFileAt(ctx, owner, name, at)
	if errors.Is(err, state.ErrNotFound) {
		return d, nil
	}
	d.File = f.File
	return d, err
}

func noSuch(name string) error {
	return &fault.Error{Code: fault.NotFound, Subject: "library " + name, Reason: "does not exist", Next: "see GET /v1/libraries and GET /v1/vector_stores"}
}

// Original is a file that a document was read from.
type Original struct {
	io.ReadSeekCloser

	Name, MediaType, Content string // Content is the checksum of the bytes
}

// OpenLibraryFile opens the bytes of a document of a library: of its upload, or of the file in its folder,
// as long as that is the one that the library read.
func (s *Service) OpenLibraryFile(ctx context.Context, owner, name, at string) (o Original, err error) {
	d, err := s.LibraryDocument(ctx, owner, name, at)
	if err != nil {
		return o, err
	}
	o.Name, o.MediaType, o.Content = path.Base(at), d.MediaType, d.FileID
	if d.File != "" {
		_, o.ReadSeekCloser, err = s.OpenFile(ctx, owner, d.File)
		return o, err
	}
	f, err := library.ReadFile(ctx, s.config.Libraries.Index, owner, name, at, parse.Limits{})
	o.ReadSeekCloser = inMemory{bytes.NewReader(f.Data)}
	return o, err
}

type inMemory struct{ *bytes.Reader }

// Close implements io.Closer.
func (inMemory) Close() error { return nil }

// LibraryBoxes are the places of a range of a document's text on its pages. There are none where the
// file is gone, or reads otherwise now than when the library took it.
func (s *Service) LibraryBoxes(ctx context.Context, owner, name, at string, start, end int) ([]parse.BoxedPage, error) {
	kept, err := s.LibraryDocument(ctx, owner, name, at)
	if err != nil {
		return nil, err
	}
	read, err := s.original(ctx, owner, name, at, kept)
	if fault.Is(err, fault.FileNotFound) {
		return nil, nil
	}
	if err != nil || read.Text != kept.Text {
		return nil, err
	}
	return read.BoxedPages(start, end), nil
}

// original is a document of a library as its file reads, places on pages included.
func (s *Service) original(ctx context.Context, owner, name, at string, kept Shelved) (parse.Document, error) {
	if kept.File != "" {
		return s.Document(ctx, owner, kept.File)
	}
	reader := s.config.Injector(owner).Reader
	if r, ok := reader.(injection.Recaller); ok {
		if doc, ok := r.Recall(kept.FileID, parse.File{Name: at}); ok {
			return doc, nil
		}
	}
	f, err := library.ReadFile(ctx, s.config.Libraries.Index, owner, name, at, parse.Limits{})
	if err != nil {
		return parse.Document{}, err
	}
	return reader.Parse(ctx, f, nil)
}

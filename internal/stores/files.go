package stores

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/state"
	"inlay/library"
	"inlay/parse"
)

// Addition is an upload to be put into a store.
type Addition struct {
	File       string // id of the upload
	Attributes library.Attributes
	Chunking   *Chunking // nil: the server's own
}

// Chunking is how large passages are, in tokens.
type Chunking struct {
	Size    int `json:"max_chunk_size_tokens"`
	Overlap int `json:"chunk_overlap_tokens"`
}

// Add puts uploads into a store: their records at once, their passages as soon as
// they were read. All of the uploads must be there. batch is empty where there is
// none.
func (s *Stores) Add(ctx context.Context, owner, id, batch string, list []Addition) ([]state.StoreFile, error) {
	v, err := s.Usable(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	records := make([]state.StoreFile, len(list))
	for i, a := range list {
		if records[i], err = s.record(ctx, v, batch, a); err != nil {
			return nil, err
		}
	}
	for i := range records {
		if records[i], err = s.config.State.PutStoreFile(ctx, records[i]); err != nil {
			return nil, missing(id, err)
		}
	}
	s.enqueue(key{owner, id})
	return records, s.touch(ctx, v)
}

func (s *Stores) record(ctx context.Context, v state.VectorStore, batch string, a Addition) (f state.StoreFile, err error) {
	upload, err := s.uploads.File(ctx, v.Owner, a.File)
	if err != nil {
		return f, err
	}
	f = state.StoreFile{Owner: v.Owner, Store: v.ID, File: a.File, Batch: batch, Path: upload.Name, Created: state.Now(), State: state.StoreWaiting}
	if len(a.Attributes) > 0 {
		if f.Attributes, err = json.Marshal(a.Attributes); err != nil {
			return f, err
		}
	}
	if a.Chunking != nil {
		f.Chunking, err = json.Marshal(a.Chunking)
	}
	return f, err
}

// AttributesOf decodes the attributes of a file; nil: it has none.
func AttributesOf(f state.StoreFile) (a library.Attributes, err error) {
	if f.Attributes != nil {
		err = json.Unmarshal(f.Attributes, &a)
	}
	return a, err
}

// ChunkingOf decodes how a file was asked to be cut; nil: as the server does.
func ChunkingOf(f state.StoreFile) (c *Chunking, err error) {
	if f.Chunking != nil {
		err = json.Unmarshal(f.Chunking, &c)
	}
	return c, err
}

// FailureOf decodes why a file could not be read; nil: it could, or waits.
func FailureOf(f state.StoreFile) (e *files.ReadingError, err error) {
	if f.Failure != nil {
		err = json.Unmarshal(f.Failure, &e)
	}
	return e, err
}

func missingFile(file string, err error) error {
	if errors.Is(err, state.ErrNotFound) {
		return &fault.Error{Code: fault.FileNotFound, Subject: "file " + file, Reason: "is not in this vector store", Next: "see the list of its files"}
	}
	return state.Missing(fault.FileNotFound, "file", file, err)
}

// StoreFile is one file of a store.
func (s *Stores) StoreFile(ctx context.Context, owner, id, file string) (state.StoreFile, error) {
	if _, err := s.Store(ctx, owner, id); err != nil {
		return state.StoreFile{}, err
	}
	f, err := s.config.State.StoreFile(ctx, owner, id, file)
	return f, missingFile(file, err)
}

// StoreFiles is one page of the files of a store, or of one of its batches, that
// are in a state, or in any.
func (s *Stores) StoreFiles(ctx context.Context, owner, id, batch, in string, p state.Page) ([]state.StoreFile, bool, error) {
	if _, err := s.Store(ctx, owner, id); err != nil {
		return nil, false, err
	}
	if batch != "" {
		if _, err := s.Batch(ctx, owner, id, batch); err != nil {
			return nil, false, err
		}
	}
	return state.OnePage(p, func(p state.Page) ([]state.StoreFile, error) {
		return s.config.State.ListStoreFiles(ctx, owner, id, batch, in, p)
	})
}

// Describe replaces the attributes of a file.
func (s *Stores) Describe(ctx context.Context, owner, id, file string, a library.Attributes) (f state.StoreFile, err error) {
	err = s.exclusively(ctx, key{owner, id}, func() (err error) {
		f, err = s.describe(ctx, owner, id, file, a)
		return err
	})
	return f, err
}

// describe must run exclusively.
func (s *Stores) describe(ctx context.Context, owner, id, file string, a library.Attributes) (state.StoreFile, error) {
	if _, err := s.Usable(ctx, owner, id); err != nil {
		return state.StoreFile{}, err
	}
	f, err := s.StoreFile(ctx, owner, id, file)
	if err != nil {
		return f, err
	}
	f.Attributes = nil
	if len(a) > 0 {
		if f.Attributes, err = json.Marshal(a); err != nil {
			return f, err
		}
	}
	if f.State == state.StoreDone {
		if err := s.keeper(owner).Describe(ctx, owner, id, f.Path, a); err != nil {
			return f, err
		}
	}
	return f, missingFile(file, s.config.State.UpdateStoreFile(ctx, f))
}

// Take takes a file out of a store, and what was made of it off the disk; the
// upload stays.
func (s *Stores) Take(ctx context.Context, owner, id, file string) error {
	return s.exclusively(ctx, key{owner, id}, func() error {
		f, err := s.StoreFile(ctx, owner, id, file)
		if err != nil {
			return err
		}
		return s.take(ctx, f)
	})
}

// take must run exclusively.
func (s *Stores) take(ctx context.Context, f state.StoreFile) error {
	err := s.keeper(f.Owner).Discard(ctx, f.Owner, f.Store, f.Path)
	if err != nil && !fault.Is(err, fault.FileNotFound) {
		return err
	}
	return missingFile(f.File, s.config.State.DeleteStoreFile(ctx, f.Owner, f.Store, f.File))
}

// Forget takes an upload that is being deleted out of every store of its owner.
func (s *Stores) Forget(ctx context.Context, owner, file string) error {
	in, err := s.config.State.StoresOf(ctx, owner, file)
	if err != nil {
		return err
	}
	for _, f := range in {
		err := s.exclusively(ctx, key{owner, f.Store}, func() error { return s.take(ctx, f) })
		if err != nil && !fault.Is(err, fault.FileNotFound) {
			return err
		}
	}
	return nil
}

// Content is the text of a file, as it is searched.
func (s *Stores) Content(ctx context.Context, owner, id, file string) (parse.Document, error) {
	f, err := s.StoreFile(ctx, owner, id, file)
	if err != nil {
		return parse.Document{}, err
	}
	if f.State != state.StoreDone {
		return parse.Document{}, &fault.Error{
			Code: fault.Conflict, Subject: "file " + file, Reason: "has no content in the vector store: it is " + f.State, Next: "wait until it is completed",
		}
	}
	return s.config.Index.Open(ctx, owner, id, f.Path)
}

// MaxBatch is how many files a batch can have, as in the OpenAI API.
const MaxBatch = 2000

// AddBatch puts uploads into a store as one batch.
func (s *Stores) AddBatch(ctx context.Context, owner, id string, list []Addition) (state.StoreBatch, error) {
	b := state.StoreBatch{Owner: owner, Store: id, ID: state.NewID("vsfb_"), Created: state.Now()}
	if len(list) == 0 || len(list) > MaxBatch {
		return b, fault.Invalid("file_ids", fmt.Sprintf("1 to %d files", MaxBatch))
	}
	if _, err := s.Usable(ctx, owner, id); err != nil {
		return b, err
	}
	if err := s.config.State.AddStoreBatch(ctx, b); err != nil {
		return b, missing(id, err)
	}
	_, err := s.Add(ctx, owner, id, b.ID, list)
	return b, err
}

// Batch is one batch of a store.
func (s *Stores) Batch(ctx context.Context, owner, id, batch string) (state.StoreBatch, error) {
	b, err := s.config.State.StoreBatch(ctx, owner, id, batch)
	return b, state.Missing(fault.NotFound, "file batch", batch, err)
}

// CancelBatch cancels what of a batch was not read yet.
func (s *Stores) CancelBatch(ctx context.Context, owner, id, batch string) (state.StoreBatch, error) {
	err := s.config.State.CancelStoreBatch(ctx, owner, id, batch)
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		return state.StoreBatch{}, err
	}
	return s.Batch(ctx, owner, id, batch)
}

func (s *Stores) keeper(owner string) *library.Keeper {
	return &library.Keeper{Index: s.config.Index, Parser: s.config.Parser(owner), Indexer: s.config.Retriever}
}

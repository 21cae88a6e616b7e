package stores

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/state"
	"inlay/library"
	"inlay/retrieve"
)

// Query is a search of one store.
type Query struct {
	Texts     []string // each is searched for; of a passage found by more than one the best affinity counts
	Limit     int      // most passages
	Threshold float64  // affinity that a passage must exceed
	Where     *library.Condition
}

// Hit is a passage that was found.
type Hit struct {
	chat.Citation

	File       string // id of the upload; of a library that folders are in, of the content
	Attributes library.Attributes
}

// Search finds passages of a store, or of a library that has no record as one, by
// its name.
func (s *Stores) Search(ctx context.Context, owner, id string, q Query) ([]Hit, error) {
	if err := s.Use(ctx, owner, id); err != nil {
		return nil, err
	}
	settings, err := s.config.Index.Settings(ctx, owner, id)
	if err == nil {
		err = settings.Check(id, s.config.Retriever.Fingerprint())
	}
	if err != nil {
		return nil, err
	}
	var found []chat.Citation
	for _, text := range q.Texts {
		r, err := s.config.Retriever.Retrieve(ctx, retrieve.Request{
			Query: text, Limit: q.Limit, Threshold: &q.Threshold,
			Collections: []retrieve.Collection{library.Collection{Index: s.config.Index, Owner: owner, Library: id, Filter: library.Filter{Where: q.Where}}},
		})
		if err != nil {
			return nil, err
		}
		found = append(found, r.Citations...)
	}
	if len(q.Texts) > 1 {
		found = merged(found)
	}
	found = found[:min(len(found), q.Limit)]
	return s.hits(ctx, owner, id, found)
}

// merged leaves each passage once, the best first.
func merged(list []chat.Citation) (out []chat.Citation) {
	slices.SortStableFunc(list, func(a, b chat.Citation) int { return cmp.Compare(b.Affinity, a.Affinity) })
	for _, c := range list {
		overlaps := func(o chat.Citation) bool { return o.FileID == c.FileID && o.Start < c.End && c.Start < o.End }
		if !slices.ContainsFunc(out, overlaps) {
			out = append(out, c)
		}
	}
	return out
}

// hits are passages with the uploads that they are of.
func (s *Stores) hits(ctx context.Context, owner, id string, found []chat.Citation) ([]Hit, error) {
	out := make([]Hit, len(found))
	for i, c := range found {
		c.Library = id
		var err error
		if out[i], err = s.Origin(ctx, owner, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Origin is a passage of a library with the upload that it is of, if it is of a
// vector store.
func (s *Stores) Origin(ctx context.Context, owner string, c chat.Citation) (Hit, error) {
	h := Hit{Citation: c, File: c.FileID}
	f, err := s.config.State.StoreFileAt(ctx, owner, c.Library, c.File)
	if errors.Is(err, state.ErrNotFound) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	h.File = f.File
	h.Attributes, err = AttributesOf(f)
	return h, err
}

// Use makes a store, or a library by its name, ready to be searched, and notes
// that it is.
func (s *Stores) Use(ctx context.Context, owner, id string) error {
	v, err := s.Usable(ctx, owner, id)
	if fault.Is(err, fault.NotFound) {
		if _, e := s.config.Index.Settings(ctx, owner, id); e == nil {
			return nil // a library that folders are in
		}
		return err
	}
	if err != nil {
		return err
	}
	if err := s.ensure(ctx, key{owner, id}); err != nil {
		return err
	}
	return s.touch(ctx, v)
}

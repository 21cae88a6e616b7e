package libraries

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"time"

	"inlay/fault"
	"inlay/internal/state/tables"
	"inlay/internal/weaviate"
)

// tally is how many passages and documents of each language hold each term.
type tally map[string]map[string]*[2]int64

// add adds a document times sign.
func (t tally) add(language string, passages map[string]int64, sign int64) {
	if t[language] == nil {
		t[language] = map[string]*[2]int64{}
	}
	for term, n := range passages {
		if t[language][term] == nil {
			t[language][term] = new([2]int64)
		}
		t[language][term][0] += sign * n
		t[language][term][1] += sign
	}
}

// write adds the tally to that of a library; terms that nothing holds any more go.
func (t tally) write(ctx context.Context, q tables.Queries, library int64) error {
	for _, language := range slices.Sorted(maps.Keys(t)) {
		terms := slices.Sorted(maps.Keys(t[language]))
		passages, documents := make([]int64, len(terms)), make([]int64, len(terms))
		for i, term := range terms {
			passages[i], documents[i] = t[language][term][0], t[language][term][1]
		}
		if _, err := q.Exec(ctx, `INSERT INTO library_terms AS t SELECT $1, $2, u.term, u.passages, u.documents FROM unnest($3::text[], $4::bigint[], $5::bigint[]) AS u (term, passages, documents)
			ON CONFLICT (library, language, term) DO UPDATE SET passages = t.passages + excluded.passages, documents = t.documents + excluded.documents`,
			library, language, terms, passages, documents); err != nil {
			return err
		}
		if _, err := q.Exec(ctx, "DELETE FROM library_terms WHERE library = $1 AND language = $2 AND term = ANY($3) AND documents <= 0", library, language, terms); err != nil {
			return err
		}
	}
	return nil
}

// dead is a document to be deleted.
type dead struct {
	doc, library int64
	owner, class string
	counted      bool
}

// sweepAtOnce is how many documents are deleted at a time.
const sweepAtOnce = 200

// sweep deletes the documents of the garbage that a condition chooses: their
// terms, their passages, their blobs, then their rows.
func (s *Store) sweep(ctx context.Context, condition string, args ...any) error {
	for {
		var list []dead
		err := s.read(ctx, func(row tables.Row) error {
			var d dead
			err := row.Scan(&d.doc, &d.library, &d.owner, &d.class, &d.counted)
			list = append(list, d)
			return err
		}, "SELECT doc, library, owner, class, counted FROM library_garbage WHERE "+condition+" ORDER BY library, doc LIMIT "+strconv.Itoa(sweepAtOnce), args...)
		if err != nil || len(list) == 0 {
			return err
		}
		for len(list) > 0 { // those of one library
			n := 1
			for n < len(list) && list[n].library == list[0].library {
				n++
			}
			if err := s.erase(ctx, list[:n]); err != nil {
				return err
			}
			list = list[n:]
		}
	}
}

// erase deletes documents of one library.
func (s *Store) erase(ctx context.Context, list []dead) error {
	docs := make([]int64, len(list))
	for i, d := range list {
		docs[i] = d.doc
		if err := s.uncount(ctx, d); err != nil {
			return err
		}
	}
	_, err := s.Index.Delete(ctx, list[0].class, tenantOf(list[0].owner), weaviate.Where{Library: list[0].library, Docs: docs})
	if err != nil && !fault.Is(err, fault.NotFound) { // without the tenant there is nothing
		return err
	}
	for _, d := range list {
		s.docs.Remove(func(doc int64) bool { return doc == d.doc })
		if err := s.Blobs.Remove(ctx, blobOf(d.owner, d.doc)); err != nil {
			return err
		}
	}
	return s.exec(ctx, "DELETE FROM library_garbage WHERE doc = ANY($1)", docs)
}

// uncount takes a document's terms out of its library's.
func (s *Store) uncount(ctx context.Context, d dead) error {
	if !d.counted {
		return nil
	}
	t := tally{}
	one, err := s.single(ctx, d.owner, d.doc)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		terms, err := one.Terms()
		if err != nil {
			return err
		}
		passages := make(map[string]int64, len(terms))
		for term, n := range terms {
			if searchable(term) {
				passages[term] = int64(n)
			}
		}
		t.add(one.Language(), passages, -1)
	}
	return s.change(ctx, func(q tables.Queries) error {
		n, err := q.Exec(ctx, "UPDATE library_garbage SET counted = false WHERE doc = $1 AND counted", d.doc)
		if err != nil || n == 0 {
			return err
		}
		var there int
		if err := q.One(ctx, "SELECT count(*) FROM libraries WHERE id = $1", d.library).Scan(&there); err != nil || there == 0 {
			return err
		}
		if err := t.write(ctx, q, d.library); err != nil {
			return err
		}
		_, err = q.Exec(ctx, "UPDATE libraries SET generation = generation + 1 WHERE id = $1", d.library)
		return err
	})
}

// sweepAlways deletes what others left: documents that are gone, and those of
// batches that ended without a commit.
func (s *Store) sweepAlways(ctx context.Context) {
	every := time.NewTicker(sweepEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		err := s.sweep(ctx, "batch IS NULL OR NOT EXISTS (SELECT 1 FROM libraries l WHERE l.id = library AND holder = batch AND until > clock_timestamp())")
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "documents that were deleted from libraries are not erased yet", "code", string(fault.CodeOf(err)))
		}
	}
}

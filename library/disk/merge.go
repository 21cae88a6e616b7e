package disk

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

const (
	// SegmentText is about how many bytes of text a segment holds at most.
	SegmentText = 64 << 20
	// small is the text of a segment that is merged with others of its kind.
	small    = 16 << 20
	smallMax = 8 // small segments that are left alone
)

// tidy merges segments: small ones when there are many, and, where purge says
// that documents were deleted, those that hold what was deleted, so that nothing
// of it stays on the disk. It must run exclusively.
func (s *shelf) tidy(ctx context.Context, purge bool) error {
	v, err := s.look(ctx)
	if err != nil {
		return err
	}
	for _, some := range v.toMerge(purge) {
		if err := s.merge(ctx, some); err != nil {
			return err
		}
	}
	if purge {
		_, err = s.catalogue.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return s.explain(err)
}

// toMerge chooses the segments to be merged, in groups of at most SegmentText.
func (v *view) toMerge(purge bool) [][]*held {
	var chosen, few []*held
	for _, one := range v.segments {
		alive, dead := one.texts()
		switch {
		case purge && dead > 0, alive == 0, dead > alive/3:
			chosen = append(chosen, one)
		case alive < small:
			few = append(few, one)
		}
	}
	if len(few) > smallMax || len(chosen) > 0 {
		chosen = append(chosen, few...)
	}
	var groups [][]*held
	size := 0
	for _, one := range chosen {
		alive, _ := one.texts()
		if len(groups) == 0 || size+alive > SegmentText {
			groups, size = append(groups, nil), 0
		}
		size += alive
		groups[len(groups)-1] = append(groups[len(groups)-1], one)
	}
	return groups
}

// texts are the bytes of text that are alive, and of those that are not.
func (h *held) texts() (alive, dead int) {
	for i, paths := range h.paths {
		if len(paths) > 0 {
			alive += h.docs[i].text
		} else {
			dead += max(h.docs[i].text, 1)
		}
	}
	return alive, dead
}

// merge writes the living documents of some segments as one, and removes these.
func (s *shelf) merge(ctx context.Context, some []*held) error {
	w, keys, err := s.rewrite(ctx, some)
	if err != nil {
		return err
	}
	name := ""
	if w != nil {
		defer w.discard()
		if name, err = finishSegment(s.dir, w); err != nil {
			return err
		}
	}
	err = s.catalogue.transact(ctx, func(tx *sql.Tx) error { return replace(ctx, tx, s.dir, name, w, keys, some) })
	if err != nil {
		return s.explain(err)
	}
	var errs []error
	for _, one := range some {
		errs = append(errs, os.Remove(filepath.Join(s.dir, segmentsName, one.name)))
	}
	return explain(s.dir, errors.Join(errs...))
}

// replace has the documents of the old segments lie in the new one.
func replace(ctx context.Context, tx *sql.Tx, dir, name string, w *segmentWriter, keys []string, some []*held) error {
	id, err := addSegment(ctx, tx, dir, name, w)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if _, err := tx.ExecContext(ctx, "UPDATE documents SET segment = ? WHERE key = ?", id, key); err != nil {
			return err
		}
	}
	for _, one := range some {
		if _, err := tx.ExecContext(ctx, "DELETE FROM segments WHERE id = ?", one.id); err != nil {
			return err
		}
	}
	return step(ctx, tx)
}

// rewrite appends the living documents of segments to a new one; nil if none lives.
func (s *shelf) rewrite(ctx context.Context, some []*held) (w *segmentWriter, keys []string, err error) {
	w, err = newSegmentWriter(s.dir)
	if err != nil {
		return nil, nil, explain(s.dir, err)
	}
	for _, one := range some {
		if err = one.copyTo(ctx, w); err != nil {
			w.discard()
			return nil, nil, explain(s.dir, err)
		}
	}
	if len(w.docs) == 0 {
		w.discard()
		return nil, nil, nil
	}
	for _, m := range w.docs {
		keys = append(keys, m.key)
	}
	return w, keys, nil
}

// copyTo appends the living documents to a segment: nothing is analysed,
// compressed or embedded again.
func (h *held) copyTo(ctx context.Context, w *segmentWriter) error {
	moved := make([]int32, h.chunks) // by passage: its number in w; -1: its document is gone
	for i := range h.docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := &h.docs[i]
		for k := range m.lengths {
			moved[m.first+k] = -1
			if len(h.paths[i]) > 0 {
				moved[m.first+k] = int32(w.chunks + k)
			}
		}
		if len(h.paths[i]) == 0 {
			continue
		}
		made, err := h.again(i)
		if err == nil {
			err = w.add(made)
		}
		if err != nil {
			return err
		}
	}
	return h.copyTerms(w, moved)
}

// again is a document as it was when it was added, but for its terms.
func (h *held) again(doc int) (*stored, error) {
	m := h.docs[doc]
	made := &stored{meta: m, dims: h.dims}
	made.meta.blocks = nil
	var err error
	for _, p := range m.blocks {
		b, err := h.read(p)
		if err != nil {
			return nil, err
		}
		made.blocks = append(made.blocks, b)
	}
	if made.record, err = h.read(m.record); err != nil {
		return nil, err
	}
	if made.table, err = h.read(m.table); err != nil {
		return nil, err
	}
	if p := h.vector[doc]; p.length > 0 {
		made.vector, err = h.read(p)
	}
	return made, err
}

// copyTerms appends the postings of the passages that moved.
func (h *held) copyTerms(w *segmentWriter, moved []int32) error {
	docOf := make([]int32, h.chunks)
	for i, m := range h.docs {
		for k := range m.lengths {
			docOf[m.first+k] = int32(i)
		}
	}
	t := newTerms(h.segment, "")
	for g := range h.groups {
		entries, err := t.load(g)
		if err != nil {
			return err
		}
		clear(t.groups)
		for _, e := range entries {
			c, err := e.postings(h.segment)
			if err != nil {
				return err
			}
			var l *list
			last := -1 // the document of the passage before
			language, term, _ := strings.Cut(e.key, "\x00")
			for ; c.chunk >= 0; c.next() {
				if c.chunk >= len(moved) {
					return damagedSegment(h.file.Name(), errDamaged)
				}
				if moved[c.chunk] < 0 {
					continue
				}
				if l == nil {
					l = w.list(language, term)
				}
				if doc := docOf[c.chunk]; int(doc) != last {
					l.documents++
					last = int(doc)
				}
				l.add(int(moved[c.chunk]), c.body, c.above, c.title)
			}
			if c.bad {
				return damagedSegment(h.file.Name(), errDamaged)
			}
		}
	}
	return nil
}

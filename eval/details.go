package eval

import (
	"cmp"
	"slices"

	"inlay/parse"
)

// details fills in what is behind the recommended point: the tables by
// document and by kind, and the questions that failed.
func (r *run) details(rep *Report, c choice) {
	s := &r.settings[c.setting]
	limit, threshold := r.o.Limits[c.limit], r.o.Thresholds[c.threshold]
	rows := r.documentRows(s)
	var kinds kindRows
	d := describer{r: r, maps: map[int]*parse.Map{}}
	for i := range r.questions {
		q, passages := &r.questions[i], s.results[i].Passages
		var cited []passage
		for _, p := range best(passages, limit) {
			if p.Affinity > threshold {
				cited = append(cited, p)
			}
		}
		hit := r.count(rows, q, cited)
		if q.Kind != "" {
			kinds.of(q.Kind).count(q, hit, len(cited), highest(passages))
		}
		if len(q.items) > 0 && hit || len(q.items) == 0 && len(cited) == 0 {
			continue
		}
		rep.FailuresInAll++
		if len(rep.Failures) < r.o.Failures {
			rep.Failures = append(rep.Failures, d.failure(q, passages, cited, threshold))
		}
	}
	for i := range rows {
		rows[i].Recall = ratio(float64(rows[i].Hits), float64(rows[i].Questions))
	}
	rep.Documents = rows
	for i := range kinds {
		kinds[i].divide()
	}
	rep.Kinds = kinds
}

// kindRows are the rows by kind, in the order of their first questions.
type kindRows []KindRow

func (k *kindRows) of(kind string) *KindRow {
	i := slices.IndexFunc(*k, func(row KindRow) bool { return row.Kind == kind })
	if i < 0 {
		i = len(*k)
		*k = append(*k, KindRow{Kind: kind})
	}
	return &(*k)[i]
}

func (r *run) documentRows(s *setting) []DocumentRow {
	rows := make([]DocumentRow, len(r.lib.ids))
	for i, id := range r.lib.ids {
		rows[i] = DocumentRow{Document: id, Chunks: s.chunks[i], Tokens: s.tokens[i]}
		if err := r.lib.errs[i]; err != nil {
			rows[i].Error = err.Error()
		}
	}
	return rows
}

// count enters a question into the rows of the documents that it expects and of
// those cited, and reports whether something expected was cited.
func (r *run) count(rows []DocumentRow, q *asked, cited []passage) (hit bool) {
	expected, got := map[int]bool{}, map[int]bool{}
	for i := range q.items {
		for _, s := range q.items[i].spans {
			expected[s.doc] = true
		}
	}
	for _, p := range cited {
		if q.right(p) {
			got[p.Doc] = true
		} else {
			rows[p.Doc].Wrong++
		}
	}
	for doc := range expected {
		rows[doc].Questions++
		if got[doc] {
			rows[doc].Hits++
		}
	}
	return len(got) > 0
}

func (k *KindRow) count(q *asked, hit bool, cited int, affinity float64) {
	k.Affinity += affinity
	if len(q.items) == 0 {
		k.Unanswerable++
		k.False += one(cited > 0)
		return
	}
	k.Answerable++
	k.HitRate += one(hit)
	k.Silent += one(cited == 0)
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (k *KindRow) divide() {
	k.HitRate = ratio(k.HitRate, float64(k.Answerable))
	k.Silent = ratio(k.Silent, float64(k.Answerable))
	k.False = ratio(k.False, float64(k.Unanswerable))
	k.Affinity = ratio(k.Affinity, float64(k.Answerable+k.Unanswerable))
}

// describer shows passages; it keeps the line indexes of documents.
type describer struct {
	r    *run
	maps map[int]*parse.Map
}

func (d *describer) failure(q *asked, passages, cited []passage, threshold float64) Failure {
	f := Failure{Question: q.ID, Text: q.Text, Kind: q.Kind, Reason: ShouldBeSilent, Cited: []Found{}}
	rank := map[passage]int{}
	for i, p := range passages {
		if rank[p] == 0 {
			rank[p] = i + 1
		}
	}
	for _, p := range cited {
		f.Cited = append(f.Cited, d.found(p, rank[p], false))
	}
	if len(q.items) == 0 {
		return f
	}
	for _, it := range q.items {
		for _, s := range it.spans[:min(1, len(it.spans))] {
			f.Expected = append(f.Expected, d.place(s))
		}
	}
	f.Reason = NotFound
	if !slices.ContainsFunc(q.items, func(it item) bool { return !it.unreadable }) {
		f.Reason = Unreadable
	}
	for i, p := range passages {
		if !q.right(p) {
			continue
		}
		best := d.found(p, i+1, true)
		f.Best = &best
		f.Reason = BelowLimit
		if p.Affinity <= threshold {
			f.Reason = BelowThreshold
		}
		break
	}
	return f
}

// found describes a passage of a ranking.
func (d *describer) found(p passage, rank int, right bool) Found {
	f := d.place(span{doc: p.Doc, start: p.Start, end: p.End})
	f.Rank, f.Affinity, f.Right = rank, p.Affinity, right
	return f
}

// place describes a place.
func (d *describer) place(s span) Found {
	doc := d.r.lib.docs[s.doc]
	if s.whole {
		s.end = len(doc.Text)
	}
	f := Found{Document: d.r.lib.ids[s.doc], Start: s.start, End: s.end}
	f.Excerpt, f.Cut = shown(doc.Text[s.start:min(s.end, s.start+8*excerptBytes)])
	f.Cut = f.Cut || s.end > s.start+8*excerptBytes
	if !s.whole {
		if d.maps[s.doc] == nil {
			d.maps[s.doc] = parse.NewMap(doc)
		}
		at := d.maps[s.doc].At(s.start, s.end)
		f.Page, f.LineStart, f.LineEnd = cmp.Or(at.Page, at.Slide), at.LineStart, at.LineEnd
	}
	return f
}

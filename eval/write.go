package eval

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteJSON writes the report's JSON form, indented.
func (rep *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(rep)
}

// WriteCSV writes one row for each point of the sweep, below a header.
func (rep *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{
		"embedder", "chunk", "limit", "threshold", "precision", "recall", "f1", "hit_rate", "mrr", "ndcg@10",
		"silent", "false", "passages", "tokens", "cost", "search_millis", "recommended", "reranker",
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, p := range rep.Points {
		s := rep.Settings[p.Setting]
		row := []string{s.Embedder, s.Chunk, strconv.Itoa(p.Limit), strconv.FormatFloat(p.Threshold, 'g', -1, 64)}
		for _, x := range []float64{
			p.Precision, p.Recall, p.F1, p.HitRate, p.MRR, p.NDCG10, p.Silent, p.False, p.Passages, p.Tokens, p.Cost, s.SearchMillis,
		} {
			row = append(row, strconv.FormatFloat(x, 'f', 6, 64))
		}
		r := rep.Recommended
		row = append(row, strconv.FormatBool(p.Setting == r.Setting && p.Limit == r.Limit && p.Threshold == r.Threshold), s.Reranker)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Line is one line of a TREC run, or of judgements.
type Line struct {
	Question, Document string
	Score              int // of a run: falling with the rank; of judgements: the grade
}

// WriteRun writes lines in TREC's form, "question Q0 document rank score tag",
// which every scorer reads. Scores are whole numbers that fall with the rank, so
// that no scorer orders ties its own way; affinities are in the report.
func WriteRun(w io.Writer, lines []Line) error {
	out := bufio.NewWriter(w)
	rank, last := 0, ""
	for _, l := range lines {
		if rank++; l.Question != last {
			rank, last = 1, l.Question
		}
		if _, err := fmt.Fprintf(out, "%s Q0 %s %d %d inlay\n", l.Question, l.Document, rank, l.Score); err != nil {
			return err
		}
	}
	return out.Flush()
}

// WriteQrels writes judgements as query-id, corpus-id and score.
func WriteQrels(w io.Writer, lines []Line) error {
	out := bufio.NewWriter(w)
	if _, err := fmt.Fprintln(out, "query-id\tcorpus-id\tscore"); err != nil {
		return err
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(out, "%s\t%s\t%d\n", l.Question, l.Document, l.Score); err != nil {
			return err
		}
	}
	return out.Flush()
}

// lines are the ranking of the recommended setting and what it is judged by.
func (r *run) lines() (ranked, judged []Line) {
	s := &r.settings[r.best.setting]
	for i := range r.questions {
		q := &r.questions[i]
		id := word(q.ID)
		passages := s.results[i].Passages
		units := q.units(passages, r.byPassage)
		for k, u := range units[:min(runDepth, len(units))] {
			var name string
			switch {
			case u.item >= 0:
				name = r.itemName(&q.items[u.item])
			case r.byPassage:
				name = r.spanName(span{doc: passages[u.at].Doc, start: passages[u.at].Start, end: passages[u.at].End})
			default:
				name = r.spanName(span{doc: passages[u.at].Doc, whole: true})
			}
			ranked = append(ranked, Line{id, name, runDepth - k})
		}
		for k := range q.items {
			judged = append(judged, Line{id, r.itemName(&q.items[k]), int(q.items[k].grade)})
		}
	}
	return ranked, judged
}

func (r *run) itemName(it *item) string {
	if len(it.spans) == 0 {
		return "unreadable"
	}
	return r.spanName(it.spans[0])
}

// spanName names a place as one word: the document, and the bytes where it is
// a part of it.
func (r *run) spanName(s span) string {
	if s.whole {
		return word(r.lib.ids[s.doc])
	}
	return fmt.Sprintf("%s@%d-%d", word(r.lib.ids[s.doc]), s.start, s.end)
}

// word writes an id without white space, which run files part columns by.
func word(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, id)
}

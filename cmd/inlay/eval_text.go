package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"inlay/eval"
	"inlay/internal/plural"
)

// How much of the tables a terminal gets; the files have all of it.
const (
	shownDocuments = 5
	shownFailures  = 5
)

// printEvaluation shows a report to a person: what is recommended and what that
// does, in sentences; then the tables behind it. Use is how to search so.
func printEvaluation(w io.Writer, r *eval.Report, use string) error {
	var b strings.Builder
	printRecommended(&b, r, use)
	printBest(&b, r)
	printSettings(&b, r)
	printKinds(&b, r)
	printDocuments(&b, r)
	printFailures(&b, r)
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "note: %s\n", warning)
	}
	s := r.Set
	fmt.Fprintf(&b, "%s: %s, %s (%d answerable, %d not); %d parsed, %d embedded, %d searched now, in %.1f s\n",
		s.Name, plural.Of(s.Documents, "document"), plural.Of(s.Questions, "question"), s.Answerable, s.Unanswerable,
		r.ParsedNow, r.EmbeddedNow, r.RankedNow, r.ElapsedMillis/1000)
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

// printRecommended says what to use.
func printRecommended(b *strings.Builder, r *eval.Report, use string) {
	rec := r.Recommended
	fmt.Fprintf(b, "Recommended: cite at most %s with an affinity above %g, from chunks of %s tokens, searched with %s.\n",
		plural.Of(rec.Limit, "passage"), rec.Threshold, rec.Chunk, rec.Search())
	if r.Set.Answerable > 0 {
		nothing, wrong := rec.Silent, 1-rec.HitRate-rec.Silent
		fmt.Fprintf(b, "Of 100 questions that the documents answer, %.0f then get a right passage, %.0f only wrong ones, %.0f nothing.\n",
			100*rec.HitRate, 100*wrong, 100*nothing)
	}
	if r.Set.Unanswerable > 0 {
		fmt.Fprintf(b, "Of 100 questions that they do not answer, %.0f get something all the same.\n", 100*rec.False)
	}
	fmt.Fprintf(b, "A question takes %.0f tokens of passages on average.\n\n", rec.Tokens)
	by := aimName(rec)
	if by == "cost" {
		by += fmt.Sprintf(" (%g for a miss, %g for passages in vain, %g for 1,000 tokens)", r.Cost.Miss, r.Cost.False, r.Cost.Tokens)
	}
	fmt.Fprintf(b, "Chosen by %s: %.3f (%.3f to %.3f in 95 of 100 draws of such questions).", by, rec.Score, rec.ScoreRange[0], rec.ScoreRange[1])
	if rec.Folds > 0 {
		fmt.Fprintf(b, " On questions it was not chosen by: %.3f (%d-fold cross-validation).", rec.HeldOutScore, rec.Folds)
	}
	if low, high := rec.ThresholdRange[0], rec.ThresholdRange[1]; low < high {
		fmt.Fprintf(b, " Other questions could have led to thresholds from %g to %g.\n", low, high)
	} else {
		b.WriteString("\n")
	}
	for _, o := range r.Others {
		fmt.Fprintf(b, "By %s it would be limit %d, threshold %g, chunks of %s, %s: right passage %.0f %%, precision %.2f, %.0f tokens.\n",
			aimName(o), o.Limit, o.Threshold, o.Chunk, o.Search(), 100*o.HitRate, o.Precision, o.Tokens)
	}
	fmt.Fprintf(b, "To use it: %s\n\n", use)
}

// table lays out rows in columns: the first to the left, the others to the
// right.
func table(b *strings.Builder, header string, rows [][]string) {
	rows = append([][]string{strings.Split(header, "|")}, rows...)
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line = cell + space
			} else {
				line += "  " + space + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("\n")
}

func share(x float64) string { return fmt.Sprintf("%.3f", x) }

// printBest shows the best threshold of each setting and limit.
func printBest(b *strings.Builder, r *eval.Report) {
	var rows [][]string
	for _, p := range r.Best {
		s, mark := r.Settings[p.Setting], ""
		if p.Setting == r.Recommended.Setting && p.Limit == r.Recommended.Limit {
			mark = "*"
		}
		inVain := "-"
		if r.Set.Unanswerable > 0 {
			inVain = share(p.False)
		}
		rows = append(rows, []string{
			s.Search(), s.Chunk, fmt.Sprint(p.Limit), fmt.Sprintf("%g", p.Threshold), share(p.Precision), share(p.Recall), share(p.F1),
			share(p.HitRate), share(p.MRR), share(p.NDCG10), share(p.Silent), inVain, fmt.Sprintf("%.0f", p.Tokens), mark,
		})
	}
	fmt.Fprintf(b, "The best threshold for each limit, by %s (silent: answerable and got nothing; false: unanswerable and got something)\n", aimName(r.Recommended))
	table(b, "embedder|chunk|limit|threshold|precision|recall|F1|hit rate|MRR|nDCG@10|silent|false|tokens|", rows)
}

// printSettings judges the rankings, before limit and threshold.
func printSettings(b *strings.Builder, r *eval.Report) {
	var rows [][]string
	for _, s := range r.Settings {
		x := s.Ranking
		auroc := "-"
		if r.Set.Answerable > 0 && r.Set.Unanswerable > 0 {
			auroc = share(x.AUROC)
		}
		rows = append(rows, []string{
			s.Search(), s.Chunk, fmt.Sprint(s.Chunks), fmt.Sprintf("%.4f", x.NDCG10), fmt.Sprintf("%.4f", x.MRR10),
			share(x.Recall5), share(x.Recall10), share(x.Recall100), auroc, fmt.Sprintf("%.1f", s.IndexMillis/1000), fmt.Sprintf("%.1f", s.SearchMillis),
		})
	}
	b.WriteString("Rankings, whatever the limit and the threshold (AUROC: how well affinity tells answerable questions from others)\n")
	table(b, "embedder|chunk|chunks|nDCG@10|MRR@10|R@5|R@10|R@100|AUROC|index s|ms a question", rows)
}

func printKinds(b *strings.Builder, r *eval.Report) {
	if len(r.Kinds) == 0 {
		return
	}
	var rows [][]string
	for _, k := range r.Kinds {
		row := []string{oneLine(k.Kind), fmt.Sprint(k.Answerable + k.Unanswerable), "-", "-", "-", share(k.Affinity)}
		if k.Answerable > 0 {
			row[2], row[3] = share(k.HitRate), share(k.Silent)
		}
		if k.Unanswerable > 0 {
			row[4] = share(k.False)
		}
		rows = append(rows, row)
	}
	b.WriteString("By kind of question, with the recommended settings\n")
	table(b, "kind|questions|hit rate|silent|false|affinity", rows)
}

// printDocuments shows the documents that lose the most.
func printDocuments(b *strings.Builder, r *eval.Report) {
	bad := slices.DeleteFunc(slices.Clone(r.Documents), func(d eval.DocumentRow) bool {
		return d.Error == "" && d.Questions == d.Hits && d.Wrong == 0
	})
	slices.SortStableFunc(bad, func(x, y eval.DocumentRow) int {
		return cmp.Or(cmp.Compare(len(y.Error), len(x.Error)), cmp.Compare(y.Questions-y.Hits, x.Questions-x.Hits), cmp.Compare(y.Wrong, x.Wrong))
	})
	if len(bad) == 0 {
		return
	}
	var rows [][]string
	for _, d := range bad[:min(shownDocuments, len(bad))] {
		rows = append(rows, []string{oneLine(d.Document), fmt.Sprint(d.Questions), fmt.Sprint(d.Questions - d.Hits), fmt.Sprint(d.Wrong), fmt.Sprint(d.Chunks)})
	}
	fmt.Fprintf(b, "Documents that lose most (%d of %d)\n", len(rows), len(r.Documents))
	table(b, "document|questions|missed|cited in vain|chunks", rows)
	for _, d := range bad {
		if d.Error != "" {
			fmt.Fprintf(b, "not read: %s\n", oneLine(d.Error))
		}
	}
}

// printFailures shows some questions that failed, with what they got.
func printFailures(b *strings.Builder, r *eval.Report) {
	if r.FailuresInAll == 0 {
		return
	}
	fmt.Fprintf(b, "Questions that failed (%d of %d; --json and --html show %d)\n", min(shownFailures, len(r.Failures)), r.FailuresInAll, len(r.Failures))
	for _, f := range r.Failures[:min(shownFailures, len(r.Failures))] {
		fmt.Fprintf(b, "  %s: %s\n    %s\n", oneLine(f.Question), short(f.Text), failureReason(f))
		for _, e := range f.Expected[:min(1, len(f.Expected))] {
			fmt.Fprintf(b, "    expected  %s\n", foundLine(e))
		}
		for _, c := range f.Cited[:min(1, len(f.Cited))] {
			fmt.Fprintf(b, "    found     %s\n", foundLine(c))
		}
	}
	b.WriteString("\n")
}

func failureReason(f eval.Failure) string {
	switch f.Reason {
	case eval.BelowThreshold:
		return fmt.Sprintf("the expected passage is at rank %d with an affinity of %.3f, too low", f.Best.Rank, f.Best.Affinity)
	case eval.BelowLimit:
		return fmt.Sprintf("the expected passage is at rank %d (affinity %.3f), behind others", f.Best.Rank, f.Best.Affinity)
	case eval.Unreadable:
		return "the expected document could not be read"
	case eval.ShouldBeSilent:
		return "the documents do not answer it, and something was cited"
	default:
		return "the expected passage was not found at all"
	}
}

// foundLine is one passage on one line.
func foundLine(f eval.Found) string {
	place := f.Document
	if f.Page > 0 {
		place += fmt.Sprintf(", page %d", f.Page)
	}
	if f.LineStart > 0 {
		place += fmt.Sprintf(", lines %d-%d", f.LineStart, f.LineEnd)
	}
	if f.Affinity > 0 {
		place += fmt.Sprintf(", affinity %.3f", f.Affinity)
	}
	return oneLine(place) + ": " + short(f.Excerpt)
}

// short is the beginning of a text, on one line.
func short(text string) string { return clip(oneLine(strings.Join(strings.Fields(text), " ")), 100) }

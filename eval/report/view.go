package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"inlay/eval"
)

// What a page holds at most; the rest is counted.
const (
	mostDocuments = 200
	mostFailures  = 300
)

// view is what the page's template is filled with.
type view struct {
	*eval.Report
	Style         template.CSS
	Setting       eval.Setting // the recommended one
	Charts        []chart
	Compared      []compared
	Rows          []eval.DocumentRow
	RowsLeft      int // documents without a row
	Shown         []eval.Failure
	ShownLeft     int // failures that are not shown
	HasUnanswered bool
}

// compared is the best point of a setting and limit by the recommendation's aim.
type compared struct {
	Of eval.Setting
	eval.Point
	Chosen bool
}

func newView(rep *eval.Report) (*view, error) {
	v := &view{Report: rep, Style: template.CSS(style), HasUnanswered: rep.Set.Unanswerable > 0}
	if r := rep.Recommended; r.Setting < len(rep.Settings) {
		v.Setting = rep.Settings[r.Setting]
	}
	var err error
	if v.Charts, err = charts(rep); err != nil {
		return nil, err
	}
	v.Compared = compare(rep)
	v.Rows, v.RowsLeft = documents(rep.Documents)
	v.Shown = rep.Failures[:min(mostFailures, len(rep.Failures))]
	v.ShownLeft = max(rep.FailuresInAll, len(rep.Failures)) - len(v.Shown)
	return v, nil
}

// compare lists every setting and limit at its best threshold.
func compare(rep *eval.Report) []compared {
	var rows []compared
	r := rep.Recommended
	for _, p := range rep.Best {
		rows = append(rows, compared{rep.Settings[p.Setting], p, p.Setting == r.Setting && p.Limit == r.Limit})
	}
	return rows
}

// documents returns the rows that say most: unreadable documents, then those
// of which most was missed or cited in vain, then by name.
func documents(all []eval.DocumentRow) (rows []eval.DocumentRow, left int) {
	rows = slices.Clone(all)
	trouble := func(d eval.DocumentRow) int { return d.Questions - d.Hits + d.Wrong }
	slices.SortStableFunc(rows, func(a, b eval.DocumentRow) int {
		return cmp.Or(-cmp.Compare(min(len(a.Error), 1), min(len(b.Error), 1)),
			-cmp.Compare(trouble(a), trouble(b)), -cmp.Compare(a.Questions, b.Questions), cmp.Compare(a.Document, b.Document))
	})
	n := min(mostDocuments, len(rows))
	return rows[:n], len(rows) - n
}

func functions() template.FuncMap {
	return template.FuncMap{
		"share":   share,
		"number":  func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) },
		"round":   func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) },
		"seconds": func(millis float64) float64 { return millis / 1000 },
		"count":   count,
		"place":   place,
		"reason":  reason,
		"points":  func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) },
	}
}

// share is a share as a percentage.
func share(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + "\u202f%" }

// count is a number with its noun: "1 question", "2 questions".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// place says where in its document a passage is.
func place(f eval.Found) string {
	var parts []string
	if f.Page > 0 {
		parts = append(parts, fmt.Sprintf("page %d", f.Page))
	}
	switch {
	case f.LineStart > 0 && f.LineEnd > f.LineStart:
		parts = append(parts, fmt.Sprintf("lines %d–%d", f.LineStart, f.LineEnd))
	case f.LineStart > 0:
		parts = append(parts, fmt.Sprintf("line %d", f.LineStart))
	}
	return strings.Join(parts, ", ")
}

// reason is why a question failed, for a reader.
func reason(r eval.Reason) string {
	switch r {
	case eval.BelowThreshold:
		return "found, but its affinity is too low"
	case eval.BelowLimit:
		return "found, but other passages stand before it"
	case eval.NotFound:
		return "not found"
	case eval.Unreadable:
		return "its document could not be read"
	case eval.ShouldBeSilent:
		return "nothing answers it, and something was cited"
	default:
		return string(r)
	}
}

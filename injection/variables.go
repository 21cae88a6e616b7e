package injection

import (
	"math"
	"strings"

	"inlay/chat"
)

// Prefix is the namespace of this preprocessor's variables.
const Prefix = "preprocess.files."

// variables are the result as flat dotted keys (INJ-19). Lists hold strings or
// maps, numbers are numbers.
func (r Result) variables(b built) map[string]any {
	names, paths, warnings := []any{}, []any{}, []any{}
	for _, f := range r.Files {
		names = append(names, f.Name)
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	for _, w := range r.Warnings {
		warnings = append(warnings, w.Message)
	}
	for _, f := range r.Failures {
		warnings = append(warnings, f.File+": "+f.Reason)
	}
	return map[string]any{
		Prefix + "strategy": string(r.Strategy), Prefix + "prompt": r.Prompt, Prefix + "context": r.Context, Prefix + "content": fullText(b),
		Prefix + "citations": citationList(r.Citations), Prefix + "citations_text": citationsText(r.Citations), Prefix + "citation_count": len(r.Citations),
		Prefix + "query": r.Query, Prefix + "reason": r.Reason, Prefix + "threshold": r.Threshold, Prefix + "limit": r.Limit,
		Prefix + "tokens.files": r.Decision.Files.N, Prefix + "tokens.files_method": r.Decision.Files.Method.String(), Prefix + "tokens.prompt": r.Decision.Prompt.N,
		Prefix + "tokens.available": r.Decision.Available, Prefix + "tokens.used": r.Used.N,
		Prefix + "window.length": r.Decision.Window.Length.N, Prefix + "window.in_context": r.Decision.Window.InContext.N,
		Prefix + "window.remaining": r.Decision.Window.Remaining, Prefix + "window.occupied_percent": r.Decision.Window.OccupiedPercent,
		Prefix + "names": names, Prefix + "paths": paths, Prefix + "count": len(r.Files), Prefix + "warnings": warnings,
		Prefix + "overview": Overview(r.Files, r.Failures), Prefix + "notes": notesText(r.Notes),
	}
}

// fullText is the text of the files that are whole in the prompt.
func fullText(b built) string {
	texts := make([]string, len(b.whole))
	for i, a := range b.whole {
		texts[i] = a.doc.Text
	}
	return strings.Join(texts, "\n\n")
}

// citationsText is the citations as a reader sees them: number, place, a table's
// header row, text.
func citationsText(citations []chat.Citation) string {
	var b strings.Builder
	for i, c := range citations {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(Cite(c))
		b.WriteString("\n")
		if c.Header != "" {
			b.WriteString(c.Header + "\n")
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

// notesText is the notes as a reader sees them: what they are of, text.
func notesText(made []Note) string {
	parts := make([]string, len(made))
	for i, n := range made {
		parts[i] = n.File + ": " + n.about() + "\n" + n.Text
	}
	return strings.Join(parts, "\n\n")
}

// rangeList is ranges as maps with the keys of their JSON form.
func rangeList(ranges []chat.Range) []any {
	list := make([]any, len(ranges))
	for i, r := range ranges {
		list[i] = map[string]any{"start": r.Start, "end": r.End}
	}
	return list
}

// citationList is the citations as maps with the keys of their JSON form.
func citationList(citations []chat.Citation) []any {
	list := make([]any, len(citations))
	for i, c := range citations {
		m := map[string]any{
			"id": c.ID, "number": c.Number, "text": c.Text, "file": c.File, "file_id": c.FileID,
			"line_start": c.LineStart, "line_end": c.LineEnd, "start": c.Start, "end": c.End,
			"affinity": c.Affinity, "rank": c.Rank,
		}
		for key, value := range map[string]int{
			"page": c.Page, "page_end": c.PageEnd, "slide": c.Slide, "slide_end": c.SlideEnd, "row_start": c.RowStart, "row_end": c.RowEnd,
		} {
			if value > 0 {
				m[key] = value
			}
		}
		for key, value := range map[string]string{
			"sheet": c.Sheet, "part": c.Part, "heading": c.Heading, "header": c.Header, "time_start": c.TimeStart, "time_end": c.TimeEnd,
		} {
			if value != "" {
				m[key] = value
			}
		}
		if len(c.Ranges) > 0 {
			m["ranges"] = rangeList(c.Ranges)
		}
		if c.Rerank != nil {
			m["rerank_score"] = *c.Rerank
		}
		list[i] = m
	}
	return list
}

// below is the largest two-decimal threshold under which an affinity passes.
func below(affinity float64) float64 {
	t := math.Floor(affinity*100) / 100
	if t >= affinity {
		t -= .01
	}
	return max(math.Round(t*100)/100, 0)
}

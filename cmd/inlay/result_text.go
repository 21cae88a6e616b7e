package main

import (
	"fmt"
	"io"
	"strings"

	"inlay/chat"
	"inlay/embed"
	"inlay/injection"
	"inlay/internal/plural"
	"inlay/tokens"
)

// printResult shows a result to a person: the decision with its numbers, the
// sentence why, the files, and each citation with its place and affinity.
func printResult(w io.Writer, r injection.Result) error {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	d := r.Decision
	strategy := string(r.Strategy)
	if r.Strategy != d.Strategy {
		strategy += fmt.Sprintf(" (decided: %s)", d.Strategy)
	}
	if r.DryRun {
		strategy += " (dry run: nothing was searched or built)"
	}
	row("strategy", "%s, %s", strategy, r.ReasonCode)
	row("why", "%s", d.Reason)
	if r.Reason != d.Reason {
		row("", "%s", r.Reason)
	}
	row("window", "%d tokens: %s in context (%.2f %%), %d remaining, %d available at %g",
		d.Window.Length.N, count(d.Window.InContext), d.Window.OccupiedPercent, d.Window.Remaining, d.Available, d.TargetContextUse)
	row("tokens", "files %s, question %s", count(d.Files), count(d.Prompt))
	if r.Used.N > 0 {
		row("", "prompt %s", count(r.Used))
	}
	names := injection.ShownNames(r.Files, nil)
	for i, f := range r.Files {
		if i == mostFiles && len(r.Files) > mostFiles+1 && columnsOf(w) > 0 {
			row("", "and %d more (--output json lists them)", len(r.Files)-i)
			break
		}
		row(only(i == 0, "files"), "%s", describeFile(f, names[i]))
	}
	if d.Strategy == injection.Retrieval {
		row("search", "%s, threshold %.3g, limit %d%s", r.Embedder, r.Threshold, r.Limit, passages(r))
	}
	if r.Query != r.Message.Text && r.Message.Injected != nil && r.Query != r.Message.Injected.Query {
		row("query", "%q", r.Query)
	}
	printCitations(&b, r)
	printProblems(&b, r)
	_, err := io.WriteString(w, fitted(w, printable(b.String())))
	return err
}

// mostFiles is how many files a terminal shows of a result.
const mostFiles = 5

// printable shows control characters of documents and names instead of letting
// a terminal obey them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '\ufffd'
		}
		return r
	}, s)
}

// oneLine keeps a name from looking like several lines of ours.
func oneLine(s string) string { return strings.ReplaceAll(printable(s), "\n", "\ufffd") }

func only(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

func passages(r injection.Result) string {
	if r.DryRun {
		return ""
	}
	return fmt.Sprintf(", %s", plural.Of(r.Passages, "passage"))
}

// count writes a token count with how it was made.
func count(c tokens.Count) string {
	by := ""
	if c.By != "" && c.N > 0 {
		by = " (" + c.By + ")"
	}
	switch c.Method {
	case tokens.AtLeast:
		return fmt.Sprintf("at least %d%s", c.N, by)
	case tokens.Estimated:
		return fmt.Sprintf("about %d%s", c.N, by)
	default:
		return fmt.Sprintf("%d%s", c.N, by)
	}
}

func describeFile(f injection.FileReport, name string) string {
	parts := []string{oneLine(name), string(f.Strategy)}
	switch {
	case f.InContext:
		return oneLine(name) + ", already whole in the conversation"
	case f.Strategy == injection.None && f.Index != nil:
		parts[1] = "searched, no passage taken"
	}
	if f.Coverage.Pages > 0 {
		parts = append(parts, plural.Of(f.Coverage.Pages, "page"))
	}
	if f.Tokens != nil {
		parts = append(parts, count(tokens.Count{N: f.Tokens.N, Method: f.Tokens.Method})+" tokens")
	}
	if f.Index != nil {
		parts = append(parts, plural.Of(f.Index.Chunks, "passage"))
	}
	if f.Index != nil && f.Index.Cached {
		parts = append(parts, fromStore(f.Index))
	}
	return strings.Join(parts, ", ")
}

// fromStore says what work the store saved.
func fromStore(i *injection.IndexReport) string {
	if i.Parsed {
		return "nothing chunked or embedded"
	}
	return "from the store: nothing parsed, chunked or embedded"
}

// hintMeaning says once how to find what is said in other words.
func hintMeaning(b *strings.Builder, r injection.Result) {
	if r.Embedder == embed.BuiltinModel {
		b.WriteString("\nthe built-in embedder compares words; to find other words of the same meaning: ollama pull nomic-embed-text, then --embedder ollama:nomic-embed-text\n")
	}
}

// rerankScore is what a reranker made of a citation, if one read it.
func rerankScore(c chat.Citation) string {
	if c.Rerank == nil {
		return ""
	}
	return fmt.Sprintf(", reranked %.3f", *c.Rerank)
}

func printCitations(b *strings.Builder, r injection.Result) {
	for _, n := range r.Notes {
		fmt.Fprintf(b, "\n%s of %s\n", n.Kind, oneLine(n.File))
		for line := range strings.Lines(n.Text) {
			b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	for _, c := range r.Citations {
		b.WriteString("\n" + oneLine(injection.Cite(c)))
		if r.Coverage == nil {
			fmt.Fprintf(b, ", affinity %.3f%s", c.Affinity, rerankScore(c))
		}
		if c.Heading != "" {
			fmt.Fprintf(b, ", under %q", c.Heading)
		}
		b.WriteString("\n")
		if c.Header != "" {
			b.WriteString("    " + c.Header + "\n")
		}
		for line := range strings.Lines(c.Text) {
			b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	if r.NearMisses == nil {
		return
	}
	defer hintMeaning(b, r)
	if len(r.NearMisses.Best) == 0 {
		b.WriteString("\nno passage comes anywhere near the question\n")
		return
	}
	fmt.Fprintf(b, "\nnearest passages below the threshold of %.3g:\n", r.Threshold)
	for _, c := range r.NearMisses.Best {
		fmt.Fprintf(b, "    %.3f  %s, %s\n", c.Affinity, oneLine(c.File), injection.Where(c))
	}
	for _, a := range r.NearMisses.Admits {
		fmt.Fprintf(b, "    --threshold %.2f would admit %s\n", a.Threshold, plural.Of(a.Passages, "passage"))
	}
}

func printProblems(b *strings.Builder, r injection.Result) {
	if len(r.Warnings)+len(r.Failures) > 0 {
		b.WriteString("\n")
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "warning: %s\n", oneLine(w.Message))
	}
	for _, f := range r.Failures {
		fmt.Fprintf(b, "not read: %s: %s", oneLine(f.File), oneLine(f.Reason))
		if f.Next != "" {
			fmt.Fprintf(b, " (%s)", f.Next)
		}
		b.WriteString("\n")
	}
}

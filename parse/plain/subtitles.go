package plain

import (
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/internal/lazy"
	"inlay/parse"
)

// Subtitles reads subtitles and transcripts with times (.srt, .vtt): what is said,
// without the times. Each stretch of it is a cue whose label is its time; see
// [parse.Place].
func Subtitles(limits parse.Limits) parse.Parser { return subtitleParser{limits} }

type subtitleParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p subtitleParser) Info() parse.Info {
	return parse.Info{
		Name: "subtitles", Version: "1", Library: "inlay/plain",
		MediaTypes: []string{"application/x-subrip", "text/vtt"}, Extensions: []string{".srt", ".vtt"},
	}
}

// cue is what is said from one time to another.
type cue struct {
	from, to float64 // seconds
	label    string
	text     string
}

// Parse implements [parse.Parser].
func (p subtitleParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	d, err := decode(ctx, f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	cues, err := readCues(ctx, d.Text)
	if err != nil {
		return parse.Document{}, err
	}
	if len(cues) == 0 {
		return parse.Document{}, &fault.Error{Code: fault.Corrupt, Reason: "it has no cue with a time", Next: "export the subtitles again, or attach it as .txt"}
	}
	report.Tell(.5)
	d.Text, d.Sections = layCues(cues)
	if strings.HasPrefix(strings.TrimLeft(string(f.Data[:min(len(f.Data), 16)]), "\ufeff"), "WEBVTT") {
		d.MediaType = "text/vtt"
	}
	return d, ctx.Err()
}

// timing is a cue's line of times; hours may be missing.
var timing = lazy.Regexp(`^\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})\s*-->\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})`)

// readCues finds the cues of a file. Notes and styles have no times.
func readCues(ctx context.Context, text string) ([]cue, error) {
	var cues []cue
	open := false
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line = strings.TrimRight(line, "\r")
		m := timing().FindStringSubmatch(line)
		switch {
		case m != nil:
			from, to := seconds(m[1]), seconds(m[2])
			cues = append(cues, cue{from: from, to: to, label: clock(from) + "-" + clock(to)})
			open = true
		case strings.TrimSpace(line) == "":
			open = false
		case open:
			if said := strip(line); said != "" {
				last := &cues[len(cues)-1]
				last.text = strings.TrimSpace(last.text + "\n" + said)
			}
		}
	}
	return cues, nil
}

// seconds reads "1:02:03,400" or "02:03.400".
func seconds(s string) float64 {
	total := 0.0
	for part := range strings.SplitSeq(strings.ReplaceAll(s, ",", "."), ":") {
		n, _ := strconv.ParseFloat(part, 64) // the expression lets numbers through only
		total = total*60 + n
	}
	return total
}

// clock writes whole seconds as "0:01:02".
func clock(at float64) string {
	s := int64(at)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// voice is the mark of who speaks.
var voice = lazy.Regexp(`<v(?:\.[^\s>]*)?\s+([^>]+)>`)

// mark is any other mark in a cue: <i>, <c.blue>, <00:01.000>, {\an8}.
var mark = lazy.Regexp(`</?[a-zA-Z0-9][^>]*>|\{\\[^}]*\}`)

// strip drops a cue's marks; who speaks is kept.
func strip(line string) string {
	line = voice().ReplaceAllString(line, "$1: ")
	return strings.TrimSpace(html.UnescapeString(mark().ReplaceAllString(line, "")))
}

// paragraphPause is the silence in seconds that begins a new paragraph.
const paragraphPause = 3

// paragraphCues is the most cues of a paragraph.
const paragraphCues = 20

// layCues joins cues to paragraphs, each cue a line. A cue that repeats the one
// before, as rolling captions do, is said once.
func layCues(cues []cue) (text string, sections []parse.Section) {
	var b strings.Builder
	start, n := 0, 0
	last := cue{}
	flush := func() {
		if b.Len() > start {
			sections = append(sections, parse.Section{Kind: parse.Paragraph, Start: start, End: b.Len()})
		}
		n = 0
	}
	for _, c := range cues {
		said := c.text
		if rest, rolled := strings.CutPrefix(said, last.text); last.text != "" && rolled {
			said = strings.TrimSpace(rest)
		}
		if said == "" {
			last.to = max(last.to, c.to)
			continue
		}
		switch {
		case b.Len() == 0:
		case c.from-last.to >= paragraphPause || n >= paragraphCues:
			flush()
			b.WriteString("\n\n")
			start = b.Len()
		default:
			b.WriteByte('\n')
		}
		sections = append(sections, parse.Section{Kind: parse.Cue, Label: c.label, Start: b.Len(), End: b.Len() + len(said)})
		b.WriteString(said)
		n++
		last = c
	}
	flush()
	parse.SortSections(sections)
	return b.String(), sections
}

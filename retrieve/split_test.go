package retrieve_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
)

func document(text string, sections ...parse.Section) parse.Document {
	return parse.Document{FileID: "file-1", Name: "a.md", Text: text, Sections: sections}
}

// count is what a measure says of a whole text.
func count(m retrieve.Measure, text string) (n int) {
	for _, total := range m.Walk(text) {
		n = total
	}
	return n
}

// checkChunks fails unless the chunks are what Split promises for any document.
func checkChunks(t *testing.T, s retrieve.Splitter, m retrieve.Measure, d parse.Document, chunks []retrieve.Chunk) {
	t.Helper()
	edges := graphemeEdges(d.Text)
	covered, before, ids := 0, -1, map[string]bool{}
	for i, c := range chunks {
		require.Equal(t, d.Text[c.Start:c.End], c.Text)
		require.Equal(t, d.FileID, c.FileID)
		require.True(t, edges[c.Start] && edges[c.End], "chunk %d [%d:%d] cuts a grapheme", i, c.Start, c.End)
		require.Greater(t, c.Start, before)
		require.Greater(t, c.End, covered)
		if c.Start > covered {
			require.Empty(t, strings.TrimSpace(d.Text[covered:c.Start]), "text left out")
		}
		require.NotEmpty(t, strings.TrimSpace(c.Text))
		require.Equal(t, count(m, c.Text), c.Tokens, "chunk %d [%d:%d]", i, c.Start, c.End)
		if c.Tokens > s.Size {
			require.Equal(t, 1, graphemeCount(c.Text), "chunk %d [%d:%d] has %d tokens", i, c.Start, c.End, c.Tokens)
		}
		if c.Start < covered {
			require.LessOrEqual(t, count(m, d.Text[c.Start:covered]), s.Overlap)
		}
		if c.Header != "" {
			require.LessOrEqual(t, c.Tokens+count(m, c.Header), s.Size)
		}
		require.False(t, ids[c.ID])
		covered, before, ids[c.ID] = c.End, c.Start, true
	}
	require.Empty(t, strings.TrimSpace(d.Text[covered:]), "text left out")
}

func graphemeEdges(text string) map[int]bool {
	edges := map[int]bool{0: true}
	for it := graphemes.FromString(text); it.Next(); {
		edges[it.End()] = true
	}
	return edges
}

func graphemeCount(text string) (n int) {
	for it := graphemes.FromString(text); it.Next(); {
		n++
	}
	return n
}

// Hostile and odd texts.
func oddTexts() map[string]string {
	return map[string]string{
		"empty":             "",
		"one letter":        "a",
		"white space":       " \n\t\n  ",
		"leading space":     "\n\n   first\n\n\n",
		"letters":           strings.Repeat("a", 20_000),
		"spaces":            "start" + strings.Repeat(" ", 20_000) + "end",
		"newlines":          "start" + strings.Repeat("\n", 20_000) + "end",
		"no line break":     strings.Repeat("word and more ", 2_000),
		"short lines":       strings.Repeat("a\n", 5_000),
		"carriage returns":  strings.Repeat("line one\r\nline two\r", 500),
		"table row":         "|" + strings.Repeat(" cell |", 3_000),
		"ideographs":        strings.Repeat("漢字仮名交じり文である。", 500),
		"no punctuation":    strings.Repeat("漢字", 3_000),
		"families":          strings.Repeat("👨‍👩‍👧‍👦", 300),
		"flags":             strings.Repeat("🇩🇪", 1_000),
		"marks":             "a" + strings.Repeat("\u0301", 5_000) + " b" + strings.Repeat(" \u0301", 2_000),
		"conjuncts":         strings.Repeat("क्षत्रिय ", 500),
		"thai":              strings.Repeat("ภาษาไทยไม่มีช่องว่าง", 200),
		"hangul":            strings.Repeat("한국어 문장입니다. ", 300),
		"dots":              strings.Repeat(". ", 5_000),
		"numbers":           strings.Repeat("1.2.3 ", 3_000),
		"arabic":            strings.Repeat("هذه جملة قصيرة. ", 300),
		"base64":            strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0", 500),
		"nul":               strings.Repeat("\x00", 5_000),
		"invalid":           strings.Repeat("a\xff\xfe", 2_000),
		"unicode space":     strings.Repeat("全角　空白\u00a0nbsp\u2028", 500),
		"quoted":            strings.Repeat("\"Is it?\" he asked. ", 500),
		"prepended":         strings.Repeat("\u0600123 ", 500),
		"indented":          strings.Repeat("func a() {\n\tx := 1\n\n\treturn x\n}\n", 300),
		"keycaps":           strings.Repeat("1\ufe0f\u20e3", 500),
		"zero width joiner": strings.Repeat("a\u200d b\u200c ", 800),
	}
}

func TestSplitKeepsItsPromisesOnAnyText(t *testing.T) {
	for name, text := range oddTexts() {
		t.Run(name, func(t *testing.T) {
			for _, s := range []retrieve.Splitter{
				{Size: 1}, {Size: 2, Overlap: 1}, {Size: 7, Overlap: 3}, {Size: 64, Overlap: 16}, {Size: 512, Overlap: 100},
			} {
				s.Measure = retrieve.Words{}
				d := document(text[:min(len(text), 300*s.Size)])
				checkChunks(t, s, retrieve.Words{}, d, s.Split(d))
			}
		})
	}
}

// randomDocument strings together pieces of the odd texts and marks random
// ranges as sections.
func randomDocument(r *rand.Rand) parse.Document {
	pieces := []string{
		"word ", "A sentence. ", "line\n", "\n\n", "# Heading\n", "- item\n", "| a | b |\n", "漢字。", "👨‍👩‍👧", "e\u0301",
		"longword" + strings.Repeat("x", 40), "    ", "\r\n", "🇩🇪", "1. first\n", "func f() {}\n", "क्ष", "\u00a0", "\xff",
	}
	var b strings.Builder
	for range r.IntN(400) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	text := b.String()
	kinds := []parse.Kind{parse.Page, parse.Heading, parse.Paragraph, parse.List, parse.Table, parse.Code, parse.Sheet}
	d := document(text)
	for range r.IntN(12) {
		start := r.IntN(len(text) + 1)
		d.Sections = append(d.Sections, parse.Section{
			Kind: kinds[r.IntN(len(kinds))], Label: "L", Level: r.IntN(4), Start: start, End: start + r.IntN(len(text)-start+2),
		})
	}
	return d
}

func TestSplitKeepsItsPromisesOnAnyDocument(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := randomDocument(r)
		s := retrieve.Splitter{Size: 1 + r.IntN(80), Measure: retrieve.Words{}}
		s.Overlap = r.IntN(s.Size/2 + 1)
		chunks := s.Split(d)
		checkChunks(t, s, retrieve.Words{}, d, chunks)
		require.Equal(t, chunks, s.Split(d), "the same again")
	}
}

// The time for a text must grow as the text does. Counting what the measure is
// asked to walk shows it without a clock.
func TestSplitIsLinear(t *testing.T) {
	for name, text := range map[string]string{
		"letters": strings.Repeat("a", 1<<20),
		"spaces":  strings.Repeat(" ", 1<<20),
		"row":     "|" + strings.Repeat(" cell |", 1<<17),
		"prose":   strings.Repeat("Some words stand here. ", 1<<15),
		"marks":   "a" + strings.Repeat("\u0301", 1<<19),
	} {
		t.Run(name, func(t *testing.T) {
			m := &meter{}
			retrieve.Splitter{Size: 512, Overlap: 100, Measure: m}.Split(document(text))
			require.Less(t, m.bytes.Load(), int64(8*len(text)), "bytes measured")
		})
	}
}

// meter is Words that counts the bytes it was given.
type meter struct {
	retrieve.Words
	bytes atomic.Int64
}

func (m *meter) Walk(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for pos, total := range m.Words.Walk(text) {
			if !yield(pos, total) {
				m.bytes.Add(int64(pos))
				return
			}
		}
		m.bytes.Add(int64(len(text)))
	}
}

func TestSplitterSettings(t *testing.T) {
	for text, want := range map[string]retrieve.Splitter{
		"rag-v1":  {Size: 512, Overlap: 100},
		"256/50":  {Size: 256, Overlap: 50},
		"1024":    {Size: 1024},
		"1024/0":  {Size: 1024},
		"default": {Size: retrieve.DefaultSize, Overlap: retrieve.DefaultOverlap},
	} {
		got, err := retrieve.ParseSplitter(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "/", "512/", "0", "0/0", "-1", "100/51", "100/-1", "512/100/1", "1e3"} {
		_, err := retrieve.ParseSplitter(text)
		require.Equal(t, fault.Usage, fault.CodeOf(err), "%q: %v", text, err)
	}
	require.NoError(t, retrieve.Splitter{}.Validate())
	text := document(strings.Repeat("One two three four five. ", 400))
	require.Equal(t, retrieve.Splitter{Size: 100, Overlap: 50, Measure: retrieve.Words{}}.Split(text), retrieve.Splitter{Size: 100, Overlap: 90, Measure: retrieve.Words{}}.Split(text))
	require.NotEmpty(t, retrieve.Splitter{Size: -5, Overlap: -1, Measure: retrieve.Words{}}.Split(text))
}

func TestFingerprintTellsChunkingsApart(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []retrieve.Splitter{{Size: 512}, {Size: 512, Overlap: 100}, {Size: 100, Overlap: 5}, {Size: 51, Overlap: 2}, {Size: 512, Measure: runes{}}} {
		require.False(t, seen[s.Fingerprint()], s.Fingerprint())
		seen[s.Fingerprint()] = true
	}
	require.Equal(t, retrieve.Splitter{Size: retrieve.DefaultSize, Overlap: retrieve.DefaultOverlap}.Fingerprint(), retrieve.Splitter{}.Fingerprint())
}

// runes is a measure whose every rune is a token.
type runes struct{}

func (runes) Name() string { return "runes" }

func (runes) Walk(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		n := 0
		for i, r := range text {
			n++
			size := utf8.RuneLen(r)
			if r == utf8.RuneError {
				_, size = utf8.DecodeRuneInString(text[i:])
			}
			if !yield(i+size, n) {
				return
			}
		}
	}
}

func TestIDsAreStableAndDiffer(t *testing.T) {
	s := retrieve.Splitter{Size: 20, Measure: retrieve.Words{}}
	d := document(strings.Repeat("One two three four five. ", 40))
	first := s.Split(d)
	require.Equal(t, first, s.Split(d))
	other := d
	other.FileID = "file-2"
	for i, c := range s.Split(other) {
		require.NotEqual(t, first[i].ID, c.ID)
		require.Len(t, c.ID, len("chunk-")+24)
	}
}

// texts is what the chunks hold, one a line, for comparing by eye.
func texts(chunks []retrieve.Chunk) []string {
	var out []string
	for _, c := range chunks {
		out = append(out, fmt.Sprintf("%s|%s|%s", c.Heading, c.Header, strings.TrimRightFunc(c.Text, unicode.IsSpace)))
	}
	return out
}

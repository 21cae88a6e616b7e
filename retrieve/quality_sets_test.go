package retrieve

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// qualitySet is one evaluation set in BEIR's layout.
type qualitySet struct {
	name    string
	docs    []parse.Document
	ids     map[string]string // file id to the set's document id
	queries []qualityQuery
	qrels   map[string]map[string]bool
	cuts    Chunker // where the set brings its own chunks; nil otherwise
	chunkID func(Chunk) string
}

type qualityQuery struct {
	ID       string `json:"_id"`
	Text     string `json:"text"`
	Metadata struct {
		Corpus     string `json:"corpus_id"`
		References []struct {
			Start int `json:"bstart"`
			End   int `json:"bend"`
		} `json:"references"`
	} `json:"metadata"`
}

func jsonLines[T any](tb testing.TB, path string) []T {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	var all []T
	for lines.Scan() {
		var v T
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &v), path)
		all = append(all, v)
	}
	require.NoError(tb, lines.Err())
	return all
}

func readQrels(tb testing.TB, path string) map[string]map[string]bool {
	tb.Helper()
	data, err := os.ReadFile(path)
	require.NoError(tb, err)
	rel := map[string]map[string]bool{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] == "score" || f[2] == "0" {
			continue
		}
		if rel[f[0]] == nil {
			rel[f[0]] = map[string]bool{}
		}
		rel[f[0]][f[1]] = true
	}
	return rel
}

// loadQuality reads a set: each of its documents is a file whose title, where
// the text does not begin with it, is above the text as a heading.
func loadQuality(tb testing.TB, name string) *qualitySet {
	tb.Helper()
	dir := refdata.Path(tb, "retrieval", name)
	s := &qualitySet{
		name: name, ids: map[string]string{}, queries: jsonLines[qualityQuery](tb, filepath.Join(dir, "queries.jsonl")),
		qrels: readQrels(tb, filepath.Join(dir, "qrels.tsv")),
	}
	type line struct {
		ID       string `json:"_id"`
		Title    string `json:"title"`
		Text     string `json:"text"`
		Metadata struct {
			Doc string `json:"doc_id"`
		} `json:"metadata"`
	}
	lines := jsonLines[line](tb, filepath.Join(dir, "corpus.jsonl"))
	if name == "codebase-qa" {
		given := &givenChunks{byFile: map[string][]Chunk{}}
		for _, l := range lines {
			given.append(l.Metadata.Doc, l.ID, l.Text)
		}
		s.docs, s.cuts = given.docs, given
		s.chunkID = func(c Chunk) string { return c.ID }
		return s
	}
	for _, l := range lines {
		text := l.Text
		if l.Title != "" && !strings.HasPrefix(text, l.Title) && name != "chunking-eval" {
			text = l.Title + "\n\n" + text
		}
		d := parse.Document{FileID: l.ID, Name: l.ID, Parser: "set/1", Text: text}
		if l.Title != "" && name != "chunking-eval" {
			d.Sections = []parse.Section{{Kind: parse.Heading, Label: l.Title, Level: 1, End: len(text)}}
		}
		s.docs = append(s.docs, d)
	}
	s.chunkID = func(c Chunk) string { return c.FileID }
	return s
}

// givenChunks is a Chunker for sets whose answers are chunks of their own.
type givenChunks struct {
	docs   []parse.Document
	byFile map[string][]Chunk
}

func (g *givenChunks) append(file, id, text string) {
	if len(g.byFile[file]) == 0 {
		g.docs = append(g.docs, parse.Document{FileID: file, Name: file, Parser: "set/1"})
	}
	d := &g.docs[len(g.docs)-1]
	start := len(d.Text)
	d.Text += text + "\n"
	g.byFile[file] = append(g.byFile[file], Chunk{ID: id, FileID: file, Start: start, End: start + len(text), Text: text})
}

func (g *givenChunks) Split(d parse.Document) []Chunk { return g.byFile[d.FileID] }

func (g *givenChunks) Fingerprint() string { return "given" }

// noneCase is a case of none-set: one document and one question.
type noneCase struct {
	ID       string   `json:"_id"`
	Label    string   `json:"label"`
	Kind     string   `json:"kind"`
	Question string   `json:"question"`
	Doc      string   `json:"doc"`
	Gold     [][2]int `json:"gold"` // runes
}

func loadNone(tb testing.TB) (cases []noneCase, docs map[string]parse.Document) {
	tb.Helper()
	root := refdata.Path(tb, "retrieval")
	cases = jsonLines[noneCase](tb, filepath.Join(root, "none-set", "cases.jsonl"))
	docs = map[string]parse.Document{}
	for _, c := range cases {
		if _, ok := docs[c.Doc]; ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, c.Doc))
		require.NoError(tb, err)
		require.True(tb, utf8.Valid(data))
		docs[c.Doc] = parse.Document{FileID: c.Doc, Name: filepath.Base(c.Doc), Parser: "set/1", Text: string(data)}
	}
	return cases, docs
}

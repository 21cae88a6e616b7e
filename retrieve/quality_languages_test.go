package retrieve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// BenchmarkLanguages measures paragraphs and articles in eight languages and in
// English: nDCG@10 of the paragraphs, and balanced accuracy of the one default
// threshold, where each article is asked its own questions and those of another.
func BenchmarkLanguages(b *testing.B) {
	for _, lang := range []string{"de", "es", "ru", "tr", "ar", "zh", "hi", "th"} {
		b.Run(lang, func(b *testing.B) {
			s := loadQuality(b, filepath.Join("languages", lang))
			r := qualityRetriever(b, nil)
			corpus, err := r.Prepare(b.Context(), Request{Documents: s.docs})
			require.NoError(b, err)
			dir := refdata.Path(b, "retrieval", "languages", lang)
			cases := jsonLines[noneCase](b, filepath.Join(dir, "cases.jsonl"))
			corpora := preparedFiles(b, r, filepath.Join(dir, "docs"), cases)
			for b.Loop() {
				measureSet(b, s, corpus)
				measureCases(b, r, corpora, cases)
			}
		})
	}
}

// preparedFiles makes each document of the cases searchable by itself.
func preparedFiles(b *testing.B, r *Retriever, dir string, cases []noneCase) map[string]*Corpus {
	b.Helper()
	corpora := map[string]*Corpus{}
	for _, c := range cases {
		if corpora[c.Doc] != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, c.Doc))
		require.NoError(b, err)
		d := parse.Document{FileID: filepath.Join(dir, c.Doc), Name: c.Doc, Parser: "set/1", Text: string(data)}
		corpora[c.Doc], err = r.Prepare(b.Context(), Request{Documents: []parse.Document{d}})
		require.NoError(b, err)
	}
	return corpora
}

// measureCases reports how well affinity parts questions that a document
// answers from others.
func measureCases(b *testing.B, r *Retriever, corpora map[string]*Corpus, cases []noneCase) {
	b.Helper()
	var answerable, others []float64
	for _, c := range cases {
		p, err := corpora[c.Doc].Search(b.Context(), c.Question, DefaultLimit, new(0.0))
		require.NoError(b, err)
		top := 0.0
		for _, cited := range p.Citations {
			top = max(top, cited.Affinity)
		}
		if c.Label == "none" {
			others = append(others, top)
		} else {
			answerable = append(answerable, top)
		}
	}
	reportThreshold(b, answerable, others, r.Profile().Threshold)
}

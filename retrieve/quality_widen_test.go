package retrieve

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// asked is a question with the text or pages that answer it.
type asked struct {
	corpus   *Corpus
	question string
	answered func(Passages) bool
}

// BenchmarkWidening prints, for budgets that cited passages may grow to, the
// share of questions whose answer is among the cited text (of filings: whose
// evidence page is), beside the tokens of what is cited.
func BenchmarkWidening(b *testing.B) {
	sets := map[string][]asked{"filings": askedFilings(b), "chunking-eval": askedExcerpts(b), "covidqa-98": askedAnswers(b, "covidqa-98"), "squad2-dev": askedAnswers(b, "squad2-dev")}
	for b.Loop() {
		for _, name := range []string{"filings", "chunking-eval", "covidqa-98", "squad2-dev"} {
			for _, limit := range []int{DefaultLimit, AutoLimit} {
				for _, budget := range []int{0, 1000, 1500, 2000, 3000, 4000, 6000} {
					if len(sets[name]) == 0 {
						continue
					}
					found, tokens := measureWidening(b, sets[name], limit, budget)
					fmt.Printf("| %s | %d | %d | %.3f | %.0f |\n", name, limit, budget, found, tokens)
				}
			}
		}
	}
}

func measureWidening(b *testing.B, questions []asked, limit, budget int) (found, tokens float64) {
	b.Helper()
	for _, q := range questions {
		p, err := q.corpus.Find(b.Context(), Request{Query: q.question, Limit: limit, Budget: budget})
		require.NoError(b, err)
		if q.answered(p) {
			found++
		}
		for _, c := range p.Citations {
			tokens += float64(newRuler(defaultMeasure(), c.Text, 1).count(0, len(c.Text)))
		}
	}
	n := float64(len(questions))
	return found / n, tokens / n
}

func askedFilings(b *testing.B) []asked {
	b.Helper()
	root := refdata.Path(b, "retrieval", "filings")
	r := qualityRetriever(b, nil)
	corpora := map[string]*Corpus{}
	var all []asked
	for _, q := range jsonLines[filing](b, filepath.Join(root, "questions.jsonl")) {
		if corpora[q.Doc] == nil {
			c, err := r.Prepare(b.Context(), Request{Documents: []parse.Document{parsedPDF(b, filepath.Join(root, q.Doc))}})
			require.NoError(b, err)
			corpora[q.Doc] = c
		}
		c := corpora[q.Doc]
		all = append(all, asked{c, q.Question, func(p Passages) bool { return onPage(citedPages(c, p), q.Pages) > 0 }})
	}
	return all
}

// askedExcerpts are the questions of chunking-eval, answered by every excerpt.
func askedExcerpts(b *testing.B) []asked {
	b.Helper()
	s := loadQuality(b, "chunking-eval")
	r := qualityRetriever(b, nil)
	corpora := map[string]*Corpus{}
	var all []asked
	for _, d := range s.docs {
		c, err := r.Prepare(b.Context(), Request{Documents: []parse.Document{d}})
		require.NoError(b, err)
		corpora[d.FileID] = c
	}
	for i, q := range s.queries {
		if i >= min(queryLimit(), 150) {
			break
		}
		all = append(all, asked{corpora[q.Metadata.Corpus], q.Text, func(p Passages) bool {
			for _, ref := range q.Metadata.References {
				inside := false
				for _, c := range p.Citations {
					inside = inside || c.Start <= ref.Start && ref.End <= c.End
				}
				if !inside {
					return false
				}
			}
			return true
		}})
	}
	return all
}

// askedAnswers are questions of a set whose documents are asked alone, answered
// by the answer's text.
func askedAnswers(b *testing.B, name string) []asked {
	b.Helper()
	s := loadQuality(b, name)
	texts := map[string]parse.Document{}
	for _, d := range s.docs {
		texts[d.FileID] = d
	}
	type line struct {
		ID       string `json:"_id"`
		Text     string `json:"text"`
		Metadata struct {
			Article string `json:"article"`
			Answers []struct {
				Text string `json:"text"`
			} `json:"answers"`
		} `json:"metadata"`
	}
	r := qualityRetriever(b, nil)
	var all []asked
	for i, q := range jsonLines[line](b, refdata.Path(b, "retrieval", name, "queries.jsonl")) {
		if len(all) >= min(queryLimit(), 150) {
			break
		}
		if i%7 > 0 || len(q.Metadata.Answers) == 0 {
			continue
		}
		for id := range s.qrels[q.ID] {
			if q.Metadata.Article != "" {
				id = q.Metadata.Article
				data, err := os.ReadFile(refdata.Path(b, "retrieval", name, "docs", id+".txt"))
				require.NoError(b, err)
				texts[id] = parse.Document{FileID: id, Name: id, Parser: "set/1", Text: string(data)}
			}
			c, err := r.Prepare(b.Context(), Request{Documents: []parse.Document{texts[id]}})
			require.NoError(b, err)
			all = append(all, asked{c, q.Text, func(p Passages) bool {
				for _, c := range p.Citations {
					for _, a := range q.Metadata.Answers {
						if cmp.Or(a.Text, "\x00") != "\x00" && strings.Contains(c.Text, a.Text) {
							return true
						}
					}
				}
				return false
			}})
			break
		}
	}
	return all
}

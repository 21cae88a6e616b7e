// Package comparesplit measures inlay's splitter beside langchaingo's, on the
// same text with the same vocabulary. It is a module of its own so that inlay
// does not depend on what it is compared with.
package comparesplit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	tiktokenloader "github.com/pkoukk/tiktoken-go-loader"
	"github.com/tmc/langchaingo/textsplitter"

	"inlay/parse"
	"inlay/retrieve"
	"inlay/tokens"
)

// corpora are the texts of the evaluation set chunking-eval.
const corpora = "../../../shared/data/retrieval/chunking-eval/corpora"

func prose(b *testing.B) string {
	b.Helper()
	text := ""
	for _, name := range []string{"state_of_the_union.md", "wikitexts.md", "pubmed.md"} {
		data, err := os.ReadFile(filepath.Join(corpora, name))
		if err != nil {
			b.Skip("the evaluation data is not there: ", err)
		}
		text += string(data)
	}
	return text
}

func BenchmarkSplit(b *testing.B) {
	text := prose(b)
	tiktoken.SetBpeLoader(tiktokenloader.NewOfflineLoader())
	b.Run("inlay", func(b *testing.B) {
		e, err := tokens.NewEncoding("cl100k_base")
		if err != nil {
			b.Fatal(err)
		}
		s := retrieve.Splitter{Size: 512, Overlap: 100, Measure: e}
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			s.Split(parse.Document{FileID: "file", Text: text})
		}
	})
	for name, s := range map[string]textsplitter.TextSplitter{
		"langchaingo-token": textsplitter.NewTokenSplitter(
			textsplitter.WithEncodingName("cl100k_base"), textsplitter.WithChunkSize(512), textsplitter.WithChunkOverlap(100)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := s.SplitText(text); err != nil {
					b.Fatal(fmt.Errorf("split: %w", err))
				}
			}
		})
	}
}

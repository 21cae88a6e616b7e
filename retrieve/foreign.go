package retrieve

import (
	"fmt"
	"slices"
	"strings"

	"inlay/internal/lexis"
	"inlay/parse"
)

// foreign says why a lexical embedder found nothing where the question is in
// another language than every document: they share no words.
func (c *Corpus) foreign(query string) []parse.Warning {
	asked, sure := c.r.lex.Tell(query)
	if !sure || !c.r.embedder.Spec().Lexical || len(c.words) == 0 {
		return nil
	}
	var others []string
	for i, f := range c.words {
		lang, sure := f.terms.Lang, true
		if lang == lexis.English { // that of texts which no language claims, too
			lang, sure = c.told(i)
		}
		if !sure || lang == asked {
			return nil
		}
		if !slices.Contains(others, string(lang)) {
			others = append(others, string(lang))
		}
	}
	return []parse.Warning{{
		Code: "other_language",
		Message: fmt.Sprintf("Nothing was found, and the question seems to be in another language (%s) than the documents (%s). The %s embedder compares words; "+
			"ask in the documents' language, or use a multilingual embedder, for example --embedder ollama:nomic-embed-text-v2-moe.",
			asked, strings.Join(others, ", "), c.r.embedder.Spec().Model),
	}}
}

// told is the language that a file's text seems to be in. What a document in
// memory is told to be is remembered.
func (c *Corpus) told(file int) (lang lexis.Language, sure bool) {
	f := c.files[file]
	if t := f.told.Load(); t != nil {
		return t.lang, t.sure
	}
	lang, sure = c.r.lex.Tell(f.doc.Text[:min(len(f.doc.Text), detectIn)])
	f.told.Store(&told{lang, sure})
	return lang, sure
}

// told is what [lexis.Lexicon.Tell] says of a text.
type told struct {
	lang lexis.Language
	sure bool
}

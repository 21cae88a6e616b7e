package lexis

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed data/phrases.txt
var phraseTable string

//go:embed data/request.txt
var requestWords string

// Phrase is a phrase of a query and what documents write for it.
type Phrase struct {
	First, Last int          // the units of the phrase
	Wanted      [][][]string // what answers to it, each in any of its forms: terms
}

// phrase is a line of the table: a phrase that is asked with.
type phrase struct {
	asked  []string
	wanted [][][]string
}

// readPhrases reads the table of English phrases: by the first term of what is
// asked, the longest first.
func (l *Lexicon) readPhrases() map[string][]phrase {
	table := map[string][]phrase{}
	an := l.Analyzer(English)
	for line := range strings.Lines(phraseTable) {
		asked, written, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		var wanted [][][]string
		for w := range strings.SplitSeq(written, ";") {
			var forms [][]string
			for form := range strings.SplitSeq(w, "|") {
				forms = append(forms, unitTexts(an.Units(form)))
			}
			wanted = append(wanted, forms)
		}
		for a := range strings.SplitSeq(asked, ",") {
			p := phrase{unitTexts(an.Units(a)), wanted}
			table[p.asked[0]] = append(table[p.asked[0]], p)
		}
	}
	for _, all := range table {
		slices.SortStableFunc(all, func(a, b phrase) int { return len(b.asked) - len(a.asked) })
	}
	return table
}

func unitTexts(units []Unit) []string {
	texts := make([]string, len(units))
	for i, u := range units {
		texts[i] = u.Text
	}
	return texts
}

// Phrases finds the phrases in the units of a query that documents write
// otherwise, in order; no two overlap.
func (a *Analyzer) Phrases(units []Unit) []Phrase {
	if a.Lang != English {
		return nil
	}
	texts := unitTexts(units)
	table := a.lex.phrases()
	var found []Phrase
	for i := 0; i < len(texts); i++ {
		for _, p := range table[texts[i]] {
			if len(texts)-i >= len(p.asked) && slices.Equal(texts[i:i+len(p.asked)], p.asked) {
				found = append(found, Phrase{i, i + len(p.asked) - 1, p.wanted})
				i += len(p.asked) - 1
				break
			}
		}
	}
	return found
}

// requestTerms are the stems of words that say how a request is to be answered;
// the true ones tell such a request.
func (l *Lexicon) requestTerms() map[string]bool {
	set := map[string]bool{}
	an := l.Analyzer(English)
	for line := range strings.Lines(requestWords) {
		words := strings.Fields(line)
		for _, w := range words[1:] {
			if stem := an.fold(w); words[0] != "#" {
				set[stem] = set[stem] || words[0] == "tells"
			}
		}
	}
	return set
}

// Requests reports whether a term of a query says how it is to be answered
// rather than what it is about, and whether it tells that some do.
func (a *Analyzer) Requests(term string) (says, tells bool) {
	if a.Lang != English {
		return false, false
	}
	tells, says = a.lex.request()[term]
	return says, tells
}

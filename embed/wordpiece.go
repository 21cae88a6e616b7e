package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordPieces cuts text as BERT's uncased models do: lower case, no accents,
// words split at spaces, punctuation and CJK characters, and each word into
// the longest pieces of the vocabulary from its left.
type wordPieces struct {
	ids     map[string]int // pieces inside a word begin with "##"
	inner   map[string]int // those without the sign
	longest int            // bytes of the longest piece
}

// longestWord is how many bytes of a word are looked up; a longer one is data
// rather than a word and left out.
const longestWord = 100

// parseWordPieces reads the vocabulary of a tokenizer.json: of type WordPiece,
// or Unigram as model2vec writes it for tables with a vocabulary of their own.
func parseWordPieces(file []byte) (wordPieces, error) {
	var in struct {
		Model struct {
			Type       string          `json:"type"`
			Vocabulary json.RawMessage `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &in); err != nil {
		return wordPieces{}, fmt.Errorf("not JSON: %w", err)
	}
	w := wordPieces{ids: map[string]int{}}
	switch in.Model.Type {
	case "WordPiece":
		if err := json.Unmarshal(in.Model.Vocabulary, &w.ids); err != nil {
			return wordPieces{}, fmt.Errorf("vocabulary: %w", err)
		}
	case "Unigram":
		var err error
		if w.ids, err = unigrams(in.Model.Vocabulary); err != nil {
			return wordPieces{}, err
		}
	default:
		return wordPieces{}, fmt.Errorf("vocabulary of type %q, want WordPiece or Unigram", in.Model.Type)
	}
	w.inner = map[string]int{}
	for piece, id := range w.ids {
		inner, ok := strings.CutPrefix(piece, "##")
		if ok {
			w.inner[inner] = id
		}
		w.longest = max(w.longest, len(inner))
	}
	if len(w.ids) == 0 {
		return wordPieces{}, errors.New("the vocabulary is empty")
	}
	return w, nil
}

// unigrams reads pairs of piece and score; the pieces that begin a word are
// marked with U+2581.
func unigrams(raw json.RawMessage) (map[string]int, error) {
	var pairs [][]any
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	ids := make(map[string]int, len(pairs))
	for i, pair := range pairs {
		piece, ok := "", len(pair) > 0
		if ok {
			piece, ok = pair[0].(string)
		}
		if !ok {
			return nil, fmt.Errorf("vocabulary: entry %d is not a piece", i)
		}
		if begins, ok := strings.CutPrefix(piece, "\u2581"); ok {
			ids[begins] = i
		} else {
			ids["##"+piece] = i
		}
	}
	return ids, nil
}

// each calls f with the number of every token of text. Words with a part that
// is not in the vocabulary are left out, as model2vec does.
func (w wordPieces) each(text string, f func(id int)) {
	text = norm.NFD.String(strings.ToLower(text))
	start := -1
	flush := func(end int) {
		if start >= 0 {
			w.word(text[start:end], f)
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			flush(i)
		case alone(r):
			flush(i)
			w.word(string(r), f)
		case start < 0:
			start = i
		}
	}
	flush(len(text))
}

// alone reports whether a character is a word by itself.
func alone(r rune) bool {
	return unicode.IsPunct(r) || r < 128 && unicode.IsSymbol(r) || unicode.Is(unicode.Han, r)
}

func (w wordPieces) word(word string, f func(id int)) {
	if len(word) > longestWord {
		return
	}
	if strings.IndexFunc(word, func(r rune) bool { return r >= unicode.MaxASCII }) >= 0 {
		word = strings.Map(unmarked, word)
	}
	pieces := make([]int, 0, 8)
	for start := 0; start < len(word); {
		end, id := w.longestPiece(word, start)
		if end == start {
			return
		}
		pieces = append(pieces, id)
		start = end
	}
	for _, id := range pieces {
		f(id)
	}
}

func unmarked(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

// longestPiece returns the end and number of the longest piece at start.
func (w wordPieces) longestPiece(word string, start int) (end, id int) {
	ids := w.ids
	if start > 0 {
		ids = w.inner
	}
	for end = min(len(word), start+w.longest); end > start; end-- {
		if id, ok := ids[word[start:end]]; ok {
			return end, id
		}
	}
	return start, 0
}

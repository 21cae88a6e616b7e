package tokens

import (
	"iter"
	"slices"
	"sync"
	"unicode/utf8"

	"inlay/fault"
)

// Encoding counts with one of OpenAI's vocabularies, exactly and offline. Its
// ids are those of OpenAI's own tokenizer for plain text: what looks like a
// special token is split like any other text (TOK-4), and a byte that is no
// UTF-8 counts as U+FFFD. The time it takes grows with the text, whatever the
// text is. An Encoding is safe for concurrent use; make one and share it.
type Encoding struct {
	name    string
	v       *vocabulary
	cuts    cuts
	workers sync.Pool
}

var _ Counter = (*Encoding)(nil)

// NewEncoding builds the tables of an encoding: cl100k_base, o200k_base,
// p50k_base or r50k_base. Another name is fault.Usage.
func NewEncoding(name string) (*Encoding, error) {
	if !slices.Contains(Encodings(), name) {
		return nil, &fault.Error{
			Code: fault.Usage, Subject: name, Reason: "no such token encoding",
			Next: "use cl100k_base, o200k_base, p50k_base or r50k_base",
		}
	}
	v, err := loadVocabulary(name)
	if err != nil {
		return nil, err
	}
	e := &Encoding{name: name, v: v, cuts: cuts{newClassTable(unicode16), familyOf(name)}}
	e.workers.New = func() any {
		return &worker{scanner: scanner{classTable: e.cuts.classTable, family: e.cuts.family}, v: v}
	}
	return e, nil
}

func familyOf(name string) family {
	switch name {
	case "cl100k_base":
		return cl100k
	case "o200k_base":
		return o200k
	}
	return gpt2
}

// Name is the name the encoding was created with, as in Count.By.
func (e *Encoding) Name() string { return e.name }

func (e *Encoding) worker() *worker { return e.workers.Get().(*worker) }

// Encode returns the token ids of text.
func (e *Encoding) Encode(text string) []int {
	w := e.worker()
	defer e.workers.Put(w)
	ids := make([]int, 0, len(text)/4+1)
	for i := 0; i < len(text); {
		j := w.next(text, i)
		piece := text[i:j]
		if !utf8.ValidString(piece) {
			piece = repair(piece)
		}
		if id := e.v.find(piece, 0, len(piece)); id != none {
			ids = append(ids, int(id))
		} else {
			for _, id := range w.encode(piece) {
				ids = append(ids, int(id))
			}
		}
		i = j
	}
	return ids
}

// Count implements [Counter]; the count is exact. A large text is counted by as
// many goroutines as there are processors.
func (e *Encoding) Count(text string) Count {
	if len(text) >= parallelFrom {
		_, c := e.Exceeds(unlimited, text)
		return c
	}
	w := e.worker()
	defer e.workers.Put(w)
	return Count{N: w.count(text, unlimited), Method: Exact, By: e.name}
}

// Walk counts text once and yields, in ascending order, byte offsets at which
// it can be cut with the tokens of both sides unchanged, each with the number
// of tokens before it; last the end of the text with the total. For
// two of the offsets a < b the number of tokens of text[a:b] is the difference
// of their numbers. A text without such a place yields its end only, an empty
// text nothing. No step allocates.
func (e *Encoding) Walk(text string) iter.Seq2[int, int] {
	return func(yield func(end, tokens int) bool) {
		w := e.worker()
		defer e.workers.Put(w)
		n := 0
		for i := 0; i < len(text); {
			j := w.next(text, i)
			n += w.piece(text, i, j, unlimited)
			if (j == len(text) || e.cuts.safe(text, j)) && !yield(j, n) {
				return
			}
			i = j
		}
	}
}

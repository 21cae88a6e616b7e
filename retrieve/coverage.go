package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"inlay/chat"
	"inlay/internal/lexis"
	"inlay/internal/notes"
	"inlay/parse"
)

// coverageSize is the size of the parts that a representative selection is
// made of, in tokens: small, so that a budget reaches many places.
const coverageSize = 96

// CoverRequest asks for a selection that represents whole documents (INJ-13).
type CoverRequest struct {
	Documents []parse.Document        // in order of attachment
	Budget    int                     // tokens that the selection may take
	Cost      func(chat.Citation) int // tokens of one passage in the prompt, its frame included
	Keep      []chat.Citation         // passages that are selected before all others, as far as the budget allows
}

// Selection is a part of documents that stands for all of them.
type Selection struct {
	Citations []chat.Citation // in document order, numbered from 1; affinity is 0
	Passages  int             // parts there were to choose from
	Shown     int             // bytes of text selected
	Total     int             // bytes of text in all
}

// Cover selects headings, lead passages and what is most typical, evenly over
// every document, within the budget and without embedding anything. Small
// documents are taken whole before large ones share what is left.
func (r *Retriever) Cover(ctx context.Context, req CoverRequest) (Selection, error) {
	var docs []*covered
	var s Selection
	for _, d := range req.Documents {
		if err := ctx.Err(); err != nil {
			return Selection{}, fmt.Errorf("cover %s: %w", d.Name, err)
		}
		c := r.partsOf(d, req.Cost)
		docs = append(docs, c)
		s.Passages += len(c.parts)
		s.Total += len(d.Text)
	}
	bySize := slices.Clone(docs)
	slices.SortStableFunc(bySize, func(a, b *covered) int { return cmp.Compare(a.cost, b.cost) })
	left := req.Budget
	for _, c := range docs {
		left -= c.keep(req.Keep, left)
	}
	for i, c := range bySize {
		left -= c.choose(left / (len(bySize) - i))
	}
	for _, c := range docs {
		for _, citation := range c.citations() {
			citation.Number, citation.Rank = len(s.Citations)+1, len(s.Citations)+1
			s.Shown += len(citation.Shown())
			s.Citations = append(s.Citations, citation)
		}
	}
	return s, nil
}

// covered is a document on its way into a selection.
type covered struct {
	doc   parse.Document
	at    *locator
	parts []part
	cost  int // tokens of all parts
}

// part is a passage that may be selected.
type part struct {
	Chunk
	cost   int
	weight float64 // how well it stands for the document, 0..2
	chosen bool
}

func (r *Retriever) partsOf(d parse.Document, cost func(chat.Citation) int) *covered {
	c := &covered{doc: d, at: newLocator(d)}
	for _, k := range (Splitter{Size: coverageSize}).Split(d) {
		p := part{Chunk: k}
		p.cost = cost(c.cite(k.Start, k.End, p))
		c.cost += p.cost
		c.parts = append(c.parts, p)
	}
	c.weigh(r.lex)
	return c
}

// weigh gives each part its salience, the mean weight of its terms by their
// use in the document against ordinary text, and a bonus for leading: the first
// part of the document and those that begin with a heading.
func (c *covered) weigh(lex *lexis.Lexicon) {
	lang := lex.Detect(c.doc.Text)
	a := lex.Analyzer(lang)
	terms := make([][]uint32, len(c.parts))
	uses := map[uint32]int{}
	for i, p := range c.parts {
		terms[i] = a.Append(nil, p.Text)
		for _, t := range terms[i] {
			uses[t]++
		}
	}
	best := 0.0
	for i := range c.parts {
		sum := 0.0
		for _, t := range terms[i] {
			sum += math.Log1p(float64(uses[t])) * -math.Log(lex.Share(lang, a.Terms[t])+1e-7)
		}
		c.parts[i].weight = sum / float64(len(terms[i])+10)
		best = max(best, c.parts[i].weight)
	}
	starts := map[int]bool{0: true}
	for _, s := range c.doc.Sections {
		starts[s.Start] = starts[s.Start] || s.Kind == parse.Heading
	}
	for i := range c.parts {
		p := &c.parts[i]
		p.weight /= max(best, math.SmallestNonzeroFloat64)
		if starts[p.Start] {
			p.weight++
		}
		if notes.Contents(p.Text) {
			p.weight = 0 // titles alone, which their sections have too
		}
	}
}

// keep selects the parts that passages of the document consist of, as far as the
// budget goes, and returns what they cost.
func (c *covered) keep(passages []chat.Citation, budget int) int {
	spent := 0
	for _, k := range passages {
		for i := range c.parts {
			p := &c.parts[i]
			if k.FileID == c.doc.FileID && p.Start < k.End && k.Start < p.End && !p.chosen && spent+p.cost <= budget {
				p.chosen = true
				spent += p.cost
			}
		}
	}
	c.cost -= spent
	return spent
}

// choose selects parts within budget and returns what they cost: the best of
// each of as many even stretches as the budget has room for, then the best of
// the rest.
func (c *covered) choose(budget int) int {
	if len(c.parts) == 0 {
		return 0
	}
	spent := 0
	take := func(p *part) {
		if !p.chosen && spent+p.cost <= budget {
			p.chosen = true
			spent += p.cost
		}
	}
	stretches := min(max(budget*len(c.parts)/max(c.cost, 1), 1), len(c.parts))
	for i := range stretches {
		stretch := c.parts[i*len(c.parts)/stretches : (i+1)*len(c.parts)/stretches]
		best := &stretch[0]
		for j := range stretch {
			if stretch[j].weight > best.weight {
				best = &stretch[j]
			}
		}
		if best.weight > 0 {
			take(best)
		}
	}
	rest := make([]*part, len(c.parts))
	for i := range c.parts {
		rest[i] = &c.parts[i]
	}
	slices.SortStableFunc(rest, func(a, b *part) int { return cmp.Compare(b.weight, a.weight) })
	for _, p := range rest {
		take(p)
	}
	return spent
}

// citations are the chosen parts in order, neighbours joined.
func (c *covered) citations() []chat.Citation {
	var out []chat.Citation
	for i := 0; i < len(c.parts); i++ {
		if !c.parts[i].chosen {
			continue
		}
		first := i
		for i+1 < len(c.parts) && c.parts[i+1].chosen {
			i++
		}
		out = append(out, c.cite(c.parts[first].Start, c.parts[i].End, c.parts[first]))
	}
	return out
}

func (c *covered) cite(start, end int, first part) chat.Citation {
	cited := c.at.cite(start, end, nil)
	cited.ID = fmt.Sprintf("%s-%d", first.ID, cited.End)
	return cited
}

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
	Cost      func(chat.Citation) int // tokens of the words of one passage, whatever its file is called
	Frame     int                     // tokens of what a prompt sets around each passage
	Keep      []chat.Citation         // passages that are selected before all others, as far as the budget allows
	Namespace string                  // separates callers, as in Request
	// Measure is comparable, and equal for requests whose Cost counts alike: costs
	// are then remembered with the documents. nil: they are not.
	Measure any
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
		c := newCovered(r.partsOf(d, req.Namespace), d, req)
		docs = append(docs, c)
		s.Passages += len(c.all)
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
	*parts

	doc    parse.Document // as it is attached now
	costs  []int          // tokens, by part
	cost   int            // tokens of all parts that are not chosen
	chosen []bool         // by part
}

func newCovered(p *parts, d parse.Document, req CoverRequest) *covered {
	c := &covered{parts: p, doc: d, costs: p.costsFor(req), chosen: make([]bool, len(p.all))}
	c.costs = slices.Clone(c.costs) // they are remembered without the frame
	for i := range c.costs {
		c.costs[i] += req.Frame
		c.cost += c.costs[i]
	}
	return c
}

// weigh gives each part its salience, the mean weight of its terms by their
// use in the document against ordinary text, and a bonus for leading: the first
// part of the document and those that begin with a heading.
func (c *parts) weigh(lex *lexis.Lexicon) {
	lang := lex.Detect(c.doc.Text)
	a := lex.Analyzer(lang)
	terms := make([][]uint32, len(c.all))
	for i, p := range c.all {
		terms[i] = a.Append(nil, p.Text)
	}
	salience := saliences(lex, a, terms)
	best := 0.0
	for i := range c.all {
		sum := 0.0
		for _, t := range terms[i] {
			sum += salience[t]
		}
		c.all[i].weight = sum / float64(len(terms[i])+10)
		best = max(best, c.all[i].weight)
	}
	starts := map[int]bool{0: true}
	for _, s := range c.doc.Sections {
		starts[s.Start] = starts[s.Start] || s.Kind == parse.Heading
	}
	for i := range c.all {
		p := &c.all[i]
		p.weight /= max(best, math.SmallestNonzeroFloat64)
		if starts[p.Start] {
			p.weight++
		}
		if notes.Contents(p.Text) {
			p.weight = 0 // titles alone, which their sections have too
		}
	}
}

// saliences are the weights of the terms of a text, by number: their use in it
// against ordinary text.
func saliences(lex *lexis.Lexicon, a *lexis.Analyzer, sequences [][]uint32) []float64 {
	uses := make([]int, len(a.Terms))
	for _, sequence := range sequences {
		for _, t := range sequence {
			uses[t]++
		}
	}
	weights := make([]float64, len(uses))
	for t, n := range uses {
		weights[t] = math.Log1p(float64(n)) * -math.Log(lex.Share(a.Lang, a.Terms[t])+1e-7)
	}
	return weights
}

// keep selects the parts that passages of the document consist of, as far as the
// budget goes, and returns what they cost.
func (c *covered) keep(passages []chat.Citation, budget int) int {
	spent := 0
	for _, k := range passages {
		if k.FileID != c.doc.FileID {
			continue
		}
		for i, p := range c.all {
			if p.Start < k.End && k.Start < p.End && !c.chosen[i] && spent+c.costs[i] <= budget {
				c.chosen[i] = true
				spent += c.costs[i]
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
	if len(c.all) == 0 {
		return 0
	}
	spent := 0
	take := func(i int) {
		if !c.chosen[i] && spent+c.costs[i] <= budget {
			c.chosen[i] = true
			spent += c.costs[i]
		}
	}
	stretches := min(max(budget*len(c.all)/max(c.cost, 1), 1), len(c.all))
	for i := range stretches {
		first := i * len(c.all) / stretches
		best := first
		for j := first; j < (i+1)*len(c.all)/stretches; j++ {
			if c.all[j].weight > c.all[best].weight {
				best = j
			}
		}
		if c.all[best].weight > 0 {
			take(best)
		}
	}
	for _, i := range c.byWeight {
		take(i)
	}
	return spent
}

// citations are the chosen parts in order, neighbours joined.
func (c *covered) citations() []chat.Citation {
	var out []chat.Citation
	for i := 0; i < len(c.all); i++ {
		if !c.chosen[i] {
			continue
		}
		first := i
		for i+1 < len(c.all) && c.chosen[i+1] {
			i++
		}
		cited := c.cite(first, i)
		cited.File = c.doc.Name // it may have had another one
		out = append(out, cited)
	}
	return out
}

package retrieve

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"inlay/cache"
	"inlay/chat"
	"inlay/parse"
)

// part is a passage that may be selected.
type part struct {
	Chunk

	weight float64 // how well it stands for the document, 0..2
}

// parts are a document cut for selections, which all requests share.
type parts struct {
	doc      parse.Document // as it was first attached
	at       *locator
	all      []part
	byWeight []int // places in all, the best first

	mu      sync.Mutex
	measure any   // that costs were counted by
	costs   []int // by part, for measure
}

// partsVersion changes with how documents are cut and weighed.
const partsVersion = "parts1"

// partsOf cuts and weighs a document, or returns what an earlier request made of it.
func (r *Retriever) partsOf(d parse.Document, namespace string) *parts {
	key := keptKey{namespace, cache.Key{Namespace: namespace, Of: d.FileID, Kind: "parts", Parts: []string{d.Parser, partsVersion}}.Hash()}
	if kept, ok := r.parts.Get(key); ok && sameText(kept.doc, d) {
		return kept
	}
	p := &parts{doc: d, at: newLocator(d)}
	for _, k := range (Splitter{Size: coverageSize}).Split(d) {
		p.all = append(p.all, part{Chunk: k})
	}
	p.weigh(r.lex)
	p.byWeight = make([]int, len(p.all))
	for i := range p.byWeight {
		p.byWeight[i] = i
	}
	slices.SortStableFunc(p.byWeight, func(a, b int) int { return cmp.Compare(p.all[b].weight, p.all[a].weight) })
	r.parts.Put(key, p, p.weightBytes(), keepBytes/8)
	return p
}

// weightBytes is about what the parts take in memory, in bytes.
func (p *parts) weightBytes() int64 {
	const each, section = 320, 152
	return int64(len(p.doc.Text) + section*len(p.doc.Sections) + each*len(p.all))
}

// costsFor are the costs of the parts by the measure of a request; they are not
// to be changed.
func (p *parts) costsFor(req CoverRequest) []int {
	p.mu.Lock()
	if req.Measure != nil && p.costs != nil && p.measure == req.Measure {
		defer p.mu.Unlock()
		return p.costs
	}
	p.mu.Unlock()
	costs := make([]int, len(p.all))
	for i := range p.all {
		costs[i] = req.Cost(p.cite(i, i))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.measure, p.costs = req.Measure, costs
	return costs
}

// cite describes the text from one part to another.
func (p *parts) cite(first, last int) chat.Citation {
	cited := p.at.cite(p.all[first].Start, p.all[last].End, nil)
	cited.ID = fmt.Sprintf("%s-%d", p.all[first].ID, cited.End)
	return cited
}

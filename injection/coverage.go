package injection

import (
	"context"
	"fmt"

	"inlay/internal/lazy"

	"inlay/chat"
	"inlay/parse"
	"inlay/retrieve"
)

// Coverer selects what represents whole documents; a Retriever may be one.
type Coverer interface {
	Cover(ctx context.Context, r retrieve.CoverRequest) (retrieve.Selection, error)
}

// CoverageReport says what share of the documents the model sees when a
// selection stands for all of them (INJ-13).
type CoverageReport struct {
	Share    float64 `json:"share"` // of the documents' bytes, 0..1
	Shown    int     `json:"shown_bytes"`
	Total    int     `json:"total_bytes"`
	Passages int     `json:"passages"` // there were to choose from
}

// wholeDocument matches requests that three passages cannot serve: for a
// summary, an overview, a comparison, a count or a full list.
var wholeDocument = lazy.Regexp(`(?i)(?:^|[^\pL\pN])(?:` +
	`summari[sz](?:e[sd]?|ing)|summary|summaries|overview|outline|tl;?dr|recap|gist|` +
	`main points?|key (?:points?|takeaways?|findings?|ideas?)|compare[sd]?|comparing|comparison|contrast|differences? between|` +
	`how many|how often|count (?:all|the|every)|number of times|list (?:all|every|each|the)|name (?:all|every)|enumerate|every single|` +
	`what is (?:this|the) (?:document|file|text|paper|book|report) about|(?:whole|entire) (?:document|file|text)|` +
	`zusammenfass\pL*|fass\pL* .{0,40}zusammen|überblick|vergleich\pL*|unterschiede? zwischen|wie viele|liste alle|zähle|` +
	`résum\pL*|synthèse|compar[eo]\pL*|combien d\pL*|liste tou\pL*|` +
	`resum[ae]n?|resumir|cuánt[oa]s|compara\pL*|enumera\pL*|riassu\pL+|confronta\pL*|quant[ie]` +
	`)(?:$|[^\pL\pN])`)

// WholeDocument reports whether a question asks about documents as a whole.
//
// A count of units ("how many days of leave") asks for one fact that a passage
// holds, and is no such question.
func WholeDocument(question string) bool {
	for _, at := range wholeDocument().FindAllStringIndex(question, -1) {
		if counts().MatchString(question[at[0]:at[1]]) && units().MatchString(question[at[1]:]) {
			continue
		}
		return true
	}
	return false
}

// counts are the words that ask for a number, units those that such a number is
// measured in.
var (
	counts = lazy.Regexp(`(?i)how many|wie viele|combien|cuánt[oa]s|quant[ie]`)
	units  = lazy.Regexp(`(?i)^\s*(?:d['’]|de |di |of )?\s*(?:` +
		`(?:working |calendar |business )?(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?)|euros?|dollars?|pounds|cents?|percent|` +
		`degrees?|met(?:re|er)s?|kilomet(?:re|er)s?|miles?|litres?|liters?|kilos?|kilograms?|grams?|tons?|tonnes?|words?|bytes?|` +
		`sekunden?|minuten?|stunden?|(?:arbeits|werk|urlaubs)?tagen?|(?:arbeits|werk|urlaubs)?tage|nächte|wochen?|monate?n?|jahren?|jahre|prozent|grad|` +
		`secondes?|heures?|jours?|semaines?|mois|ans|années?|pour ?cent|` +
		`segundos?|horas?|días?|semanas?|meses|años?|por ciento|secondi|ore|giorni|settimane|mesi|anni` +
		`)(?:$|[^\pL\pN])`)
)

// covers reports whether this turn is served by a selection.
func (t *turn) covers() (Coverer, bool) {
	c, ok := t.in.Retriever.(Coverer)
	return c, ok && (t.req.Options.Cover || !t.req.Options.NoCoverage && WholeDocument(t.req.Text))
}

// cover fills what the decision left available with a representative selection.
func (t *turn) cover(ctx context.Context, p *plan, stored []*attached, c Coverer) (retrieve.Passages, *CoverageReport, error) {
	top := t.track.open(nil, Loading, textRetrieving)
	found, report, err := t.selectParts(ctx, p, stored, c, top)
	switch {
	case err != nil:
		top.fail(err)
	case len(found.Citations) == 0:
		top.set(Canceled, textNothingRelevant)
	default:
		top.set(Done, textRetrieved(len(found.Citations)))
	}
	return found, report, err
}

func (t *turn) selectParts(ctx context.Context, p *plan, stored []*attached, c Coverer, top *node) (retrieve.Passages, *CoverageReport, error) {
	files, err := t.searchable(ctx, p, top)
	if err != nil {
		return retrieve.Passages{}, nil, err
	}
	files = append(files, stored...)
	docs := make([]parse.Document, len(files))
	byContent := map[string]*attached{}
	for i, a := range files {
		docs[i] = a.doc
		docs[i].Name = a.Name
		byContent[a.content] = a
	}
	budget := p.decision.Available - p.decision.Prompt.Budgeted()
	for _, a := range p.whole {
		budget -= a.count.Budgeted()
	}
	s, err := c.Cover(ctx, retrieve.CoverRequest{Documents: docs, Budget: budget, Cost: func(c chat.Citation) int {
		return t.counter.Count(fmt.Sprintf("Citation %d: %q\n\n%s%s%s", 100, "", Where(c), c.Heading, c.Text)).Budgeted()
	}})
	if err != nil {
		return retrieve.Passages{}, nil, fmt.Errorf("select what represents the documents: %w", err)
	}
	profile := t.in.Retriever.Profile()
	found := retrieve.Passages{Citations: s.Citations, Total: s.Passages, Embedder: profile.Embedder, Threshold: profile.Threshold, Limit: profile.Limit}
	t.nameCitations(found, byContent)
	return found, &CoverageReport{Total: s.Total, Passages: s.Passages}, nil
}

// tellCoverage says how much of the documents stands in the prompt.
func (t *turn) tellCoverage(b *built) {
	if b.coverage == nil {
		return
	}
	for _, c := range b.citations {
		b.coverage.Shown += c.End - c.Start
	}
	b.coverage.Share = float64(b.coverage.Shown) / float64(max(b.coverage.Total, 1))
	why := "The question is about whole documents"
	if t.req.Options.Cover {
		why = "Nothing was found for the question"
	}
	t.warn("coverage", "", fmt.Sprintf("%s; the model sees %.0f %% of their text, chosen to represent all of it.", why, 100*b.coverage.Share))
}

package injection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
	"inlay/tokens"
)

// ResultSchema names the JSON form of a [Result].
const ResultSchema = "inlay.result/v1"

// Result is everything one turn came to.
type Result struct {
	Schema     string              `json:"schema"`
	Strategy   Strategy            `json:"strategy"`    // what is in the prompt
	ReasonCode ReasonCode          `json:"reason_code"` // why, as a stable name
	Reason     string              `json:"reason"`      // why, as a sentence
	Decision   Decision            `json:"decision"`    // what was decided, with its numbers
	DryRun     bool                `json:"dry_run,omitempty"`
	Prompt     string              `json:"prompt,omitempty"`  // the whole rewritten message
	Context    string              `json:"context,omitempty"` // the injected block alone
	Used       tokens.Count        `json:"used"`              // tokens of Prompt
	Files      []FileReport        `json:"files"`
	Libraries  []LibraryReport     `json:"libraries,omitempty"`
	Query      string              `json:"query"`
	Embedder   string              `json:"embedder,omitempty"`
	Threshold  float64             `json:"threshold"`
	Limit      int                 `json:"limit"`
	Citations  []chat.Citation     `json:"citations"`
	Passages   int                 `json:"passages,omitempty"`  // searched in all
	Reranking  *retrieve.Reranking `json:"reranking,omitempty"` // what the reranker did
	Notes      []Note              `json:"notes,omitempty"`     // made of complete files, in the prompt before the citations
	Coverage   *CoverageReport     `json:"coverage,omitempty"`
	NearMisses *NearMisses         `json:"near_misses,omitempty"`
	Warnings   []Warning           `json:"warnings"`
	Failures   []Failure           `json:"failures"`
	Message    chat.Message        `json:"message"` // the new message as a history keeps it
	Variables  map[string]any      `json:"variables"`
	Debug      *Debug              `json:"debug,omitempty"`
}

// FileReport says what became of one file considered on this turn.
type FileReport struct {
	FileID    string         `json:"file_id"`
	Name      string         `json:"name"`
	Path      string         `json:"path,omitempty"`
	InLibrary string         `json:"library_name,omitempty"` // that the file is of
	MediaType string         `json:"media_type,omitempty"`
	Library   string         `json:"library,omitempty"`
	New       bool           `json:"new"`
	InContext bool           `json:"in_context,omitempty"` // its whole text is in the history already
	Strategy  Strategy       `json:"strategy"`
	Tokens    *tokens.Count  `json:"tokens,omitempty"` // absent where the decision did not need it
	Citations int            `json:"citations"`
	Note      string         `json:"note,omitempty"` // kind of its note, see Result.Notes
	Coverage  parse.Coverage `json:"coverage"`
	Index     *IndexReport   `json:"index,omitempty"` // of a searched file
}

// IndexReport says what making a file searchable took.
type IndexReport struct {
	Chunks int  `json:"chunks"`
	Cached bool `json:"cached"` // nothing was chunked or embedded
	Parsed bool `json:"parsed"` // false: the parse came from the store
}

// NearMisses is what retrieval found below the threshold (INJ-15).
type NearMisses struct {
	Best       []chat.Citation `json:"best"`                  // in order of affinity
	Affinities []float64       `json:"affinities"`            // of the best passages, descending
	Admits     []Admission     `json:"admitted_at,omitempty"` // what lower thresholds would have let in
}

// Admission is the number of passages, within the limit, above a threshold.
type Admission struct {
	Threshold float64 `json:"threshold"`
	Passages  int     `json:"passages"`
}

// Timings are durations of the parts of a turn.
type Timings struct {
	Read, Tokenise, Retrieve time.Duration
}

// Debug is what a developer asks for by name (INJ-18): times in milliseconds,
// the decision and what was retrieved. It goes to the caller and never to logs.
type Debug struct {
	Decision       Decision        `json:"decision"`
	Affinities     []float64       `json:"affinities,omitempty"`
	ReadMillis     float64         `json:"read_ms"`
	TokeniseMillis float64         `json:"tokenise_ms"`
	RetrieveMillis float64         `json:"retrieve_ms"` // that of the reranker included
	RerankMillis   float64         `json:"rerank_ms,omitempty"`
	Files          []DebugFile     `json:"files"`
	Passages       []chat.Citation `json:"passages,omitempty"` // all that was retrieved, the best first; those below the threshold have number 0
}

// DebugFile holds the times of one file, and its text where that was asked for.
type DebugFile struct {
	FileID         string  `json:"file_id"`
	Name           string  `json:"name"`
	ReadMillis     float64 `json:"read_ms"`
	TokeniseMillis float64 `json:"tokenise_ms"`
	EmbedMillis    float64 `json:"embed_ms"`
	Content        string  `json:"content,omitempty"`
}

// untouched is the result of a turn with nothing to decide over: the message
// goes on as it is, byte for byte. It never fails on size (INJ-14).
func (t *turn) untouched(ctx context.Context) (Result, error) {
	d := Decision{Strategy: None, ReasonCode: NoFiles, Reason: "No documents are attached, so the message is unchanged.", TargetContextUse: t.req.Options.share()}
	if len(t.inWindow) > 0 {
		d.ReasonCode, d.Reason = AlreadyInContext, "The attached files are already whole in the conversation, so the message is unchanged."
	}
	switch err := t.measure(ctx); {
	case fault.Is(err, fault.WindowUnknown):
		t.warn(string(fault.WindowUnknown), "", "The context window is unknown, so nothing was measured.")
	case err != nil:
		return Result{}, err
	default:
		d.Window, d.Available, d.Prompt = Measure(t.window), Available(t.window, d.TargetContextUse), t.counter.Count(t.req.Text)
		over, err := t.overflow(ctx, t.req.Text, nil)
		if err != nil {
			return Result{}, err
		}
		if over > 0 && t.window.Remaining() > 0 {
			t.warn("window_overflow", "", fmt.Sprintf("The message does not fit: the prompt has %d tokens more than the window allows.", over))
		}
	}
	return t.result(plan{decision: d}, built{strategy: None, prompt: t.req.Text}), nil
}

// result puts together what the caller gets.
func (t *turn) result(p plan, b built) Result {
	profile := t.retriever.Profile()
	o := t.req.Options
	r := Result{
		Schema: ResultSchema, Strategy: b.strategy, ReasonCode: p.decision.ReasonCode, Reason: p.decision.Reason,
		Decision: p.decision, DryRun: o.DryRun, Prompt: b.prompt, Context: b.context, Query: b.query,
		Embedder: profile.Embedder, Threshold: profile.Threshold, Limit: profile.Limit,
		Citations: orEmpty(b.citations), Passages: b.passages.Total, Reranking: b.passages.Reranking, Coverage: b.coverage, Notes: b.notes,
		Warnings: orEmpty(t.warnings), Failures: orEmpty(t.failures),
	}
	if r.Query == "" {
		r.Query = t.req.Text
	}
	if o.Threshold != nil {
		r.Threshold = *o.Threshold
	}
	switch {
	case o.Limit > 0:
		r.Limit = o.Limit
	case b.passages.Limit > 0: // what auto came to
		r.Limit = b.passages.Limit
	}
	if b.reasonCode != "" {
		r.ReasonCode, r.Reason = b.reasonCode, b.reason
	}
	if t.counter != nil && b.prompt != "" {
		r.Used = t.counter.Count(b.prompt)
	}
	if b.strategy == None && b.reasonCode != NoWindowLeft && p.decision.Strategy == Retrieval && !o.DryRun {
		r.NearMisses = nearMisses(b.passages, r.Limit)
	}
	r.Files, r.Libraries = t.reports(b), t.shelfReports(b)
	r.Message = t.message(r, b)
	r.Variables = r.variables(b)
	if o.Debug {
		r.Debug = t.debug(r, b)
	}
	return r
}

// reports lists the files considered on this turn: the new ones, then the
// earlier ones that were searched, with what became of each.
func (t *turn) reports(b built) []FileReport {
	cited := map[string]int{}
	for _, c := range b.citations {
		cited[c.FileID]++
	}
	noted := map[string]string{}
	for _, n := range b.notes {
		noted[n.FileID] = n.Kind
	}
	stats := map[string]retrieve.FileStats{}
	for _, s := range b.passages.Files {
		stats[s.FileID] = s
	}
	out := []FileReport{}
	for _, a := range t.considered() {
		r := FileReport{
			FileID: a.id(), Name: a.Name, Path: a.Path, InLibrary: a.library, MediaType: a.doc.MediaType, Library: a.doc.ReadBy(),
			New: a.fresh, InContext: a.inContext, Strategy: a.strategy, Citations: cited[a.id()], Note: noted[a.id()], Coverage: a.doc.Coverage,
		}
		if a.count.By != "" || a.count.N > 0 {
			r.Tokens = &a.count
		}
		if s, ok := stats[a.content]; ok {
			r.Index = &IndexReport{Chunks: s.Chunks, Cached: s.Cached, Parsed: !a.doc.Cached}
			if r.Strategy == Retrieval && r.Citations == 0 && r.Note == "" {
				r.Strategy = None
			}
		}
		out = append(out, r)
	}
	return out
}

// considered are the readable files of this turn: those that are in the window
// already, then the others in order of attachment.
func (t *turn) considered() []*attached {
	out := slices.Clone(t.inWindow)
	for _, a := range t.earlier {
		if a.strategy == Retrieval {
			out = append(out, a)
		}
	}
	return append(out, t.fresh...)
}

// message is the new message as a history keeps it, with what was laid into it.
func (t *turn) message(r Result, b built) chat.Message {
	m := chat.Message{Role: chat.User, Text: r.Prompt}
	if r.DryRun {
		m.Text = t.req.Text
	}
	for _, a := range t.attached {
		if a.err != nil {
			continue // later turns cannot read it either
		}
		m.Attachments = append(m.Attachments, chat.Attachment{
			FileID: a.id(), Name: a.Name, MediaType: cmp.Or(a.doc.MediaType, a.MediaType), Path: a.Path,
			Read: chat.Attachment{MediaType: a.doc.MediaType}.IsImage(),
		})
	}
	m.Attachments = append(m.Attachments, t.req.Images...)
	if r.DryRun || len(t.fresh) == 0 && len(t.earlier) == 0 && len(t.shelves) == 0 {
		return m
	}
	m.Injected = &chat.Injected{Strategy: string(r.Strategy), Query: t.req.Text, Citations: b.citations}
	for _, a := range b.whole {
		m.Injected.FileIDs = append(m.Injected.FileIDs, a.id())
	}
	m.Injected.FileNumbers = t.fileNumbers(b)
	m.Injected.Whole = located(m.Text, b.whole)
	return m
}

// nearMisses says what a lower threshold would have let in.
func nearMisses(p retrieve.Passages, limit int) *NearMisses {
	n := &NearMisses{Best: orEmpty(p.NearMisses), Affinities: orEmpty(p.Candidates)}
	for i, a := range n.Affinities[:min(limit, len(n.Affinities))] {
		if a <= 0 {
			break
		}
		admit := Admission{Threshold: below(a), Passages: i + 1}
		if last := len(n.Admits) - 1; last >= 0 && n.Admits[last].Threshold >= admit.Threshold {
			n.Admits[last] = admit
			continue
		}
		n.Admits = append(n.Admits, admit)
	}
	return n
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (t *turn) debug(r Result, b built) *Debug {
	d := &Debug{
		Decision: r.Decision, Affinities: b.passages.Candidates, Passages: slices.Concat(b.passages.Citations, b.passages.NearMisses),
		TokeniseMillis: millis(t.took.Tokenise), RetrieveMillis: millis(t.took.Retrieve), Files: []DebugFile{},
	}
	if b.passages.Reranking != nil {
		d.RerankMillis = b.passages.Reranking.Millis
	}
	embedMillis := map[string]float64{}
	for _, s := range b.passages.Files {
		embedMillis[s.FileID] = s.EmbedMillis
	}
	for _, a := range t.considered() {
		d.ReadMillis += millis(a.read)
		f := DebugFile{FileID: a.id(), Name: a.Name, ReadMillis: millis(a.read), TokeniseMillis: millis(a.counted), EmbedMillis: embedMillis[a.content]}
		if t.req.Options.DebugContent {
			f.Content = a.doc.Text
		}
		d.Files = append(d.Files, f)
	}
	return d
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

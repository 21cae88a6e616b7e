package intent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"
	"unicode"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/llm"
	"inlay/tokens"
)

// Extractor runs an analyzer and keeps its promises. The zero value uses the
// built-in analyzer. It is safe for concurrent use.
type Extractor struct {
	Analyzer Analyzer     // nil means Builtin
	Logger   *slog.Logger // sizes, counts and time, never content; nil is silent
}

// Request is the first message of a round.
type Request struct {
	MessageID string // for the documents' group: docList:{MessageID}:user_context
	Text      string // the raw message, byte for byte
	Model     llm.Measurer
}

// Document is an item as it is attached to the message.
type Document struct {
	Item
	Name  string `json:"name"`  // user_context_1.txt, or from the item's title
	Label string `json:"label"` // user_context
}

// Result is what a message came to.
type Result struct {
	Raw       string       `json:"raw"`
	Text      string       `json:"text"`               // the current prompt: the intent if the analysis is valid, else Raw
	Language  string       `json:"language,omitempty"` // ISO 639-1; empty: not detected, the user's stays
	Documents []Document   `json:"documents"`
	DocList   string       `json:"doc_list,omitempty"` // the group of the documents, if there are any
	Analyzer  string       `json:"analyzer"`
	Valid     bool         `json:"valid"` // false: the analysis failed and the raw message is the prompt
	Decision  Decision     `json:"decision"`
	Reason    string       `json:"reason"`
	Tokens    tokens.Count `json:"tokens"`    // of Raw, as far as the decision needed it
	Threshold int          `json:"threshold"` // tokens from which bulk is moved: a tenth of the window, rounded up

	Completed   int     `json:"completed"`   // bytes that the analysis left out and that were added to intent or documents
	Paraphrased []Range `json:"paraphrased"` // what the intent says in other words; all else of Raw is in Text or a document
	Stages      []Stage `json:"stages"`      // what the analysis cost
}

// StageName is the name of the only stage of an extraction.
const StageName = "intent"

// Stage is the cost of one step of a turn.
type Stage struct {
	Name      string `json:"name"`
	In        int    `json:"tokens_in"` // as the analyzer's server reports them; 0: no model was asked, or it reports none
	Out       int    `json:"tokens_out"`
	LatencyNS int64  `json:"latency_ns"`
}

// DocList names a message's group of documents.
func DocList(messageID string) string { return "docList:" + messageID + ":" + Label }

// threshold is the least number of tokens that is 10 % of the window or more:
// exactly a tenth extracts.
func threshold(window int) int { return (window + 9) / 10 }

// Extract splits a message. A failing or invalid analysis is not an error: the
// raw message then is the prompt and Reason says why. Errors are those of
// the model's measuring, and cancellation.
func (e Extractor) Extract(ctx context.Context, r Request) (Result, error) {
	start := time.Now()
	analyzer := e.Analyzer
	if analyzer == nil {
		analyzer = Builtin{}
	}
	m, err := measure(ctx, r)
	if err != nil {
		return Result{}, err
	}
	begin := time.Now()
	a, err := analyzer.Analyze(ctx, m)
	spent := Stage{Name: StageName, In: a.Usage.In, Out: a.Usage.Out, LatencyNS: time.Since(begin).Nanoseconds()}
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err == nil {
		a, err = Complete(m, a)
	}
	res := result(r, m, a, err)
	res.Analyzer, res.Stages = analyzer.Name(), []Stage{spent}
	res.Reason = reason(m, res, err)
	e.log(ctx, res, time.Since(start))
	return res, nil
}

// result is what an analysis, or its failure, makes of a message.
func result(r Request, m Message, a Analysis, err error) Result {
	res := Result{
		Raw: r.Text, Text: r.Text, Valid: err == nil, Documents: []Document{}, Paraphrased: []Range{},
		Tokens: m.Tokens, Threshold: threshold(m.Window), Decision: decision(m, a, err),
	}
	if err != nil {
		return res
	}
	res.Text, res.Language, res.Documents, res.Completed = a.Intent, a.DetectedLanguage, documents(a.ContextItems), a.Completed
	res.Paraphrased = append(res.Paraphrased, a.Paraphrased...)
	if len(res.Documents) > 0 {
		res.DocList = DocList(r.MessageID)
	}
	return res
}

func measure(ctx context.Context, r Request) (Message, error) {
	m := Message{Text: r.Text}
	if r.Model == nil {
		return m, &fault.Error{Code: fault.WindowUnknown, Subject: "intent", Reason: "there is no model whose window could be measured", Next: "name the model or its context length"}
	}
	length, err := r.Model.Length(ctx)
	if err != nil {
		return m, err
	}
	counter, err := r.Model.Counter(ctx)
	if err != nil {
		return m, err
	}
	m.Window = length.N
	m.Large, m.Tokens = counter.Exceeds(threshold(length.N)-1, r.Text)
	return m, nil
}

// The ways in which an analysis is invalid.
var (
	errSmall   = errors.New("it moves bulk out of a message below a tenth of the window")
	errEmpty   = errors.New("its intent is empty")
	errSlice   = errors.New("an item is not an exact slice of the message")
	errOrder   = errors.New("its items overlap or are out of order")
	errDropped = errors.New("its intent lacks an address or file name of the message")
)

// Check says why an analysis is invalid: an empty intent, an item that is no
// exact slice of the message, items that overlap or are out of order, items of
// a message that is not large, or a URL or file name that is in neither the
// intent nor an item. The messages hold no content.
func Check(m Message, a Analysis) error {
	switch {
	case strings.TrimSpace(a.Intent) == "" && strings.TrimSpace(m.Text) != "":
		return errEmpty
	case len(a.ContextItems) > 0 && !m.Large:
		return errSmall
	}
	end := 0
	for _, it := range a.ContextItems {
		switch {
		case it.Start < 0 || it.Start >= it.End || it.End > len(m.Text) || m.Text[it.Start:it.End] != it.Content:
			return errSlice
		case it.Start < end:
			return errOrder
		}
		end = it.End
	}
	for _, ref := range references(remainder(m.Text, a.ContextItems)) {
		if !strings.Contains(a.Intent, ref) {
			return errDropped
		}
	}
	return nil
}

// documents names the items. Names are unique within the message.
func documents(items []Item) []Document {
	out := make([]Document, len(items))
	taken := map[string]bool{}
	for i, it := range items {
		name := fileName(it.Title, i+1)
		if taken[strings.ToLower(name)] {
			name = fileName("", i+1)
		}
		taken[strings.ToLower(name)] = true
		out[i] = Document{Item: it, Name: name, Label: Label}
	}
	return out
}

// fileName is the title where that is a plain file name, else user_context_{i}.txt.
func fileName(title string, i int) string {
	fallback := fmt.Sprintf("%s_%d.txt", Label, i)
	ext := path.Ext(title)
	if len(title) > 80 || len(ext) < 2 || len(ext) > 6 || len(ext) == len(title) || strings.HasPrefix(title, ".") || strings.HasPrefix(strings.ToLower(title), Label) {
		return fallback
	}
	for _, r := range title {
		if r != '.' && r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return fallback
		}
	}
	return title
}

func reason(m Message, r Result, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("The analysis by %s was not used (%s), so the message stays as it is.", r.Analyzer, publicReason(err))
	case !m.Large:
		return fmt.Sprintf("The message has %d tokens, less than a tenth of the window (%d), so nothing is moved.", m.Tokens.N, r.Threshold)
	case len(r.Documents) == 0:
		return "The message takes a tenth of the window or more, and holds no bulk that is significantly larger than the request."
	}
	n := len(r.Documents)
	text := "The message takes a tenth of the window or more, so " + plural.Of(n, "piece") + " of it " + plural.Pick(n, "was moved into a document.", "were moved into documents.")
	if r.Completed > 0 {
		text += fmt.Sprintf(" The analysis left %s out, which were added.", plural.Of(r.Completed, "byte"))
	}
	return text
}

// publicReason quotes our own errors; what others say may hold content.
func publicReason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return string(fault.Timeout)
	}
	if errors.Is(err, llm.ErrUnfinished) {
		return llm.ErrUnfinished.Error()
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return string(f.Code)
	}
	for _, own := range []error{errSmall, errEmpty, errSlice, errOrder, errDropped, errAnswer, errCut, errParagraphs, errLong, errLeftOut} {
		if errors.Is(err, own) {
			return own.Error()
		}
	}
	return "it failed"
}

func (e Extractor) log(ctx context.Context, r Result, took time.Duration) {
	if e.Logger == nil {
		return
	}
	out := len(r.Text)
	for _, d := range r.Documents {
		out += len(d.Content)
	}
	e.Logger.InfoContext(ctx, "intent extracted",
		slog.String("analyzer", r.Analyzer), slog.Bool("valid", r.Valid), slog.Int("bytes_in", len(r.Raw)), slog.Int("bytes_out", out),
		slog.Int("intent_bytes", len(r.Text)), slog.Int("documents", len(r.Documents)), slog.Duration("took", took))
}

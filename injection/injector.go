package injection

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/plural"
	"inlay/llm"
	"inlay/parse"
	"inlay/prompts"
	"inlay/retrieve"
	"inlay/tokens"
)

// Reader turns attached bytes into documents; *parse.Registry is one.
type Reader interface {
	// Lookup finds the parser that will read f.
	Lookup(f parse.File) (parse.Parser, error)
	// Parse reads f. An error carries one of fault's codes.
	Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error)
}

// Recaller is a [Reader] that may have the document of a content id at hand, so
// that its file need not be opened; parse.Cached is one.
type Recaller interface {
	// Recall returns the document of f, which has no bytes.
	Recall(id string, f parse.File) (parse.Document, bool)
}

// Retriever finds passages; *retrieve.Retriever is one.
type Retriever interface {
	// Profile describes the search without doing any work.
	Profile() retrieve.Profile
	// Retrieve returns the passages above the threshold and the near misses.
	Retrieve(ctx context.Context, r retrieve.Request) (retrieve.Passages, error)
}

// Stages is told when a stage of the work (parse, count, decide, search,
// render) begins, and when it ends.
type Stages interface {
	Stage(ctx context.Context, name string) (context.Context, func())
}

// Injector lays files into prompts. Its fields are set once; it is safe for
// concurrent use.
type Injector struct {
	Reader    Reader
	Retriever Retriever
	// Searching opens another search for a request; nil: there is the one of Retriever alone. Its errors are fault.Usage.
	Searching func(s Search) (Retriever, error)
	Libraries Libraries    // that requests may name; nil: none
	Stages    Stages       // told of the stages of the work; nil: nobody is
	Parallel  int          // files parsed at once; 0 means the number of processors
	Logger    *slog.Logger // names, sizes and times, never content; nil is silent
}

func (in *Injector) parallel() int {
	if in.Parallel > 0 {
		return in.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// turn is the work on one request.
type turn struct {
	in        *Injector
	req       Request
	retriever Retriever
	prompts   *prompts.Set
	track     tracker
	root      *node
	attached  []*attached       // all files of the new message, images too
	fresh     []*attached       // readable new files that count
	earlier   []*attached       // files of earlier turns that are not whole in the window
	inWindow  []*attached       // files whose whole text is already in the history
	shelves   []*shelf          // libraries that are asked and have documents
	libraryOf map[string]string // of documents of searched libraries, by content
	marking   *marking          // of the conversation so far, see [turn.given]
	warnings  []Warning
	failures  []Failure
	cause     error // of the first failure
	window    tokens.Window
	counter   tokens.Counter
	took      Timings
}

// Inject decides how the request's files reach the prompt, and does it. Errors
// carry one of fault's codes: usage, window_unknown, does_not_fit, canceled, or
// the code of the file that failed.
func (in *Injector) Inject(ctx context.Context, req Request) (Result, error) {
	if err := req.Options.Validate(); err != nil {
		return Result{}, err
	}
	retriever, err := in.search(req.Options.Search)
	if err != nil {
		return Result{}, err
	}
	t := &turn{in: in, req: req, retriever: retriever, prompts: req.Options.Prompts, track: tracker{send: req.Report}, libraryOf: map[string]string{}, warnings: slices.Clone(req.Warnings)}
	if t.prompts == nil {
		cited, err := prompts.Named("cited")
		if err != nil {
			return Result{}, err
		}
		t.prompts = cited
	}
	start := time.Now()
	res, err := t.run(ctx)
	if err != nil {
		if t.root != nil {
			t.root.fail(err)
		}
		return Result{}, fmt.Errorf("inject files: %w", err)
	}
	t.log(ctx, res, time.Since(start))
	return res, nil
}

// search is the retriever of a request.
func (in *Injector) search(s Search) (Retriever, error) {
	if s == (Search{}) {
		return in.Retriever, nil
	}
	if in.Searching == nil {
		return nil, &fault.Error{
			Code: fault.Usage, Subject: "chunk, embedder", Reason: "cannot be changed for one request here", Next: "leave them out of the request",
		}
	}
	return in.Searching(s)
}

// stage tells of a stage until end is called.
func (t *turn) stage(ctx context.Context, name string) (_ context.Context, end func()) {
	if t.in.Stages == nil {
		return ctx, func() {}
	}
	return t.in.Stages.Stage(ctx, name)
}

func (t *turn) log(ctx context.Context, res Result, took time.Duration) {
	if t.in.Logger == nil {
		return
	}
	t.in.Logger.InfoContext(ctx, "injected",
		slog.String("strategy", string(res.Strategy)), slog.String("reason_code", string(res.ReasonCode)),
		slog.Int("files", len(res.Files)), slog.Int("citations", len(res.Citations)), slog.Duration("took", took))
}

func (t *turn) run(ctx context.Context) (Result, error) {
	if err := t.gather(ctx); err != nil {
		return Result{}, err
	}
	if err := t.openShelves(ctx); err != nil {
		return Result{}, err
	}
	if t.idle() {
		return t.untouched(ctx)
	}
	if strings.TrimSpace(t.req.Text) == "" {
		return Result{}, &fault.Error{Code: fault.Usage, Subject: "question", Reason: "is empty", Next: "say what you want to know about the files"}
	}
	t.root = t.track.open(nil, Loading, textDeciding)
	var err error
	if t.fresh, err = t.parseAll(ctx, t.fresh, t.root); err != nil {
		return Result{}, err
	}
	if err := t.someReadable(); err != nil {
		return Result{}, err
	}
	t.fresh = t.unseen(t.fresh)
	if len(t.fresh) == 0 && len(t.earlier) > 0 {
		if err := t.followUp(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := t.measure(ctx); err != nil {
		return Result{}, err
	}
	_, end := t.stage(ctx, "decide")
	p, err := t.plan(ctx)
	end()
	if err != nil {
		return Result{}, err
	}
	if t.req.Options.DryRun {
		if err := t.tryWhole(ctx, &p); err != nil {
			return Result{}, err
		}
		t.root.set(Done, textChosen(p.decision))
		return t.result(p, built{strategy: p.decision.Strategy}), nil
	}
	if p.decision.Strategy == None {
		t.root.set(Done, textChosen(p.decision))
		return t.result(p, built{strategy: None, prompt: t.req.Text}), nil
	}
	return t.build(ctx, p)
}

// gather sorts the files: images pass by, equal bytes count once, and what is
// already whole in the history is left alone (INJ-2, INJ-5, INJ-21).
func (t *turn) gather(ctx context.Context) error {
	held := t.held()
	for _, i := range t.req.Images {
		t.warnImage(i.Name)
	}
	fresh, err := t.distinct(ctx, t.documents(t.req.Files, &t.attached))
	if err != nil {
		return err
	}
	for _, a := range fresh {
		if held[a.content] || a.ID != "" && held[a.ID] {
			t.alreadyThere(a)
			continue
		}
		t.fresh = append(t.fresh, a)
	}
	for _, a := range t.documents(t.req.Earlier, nil) {
		if held[a.ID] || a.Content != "" && held[a.Content] {
			t.alreadyThere(a)
			continue
		}
		t.earlier = append(t.earlier, a)
	}
	if len(t.fresh) == 0 && t.req.Options.Mode == ModeFull {
		t.fresh, err = t.distinct(ctx, t.earlier)
		t.earlier = nil
	}
	return err
}

// documents are the files that are no images. Those of the new message are
// noted in all, images too.
func (t *turn) documents(files []File, all *[]*attached) []*attached {
	var out []*attached
	for _, f := range files {
		a := &attached{File: f, fresh: all != nil}
		if all != nil {
			*all = append(*all, a)
		}
		if !(chat.Attachment{MediaType: f.MediaType}).IsImage() {
			out = append(out, a)
		}
	}
	return out
}

// idle reports that there is nothing to decide over.
func (t *turn) idle() bool {
	return len(t.fresh) == 0 && len(t.earlier) == 0 && len(t.failures) == 0 && len(t.shelves) == 0
}

// someReadable fails when there were new files and none could be read (INJ-22).
func (t *turn) someReadable() error {
	if len(t.fresh) > 0 || len(t.shelves) > 0 || len(t.failures) == 0 || t.req.Options.Continue {
		return nil
	}
	return t.nothingReadable()
}

// nothingReadable is the error for files of which none could be read.
func (t *turn) nothingReadable() error {
	first := t.failures[0]
	if len(t.failures) == 1 {
		return &fault.Error{Code: first.Code, Subject: first.File, Reason: first.Reason, Next: first.Next, Err: t.cause}
	}
	reasons := make([]string, len(t.failures))
	for i, f := range t.failures {
		reasons[i] = f.File + ": " + f.Reason
	}
	return &fault.Error{
		Code: first.Code, Subject: "all " + plural.Of(len(t.failures), "file"),
		Reason: strings.Join(reasons, "; "), Next: first.Next, Err: t.cause,
	}
}

// measure counts the history in the model's window (INJ-3).
func (t *turn) measure(ctx context.Context) error {
	ctx, end := t.stage(ctx, "count")
	defer end()
	if t.req.Model == nil {
		return &fault.Error{Code: fault.WindowUnknown, Subject: "model", Reason: "no model was given, so its context window is unknown", Next: "set Request.Model, for example an llm.Static with a length"}
	}
	length, err := t.req.Model.Length(ctx)
	if err != nil {
		return err
	}
	if length.By == llm.Assumed {
		t.warn("window_assumed", "", fmt.Sprintf("The context window is not known; %d tokens are assumed (set the context length, or name a model whose window is known).", length.N))
	}
	used, err := t.countHistory(ctx)
	if err != nil {
		return err
	}
	t.window = tokens.Window{Length: length, Used: used}
	if t.window.Remaining() <= 0 {
		t.warn("window_overflow", "", fmt.Sprintf("The history alone takes %d tokens of a window of %d.", used.Budgeted(), length.N))
	}
	t.counter, err = t.req.Model.Counter(ctx)
	return err
}

// countHistory counts the messages before the new one. A template that refuses
// a history without a user message gets a placeholder "?" and is tried once more.
func (t *turn) countHistory(ctx context.Context) (tokens.Count, error) {
	if len(t.req.Messages) == 0 {
		return tokens.Count{}, nil
	}
	n, err := t.req.Model.CountMessages(ctx, t.req.Messages)
	isUser := func(m chat.Message) bool { return m.Role == chat.User }
	if err == nil || ctx.Err() != nil || slices.ContainsFunc(t.req.Messages, isUser) {
		return n, err
	}
	return t.req.Model.CountMessages(ctx, append(slices.Clip(t.req.Messages), chat.Message{Role: chat.User, Text: "?"}))
}

// Warning is something the user should know about this turn.
type Warning struct {
	Code    string `json:"code"`
	File    string `json:"file,omitempty"`
	Message string `json:"message"`
}

func (t *turn) warn(code, file, message string) {
	t.warnings = append(t.warnings, Warning{Code: code, File: file, Message: message})
}

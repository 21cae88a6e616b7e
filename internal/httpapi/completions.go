package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/service"
	"inlay/internal/upstream"
	"inlay/llm/completion"
	"inlay/processor"
	"inlay/strategy"
	"inlay/turn"
)

// completionRequest describes a request of the OpenAI API's chat completions;
// every other field goes to the upstream as it is.
type completionRequest struct {
	_        struct{}       `additionalProperties:"true"`
	Model    string         `json:"model"`
	Messages []any          `json:"messages" doc:"as the OpenAI API has them; parts of type file, by file_id or file_data, are laid into the prompt"`
	Stream   bool           `json:"stream,omitempty"`
	Inlay    *service.Wants `json:"inlay,omitempty"`
}

// completionAnswer describes what inlay adds to the upstream's answer.
type completionAnswer struct {
	_       struct{}         `additionalProperties:"true"`
	Choices []answeredChoice `json:"choices"`
	Inlay   *decided         `json:"inlay" doc:"of a stream it is on the first chunk, and the annotations on each choice's last"`
}

type answeredChoice struct {
	_       struct{}        `additionalProperties:"true"`
	Message answeredMessage `json:"message"`
}

type answeredMessage struct {
	_           struct{}     `additionalProperties:"true"`
	Content     *string      `json:"content,omitempty" nullable:"true" doc:"none, or null, where the answer is a call of tools"`
	Annotations []annotation `json:"annotations,omitempty" doc:"the passages that the answer could draw on, and the whole files that it refers to"`
}

// decided is the field inlay of an answer: inlay.result/v1 without the prompt,
// or what a strategy came to.
type decided struct {
	Schema      string                 `json:"schema"`
	Upstream    string                 `json:"upstream"`
	Strategy    injection.Strategy     `json:"strategy,omitempty"`
	ReasonCode  injection.ReasonCode   `json:"reason_code,omitempty"`
	Reason      string                 `json:"reason,omitempty"`
	Decision    *injection.Decision    `json:"decision,omitempty"`
	Files       []injection.FileReport `json:"files,omitempty"`
	Embedder    string                 `json:"embedder,omitempty"`
	Threshold   *float64               `json:"threshold,omitempty"`
	Limit       int                    `json:"limit,omitempty"`
	Citations   []chat.Citation        `json:"citations,omitempty"`
	Notes       []injection.Note       `json:"notes,omitempty"`
	NearMisses  *injection.NearMisses  `json:"near_misses,omitempty"`
	Warnings    []injection.Warning    `json:"warnings,omitempty"`
	Failures    []injection.Failure    `json:"failures,omitempty"`
	Intent      *moved                 `json:"intent,omitempty" doc:"what was moved out of the newest message, where that was asked for"`
	Processors  []processor.Record     `json:"processors,omitempty" doc:"what the server's processors did; those of the answer are there where it came at once"`
	Route       *turn.Routed           `json:"route,omitempty" doc:"where the turn went and what that saved, where the server routes"`
	StrategyID  string                 `json:"strategy_id,omitempty" doc:"the strategy that made the prompt"`
	Tools       strategy.ToolRules     `json:"tools,omitempty" doc:"the strategy's rules for tools"`
	Denied      []turn.Denial          `json:"denied_tools,omitempty" doc:"tools that rules kept from the model, and calls of them that were refused"`
	Variables   map[string]any         `json:"variables,omitempty" doc:"of the preprocessors that were run"`
	Steps       []stepView             `json:"steps,omitempty" doc:"what each preprocessor of the strategy did"`
	Diagnostics []strategy.Diagnostic  `json:"diagnostics,omitempty"`
}

// stepView is a step of a strategy without the values that it made.
type stepView struct {
	Preprocessor string            `json:"preprocessor"`
	Duration     strategy.Duration `json:"duration_ms"`
	Variables    []string          `json:"variables" doc:"their names"`
	Failure      fault.Code        `json:"failure,omitempty"`
}

func viewSteps(steps []strategy.Step) []stepView {
	out := make([]stepView, len(steps))
	for i, s := range steps {
		out[i] = stepView{s.Preprocessor, s.Duration, slices.Sorted(maps.Keys(s.Variables)), s.Failure}
	}
	return out
}

// moved is what became of a large message: the client has the message itself.
type moved struct {
	Text      string          `json:"text" doc:"what is left of it"`
	Language  string          `json:"language,omitempty"`
	Documents []movedDocument `json:"documents"`
	Analyzer  string          `json:"analyzer"`
	Valid     bool            `json:"valid" doc:"false: the analysis failed and the message is unchanged"`
	Reason    string          `json:"reason"`
}

type movedDocument struct {
	Name  string      `json:"name"`
	Title string      `json:"title"`
	Kind  intent.Kind `json:"kind,omitempty"`
	Start int         `json:"start" doc:"in bytes of the message"`
	End   int         `json:"end"`
}

func movedOut(r *intent.Result) *moved {
	if r == nil {
		return nil
	}
	m := &moved{r.Text, r.Language, []movedDocument{}, r.Analyzer, r.Valid, r.Reason}
	for _, d := range r.Documents {
		m.Documents = append(m.Documents, movedDocument{d.Name, d.Title, d.Kind, d.Start, d.End})
	}
	return m
}

// annotation is a passage that the answer could draw on, or a whole file that it
// refers to.
type annotation struct {
	Type string       `json:"type"`
	File fileCitation `json:"file_citation"`
}

type fileCitation struct {
	chat.Citation
	Filename string `json:"filename"`
	Cited    bool   `json:"cited" doc:"the answer refers to it as [number]"`
}

// TransformSchema implements [huma.SchemaTransformer]: of a [wholeFile] there is no
// more than this.
func (fileCitation) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Required = []string{"number", "file", "file_id", "filename", "cited"}
	return s
}

// wholeFile is a file that stands whole in the conversation: it has no place and
// no affinity.
type wholeFile struct {
	Number   int    `json:"number"`
	File     string `json:"file"`
	Library  string `json:"library,omitempty"`
	FileID   string `json:"file_id"`
	Filename string `json:"filename"`
}

func wholeOf(c chat.Citation) wholeFile {
	return wholeFile{c.Number, c.File, c.Library, c.FileID, c.File}
}

// wholeAnnotation is an [annotation] for a whole file.
type wholeAnnotation struct {
	Type string `json:"type"`
	File struct {
		wholeFile
		Cited bool `json:"cited"`
	} `json:"file_citation"`
}

func (a *API) complete(c *call) (err error) {
	body, wants, err := c.wantsBody()
	if err != nil {
		return err
	}
	if err := c.mayKeep(wants.ChatID); err != nil {
		return err
	}
	done, err := a.service.Complete(c.ctx(), c.owner, body, wants)
	if err != nil {
		return withSteps(err, done.Turn)
	}
	defer func() {
		if e := done.Close(c.ctx()); e != nil {
			err = errors.Join(err, e)
		}
	}()
	if done.Streams() {
		return a.streamCompletion(c, done)
	}
	return a.wholeCompletion(c, done)
}

// wantsBody takes the field inlay off the rest.
func (c *call) wantsBody() (body map[string]json.RawMessage, wants service.Wants, err error) {
	data, err := c.readBody(nil)
	if err != nil {
		return nil, wants, err
	}
	if err := json.Unmarshal(data, &body); err != nil || body == nil {
		return nil, wants, &fault.Error{Code: fault.Usage, Subject: "body", Reason: "is not a JSON object", Next: "see /openapi.json"}
	}
	for name, value := range body {
		if depth(value) > maxDepth {
			return nil, wants, errDepth(name)
		}
	}
	if raw, ok := body["inlay"]; ok {
		if err = decodeField("inlay", raw, &wants); err == nil {
			wants.Options, err = wants.Values("inlay.")
		}
		delete(body, "inlay")
	}
	return body, wants, err
}

// maxDepth is how deep the lists and objects of a field may be nested that goes to
// an upstream as it is: servers of models end requests, or themselves, at less
// than what this one could read.
const maxDepth = 256

// depth is how deep lists and objects are nested in JSON that is valid.
func depth(data []byte) (deepest int) {
	now, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			now++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return deepest
}

func errDepth(field string) error {
	if !plainName().MatchString(field) {
		field = "body"
	}
	return &fault.Error{
		Code: fault.Usage, Subject: field, Reason: fmt.Sprintf("is nested deeper than %d levels", maxDepth),
		Next: "send lists and objects that are nested less deeply",
	}
}

// wholeCompletion answers at once.
func (a *API) wholeCompletion(c *call, done *service.Completion) error {
	for chunk, err := range done.Answer(c.ctx()) {
		if err != nil {
			return err
		}
		texts := map[int]string{}
		for i, one := range chunk.Choices {
			texts[one.Index] += one.Text
			chunk.Annotate(i, annotations(done, texts[one.Index]))
		}
		if err := done.KeepTurn(c.ctx()); err != nil {
			return err
		}
		chunk.Set("inlay", decisionOf(done))
		data, err := chunk.Bytes()
		if err != nil {
			return err
		}
		return c.json(json.RawMessage(data))
	}
	return errNoAnswer()
}

// streamCompletion hands on chunks as they come. A failure before the first is
// an error like any other; after it, an event with the error, and no [DONE].
func (a *API) streamCompletion(c *call, done *service.Completion) error {
	e := &events{c: c}
	defer e.close()
	var said map[int]*strings.Builder // what each choice said, where it can refer to something
	if done.Citable() {
		said = map[int]*strings.Builder{}
	}
	for chunk, err := range done.Answer(c.ctx()) {
		if err == nil {
			err = a.chunk(e, chunk, done, said)
		}
		if err != nil && !e.open {
			return err
		}
		if err != nil {
			_ = e.json("", failureOf(ended(c.ctx(), err)).openai())
			return err
		}
	}
	if err := done.KeepTurn(c.ctx()); err != nil {
		_ = e.json("", failureOf(err).openai())
		return err
	}
	return e.send("", []byte("[DONE]"))
}

// chunk sends one chunk: the first with the decision, the last of each choice
// with its annotations. Others go on byte for byte.
func (a *API) chunk(e *events, chunk *completion.Chunk, done *service.Completion, said map[int]*strings.Builder) error {
	for i, one := range chunk.Choices {
		if said == nil {
			break
		}
		if said[one.Index] == nil {
			said[one.Index] = &strings.Builder{}
		}
		said[one.Index].WriteString(one.Text)
		if one.Finish != "" {
			chunk.Annotate(i, annotations(done, said[one.Index].String()))
		}
	}
	if !e.open {
		chunk.Set("inlay", decisionOf(done))
	}
	data, err := chunk.Bytes()
	if err != nil {
		return err
	}
	return e.send("", data)
}

// annotations are the sources of an answer.
func annotations(done *service.Completion, answer string) []any {
	sources, _ := done.Sources(answer)
	out := make([]any, len(sources))
	for i, one := range sources {
		if one.Text != "" {
			out[i] = annotation{"file_citation", fileCitation{one.Citation, one.File, one.Cited}}
			continue
		}
		whole := wholeAnnotation{Type: "file_citation"}
		whole.File.wholeFile, whole.File.Cited = wholeOf(one.Citation), one.Cited
		out[i] = whole
	}
	return out
}

func decisionOf(done *service.Completion) decided {
	d := decided{Schema: injection.ResultSchema, Upstream: done.Upstream}
	d.ofFiles(done.Result)
	d.Citations = done.Citations()
	d.Processors, d.Route, d.Denied = done.Trace(), done.Route, done.Denied
	d.Intent = movedOut(done.Intent)
	if x := done.Execution; x != nil {
		d.Schema, d.StrategyID, d.Tools, d.Diagnostics, d.Steps = strategy.ExecutionSchema, x.Strategy.ID, x.Strategy.Tools, x.Diagnostics, viewSteps(x.Steps)
		d.Variables = map[string]any{}
		for _, step := range x.Steps {
			maps.Copy(d.Variables, step.Variables)
			d.Diagnostics = append(d.Diagnostics, step.Diagnostics...)
		}
	}
	return d
}

// ofFiles is what became of the files.
func (d *decided) ofFiles(r *injection.Result) {
	if r == nil {
		return
	}
	d.Strategy, d.ReasonCode, d.Reason = r.Strategy, r.ReasonCode, r.Reason
	if r.Decision.Strategy != "" { // else the turn goes on, and nothing was decided
		d.Decision, d.Threshold = &r.Decision, &r.Threshold
	}
	d.Files, d.Notes, d.Embedder, d.Limit = r.Files, r.Notes, r.Embedder, r.Limit
	d.NearMisses, d.Warnings, d.Failures = r.NearMisses, r.Warnings, r.Failures
}

// modelObject is a model in the OpenAI API's form.
type modelObject struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created" doc:"not known: 0"`
	OwnedBy string `json:"owned_by"`
}

type modelList struct {
	Object string        `json:"object"`
	Data   []modelObject `json:"data"`
}

func describeModel(m upstream.Listed) modelObject {
	return modelObject{m.ID, "model", 0, m.Upstream}
}

func (a *API) listModels(c *call) error {
	models, err := a.service.Models(c.ctx())
	if err != nil {
		return err
	}
	list := modelList{Object: "list", Data: []modelObject{}}
	for _, m := range models {
		list.Data = append(list.Data, describeModel(m))
	}
	return c.json(list)
}

func (a *API) getModel(c *call) error {
	models, err := a.service.Models(c.ctx())
	if err != nil {
		return err
	}
	id := c.PathValue("id")
	for _, m := range models {
		if m.ID == id || strings.TrimSuffix(m.ID, ":latest") == id || m.Upstream+"/"+m.ID == id {
			return c.json(describeModel(m))
		}
	}
	return &fault.Error{Code: fault.ModelNotFound, Subject: "model", Reason: "no upstream serves it", Next: "see GET /v1/models"}
}

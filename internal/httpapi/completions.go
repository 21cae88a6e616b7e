package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/session"
	"inlay/processor"
	"inlay/strategy"
)

// completionRequest describes a request of the OpenAI API's chat completions;
// every other field goes to the upstream as it is.
type completionRequest struct {
	_        struct{}      `additionalProperties:"true"`
	Model    string        `json:"model"`
	Messages []any         `json:"messages" doc:"as the OpenAI API has them; parts of type file, by file_id or file_data, are laid into the prompt"`
	Stream   bool          `json:"stream,omitempty"`
	Inlay    *session.Wish `json:"inlay,omitempty"`
}

// completionAnswer describes what inlay adds to the upstream's answer.
type completionAnswer struct {
	_       struct{}         `additionalProperties:"true"`
	Choices []answeredChoice `json:"choices"`
	Inlay   *decided         `json:"inlay" doc:"of a stream it stands on the first chunk, and the annotations on each choice's last"`
}

type answeredChoice struct {
	_       struct{}        `additionalProperties:"true"`
	Message answeredMessage `json:"message"`
}

type answeredMessage struct {
	_           struct{}     `additionalProperties:"true"`
	Content     *string      `json:"content,omitempty" nullable:"true" doc:"none, or null, where the answer is a call of tools"`
	Annotations []annotation `json:"annotations,omitempty" doc:"the passages that the answer could draw on"`
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
	NearMisses  *injection.NearMisses  `json:"near_misses,omitempty"`
	Warnings    []injection.Warning    `json:"warnings,omitempty"`
	Failures    []injection.Failure    `json:"failures,omitempty"`
	Intent      *moved                 `json:"intent,omitempty" doc:"what was moved out of the newest message, where that was asked for"`
	Processors  []processor.Record     `json:"processors,omitempty" doc:"what the server's processors did; those of the answer are there where it came at once"`
	Route       *session.Routed        `json:"route,omitempty" doc:"where the turn went and what that saved, where the server routes"`
	StrategyID  string                 `json:"strategy_id,omitempty" doc:"the strategy that made the prompt"`
	Tools       strategy.ToolRules     `json:"tools,omitempty" doc:"the strategy's rules; applying them is the client's"`
	Variables   map[string]any         `json:"variables,omitempty" doc:"of the preprocessors that were run"`
	Diagnostics []strategy.Diagnostic  `json:"diagnostics,omitempty"`
}

// moved is what became of a large message: the client has the message itself.
type moved struct {
	Text      string          `json:"text" doc:"what is left of it"`
	Language  string          `json:"language,omitempty"`
	Documents []movedDocument `json:"documents"`
	Analyzer  string          `json:"analyzer"`
	Valid     bool            `json:"valid" doc:"false: the analysis failed and the message stands as it was"`
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

// annotation is a passage that the answer could draw on.
type annotation struct {
	Type string       `json:"type"`
	File fileCitation `json:"file_citation"`
}

type fileCitation struct {
	chat.Citation
	Filename string `json:"filename"`
	Cited    bool   `json:"cited" doc:"the answer refers to it as [number]"`
}

func (a *API) complete(c *call) (err error) {
	body, wish, err := c.completionBody()
	if err != nil {
		return err
	}
	done, err := a.service.Complete(c.ctx(), c.owner, body, wish)
	if err != nil {
		return err
	}
	defer func() {
		if e := done.Close(c.ctx()); e != nil {
			err = errors.Join(err, e)
		}
	}()
	if string(body["stream"]) == "true" {
		return a.streamCompletion(c, done)
	}
	return a.wholeCompletion(c, done)
}

// completionBody takes the field inlay off the rest.
func (c *call) completionBody() (body map[string]json.RawMessage, wish session.Wish, err error) {
	data, err := c.readBody(nil)
	if err != nil {
		return nil, wish, err
	}
	if err := json.Unmarshal(data, &body); err != nil || body == nil {
		return nil, wish, &fault.Error{Code: fault.Usage, Subject: "body", Reason: "is no JSON object", Next: "see /openapi.json"}
	}
	if raw, ok := body["inlay"]; ok {
		err = decodeJSON(raw, &wish)
		delete(body, "inlay")
	}
	return body, wish, err
}

// wholeCompletion answers at once.
func (a *API) wholeCompletion(c *call, done *session.Completion) error {
	for data, err := range done.Answer(c.ctx()) {
		if err != nil {
			return err
		}
		out, err := annotated(data, "message", done, nil)
		if err != nil {
			return err
		}
		if err := done.Keep(c.ctx()); err != nil {
			return err
		}
		return c.json(withDecision(out, done))
	}
	return &fault.Error{Code: fault.BackendUnreachable, Subject: "model", Reason: "the server gave no answer", Next: "ask again"}
}

// streamCompletion hands on chunks as they come. A failure before the first is
// an error like any other; after it, an event with the error, and no [DONE].
func (a *API) streamCompletion(c *call, done *session.Completion) error {
	e := &events{c: c}
	defer e.close()
	said := map[int]string{}
	for data, err := range done.Answer(c.ctx()) {
		if err == nil {
			err = a.chunk(e, data, done, said)
		}
		if err != nil && !e.open {
			return err
		}
		if err != nil {
			_ = e.json("", failureOf(ended(c.ctx(), err)).openai())
			return err
		}
	}
	if err := done.Keep(c.ctx()); err != nil {
		_ = e.json("", failureOf(err).openai())
		return err
	}
	return e.send("", []byte("[DONE]"))
}

// chunk sends one chunk: the first with the decision, the last of each choice
// with its annotations. Others go on byte for byte.
func (a *API) chunk(e *events, data json.RawMessage, done *session.Completion, said map[int]string) error {
	first := !e.open
	out, err := annotated(data, "delta", done, said)
	if err != nil {
		return err
	}
	if first {
		if out == nil && json.Unmarshal(data, &out) != nil {
			return odd(done)
		}
		out = withDecision(out, done)
	}
	if !first && len(out) == 0 {
		return e.send("", data)
	}
	return e.json("", out)
}

// choice is what is looked at of a choice.
type choice struct {
	Index        int     `json:"index"`
	FinishReason *string `json:"finish_reason"`
	Message      spoken  `json:"message"`
	Delta        spoken  `json:"delta"`
}

type spoken struct {
	Content *string `json:"content"`
}

// annotated adds annotations to each choice that is over. said collects the
// texts of a stream, by choice; of a whole answer it is nil, and every choice
// is over. out is empty where a chunk needs no change.
func annotated(data json.RawMessage, where string, done *session.Completion, said map[int]string) (out map[string]json.RawMessage, err error) {
	var body map[string]json.RawMessage
	var seen struct {
		Choices []choice `json:"choices"`
	}
	if json.Unmarshal(data, &body) != nil || json.Unmarshal(data, &seen) != nil {
		return nil, odd(done)
	}
	texts := said
	if texts == nil {
		texts = map[int]string{}
	}
	over := collect(seen.Choices, texts)
	if said != nil && (!over || len(done.Citations()) == 0) {
		return nil, nil
	}
	var choices []map[string]json.RawMessage
	if json.Unmarshal(body["choices"], &choices) != nil {
		return nil, odd(done)
	}
	for i, one := range seen.Choices {
		if said != nil && one.FinishReason == nil {
			continue
		}
		if err := annotate(choices[i], where, annotations(done.Citations(), texts[one.Index])); err != nil {
			return nil, odd(done)
		}
	}
	body["choices"], err = json.Marshal(choices)
	return body, err
}

func odd(done *session.Completion) error {
	return &session.UpstreamError{Upstream: done.Upstream, Err: &fault.Error{Code: fault.BackendUnreachable, Subject: "model", Reason: "the server's answer is not what this API answers"}}
}

// collect adds what choices say to the texts, and reports whether one is over.
func collect(choices []choice, texts map[int]string) (over bool) {
	for _, one := range choices {
		for _, s := range []spoken{one.Message, one.Delta} {
			if s.Content != nil {
				texts[one.Index] += *s.Content
			}
		}
		over = over || one.FinishReason != nil
	}
	return over
}

// annotate puts annotations beside those that the upstream made.
func annotate(choice map[string]json.RawMessage, where string, list []annotation) error {
	if len(list) == 0 {
		return nil
	}
	var message map[string]json.RawMessage
	if raw := choice[where]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &message); err != nil {
			return err
		}
	}
	if message == nil {
		message = map[string]json.RawMessage{}
	}
	var all []any
	_ = json.Unmarshal(message["annotations"], &all)
	for _, one := range list {
		all = append(all, one)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	message["annotations"] = data
	choice[where], err = json.Marshal(message)
	return err
}

func annotations(citations []chat.Citation, answer string) []annotation {
	numbers := session.CitedNumbers(answer)
	out := make([]annotation, len(citations))
	for i, one := range citations {
		out[i] = annotation{"file_citation", fileCitation{one, one.File, slices.Contains(numbers, one.Number)}}
	}
	return out
}

// withDecision adds the field inlay.
func withDecision(body map[string]json.RawMessage, done *session.Completion) map[string]json.RawMessage {
	if data, err := marshal(decisionOf(done)); err == nil {
		body["inlay"] = bytes.TrimSpace(data)
	}
	return body
}

func decisionOf(done *session.Completion) decided {
	d := decided{Schema: injection.ResultSchema, Upstream: done.Upstream}
	if r := done.Result; r != nil {
		d.Strategy, d.ReasonCode, d.Reason = r.Strategy, r.ReasonCode, r.Reason
		if r.Decision.Strategy != "" { // else the turn goes on, and nothing was decided anew
			d.Decision, d.Threshold = &r.Decision, &r.Threshold
		}
		d.Files, d.Embedder, d.Limit = r.Files, r.Embedder, r.Limit
		d.Citations, d.NearMisses, d.Warnings, d.Failures = r.Citations, r.NearMisses, r.Warnings, r.Failures
	}
	d.Processors, d.Route = done.Processors, done.Route
	d.Intent = movedOut(done.Split.Intent())
	if x := done.Execution; x != nil {
		d.Schema, d.StrategyID, d.Tools, d.Diagnostics = strategy.ExecutionSchema, x.Strategy.ID, x.Strategy.Tools, x.Diagnostics
		d.Variables = map[string]any{}
		for _, step := range x.Steps {
			maps.Copy(d.Variables, step.Variables)
			d.Diagnostics = append(d.Diagnostics, step.Diagnostics...)
		}
	}
	return d
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

func describeModel(m session.Listed) modelObject {
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

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/options"
	"inlay/parse"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/route"
	"inlay/strategy"
	strategies "inlay/strategy/builtin"
	"inlay/turn"
)

// parityHost has what all turns share: the model, and a service for each
// configuration.
type parityHost struct {
	t        *testing.T
	model    *parityModel
	dir      string
	services map[string]string
}

func newParityHost(t *testing.T) *parityHost {
	t.Helper()
	h := &parityHost{t: t, model: newParityModel(t), dir: t.TempDir(), services: map[string]string{}}
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "guarded.strategy.md"), []byte(parityGuarded), 0o600))
	return h
}

// service is the address of the service that a turn asks for.
func (h *parityHost) service(turn parityTurn) string {
	args := []string{"--upstream", "local=openai:" + h.model.url, "--strategies", h.dir, "--prompt-set", "cited"}
	if turn.processed {
		config := filepath.Join(h.t.TempDir(), "inlay.yaml")
		require.NoError(h.t, os.WriteFile(config, []byte(turn.config), 0o600))
		args = append(args, "--config", config, "--processors")
	}
	args = append(args, turn.serve...)
	if turn.reranker != "" {
		args = append(args, "--reranker", turn.reranker)
	}
	key := turn.config + turn.reranker + strings.Join(turn.serve, " ")
	if h.services[key] == "" {
		h.services[key] = served(h.t, args...)
	}
	return h.services[key]
}

// parityRun is one turn on its way through one door.
type parityRun struct {
	*parityHost
	t      *testing.T
	turn   parityTurn
	dir    string
	asked  int  // of the model before the last step
	stream bool // chat completions are asked for as streams
}

func (h *parityHost) run(t *testing.T, turn parityTurn) *parityRun {
	t.Helper()
	h.model.begin(turn)
	r := &parityRun{parityHost: h, t: t, turn: turn, dir: t.TempDir(), asked: h.model.requests()}
	config := turn.config
	if config == "" {
		config = parityPlain
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "inlay.yaml"), []byte(config), 0o600))
	return r
}

// ctx is that of the run, which may have ended already.
func (r *parityRun) ctx() context.Context {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.t.Cleanup(cancel)
	if r.turn.canceled {
		cancel()
	}
	return ctx
}

// parityDoors are the columns; the first is what the others are held to.
func parityDoors() []parityDoor {
	const decision = "decision, reason, prompt, files, citations, warnings, failures, what was moved"
	return []parityDoor{
		{"Go", decision + ", steps, denied tools, trace, route, messages and tools that the model gets", noReason, (*parityRun).goAPI},
		{"ask", decision, noAsk, (*parityRun).ask},
		{"chat", "messages that the model gets, and what the history keeps: decision, citations", noChat, (*parityRun).chat},
		{"agent", "as chat; its own default processors are off here", noAgent, (*parityRun).agent},
		{"strategy run", decision + ", steps", noStrategyRun, (*parityRun).strategyRun},
		{"preprocess", decision, noPreprocess, (*parityRun).preprocess},
		{"completions", "all but the prompt by itself, which is in the messages that the model gets", noCompletions, (*parityRun).completions},
		{"stream", "as completions, answered as a stream", noCompletions, (*parityRun).streamed},
		{"kept chat", "as completions", noCompletions, (*parityRun).keptChat},
		{"responses", "as completions, over `/v1/responses` with `previous_response_id`", noCompletions, (*parityRun).responses},
		{"execution", decision + ", steps", noExecution, (*parityRun).execution},
	}
}

func noReason(parityTurn) string { return "" }

const (
	isStrategy = "a strategy's turn goes through `strategy run`, `execution` or `completions`"
	isPlain    = "makes turns of strategies only"
	isAsked    = "hands the prompt out: what surrounds a model (processors, routing, tools) is not there"
	isDry      = "asks the model, and has no dry run"
	isGone     = "who would be told has left"
)

// surrounds reports whether a turn is about what surrounds a model.
func (t parityTurn) surrounds() bool {
	return t.processed || len(t.serve) > 0 || t.any(func(s parityStep) bool { return len(s.tools) > 0 })
}

func noAsk(t parityTurn) string {
	switch {
	case t.last().strategy != "":
		return isStrategy
	case t.surrounds():
		return isAsked
	}
	return ""
}

func noChat(t parityTurn) string {
	switch {
	case t.last().strategy != "":
		return isStrategy
	case t.last().dry:
		return isDry
	case t.last().text == "":
		return "an empty line asks nothing"
	case t.surrounds():
		return "offers no tools, and has no processors or router"
	}
	return ""
}

func noAgent(t parityTurn) string {
	switch {
	case t.any(func(s parityStep) bool { return s.strategy != "" }):
		return isStrategy
	case t.last().dry:
		return isDry
	case t.last().text == "":
		return "an empty line asks nothing"
	case len(t.serve) > 0 || t.any(func(s parityStep) bool { return len(s.tools) > 0 }):
		return "has tools of its own, and no router"
	case t.any(func(s parityStep) bool {
		for key := range s.options {
			if !slices.Contains([]string{"context_length", "retrieval_limit", "retrieval_affinity_threshold"}, key) {
				return true
			}
		}
		return false
	}):
		return "has no flag for it"
	}
	return ""
}

func noStrategyRun(t parityTurn) string {
	switch {
	case t.last().strategy == "":
		return isPlain
	case t.surrounds():
		return isAsked
	}
	return ""
}

func noPreprocess(t parityTurn) string {
	if t.canceled {
		return isGone
	}
	return noAsk(t)
}

func noCompletions(t parityTurn) string {
	switch {
	case t.canceled:
		return isGone
	case t.last().dry:
		return isDry
	case t.any(func(s parityStep) bool {
		return slices.ContainsFunc(s.files, func(f parityFile) bool { return f.mode != "" })
	}):
		return "the OpenAI API's messages have no mode of a file"
	}
	return ""
}

func noExecution(t parityTurn) string {
	if t.canceled {
		return isGone
	}
	return noStrategyRun(t)
}

// shownTurn is what doors show, as their JSON has it. Ids, times and paths have
// no field here.
type shownTurn struct {
	Strategy   any
	ReasonCode string `json:"reason_code"`
	Prompt     *string
	Files      []struct {
		Name      string
		New       bool
		InContext bool `json:"in_context"`
		Strategy  string
		Citations int
	}
	Citations []struct {
		Number     int
		File, Text string
		Start, End int
		LineStart  int      `json:"line_start"`
		LineEnd    int      `json:"line_end"`
		Rerank     *float64 `json:"rerank_score"`
	}
	Warnings []struct{ Code, File string }
	Failures []struct{ File, Code string }
	Intent   *struct {
		Text      string
		Documents []struct {
			Name       string
			Start, End int
		}
		Valid bool
	}
	Steps      []struct{ Preprocessor, Failure string }
	Denied     []turn.Denial `json:"denied_tools"`
	Processors []struct{ Name, Verdict string }
	Route      *struct {
		Routed bool
		Saved  int
	}
	FilesResult *shownTurn `json:"files_result"`
	Error       *shownError
}

type shownError struct {
	Code, Cause string
	Steps       []struct{ Preprocessor, Failure string }
}

// Fields of a result, and those that a strategy's turn, or one around a model, adds.
var (
	resultFields = []string{"decision", "reason", "prompt", "files", "citations", "warnings", "failures", "moved"}
	stepFields   = []string{"steps"}
	modelFields  = []string{"denied", "trace", "route"}
)

// readTurn takes the fields that a door shows out of its JSON.
func (r *parityRun) readTurn(data []byte, fields ...string) seen {
	r.t.Helper()
	var v shownTurn
	require.NoError(r.t, json.Unmarshal(data, &v), "%s", data)
	files := &v
	if slices.Contains(fields, "steps") && v.FilesResult != nil {
		files = v.FilesResult
	}
	write := func(v any) string {
		data, err := json.Marshal(v)
		require.NoError(r.t, err)
		return string(data)
	}
	all := seen{
		"reason": files.ReasonCode, "files": write(files.Files), "citations": write(v.Citations), "warnings": write(files.Warnings),
		"failures": write(files.Failures), "moved": write(v.Intent), "steps": write(v.Steps), "denied": write(v.Denied), "trace": write(v.Processors), "route": write(v.Route),
	}
	if text, ok := files.Strategy.(string); ok {
		all["decision"] = text
	}
	if v.Prompt != nil {
		all["prompt"] = *v.Prompt
	}
	out := seen{}
	for _, name := range fields {
		if value := strings.ReplaceAll(all[name], "[]", "null"); value != "" {
			out[name] = value
		}
	}
	return out
}

// refusal is a turn that failed.
func refusal(err error) seen {
	code := string(fault.CodeOf(err))
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code == fault.PreprocessorException && errors.As(e.Err, new(*fault.Error)) {
		code += " " + string(fault.CodeOf(e.Err))
	}
	return seen{"code": code}
}

// withFiles writes a step's files into the run's folder.
func (r *parityRun) withFiles(s parityStep) (paths []string) {
	for _, f := range s.files {
		path := filepath.Join(r.dir, f.name)
		require.NoError(r.t, os.WriteFile(path, []byte(f.content), 0o600))
		paths = append(paths, path)
	}
	return paths
}

// length is the window of a step: 8192 unless it says; 0 is not known.
func (s parityStep) length() int {
	if n, ok := s.options["context_length"].(int); ok {
		return n
	}
	return 8192
}

// values are the options of a step without the window, as JSON has them.
func (s parityStep) values() map[string]any {
	out := map[string]any{"prompt_set": "cited"}
	maps.Copy(out, s.options)
	delete(out, "context_length")
	return out
}

// goAPI is turn.Engine by itself.
func (r *parityRun) goAPI() seen {
	m := wire.ModelSettings{Model: "openai:" + r.turn.modelName(), BaseURL: r.model.url}
	past := &history{}
	for i, step := range r.turn.steps {
		m.ContextLength = step.length()
		made, got := r.goStep(m, past, step)
		if i == len(r.turn.steps)-1 {
			return got
		}
		require.Empty(r.t, got["code"], "step %d", i+1)
		require.NoError(r.t, past.add(made.Said()...))
		r.asked = r.model.requests()
	}
	return nil
}

func (r *parityRun) goStep(m wire.ModelSettings, past *history, step parityStep) (*turn.Turn, seen) {
	model, err := wire.OpenAnswerer(m, noEnv)
	require.NoError(r.t, err)
	request := r.goRequest(past, step)
	request.Model = model
	made, err := r.goEngine(m).Prepare(r.ctx(), request)
	if err == nil && !step.dry {
		for _, e := range made.Ask(r.ctx(), model, llm.Request{}) {
			if e != nil {
				err = e
			}
		}
	}
	if err != nil {
		got := refusal(err)
		if made.Execution != nil {
			data, e := json.Marshal(executionJSON{Execution: *made.Execution})
			require.NoError(r.t, e)
			maps.Copy(got, r.readTurn(data, stepFields...))
		}
		return made, got
	}
	got := r.readTurn(goJSON(r.t, made), slices.Concat(resultFields, stepFields, modelFields)...)
	if !step.dry {
		r.model.sent(got, r.asked)
	}
	return made, got
}

// goRequest is a step as the Go API takes it.
func (r *parityRun) goRequest(past *history, step parityStep) turn.Request {
	values, err := options.Request.Decode("", step.values())
	require.NoError(r.t, err)
	request := turn.Request{Past: past.said(parse.Limits{}), Text: step.text, Rules: step.rules, Intent: values.Text("intent"), Values: map[string]any{}}
	if step.strategy != "" {
		request.Intent = ""
	}
	request.Options, err = injection.Options{}.With(values)
	require.NoError(r.t, err)
	request.Options.DryRun = step.dry
	for i, path := range r.withFiles(step) {
		f := step.files[i]
		if kind := injection.ImageType([]byte(f.content)); kind != "" {
			request.Images = append(request.Images, chat.Attachment{FileID: parse.FileID([]byte(f.content)), Name: f.name, MediaType: kind, Path: path})
			continue
		}
		request.Files = append(request.Files, injection.File{Name: f.name, Path: path, Mode: injection.Mode(f.mode), Data: []byte(f.content)})
	}
	if len(step.tools) > 0 {
		data, err := json.Marshal(openAITools(step.tools))
		require.NoError(r.t, err)
		request.ToolText = string(data)
	}
	for _, name := range step.tools {
		request.Tools = append(request.Tools, llm.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	if step.strategy != "" {
		registry, err := strategies.KnownPreprocessors()
		require.NoError(r.t, err)
		set, err := strategySettings{Strategies: r.parityHost.dir}.load(r.t.Context(), registry)
		require.NoError(r.t, err)
		one, ok := set.Lookup(step.strategy)
		require.True(r.t, ok, step.strategy)
		request.Strategy = one
	}
	return request
}

func (r *parityRun) goEngine(m wire.ModelSettings) *turn.Engine {
	injector, err := wire.OpenInjector(r.t.Context(), wire.Search{Embedder: "builtin", Reranker: wire.Reranker{At: r.turn.reranker}}, m, noEnv)
	require.NoError(r.t, err)
	e := &turn.Engine{Injector: injector, Memo: &turn.Memo{}}
	if r.turn.processed {
		e.Chains = func(model llm.Generator) (*processor.Chains, error) {
			return processor.Load("inlay.yaml", []byte(r.turn.config), builtin.Registry(builtin.Host{Injector: injector, Model: model}))
		}
	}
	if len(r.turn.serve) > 0 {
		settings := route.Defaults()
		settings.EnablePromptPreprocessor = true
		e.Router = &route.Router{Settings: settings}
		e.Mode, _ = route.FindMode("code")
	}
	return e
}

func noEnv(string) string { return "" }

// goJSON is a turn in the form of the other doors.
func goJSON(t *testing.T, made *turn.Turn) []byte {
	t.Helper()
	v := map[string]any{
		"intent": made.Intent, "denied_tools": made.Denied, "processors": made.Trace(), "route": made.Route,
		"citations": made.Citations(), "files_result": made.Result, "steps": []strategy.Step{},
	}
	if made.Result != nil {
		v["prompt"] = made.Result.Prompt
	}
	if made.Execution != nil {
		v["prompt"], v["steps"] = made.Execution.Prompt, made.Execution.Steps
	}
	data, err := json.Marshal(v)
	require.NoError(t, err, fmt.Sprint(v))
	return data
}

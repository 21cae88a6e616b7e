package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"inlay/chat"
	"inlay/fault"
	"inlay/ignore"
	"inlay/internal/plural"
	"inlay/internal/wire"
	"inlay/route"
	"inlay/tokens"
)

// routeSettings are the seed's, under the keys of package options.
type routeSettings struct {
	Enable      bool     `key:"enable_prompt_preprocessor"`
	Provider    string   `key:"preprocessor_provider"`
	ModelID     string   `key:"preprocessor_model_id"`
	Temperature float64  `key:"preprocessor_temperature"`
	MaxContext  int      `key:"preprocessor_max_context_chars"`
	Condensed   bool     `key:"condensed_prompt_enabled" negatable:""`
	Retry       bool     `key:"retry_full_prompt"`
	Providers   []string `key:"allow_providers"`
	Models      []string `key:"allow_models"`
}

func (s routeSettings) settings() route.Settings {
	return route.Settings{
		EnablePromptPreprocessor: s.Enable, PreprocessorProvider: s.Provider, PreprocessorModelID: s.ModelID, PreprocessorTemperature: s.Temperature,
		CondensedPromptEnabled: s.Condensed, PreprocessorMaxContextChars: s.MaxContext, RetryFullPrompt: s.Retry,
	}
}

// routeCmd shows how an ask would be routed.
type routeCmd struct {
	routeSettings
	BaseURL        string `key:"base_url"`
	Decider        string `enum:"heuristic,model" default:"heuristic" help:"Who decides: heuristic asks no model."`
	As             string `enum:"code,architect,ask,debug" default:"code" help:"Mode, which says what tools are allowed."`
	Workspace      string `default:"." placeholder:"DIR" help:"Folder whose ignore files bind the decision."`
	CodebaseSearch bool   `help:"Whether codebase_search is there."`
	History        string `placeholder:"FILE" help:"Conversation so far (inlay.history/v1)."`
	Summary        string `placeholder:"TEXT" help:"Compact summary of the conversation."`
	LastTool       string `placeholder:"TOOL" help:"Tool that ran last."`
	LastPath       string `placeholder:"PATH" help:"File that it was about."`
	LastResult     string `placeholder:"FILE" help:"What it returned."`
	System         string `placeholder:"FILE" help:"The full system prompt that is compared with (default: one with the mode's tool catalogue)."`
	Output         string `short:"o" enum:"text,json,prompt" default:"text" help:"What to print: the decision as text or json, or the system prompt that would be sent."`

	Ask []string `arg:"" help:"What the user asks."`
}

// Run decides and prints; nothing is executed or sent to the large model.
func (c *routeCmd) Run(ctx context.Context, a *app) error {
	if strings.TrimSpace(strings.Join(c.Ask, " ")) == "" {
		return &fault.Error{Code: fault.Usage, Subject: "ask", Reason: "is empty", Next: `say what the user asks: inlay route "Read main.go"`}
	}
	r, err := c.router(a)
	if err != nil {
		return err
	}
	req, err := c.request(a, r)
	if err != nil {
		return err
	}
	if c.Output != "prompt" {
		r.Settings.EnablePromptPreprocessor = true // a preview; what is sent follows the flag
	}
	out, err := r.Decide(ctx, req)
	if err != nil {
		return err
	}
	switch c.Output {
	case "json":
		return writeJSON(a.stdout, routeJSON{"inlay.route/v1", c.Enable, out})
	case "prompt":
		_, err = io.WriteString(a.stdout, out.System)
		return err
	}
	return c.print(a.stdout, out)
}

// routeJSON is what route prints as JSON.
type routeJSON struct {
	Schema  string `json:"schema"`
	Enabled bool   `json:"enabled"` // whether prompts are routed in this workspace
	route.Outcome
}

func (c *routeCmd) router(a *app) (route.Router, error) {
	r := route.Router{Settings: c.settings(), Governance: route.Governance{Providers: c.Providers, Models: c.Models}, CodebaseSearch: c.CodebaseSearch}
	root, err := os.OpenRoot(c.Workspace)
	if err != nil {
		return r, &fault.Error{Code: fault.Usage, Subject: "--workspace " + c.Workspace, Reason: reasonOf(err), Next: "name a folder that is there", Err: err}
	}
	r.Rules = ignore.New(root.FS(), nil)
	if r.Counter, err = (&tokens.Library{}).Encoding(wire.DefaultEncoding); err != nil {
		return r, err
	}
	r.Decider, err = c.decider(c.Decider, c.BaseURL, a.getenv)
	return r, err
}

// decider is who decides; nil: the heuristic.
func (s routeSettings) decider(kind, baseURL string, getenv func(string) string) (route.Decider, error) {
	if kind != "model" {
		return nil, nil
	}
	model := route.Model{Temperature: s.Temperature}
	switch g, err := wire.OpenAnswerer(wire.ModelSettings{Model: s.Provider + ":" + s.ModelID, BaseURL: baseURL}, getenv); {
	case err == nil:
		model.Generator = g
	case !fault.Is(err, fault.Usage): // a provider that is not known is a warning of the router
		return nil, err
	}
	return model, nil
}

func (c *routeCmd) request(a *app, r route.Router) (route.Request, error) {
	past, err := openHistory(c.History)
	if err != nil {
		return route.Request{}, err
	}
	root, err := filepath.Abs(c.Workspace)
	if err != nil {
		return route.Request{}, err
	}
	ask := strings.Join(c.Ask, " ")
	mode, _ := route.FindMode(c.As)
	req := route.Request{
		Ask: ask, Context: c.Summary, Mode: mode, Messages: append(past.Messages, chat.Message{Role: chat.User, Text: ask}),
		Environment: whereRoute(root, a.getenv),
	}
	if c.LastTool == "" && c.LastPath+c.LastResult != "" {
		return req, &fault.Error{Code: fault.Usage, Subject: "--last-tool", Reason: "is missing beside --last-path or --last-result", Next: "name the tool that ran, as --last-tool read_file"}
	}
	if c.LastTool != "" {
		req.Last = &route.Last{Tool: c.LastTool, Path: c.LastPath}
		if req.Last.Preview, err = readText(c.LastResult); err != nil {
			return req, err
		}
	}
	if c.System != "" {
		req.System, err = readText(c.System)
		return req, err
	}
	req.System, err = route.Build(route.Prompt{Mode: mode, Tools: allowedTools(mode, r.CodebaseSearch), Environment: req.Environment})
	return req, err
}

// whereRoute is what a model may know of this computer.
func whereRoute(root string, getenv func(string) string) route.Environment {
	e := route.Environment{OS: runtime.GOOS, Workspace: filepath.Base(root)}
	if shell := getenv("SHELL"); shell != "" {
		e.Shell = filepath.Base(shell)
	}
	return e
}

// allowedTools is the catalogue of a mode.
func allowedTools(m route.Mode, search bool) (out []route.Tool) {
	for _, t := range route.Tools() {
		if m.Allows(t.Name) && (search || t.Name != "codebase_search") {
			out = append(out, t)
		}
	}
	return out
}

// readText reads a small file; no name is no text.
func readText(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if err := notRegular(path); err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", &fault.Error{Code: fault.CodeOf(err), Subject: path, Reason: reasonOf(err), Err: err}
	}
	return string(data), nil
}

func (c *routeCmd) print(w io.Writer, o route.Outcome) error {
	var b strings.Builder
	if d := o.Decision; d != nil {
		fmt.Fprintf(&b, "decision   %s\n", d.Decision)
		if d.Tool != nil {
			call, err := d.Tool.ToolCall("")
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "tool       %s %s\n", d.Tool.Name, call.Arguments)
		}
		if o.Proposed != "" {
			fmt.Fprintf(&b, "instead of %s\n", o.Proposed)
		}
		fmt.Fprintf(&b, "why        %s\n", oneLine(d.Reasoning))
	}
	for _, s := range o.Stages {
		fmt.Fprintf(&b, "stage      %s by %s, %d tokens in, %d out\n", s.Name, o.Decider, s.In, s.Out)
	}
	if o.Routed {
		fmt.Fprintf(&b, "tokens     saves %s of this turn\n", plural.Of(o.Saved, "token"))
	}
	for _, warning := range o.Warnings {
		b.WriteString("warning: " + warning + "\n")
	}
	if !c.Enable {
		b.WriteString("off        enable_prompt_preprocessor is false here, so prompts go on as they are; this is a preview\n")
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

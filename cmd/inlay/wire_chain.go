package main

// What the service puts around chat completions: processors, the router.

import (
	"log/slog"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/route"
)

// chainSettings shape what the service puts around chat completions. All of it
// is off by default.
type chainSettings struct {
	routeSettings
	RouteDecider string `key:"route_decider"`
	RouteAs      string `key:"route_as"`
	Processors   bool   `key:"chat_processors"`
	Workspace    string `key:"workspace"`

	workspace *builtin.Workspace
}

func (c *chainSettings) openWorkspace() (err error) {
	if c.Workspace != "" {
		c.workspace, err = builtin.OpenWorkspace(c.Workspace, nil)
	}
	return err
}

func (c *chainSettings) closeWorkspace() {
	if c.workspace != nil {
		_ = c.workspace.Close()
	}
}

// router is nil where nothing is routed.
func (c *chainSettings) router(w *builtin.Workspace, m wire.ModelSettings, getenv func(string) string, log *slog.Logger) (*route.Router, error) {
	if !c.Enable {
		return nil, nil
	}
	r := &route.Router{Settings: c.settings(), Governance: route.Governance{Providers: c.Providers, Models: c.Models}, Logger: log}
	if err := r.Settings.Validate(); err != nil {
		return nil, err
	}
	if w != nil {
		r.Rules = w.Rules()
	}
	base := ""
	if provider, _ := llm.SplitModel(m.Model); provider == c.Provider {
		base = m.BaseURL
	}
	var err error
	r.Decider, err = c.decider(c.RouteDecider, base, getenv)
	return r, err
}

// place is where the clients work: a workspace that the server was given is on
// this computer. Without one nothing is known of it.
func place(w *builtin.Workspace, getenv func(string) string) route.Environment {
	if w == nil {
		return route.Environment{}
	}
	return whereRoute(w.Dir(), getenv)
}

// chains are made for each request, since some processors work with its model.
// They are made once before, so that mistakes stop the server from starting.
func (c *chainSettings) chains(a *app, w *builtin.Workspace, injector func(owner string) *injection.Injector) (func(string, llm.Generator) (*processor.Chains, error), error) {
	if !c.Processors {
		return nil, nil
	}
	recall := &builtin.Recall{}
	open := func(owner string, model llm.Generator) (*processor.Chains, error) {
		host := builtin.Host{Workspace: w, Injector: injector(owner), Injection: injection.Options{Namespace: owner}, Model: model, Recall: recall}
		return processor.Load(a.settings.path, a.settings.text, forService(builtin.Registry(host), w != nil))
	}
	_, err := open("", nil)
	return open, err
}

// forService is what the service can do of a registry: tools are run by the client
// and calls are made as the client wrote them, so the families of tools and
// steps are empty; the client has a system prompt and surroundings of its own;
// and what reads files or runs commands needs a workspace.
func forService(r processor.Registry, workspace bool) processor.Registry {
	r.Injection, r.Parameters, r.Validation, r.Steps = nil, nil, nil, nil
	r.Without = map[processor.Family]string{}
	for _, f := range []processor.Family{processor.ToolModifiers, processor.LLMSteps} {
		r.Without[f] = "the clients of a server run the tools and make the calls themselves; leave " + string(f) + " out of the file that serve reads"
	}
	for i, e := range r.Messages {
		switch e.Name {
		case "CoreSystemPromptModifier", "EnvironmentContextModifier", "IdeContextModifier", "ChatRecordingModifier":
			r.Messages[i].Default = false
		}
		switch e.Name {
		case "EnvironmentContextModifier", "DirectoryContextModifier", "MemoryImportModifier", "AtFileProcessorModifier", "ShellProcessorModifier":
			if !workspace {
				r.Messages[i].Default = false
				r.Messages[i].Make = needsWorkspace(e.Name)
			}
		}
	}
	return r
}

func needsWorkspace(name string) func(processor.Options) (processor.MessageModifier, error) {
	return func(processor.Options) (processor.MessageModifier, error) {
		return processor.MessageModifier{}, &fault.Error{
			Code: fault.Usage, Subject: name,
			Reason: "reads files or runs commands for everyone who calls, and there is no workspace",
			Next:   "name the folder with --workspace, or leave it out",
		}
	}
}

package main

import (
	"context"

	"inlay/injection"
	"inlay/internal/plural"
	"inlay/route"
)

// What the doctor says of the three things around a turn: intent, route,
// processors.

func lookIntent(_ context.Context, e *examination) []finding {
	switch e.Intent {
	case "builtin":
		return fine("builtin: bulk of large questions becomes documents, by its structure")
	case "model":
		if e.Model == "" && len(e.Upstream) == 0 {
			return []finding{{Verdict: worry, Found: "model, and there is no model that could split questions", Next: "name one with --upstream, or take --intent builtin"}}
		}
		return fine("model: the model that answers splits large questions")
	}
	return left("off: questions stay whole unless a request asks for it")
}

func lookRoute(_ context.Context, e *examination) []finding {
	if !e.Enable {
		return left("off: prompts are byte for byte what clients sent")
	}
	r, err := e.router(nil, e.ModelSettings, e.app.getenv, nil)
	if err != nil {
		return ofError(err, "see docs/route.md")
	}
	m, model := r.Decider.(route.Model)
	switch {
	case !model:
		return fine("by the heuristic, as %s, for clients that offer its tools", e.RouteAs)
	case m.Generator == nil:
		return []finding{{
			Verdict: worry, Found: "the provider " + e.Provider + " is not there, so that no turn is routed",
			Next: "choose another with --preprocessor-provider, or take --route-decider heuristic",
		}}
	}
	return fine("by %s, as %s, for clients that offer its tools", m.Name(), e.RouteAs)
}

func lookProcessors(_ context.Context, e *examination) []finding {
	if err := e.openWorkspace(); err != nil {
		return ofError(err, "give --workspace a folder")
	}
	defer e.closeWorkspace()
	if !e.Processors {
		if e.workspace != nil && !e.Enable {
			return []finding{{Verdict: worry, Found: "--workspace without --processors: nothing reads it", Next: "add --processors, or leave it out"}}
		}
		return left("off: messages and answers go on as they came")
	}
	open, err := e.chains(e.app, e.workspace, func(string) *injection.Injector { return &injection.Injector{} })
	if err != nil {
		return ofError(err, "see docs/processors.md")
	}
	chains, err := open("", nil)
	if err != nil {
		return ofError(err, "see docs/processors.md")
	}
	reads := "no folder"
	if e.workspace != nil {
		reads = e.Workspace
	}
	return fine("%s and %s, %s; everyone who calls may read %s",
		plural.Of(len(chains.Messages.Names()), "message modifier"), plural.Of(len(chains.Responses.Names()), "response modifier"), from(e.app.settings), reads)
}

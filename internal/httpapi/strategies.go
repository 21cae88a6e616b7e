package httpapi

import (
	"encoding/json"

	"inlay/chat"
	"inlay/injection"
	"inlay/internal/files"
	"inlay/internal/service"
	"inlay/options"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/strategy/condition"
)

// strategyList is what GET /v1/strategies answers.
type strategyList struct {
	Schema      string                 `json:"schema"`
	Strategies  []builtin.StrategyView `json:"strategies"`
	Diagnostics []strategy.Diagnostic  `json:"diagnostics"`
}

func (a *API) listStrategies(c *call) error {
	return c.json(strategyList{
		Schema: "inlay.strategies/v1", Strategies: builtin.DescribeAll(a.service.Strategies(), a.service.Preprocessors()),
		Diagnostics: append([]strategy.Diagnostic{}, a.service.StrategyDiagnostics()...),
	})
}

func (a *API) showStrategy(c *call) error {
	s, err := a.service.Strategy(c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(builtin.Describe(s, a.service.Preprocessors()))
}

// matchRequest is the body of POST /v1/strategies/match.
type matchRequest struct {
	Context json.RawMessage `json:"context,omitempty" doc:"an object with attachments, clipboard, assistant, environment, extra, visual"`
	Files   []files.Ref     `json:"files,omitempty"`
}

type matchAnswer struct {
	Schema     string              `json:"schema"`
	Candidates []builtin.MatchView `json:"candidates"`
	Others     []builtin.MatchView `json:"others"`
}

func (a *API) matchStrategies(c *call) error {
	var r matchRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	values, err := condition.ContextOf(r.Context)
	if err != nil {
		return err
	}
	if err := a.fewFiles(len(r.Files)); err != nil {
		return err
	}
	found, err := a.service.Match(c.ctx(), c.owner, values, r.Files)
	if err != nil {
		return err
	}
	m := matchAnswer{Schema: "inlay.matches/v1"}
	m.Candidates, m.Others = builtin.DescribeMatches(found)
	return c.json(m)
}

// executeRequest is the body of POST /v1/strategies/{id}/execute and of
// POST /v1/preprocessors/{id}.
type executeRequest struct {
	options.RequestFields
	Input       string          `json:"input,omitempty" doc:"what the user wrote"`
	Messages    []message       `json:"messages,omitempty" doc:"the conversation before it"`
	ChatID      string          `json:"chat_id,omitempty" doc:"a chat that the service keeps, instead of messages; the turn is kept in it unless it is a dry run"`
	Files       []files.Ref     `json:"files,omitempty"`
	Context     json.RawMessage `json:"context,omitempty" doc:"an object with attachments, clipboard, assistant, environment, extra, visual"`
	Model       string          `json:"model,omitempty"`
	DryRun      bool            `json:"dry_run,omitempty"`
	KeepMissing bool            `json:"keep_missing,omitempty" doc:"leave placeholders without a value in the prompt"`
	Settings    map[string]any  `json:"settings,omitempty" doc:"of the preprocessor, where one is run by itself"`
}

func (a *API) execution(c *call) (service.Question, error) {
	var r executeRequest
	if err := c.decode(&r); err != nil {
		return service.Question{}, err
	}
	if err := c.mayKeep(r.ChatID); err != nil {
		return service.Question{}, err
	}
	given, err := r.Values("")
	if err != nil {
		return service.Question{}, err
	}
	values, err := condition.ContextOf(r.Context)
	if err != nil {
		return service.Question{}, err
	}
	messages, err := conversation(r.Messages)
	if err != nil {
		return service.Question{}, err
	}
	return service.Question{
		Messages: messages, ChatID: r.ChatID, Text: r.Input, Files: r.Files, Model: r.Model, Options: given, DryRun: r.DryRun,
		Values: values, KeepMissing: r.KeepMissing, Settings: r.Settings,
	}, a.fewFiles(len(r.Files))
}

func (a *API) executeStrategy(c *call) error {
	s, err := a.service.Strategy(c.PathValue("id"))
	if err != nil {
		return err
	}
	x, err := a.execution(c)
	if err != nil {
		return err
	}
	return c.answerOrEvents(func(report func(injection.Status)) (any, error) {
		x := x
		x.Report, x.Strategy = report, s
		t, err := a.service.Execute(c.ctx(), c.owner, x)
		if err != nil {
			return nil, withSteps(err, t)
		}
		return executionAnswer{*t.Execution, t.Citations(), t.Result}, nil
	})
}

// executionAnswer is inlay.execution/v1, with the citations in its prompt and
// what became of the files.
type executionAnswer struct {
	strategy.Execution
	Citations []chat.Citation   `json:"citations,omitempty"`
	Files     *injection.Result `json:"files_result,omitempty" doc:"inlay.result/v1 of the preprocessor files"`
}

// preprocessorView is what is shown of a preprocessor.
type preprocessorView struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Permission  string  `json:"permission"`
	Timeout     float64 `json:"timeout_seconds"`
}

type preprocessorList struct {
	Preprocessors []preprocessorView `json:"preprocessors"`
}

func (a *API) listPreprocessors(c *call) error {
	list := preprocessorList{Preprocessors: []preprocessorView{}}
	for _, i := range a.service.Preprocessors().All() {
		list.Preprocessors = append(list.Preprocessors, preprocessorView{i.ID, i.DisplayName, i.Description, i.Permission, i.Timeout.Seconds()})
	}
	return c.json(list)
}

func (a *API) runPreprocessor(c *call) error {
	x, err := a.execution(c)
	if err != nil {
		return err
	}
	return c.answerOrEvents(func(report func(injection.Status)) (any, error) {
		x := x
		x.Report = report
		return a.service.RunPreprocessor(c.ctx(), c.owner, c.PathValue("id"), x)
	})
}

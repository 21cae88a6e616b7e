package builtin

import (
	"slices"

	"inlay/injection"
	"inlay/strategy"
	"inlay/strategy/condition"
)

// StrategyView is what is shown of a strategy before it runs.
type StrategyView struct {
	ID            string                `json:"id"`
	Name          string                `json:"name"`
	Description   string                `json:"description,omitempty"`
	Icon          string                `json:"icon,omitempty"`
	Priority      int                   `json:"priority"`
	Enabled       bool                  `json:"enabled"`
	File          string                `json:"file"`
	From          string                `json:"from,omitempty"`
	Preprocessors []string              `json:"preprocessors,omitempty"`
	Tools         strategy.ToolRules    `json:"tools,omitempty"`
	Permissions   []strategy.Permission `json:"permissions,omitempty"`
}

// Describe shows a strategy and what it may read or use.
func Describe(s *strategy.Strategy, registry *strategy.Registry) StrategyView {
	return StrategyView{
		ID: s.ID, Name: s.Name, Description: s.Description, Icon: s.Icon, Priority: s.Priority, Enabled: s.Enabled, File: s.File, From: s.From,
		Preprocessors: s.Preprocessors, Tools: s.Tools, Permissions: strategy.Permissions(s, registry),
	}
}

// DescribeAll shows a list.
func DescribeAll(list []*strategy.Strategy, registry *strategy.Registry) []StrategyView {
	out := make([]StrategyView, len(list))
	for i, s := range list {
		out[i] = Describe(s, registry)
	}
	return out
}

// MatchView is a strategy with why it matches or not.
type MatchView struct {
	ID         string               `json:"id"`
	Name       string               `json:"name"`
	Priority   int                  `json:"priority"`
	Why        string               `json:"why"`
	Evaluation condition.Evaluation `json:"evaluation"`
}

// DescribeMatches lists the candidates, then the others.
func DescribeMatches(found strategy.Matches) (candidates, others []MatchView) {
	all := []MatchView{}
	for _, m := range slices.Concat(found.Candidates, found.Others) {
		all = append(all, MatchView{m.Strategy.ID, m.Strategy.Name, m.Strategy.Priority, m.Evaluation.Why(), m.Evaluation})
	}
	n := len(found.Candidates)
	return all[:n:n], all[n:]
}

// KnownPreprocessors knows the built-in preprocessors by their names alone, for
// what does not run any.
func KnownPreprocessors() (*strategy.Registry, error) {
	return strategy.NewRegistry(Preprocessors(Options{Injector: &injection.Injector{}})...)
}

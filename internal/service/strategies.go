package service

import (
	"context"

	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// strategies are those of the host. They are loaded once; requests name them.
type strategies struct {
	set      strategy.Set
	registry *strategy.Registry // knows the preprocessors by name, and runs none
}

func (s *strategies) load(ctx context.Context, from func(context.Context, *strategy.Registry) (strategy.Set, error)) (err error) {
	s.registry, err = builtin.KnownPreprocessors()
	if err == nil && from != nil {
		s.set, err = from(ctx, s.registry)
	}
	return err
}

// Strategies are the strategies of the host.
func (s *Service) Strategies() []*strategy.Strategy { return s.known.set.Strategies }

// StrategyDiagnostics are the mistakes found in them.
func (s *Service) StrategyDiagnostics() []strategy.Diagnostic { return s.known.set.Diagnostics }

// Preprocessors knows every preprocessor by name.
func (s *Service) Preprocessors() *strategy.Registry { return s.known.registry }

// Strategy finds one by its id; the built-in ones go without their prefix too.
func (s *Service) Strategy(id string) (*strategy.Strategy, error) {
	for _, name := range []string{id, builtin.Provider + "." + id} {
		if one, ok := s.known.set.Lookup(name); ok {
			return one, nil
		}
	}
	return nil, &fault.Error{Code: fault.StrategyNotFound, Subject: "strategy " + id, Reason: "there is no such strategy", Next: "see the list of strategies"}
}

package wire

import (
	"context"

	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// LoadStrategies is the built-in strategies and those of a folder; an empty name
// is none.
func LoadStrategies(ctx context.Context, dir string, registry *strategy.Registry) (strategy.Set, error) {
	set, err := builtin.Strategies(ctx, registry)
	if err != nil || dir == "" {
		return set, err
	}
	folder, err := strategy.OpenFolder(strategy.Loader{Provider: "user", Registry: registry}, dir)
	if err != nil {
		return strategy.Set{}, err
	}
	own, err := folder.Load(ctx)
	return strategy.Join(set, own), err
}

// FindStrategy looks an id up in a set; the built-in ones go without their prefix
// too.
func FindStrategy(set strategy.Set, id string) (*strategy.Strategy, error) {
	for _, id := range []string{id, builtin.Provider + "." + id} {
		if one, ok := set.Lookup(id); ok {
			return one, nil
		}
	}
	return nil, &fault.Error{Code: fault.StrategyNotFound, Subject: id, Reason: "there is no such strategy", Next: "see inlay strategy list, or name a file that ends in " + strategy.Extension}
}

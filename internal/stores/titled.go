package stores

import (
	"context"
	"errors"

	"inlay/injection"
	"inlay/internal/state"
	"inlay/library"
)

// Titled are libraries of which those that are vector stores have their names as titles.
func (s *Stores) Titled(of injection.Libraries) injection.Libraries {
	return titled{of, s.config.State}
}

type titled struct {
	injection.Libraries

	stores state.Store
}

// Settings implements [injection.Libraries].
func (t titled) Settings(ctx context.Context, owner, name string) (library.Settings, error) {
	set, err := t.Libraries.Settings(ctx, owner, name)
	if err != nil {
		return set, err
	}
	v, err := t.stores.VectorStore(ctx, owner, name)
	if errors.Is(err, state.ErrNotFound) {
		return set, nil
	}
	set.Title = v.Name
	return set, err
}

package parse

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"inlay/cache"
)

// Cached reads through a store: the same bytes under the same parser, limits
// and extension are parsed once.
type Cached struct {
	Registry  *Registry
	Store     cache.Store // nil parses every time
	Namespace string      // separates callers that must not learn of each other
	Limits    Limits      // those the registry's parsers were made with
	Recent    *Recent     // documents in memory; nil: none
}

// Lookup is [Registry.Lookup].
func (c Cached) Lookup(f File) (Parser, error) { return c.Registry.Lookup(f) }

// Parse returns the stored document for these bytes, or parses and stores them;
// Document.Cached says which. A partial document is not stored. A store that fails costs only the saving: its error is
// returned beside a good document's only when the context has ended.
func (c Cached) Parse(ctx context.Context, f File, report Progress) (Document, error) {
	p, detected, err := c.Registry.choose(f)
	if err != nil {
		return Document{}, err
	}
	key := c.key(f, p)
	if d, ok := c.Recall(key.Of, f); ok {
		monotonic(report)(1)
		return d, nil
	}
	if d, ok := c.load(ctx, key, f); ok {
		if w, odd := c.Registry.mismatch(p, detected); odd {
			d.Warnings = append(d.Warnings, w)
		}
		monotonic(report)(1)
		return c.Recent.keep(c.recentKey(d.FileID, f), d), nil
	}
	d, err := c.Registry.Parse(ctx, f, report)
	if err != nil {
		return Document{}, err
	}
	if d.Partial {
		return d, nil
	}
	d = c.Recent.keep(c.recentKey(d.FileID, f), d)
	return d, c.save(ctx, key, d)
}

// key names the parse of a file. The extension belongs to it because it chooses
// among forms of text; the name and path do not.
func (c Cached) key(f File, p Parser) cache.Key {
	info := p.Info()
	return cache.Key{Namespace: c.Namespace, Of: FileID(f.Data), Kind: "parse", Parts: []string{
		info.Name, info.Version, c.Limits.Fingerprint(), strings.ToLower(filepath.Ext(f.Name)),
	}}
}

// load finds a stored parse; anything odd about it counts as not found.
func (c Cached) load(ctx context.Context, key cache.Key, f File) (Document, bool) {
	if c.Store == nil {
		return Document{}, false
	}
	data, ok, err := c.Store.Get(ctx, key)
	if err != nil || !ok {
		return Document{}, false
	}
	var d Document
	if json.Unmarshal(data, &d) != nil || d.FileID != key.Of {
		return Document{}, false
	}
	d.Name, d.Path, d.Cached = f.Name, f.Path, true
	return d, true
}

func (c Cached) save(ctx context.Context, key cache.Key, d Document) error {
	if c.Store == nil {
		return nil
	}
	d.Name, d.Path = "", ""
	d.Warnings = slices.DeleteFunc(slices.Clone(d.Warnings), func(w Warning) bool { return w.Code == WarnTypeMismatch })
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("storing the parse of %s: %w", d.FileID, err)
	}
	if err := c.Store.Put(ctx, key, data); err != nil && ctx.Err() != nil {
		return fmt.Errorf("storing the parse of %s: %w", d.FileID, ctx.Err())
	}
	return nil
}

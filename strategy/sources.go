package strategy

import (
	"maps"
	"path"
	"slices"
	"strings"

	"inlay/strategy/render"
)

// Argument is the alias of the user's input.
const Argument = "Argument"

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// sources answers a placeholder by STR-5's precedence: preprocessors, extra,
// the other context, the host's own variables, aliases.
type sources struct {
	layers  []map[string]any
	aliases map[string]string
	input   string
}

// contextRoots are the roots of ExecutionContext.Values a prompt may show, by
// their layer: extra before the others.
func contextRoots(values map[string]any) (extra, rest map[string]any) {
	extra, rest = map[string]any{}, map[string]any{}
	for key, value := range values {
		switch root, _, _ := strings.Cut(key, "."); root {
		case "extra":
			extra[key] = value
		case "attachments", "clipboard", "assistant", "environment":
			rest[key] = value
		}
	}
	return extra, rest
}

func newSources(merged map[string]any, x ExecutionContext, builtIns map[string]any, aliases map[string]string) sources {
	extra, rest := contextRoots(x.Values)
	return sources{layers: []map[string]any{merged, extra, rest, builtIns}, aliases: aliases, input: x.Input}
}

// lookup finds a path's value. An alias leads to a path, never to another alias.
func (s sources) lookup(p string) (any, bool) {
	if v, ok := s.direct(p); ok {
		return v, true
	}
	if target, ok := s.aliases[p]; ok {
		return s.direct(target)
	}
	if p == Argument {
		return render.Verbatim(s.input), true
	}
	return nil, false
}

func (s sources) direct(p string) (any, bool) {
	for _, layer := range s.layers {
		if v, ok := render.Find(layer, p); ok {
			return v, true
		}
	}
	return nil, false
}

// withAttachments adds attachments.files for what hangs on the message, unless
// the caller supplied its own.
func withAttachments(values map[string]any, files []Attachment) map[string]any {
	if _, given := render.Find(values, "attachments.files"); given || len(files) == 0 {
		return values
	}
	values = maps.Clone(values)
	if values == nil {
		values = map[string]any{}
	}
	values["attachments.files"] = AttachmentValues(files)
	return values
}

// AttachmentValues describes files as the list attachments.files: name, path,
// mimeType, extension (lower-case, with its dot) and size, each only where known.
func AttachmentValues(files []Attachment) []any {
	list := make([]any, len(files))
	for i, f := range files {
		item := map[string]any{"name": f.Name}
		for key, value := range map[string]string{"path": f.Path, "mimeType": f.MediaType, "extension": strings.ToLower(path.Ext(f.Name))} {
			if value != "" {
				item[key] = value
			}
		}
		if f.Size > 0 {
			item["size"] = f.Size
		}
		list[i] = item
	}
	return list
}

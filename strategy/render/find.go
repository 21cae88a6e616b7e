package render

import "strings"

// Find answers a dotted path from values: the exact key first, then the longest
// key that is the path's beginning, from where each further segment leads one
// object deeper. It returns false for what is not there.
func Find(values map[string]any, path string) (any, bool) {
	if v, ok := values[path]; ok {
		return v, true
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if v, ok := values[path[:end]]; ok {
			if v, ok = Descend(v, path[end+1:]); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// Descend follows a dotted path through nested objects, one segment a level.
func Descend(v any, path string) (any, bool) {
	for path != "" {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		var key string
		key, path, _ = strings.Cut(path, ".")
		if v, ok = object[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

package strategy

import (
	"cmp"
	"fmt"
	"strings"

	"inlay/fault"
	"inlay/strategy/render"
	"inlay/strategy/source"
)

// Prefix begins the key of every variable a preprocessor writes.
const Prefix = "preprocess."

func compare(a, b string) int { return cmp.Compare(a, b) }

// validKey reports whether a preprocessor may write the key: "preprocess."
// and dotted [a-z0-9_]+ (STR-5).
func validKey(key string) bool {
	rest, ok := strings.CutPrefix(key, Prefix)
	return ok && segments(rest, ".", "_")
}

// checkResult normalises a preprocessor's variables, or says why v1 refuses
// the result.
func checkResult(id string, r Result) (map[string]any, error) {
	switch {
	case r.Version != 0 && r.Version != 1:
		return nil, invalidResult(id, fmt.Sprintf("it returned a result of version %d", r.Version), "return version 1")
	case len(r.Patches) > 0:
		return nil, invalidResult(id, "it tried to change tools, attachments or the model", "return variables only")
	case r.Variables == nil:
		return nil, invalidResult(id, "it returned no variables", "return an empty map when there is nothing to say")
	}
	out := make(map[string]any, len(r.Variables))
	for _, key := range sortedKeys(r.Variables) {
		if !validKey(key) {
			return nil, invalidResult(id, fmt.Sprintf("it wrote the variable %q", key), "write lower-case dotted keys under "+Prefix)
		}
		value, err := render.Normalize(r.Variables[key])
		if err != nil {
			e := invalidResult(id, "the value of "+key+" cannot be written as text", "return text, numbers, booleans, lists or objects")
			e.Err = err
			return nil, e
		}
		out[key] = value
	}
	return out, nil
}

func invalidResult(id, reason, next string) *fault.Error {
	return &fault.Error{Code: fault.PreprocessorInvalidResult, Subject: "preprocessor " + id, Reason: reason, Next: next}
}

// merge joins the steps' variables in declared order; the later step wins and
// a diagnostic records it (STR-6).
func merge(steps []Step) (map[string]any, []Diagnostic) {
	all := map[string]any{}
	owner := map[string]string{}
	var notes []Diagnostic
	for _, s := range steps {
		for _, key := range sortedKeys(s.Variables) {
			if before, taken := owner[key]; taken {
				notes = append(notes, Diagnostic{
					Code: source.DuplicateVariable, Severity: source.Warning, Path: key, Source: s.Preprocessor,
					Message: fmt.Sprintf("Both %s and %s wrote this variable; %s ran later and wins.", before, s.Preprocessor, s.Preprocessor),
				})
			}
			all[key], owner[key] = s.Variables[key], s.Preprocessor
		}
	}
	return all, notes
}

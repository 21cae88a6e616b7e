package httpapi

import (
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/lazy"
)

// fieldPath is how errors write a field of a request: stream, messages[0].role,
// inlay.limit. Only fields that hold others have a dot: handbook.md is a file.
var fieldPath = lazy.Regexp(`^(?:[a-z][a-z0-9_]*(?:\[\d+\])?|(?:[a-z][a-z0-9_]*\[\d+\]|` +
	`inlay|text|reasoning|stream_options|response_format|tool_choice|expires_after|chunking_strategy|ranking_options|filters|attributes|metadata)` +
	`(?:\.[a-z][a-z0-9_]*(?:\[\d+\])*)+)$`)

// param is the field that a failure is about, as the OpenAI API names it; nil
// where it is about something else: the body as a whole, a model, a file, a key.
func (f failure) param() *string {
	path, _, _ := strings.Cut(f.subject, " of type ") // which a part may be named with
	switch {
	case f.code != fault.Usage || f.upstream != "" || !fieldPath().MatchString(path):
		return nil
	case slices.Contains([]string{"body", "form", "key", "keys", "method", "request", "route", "server"}, path):
		return nil
	}
	return &path
}

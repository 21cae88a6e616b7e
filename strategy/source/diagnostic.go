// Package source reads the front matter of strategy files into a small tree
// that knows where each value is, and says what is wrong with it.
package source

import (
	"fmt"
	"strings"
)

// Severities of a [Diagnostic].
const (
	Error   = "error"   // the strategy cannot be used, or the condition cannot be judged
	Warning = "warning" // it works, but probably not as its author means
	Info    = "info"    // what happened
)

// Codes of diagnostics about strategy files and their matching (SPEC 12).
const (
	InvalidYAML           = "strategy.invalid_yaml"
	InvalidField          = "strategy.invalid_field"
	InvalidID             = "strategy.invalid_id"
	DuplicateID           = "strategy.duplicate_id"
	InvalidFrom           = "strategy.invalid_from"
	UnknownPreprocessor   = "strategy.unknown_preprocessor"
	UnusedPreprocessor    = "strategy.unused_preprocessor"
	PathMissing           = "condition.path_missing"
	TypeMismatch          = "condition.type_mismatch"
	ConditionTimeout      = "condition.timeout"
	RegexInvalid          = "regex.invalid"
	RegexTimeout          = "regex.timeout"
	QueryInvalid          = "visual.query_invalid"
	QueryTimeout          = "visual.timeout"
	ExtraUnavailable      = "extra.provider_unavailable"
	ExtraTimeout          = "extra.timeout"
	ExtraPermission       = "extra.permission_unavailable"
	DuplicateVariable     = "preprocessor.duplicate_variable"
	MissingVariable       = "strategy.missing_variable"
	UnreadableFile        = "strategy.unreadable_file"
	PreviousVersionStands = "strategy.previous_version_stands"
)

// Diagnostic says what happened, by names and never by values (STR-14).
type Diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // Error, Warning or Info
	Message  string `json:"message"`  // a sentence
	Path     string `json:"path,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`   // from 1; 0 is unknown
	Column   int    `json:"column,omitempty"` // from 1, in characters; 0 is unknown
	Source   string `json:"source,omitempty"` // the preprocessor or provider it comes from
	Cause    string `json:"cause,omitempty"`  // of a failure: the code of what led to Code, such as "corrupt"
}

// String writes "file:line:column: severity code path: message", leaving out what is unknown.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.File)
		b.WriteByte(':')
	}
	if d.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", d.Line, d.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(d.Severity + " " + d.Code)
	if d.Path != "" {
		b.WriteString(" " + d.Path)
	}
	b.WriteString(": " + d.Message)
	return b.String()
}

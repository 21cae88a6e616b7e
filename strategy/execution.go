package strategy

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"
	"unicode/utf8"

	"inlay/fault"
)

// ExecutionSchema names the stored form of an [Execution].
const ExecutionSchema = "inlay.execution/v1"

// States in which an execution ends.
const (
	Done     = "done"
	DryRun   = "dry_run" // the preprocessors ran and nothing was rendered
	Failed   = "failed"
	Canceled = "canceled"
)

// Execution is the user message a strategy made, with everything it was made
// from, so that retry and replay give the same bytes without running anything
// again (STR-4). One that failed, was canceled or was a dry run has no prompt;
// its steps and diagnostics are kept.
type Execution struct {
	Schema       string         `json:"schema"`
	Status       string         `json:"status"`
	Strategy     Used           `json:"strategy"`
	Input        Text           `json:"input"`
	Prompt       Text           `json:"prompt"`                  // the message for the model
	SystemPrompt *Text          `json:"system_prompt,omitempty"` // absent: the assistant's default
	Steps        []Step         `json:"steps"`
	Values       map[string]any `json:"values"`  // what rendering read besides the steps' variables
	Missing      []string       `json:"missing"` // paths without a value
	KeepMissing  bool           `json:"keep_missing,omitempty"`
	Diagnostics  []Diagnostic   `json:"diagnostics"`
}

func newExecution() Execution {
	return Execution{Schema: ExecutionSchema, Steps: []Step{}, Values: map[string]any{}, Missing: []string{}, Diagnostics: []Diagnostic{}}
}

// ExecutionError is the error of an execution that failed or was canceled, with
// what was done up to then, so that a caller can show its steps and diagnostics.
// Its code is that of Err.
type ExecutionError struct {
	Execution Execution
	Err       error
}

// Error returns the text of Err.
func (e *ExecutionError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ExecutionError) Unwrap() error { return e.Err }

// Used is what an execution keeps of its strategy.
type Used struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	Body         Text      `json:"body"`
	SystemPrompt *Text     `json:"system_prompt,omitempty"`
	ContainInput []string  `json:"contain_input,omitempty"` // variables that stand for the input, of its preprocessors
	Tools        ToolRules `json:"tools,omitempty"`
}

// Step is one preprocessor's part in an execution (STR-14).
type Step struct {
	Preprocessor string         `json:"preprocessor"`
	Duration     Duration       `json:"duration_ms"`
	Variables    map[string]any `json:"variables"` // normalised
	Diagnostics  []Diagnostic   `json:"diagnostics"`
	Failure      fault.Code     `json:"failure,omitempty"`    // why it failed
	ErrorType    string         `json:"error_type,omitempty"` // the Go type of its error or panic
}

// Duration is written in milliseconds.
type Duration time.Duration

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(d) / float64(time.Millisecond))
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*d = Duration(math.Round(ms * float64(time.Millisecond)))
	return nil
}

// Text is text that survives JSON byte for byte: a string where it is UTF-8,
// else {"base64": "..."}.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(t)) {
		return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(t))})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(string(t))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
		return nil
	}
	var coded struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(data, &coded); err != nil {
		return fmt.Errorf("decode text: want a string or base64: %w", err)
	}
	*t = Text(coded.Base64)
	return nil
}

// Write encodes the execution, indented and with a final newline.
func (e *Execution) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("encode execution: %w", err)
	}
	return nil
}

// ReadExecution decodes a stored execution and checks its schema. What is not
// one is fault.StoreDamaged.
func ReadExecution(r io.Reader) (Execution, error) {
	var e Execution
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(&e); err != nil {
		return Execution{}, damaged("it is not the JSON of one", err)
	}
	if e.Schema != ExecutionSchema {
		return Execution{}, damaged(fmt.Sprintf("its schema is %q, not %q", e.Schema, ExecutionSchema), nil)
	}
	return e, nil
}

func damaged(reason string, err error) error {
	return &fault.Error{
		Code: fault.StoreDamaged, Subject: "stored execution", Reason: reason,
		Next: "run the strategy again", Err: err,
	}
}

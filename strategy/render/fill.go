package render

import (
	"fmt"
	"slices"
	"strings"

	"inlay/fault"
)

// Lookup finds the value of a placeholder's path. It returns false when there
// is none; a value may be anything [Normalize] accepts.
type Lookup func(path string) (any, bool)

// Verbatim is a value that is text already: its bytes are in the output as
// they are, valid UTF-8 or not, and it is not kept among the values read.
type Verbatim string

// Options of a rendering.
type Options struct {
	KeepMissing bool // diagnostics mode: {path} stays where no value is; else it renders empty
	Limit       int  // most bytes of output; 0 means DefaultLimit
}

// Output is a rendered text and what was read and missed on the way.
type Output struct {
	Text    string
	Read    map[string]any // normalised, by path
	Missing []string       // paths without a value, sorted and each once
}

// Render fills the placeholders. It fails with fault.StrategyRenderFailed when
// a value cannot be written down or the text exceeds the limit; a missing value
// is no failure.
func (t *Template) Render(find Lookup, o Options) (Output, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	out := Output{Read: map[string]any{}}
	texts := make(map[string]string, len(t.paths))
	for _, path := range t.paths {
		text, err := out.read(path, find, o)
		if err != nil {
			return Output{}, err
		}
		texts[path] = text
	}
	size := 0
	for _, p := range t.parts {
		if size += len(p.text); p.placeholder {
			size += len(texts[p.text]) - len(p.text)
		}
		if size > o.Limit {
			return Output{}, tooLong(o.Limit)
		}
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range t.parts {
		if p.placeholder {
			b.WriteString(texts[p.text])
		} else {
			b.WriteString(p.text)
		}
	}
	out.Text = b.String()
	slices.Sort(out.Missing)
	return out, nil
}

// read looks path up once and keeps what it found.
func (o *Output) read(path string, find Lookup, opt Options) (string, error) {
	value, ok := find(path)
	if !ok {
		o.Missing = append(o.Missing, path)
		if opt.KeepMissing {
			return "{" + path + "}", nil
		}
		return "", nil
	}
	if text, ok := value.(Verbatim); ok {
		return string(text), nil
	}
	value, err := Normalize(value)
	if err != nil {
		return "", &fault.Error{
			Code: fault.StrategyRenderFailed, Subject: path, Reason: "its value cannot be written as text",
			Next: "return text, numbers, booleans, lists or objects", Err: err,
		}
	}
	o.Read[path] = value
	return Format(value), nil
}

func tooLong(limit int) error {
	return &fault.Error{
		Code: fault.StrategyRenderFailed, Subject: "rendered text",
		Reason: fmt.Sprintf("longer than the limit of %d bytes", limit),
		Next:   "use fewer or shorter variables, or raise the limit",
	}
}

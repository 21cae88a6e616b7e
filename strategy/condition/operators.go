package condition

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"inlay/strategy/source"
)

// operator judges one value. why is a code of package source, empty when there
// is nothing to say.
type operator interface {
	fmt.Stringer
	apply(r *run, value any, f field) (result Truth, why string)
}

func mismatch() (Truth, string) { return False, source.TypeMismatch }

// toNumber reads a normalised number.
func toNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// oneOfOp is equals and in.
type oneOfOp struct {
	name   string
	values []any // folded texts unless exact, float64, bool
	exact  bool
}

func (o oneOfOp) String() string { return o.name }

func (o oneOfOp) apply(r *run, value any, f field) (Truth, string) {
	sameKind := false
	for _, want := range o.values {
		equal, same := o.equal(r, value, want, f)
		if equal {
			return True, ""
		}
		sameKind = sameKind || same
	}
	if !sameKind && len(o.values) > 0 {
		return mismatch()
	}
	return False, ""
}

// equal compares; same is false for values of different kinds.
func (o oneOfOp) equal(r *run, value, want any, f field) (equal, same bool) {
	switch want := want.(type) {
	case string:
		s, ok := value.(string)
		if ok && !o.exact {
			s = r.foldedValue(f, s)
		}
		return ok && s == want, ok
	case float64:
		n, ok := toNumber(value)
		return ok && n == want, ok
	case bool:
		b, ok := value.(bool)
		return ok && b == want, ok
	}
	return false, false
}

// textOp is contains, startsWith and endsWith; contains also asks whether a
// list of plain values holds one.
type textOp struct {
	name    string
	operand any
	exact   bool
}

func (o textOp) String() string { return o.name }

func (o textOp) apply(r *run, value any, f field) (Truth, string) {
	if items, ok := value.([]any); ok && o.name == "contains" && scalars(items) {
		return o.holds(r, items)
	}
	s, ok := value.(string)
	want, text := o.operand.(string)
	if !ok || !text {
		return mismatch()
	}
	if !o.exact {
		s = r.foldedValue(f, s)
	}
	switch o.name {
	case "contains":
		return truth(strings.Contains(s, want)), ""
	case "startsWith":
		return truth(strings.HasPrefix(s, want)), ""
	default:
		return truth(strings.HasSuffix(s, want)), ""
	}
}

func (o textOp) holds(r *run, items []any) (Truth, string) {
	one := oneOfOp{values: []any{o.operand}, exact: o.exact}
	for _, item := range items {
		if equal, _ := one.equal(r, item, o.operand, field{item: true}); equal {
			return True, ""
		}
	}
	return False, ""
}

// maxRegex bounds a regular expression, in bytes.
const maxRegex = 1000

// compileRegex compiles RE2 syntax; on failure it returns nil and the reason.
func compileRegex(pattern string, exact bool) (*regexp.Regexp, string) {
	if len(pattern) > maxRegex {
		return nil, fmt.Sprintf("it is longer than %d bytes", maxRegex)
	}
	re, err := regexp.Compile(pattern)
	if err == nil && !exact {
		re, err = regexp.Compile("(?i)" + pattern)
	}
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	return re, ""
}

type regexOp struct{ re *regexp.Regexp }

func (regexOp) String() string { return "regex" }

func (o regexOp) apply(r *run, value any, _ field) (Truth, string) {
	s, ok := value.(string)
	if !ok {
		return mismatch()
	}
	matched, done := match(r, o.re, s)
	if !done {
		return Unknown, source.RegexTimeout
	}
	return truth(matched), ""
}

// match runs a regular expression for at most the time a regex has. RE2 needs
// time in proportion to the text, so a short one needs no clock.
func match(r *run, re *regexp.Regexp, s string) (matched, done bool) {
	const short = 4096
	if len(s) <= short {
		return re.MatchString(s), true
	}
	clock := &clockedReader{text: s, now: r.now, until: earlier(r.now().Add(r.limits.Regex), r.until)}
	matched = re.MatchReader(clock)
	return matched, !clock.late
}

// clockedReader feeds a regular expression until the time is over.
type clockedReader struct {
	text  string
	reads int
	now   func() time.Time
	until time.Time
	late  bool
}

func (c *clockedReader) ReadRune() (rune, int, error) {
	if c.reads++; c.reads%1024 == 0 && !c.now().Before(c.until) {
		c.late = true
	}
	if c.late || c.text == "" {
		return 0, 0, io.EOF
	}
	ch, size := utf8.DecodeRuneInString(c.text)
	c.text = c.text[size:]
	return ch, size, nil
}

type globOp struct {
	pattern []rune
	exact   bool
}

func (globOp) String() string { return "glob" }

func (o globOp) apply(r *run, value any, f field) (Truth, string) {
	s, ok := value.(string)
	if !ok {
		return mismatch()
	}
	if !o.exact {
		s = r.foldedValue(f, s)
	}
	matched, done := glob(o.pattern, s, r.late)
	if !done {
		return Unknown, source.ConditionTimeout
	}
	return truth(matched), ""
}

// bounds is a closed range of numbers, open where min or max is not given.
type bounds struct {
	min, max       float64
	hasMin, hasMax bool
}

func (b bounds) holds(n float64) bool {
	return (!b.hasMin || n >= b.min) && (!b.hasMax || n <= b.max)
}

// lengthOp bounds a text's number of characters (code points).
type lengthOp struct{ bounds }

func (lengthOp) String() string { return "length" }

func (o lengthOp) apply(_ *run, value any, _ field) (Truth, string) {
	s, ok := value.(string)
	if !ok {
		return mismatch()
	}
	return truth(o.holds(float64(utf8.RuneCountInString(s)))), ""
}

// countOp bounds a list's number of items.
type countOp struct{ bounds }

func (countOp) String() string { return "count" }

func (o countOp) apply(_ *run, value any, _ field) (Truth, string) {
	items, ok := value.([]any)
	if !ok {
		return mismatch()
	}
	return truth(o.holds(float64(len(items)))), ""
}

// boundOp is min and max of a number.
type boundOp struct {
	name  string
	limit float64
}

func (o boundOp) String() string { return o.name }

func (o boundOp) apply(_ *run, value any, _ field) (Truth, string) {
	n, ok := toNumber(value)
	if !ok {
		return mismatch()
	}
	return truth(o.name == "min" && n >= o.limit || o.name == "max" && n <= o.limit), ""
}

// itemsOp is any, all and none of a list's items.
type itemsOp struct {
	op   string
	part node
}

func (o itemsOp) String() string { return o.op }

func (o itemsOp) apply(r *run, value any, _ field) (Truth, string) {
	items, ok := value.([]any)
	if !ok {
		return mismatch()
	}
	if len(items) == 0 {
		return truth(o.op == "none"), ""
	}
	v := verdict{op: o.op}
	why := ""
	for _, item := range items {
		if r.late() {
			return Unknown, source.ConditionTimeout
		}
		e := o.part.evaluate(r, item)
		if e.Result == Unknown && why == "" {
			why = first(e.All())
		}
		if v.add(e.Result) {
			return v.result(), ""
		}
	}
	return v.result(), why
}

// first is the code of the first diagnostic, empty without one.
func first(notes []source.Diagnostic) string {
	if len(notes) == 0 {
		return ""
	}
	return notes[0].Code
}

// fold maps a text so that two that differ in case only become equal, character
// by character and without regard to language.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
		}
	}
	return strings.ToLower(s)
}

package condition

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inlay/strategy/source"
)

// query is a compiled visual query: steps from the tree's roots or from the
// elements that are attached, and the attribute to read at the end.
type query struct {
	relative bool
	steps    []step
	attr     string // empty: the query selects elements
}

// step goes to children, or with descend to all descendants, of a type.
type step struct {
	descend bool
	kind    string // folded; "*" is any, "." stays where it is
	filters []filter
}

// filter keeps elements by an attribute.
type filter struct {
	attr string
	op   string // "=", "contains", "matches", "" for being true
	want any    // folded text, float64 or bool
	re   *regexp.Regexp
}

// attributes are what queries may read of an element.
func attributes() []string {
	return []string{
		"name", "text", "process", "selected", "focused", "disabled", "readonly", "offscreen", "password",
		"bounds.x", "bounds.y", "bounds.width", "bounds.height",
	}
}

// visual compiles visual.exists, visual.count and visual.match.
func (k *compiler) visual(f source.Field, path string) node {
	v := visual{op: f.Name}
	text, ok := f.Value.Field("query")
	if f.Value.Kind != source.Object || !ok || text.Kind != source.String {
		k.fail(f.At, source.InvalidField, path, "This must be a mapping with a query.")
		return constant(false)
	}
	p := queryParser{text: text.Text}
	q, err := p.parse()
	if err != nil {
		k.fail(text.At, source.QueryInvalid, path+".query", "The query cannot be read: %v.", err)
		return constant(false)
	}
	if (q.attr != "") != (f.Name == "visual.match") {
		k.fail(text.At, source.QueryInvalid, path+".query", "visual.match selects an attribute (…/@name), visual.exists and visual.count select elements.")
	}
	v.query = q
	k.paths = append(k.paths, "visual")
	rest := source.Node{Kind: source.Object, At: f.Value.At}
	for _, field := range f.Value.Fields {
		if field.Name != "query" {
			rest.Fields = append(rest.Fields, field)
		}
	}
	switch f.Name {
	case "visual.count":
		v.count = k.bounds(rest, path)
	case "visual.match":
		v.ops = k.operators(rest, path)
	default:
		if len(rest.Fields) > 0 {
			k.fail(rest.Fields[0].At, source.InvalidField, path, "visual.exists takes a query and nothing else.")
		}
	}
	return v
}

// queryParser reads a query from left to right.
type queryParser struct {
	text string
	at   int
}

func (p *queryParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s at character %d", fmt.Sprintf(format, args...), p.at+1)
}

// take consumes s if it comes next.
func (p *queryParser) take(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

// name consumes letters, digits and underscores, and dots if dots is set.
func (p *queryParser) name(dots bool) string {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && (!dots || c != '.') {
			break
		}
		p.at++
	}
	return p.text[start:p.at]
}

const maxQuery = 1000

func (p *queryParser) parse() (query, error) {
	var q query
	if len(p.text) > maxQuery {
		return q, p.errorf("it is longer than %d bytes", maxQuery)
	}
	q.relative = p.take(".")
	if q.relative && p.at == len(p.text) {
		return q, nil
	}
	for {
		descend := p.take("//")
		if !descend && !p.take("/") {
			return q, p.errorf("a step starts with / or //")
		}
		if p.take("@") {
			if descend {
				q.steps = append(q.steps, step{descend: true, kind: "*"})
			}
			attr, err := p.attribute()
			q.attr = attr
			if err == nil && p.at < len(p.text) {
				err = p.errorf("nothing follows an attribute")
			}
			return q, err
		}
		s, err := p.step(descend)
		if err != nil {
			return q, err
		}
		q.steps = append(q.steps, s)
		if p.at == len(p.text) {
			return q, nil
		}
	}
}

func (p *queryParser) attribute() (string, error) {
	name := strings.ToLower(p.name(true))
	if !slices.Contains(attributes(), name) {
		return "", p.errorf("%q is not an attribute", "@"+name)
	}
	return name, nil
}

func (p *queryParser) step(descend bool) (step, error) {
	s := step{descend: descend}
	switch {
	case p.take("*"):
		s.kind = "*"
	case !descend && p.take("."):
		s.kind = "."
	default:
		if s.kind = fold(p.name(false)); s.kind == "" {
			return s, p.errorf("a type or * is missing")
		}
	}
	for p.take("[") {
		f, err := p.filter()
		if err != nil {
			return s, err
		}
		if !p.take("]") {
			return s, p.errorf("] is missing")
		}
		s.filters = append(s.filters, f)
	}
	return s, nil
}

func (p *queryParser) filter() (filter, error) {
	var f filter
	var err error
	switch {
	case p.take("@"):
		if f.attr, err = p.attribute(); err != nil || !p.take("=") {
			return f, err
		}
		f.op = "="
		f.want, err = p.literal()
		return f, err
	case p.take("contains(@"):
		f.op = "contains"
	case p.take("matches(@"):
		f.op = "matches"
	default:
		return f, p.errorf("a filter is @name, @name=value, contains(@name,'x') or matches(@name,'x')")
	}
	if f.attr, err = p.attribute(); err != nil {
		return f, err
	}
	if !p.take(",") {
		return f, p.errorf(", is missing")
	}
	p.take(" ")
	if f.want, err = p.quoted(f.op == "matches"); err != nil {
		return f, err
	}
	if !p.take(")") {
		return f, p.errorf(") is missing")
	}
	if f.op == "matches" {
		pattern, _ := f.want.(string)
		var why string
		if f.re, why = compileRegex(pattern, false); f.re == nil {
			return f, p.errorf("the regular expression cannot be used: %s", why)
		}
	}
	return f, nil
}

func (p *queryParser) literal() (any, error) {
	if p.at < len(p.text) && (p.text[p.at] == '\'' || p.text[p.at] == '"') {
		return p.quoted(false)
	}
	start := p.at
	for p.at < len(p.text) && p.text[p.at] != ']' {
		p.at++
	}
	switch word := p.text[start:p.at]; word {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, p.errorf("a value is quoted text, a number, true or false")
		}
		return n, nil
	}
}

// quoted reads text in single or double quotes, folded unless raw.
func (p *queryParser) quoted(raw bool) (any, error) {
	if p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' {
		return nil, p.errorf("quoted text is missing")
	}
	end := strings.IndexByte(p.text[p.at+1:], p.text[p.at])
	if end < 0 {
		return nil, p.errorf("the closing quote is missing")
	}
	s := p.text[p.at+1 : p.at+1+end]
	p.at += end + 2
	if raw {
		return s, nil
	}
	return fold(s), nil
}

package condition

import (
	"slices"
	"strings"

	"inlay/strategy/source"
)

// Roots are the roots of context paths.
func Roots() []string {
	return []string{"attachments", "clipboard", "assistant", "environment", "extra", "visual"}
}

// Compile reads a "when": true, false, a composite (all, any, none over lists)
// or paths with operators; several entries of one mapping must all hold. Errors
// go to p; ok is false when there were any.
func Compile(n source.Node, p *source.Problems) (c *Condition, ok bool) {
	k := compiler{problems: p, good: true}
	root := k.condition(n, "when", false)
	slices.Sort(k.paths)
	return &Condition{root: root, paths: slices.Compact(k.paths)}, k.good
}

type compiler struct {
	problems *source.Problems
	paths    []string
	good     bool
}

func (k *compiler) fail(at source.Place, code, path, format string, args ...any) {
	k.good = false
	k.problems.Error(at, code, path, format, args...)
}

// wrong reports a value of the wrong kind.
func (k *compiler) wrong(n source.Node, path, want string) {
	k.fail(n.At, source.InvalidField, path, "This must be %s, not %s.", want, n.Kind)
}

// condition compiles a boolean or a mapping. Inside a list operator, paths are
// relative to the item.
func (k *compiler) condition(n source.Node, path string, item bool) node {
	if n.Kind == source.Bool {
		return constant(n.Bool)
	}
	if n.Kind != source.Object || len(n.Fields) == 0 {
		k.wrong(n, path, "true, false, all, any, none, or a path with operators")
		return constant(false)
	}
	var parts []node
	for _, f := range n.Fields {
		parts = append(parts, k.entry(f, source.Join(path, f.Name), item))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return composite{op: "all", parts: parts}
}

func (k *compiler) entry(f source.Field, path string, item bool) node {
	switch f.Name {
	case "all", "any", "none":
		return k.composite(f, path, item)
	case "visual.exists", "visual.count", "visual.match":
		if !item {
			return k.visual(f, path)
		}
	}
	if !item && !k.contextPath(f, path) {
		return constant(false)
	}
	if item && !dotted(f.Name) {
		k.fail(f.At, source.InvalidField, path, "%q is not a path: write names joined by dots.", f.Name)
		return constant(false)
	}
	return field{path: f.Name, item: item, ops: k.operators(f.Value, path)}
}

// composite compiles all, any and none over a list of conditions.
func (k *compiler) composite(f source.Field, path string, item bool) node {
	if f.Value.Kind != source.List || len(f.Value.Items) == 0 {
		k.wrong(f.Value, path, "a list of conditions")
		return constant(false)
	}
	c := composite{op: f.Name}
	for _, part := range f.Value.Items {
		c.parts = append(c.parts, k.condition(part, path, item))
	}
	return c
}

// contextPath checks a path from a root and remembers it.
func (k *compiler) contextPath(f source.Field, path string) bool {
	root, rest, _ := strings.Cut(f.Name, ".")
	switch {
	case !slices.Contains(Roots(), root):
		k.fail(f.At, source.InvalidField, path, "%q is not a root of context: use one of %s.", root, strings.Join(Roots(), ", "))
		return false
	case root == "visual":
		k.fail(f.At, source.InvalidField, path, "Visual conditions are visual.exists, visual.count and visual.match.")
		return false
	case rest == "" || !dotted(rest):
		k.fail(f.At, source.InvalidField, path, "%q is not a path: write names joined by dots after the root.", f.Name)
		return false
	}
	k.paths = append(k.paths, f.Name)
	return true
}

// dotted reports whether s is names of letters, digits and underscores, joined by dots.
func dotted(s string) bool {
	for segment := range strings.SplitSeq(s, ".") {
		if segment == "" || strings.ContainsFunc(segment, func(r rune) bool {
			return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
		}) {
			return false
		}
	}
	return true
}

// operators compiles the operators of one value; all of them must hold.
func (k *compiler) operators(n source.Node, path string) []operator {
	if n.Kind != source.Object || len(n.Fields) == 0 {
		k.wrong(n, path, "a mapping of operators")
		return nil
	}
	exact := k.caseSensitive(n, path)
	var ops []operator
	for _, f := range n.Fields {
		if f.Name == "caseSensitive" {
			continue
		}
		if op := k.operator(f, source.Join(path, f.Name), exact); op != nil {
			ops = append(ops, op)
		}
	}
	if len(ops) == 0 && k.good {
		k.fail(n.At, source.InvalidField, path, "There is no operator here.")
	}
	return ops
}

func (k *compiler) caseSensitive(n source.Node, path string) bool {
	v, ok := n.Field("caseSensitive")
	if ok && v.Kind != source.Bool {
		k.wrong(v, path+".caseSensitive", "true or false")
	}
	return v.Bool
}

func (k *compiler) operator(f source.Field, path string, exact bool) operator {
	v := f.Value
	switch f.Name {
	case "equals":
		return k.equals(v, path, exact)
	case "in":
		return k.oneOf(v, path, exact)
	case "contains", "startsWith", "endsWith":
		return k.text(f.Name, v, path, exact)
	case "regex":
		return k.regex(v, path, exact)
	case "glob":
		return k.glob(v, path, exact)
	case "length":
		return lengthOp{k.bounds(v, path)}
	case "count":
		return countOp{k.bounds(v, path)}
	case "min", "max":
		if v.Kind != source.Number {
			k.wrong(v, path, "a number")
		}
		return boundOp{name: f.Name, limit: v.Float}
	case "any", "all", "none":
		return itemsOp{op: f.Name, part: k.predicate(v, path)}
	}
	k.fail(f.At, source.InvalidField, path, "%q is not an operator.", f.Name)
	return nil
}

// predicate compiles the operand of a list operator: operators on the item
// itself, or conditions with paths relative to it.
func (k *compiler) predicate(n source.Node, path string) node {
	for _, f := range n.Fields {
		composite := f.Name == "all" || f.Name == "any" || f.Name == "none"
		if isOperator(f.Name) && (!composite || f.Value.Kind == source.Object) {
			return field{item: true, ops: k.operators(n, path)}
		}
	}
	return k.condition(n, path, true)
}

func isOperator(name string) bool {
	return slices.Contains([]string{
		"equals", "in", "contains", "startsWith", "endsWith", "regex", "glob", "caseSensitive", "length", "count", "min", "max", "any", "all", "none",
	}, name)
}

// scalar reads an operand that is text, a number or a boolean.
func (k *compiler) scalar(n source.Node, path string, exact bool) any {
	switch n.Kind {
	case source.String:
		if exact {
			return n.Text
		}
		return fold(n.Text)
	case source.Number:
		return n.Float
	case source.Bool:
		return n.Bool
	default:
		k.wrong(n, path, "text, a number or true or false")
		return nil
	}
}

func (k *compiler) equals(n source.Node, path string, exact bool) operator {
	return oneOfOp{name: "equals", values: []any{k.scalar(n, path, exact)}, exact: exact}
}

func (k *compiler) oneOf(n source.Node, path string, exact bool) operator {
	if n.Kind != source.List {
		k.wrong(n, path, "a list")
	}
	op := oneOfOp{name: "in", exact: exact}
	for _, item := range n.Items {
		op.values = append(op.values, k.scalar(item, path, exact))
	}
	return op
}

func (k *compiler) text(name string, n source.Node, path string, exact bool) operator {
	if name == "contains" && (n.Kind == source.Number || n.Kind == source.Bool) { // an item of a list
		return textOp{name: name, operand: k.scalar(n, path, exact), exact: exact}
	}
	if n.Kind != source.String {
		k.wrong(n, path, "text")
		return nil
	}
	return textOp{name: name, operand: k.scalar(n, path, exact), exact: exact}
}

func (k *compiler) regex(n source.Node, path string, exact bool) operator {
	if n.Kind != source.String {
		k.wrong(n, path, "text")
		return nil
	}
	re, why := compileRegex(n.Text, exact)
	if re == nil {
		k.fail(n.At, source.RegexInvalid, path, "The regular expression cannot be used: %s.", why)
		return nil
	}
	return regexOp{re}
}

func (k *compiler) glob(n source.Node, path string, exact bool) operator {
	if n.Kind != source.String {
		k.wrong(n, path, "text")
		return nil
	}
	pattern, _ := k.scalar(n, path, exact).(string)
	return globOp{pattern: []rune(pattern), exact: exact}
}

// bounds reads {min, max}, at least one of them.
func (k *compiler) bounds(n source.Node, path string) bounds {
	b := bounds{}
	if n.Kind != source.Object || len(n.Fields) == 0 {
		k.wrong(n, path, "a mapping with min, max or both")
		return b
	}
	for _, f := range n.Fields {
		k.bound(&b, f, path)
	}
	if b.hasMin && b.hasMax && b.min > b.max {
		k.fail(n.At, source.InvalidField, path, "min is larger than max, so nothing fits.")
	}
	return b
}

func (k *compiler) bound(b *bounds, f source.Field, path string) {
	if f.Value.Kind != source.Number {
		k.wrong(f.Value, source.Join(path, f.Name), "a number")
		return
	}
	switch f.Name {
	case "min":
		b.min, b.hasMin = f.Value.Float, true
	case "max":
		b.max, b.hasMax = f.Value.Float, true
	default:
		k.fail(f.At, source.InvalidField, source.Join(path, f.Name), "%q does not belong here: write min, max or both.", f.Name)
	}
}

package source

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxNesting bounds lists and mappings inside each other.
const maxNesting = 64

// ParseYAML reads one YAML mapping whose first line is the given line of its
// file. Anchors, aliases, tags and merge keys are refused: they let a small
// file stand for an endless one. ok is false when an error was recorded in p.
func ParseYAML(text string, line int, p *Problems) (root Node, ok bool) {
	start := Place{Line: line, Column: 1}
	defer func() { // the parser has panicked on odd input before
		if recover() != nil {
			p.Error(start, InvalidYAML, "", "%s is not YAML that can be read.", p.what())
			root, ok = Node{}, false
		}
	}()
	if len(text) > MaxFront {
		p.Error(start, InvalidYAML, "", "%s is longer than %d bytes.", p.what(), MaxFront)
		return Node{}, false
	}
	if deep(text) {
		p.Error(start, InvalidYAML, "", "%s nests deeper than %d levels.", p.what(), maxNesting)
		return Node{}, false
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		at, why := explain(err, line)
		p.Error(at, InvalidYAML, "", "%s is not valid YAML: %s.", p.what(), why)
		return Node{}, false
	}
	if len(file.Docs) > 1 {
		p.Error(start, InvalidYAML, "", "%s holds more than one YAML document.", p.what())
		return Node{}, false
	}
	c := converter{line: line, problems: p}
	if len(file.Docs) == 1 && file.Docs[0].Body != nil {
		root = c.node(file.Docs[0].Body, "", 0)
	}
	if root.Kind == Null {
		root = Node{Kind: Object, At: start}
	}
	if !c.failed && root.Kind != Object {
		c.fail(root.At, "", "%s is %s instead of fields with values.", c.problems.what(), root.Kind)
	}
	return root, !c.failed
}

// deep reports whether text may nest deeper than the parser can bear. Brackets
// inside strings count too; that many unclosed ones are no front matter.
func deep(text string) bool {
	depth, most := 0, 0
	for _, c := range []byte(text) {
		switch c {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return most > 4*maxNesting || strings.Contains(text, strings.Repeat("- ", maxNesting)) || strings.Contains(text, strings.Repeat("? ", maxNesting))
}

// explain takes the parser's message without its excerpt of the file.
func explain(err error, line int) (Place, string) {
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return Place{Line: line, Column: 1}, "its form is broken"
	}
	at := Place{Line: line, Column: 1}
	if t := syntax.GetToken(); t != nil && t.Position != nil {
		at = Place{Line: line + max(t.Position.Line, 1) - 1, Column: max(t.Position.Column, 1)}
	}
	why, _, _ := strings.Cut(syntax.GetMessage(), "\n")
	why, _, _ = strings.Cut(why, " already defined at") // a position inside the front matter, not the file
	if why == "" {
		why = "its form is broken"
	}
	return at, why
}

// converter turns the parser's tree into ours.
type converter struct {
	line     int
	problems *Problems
	failed   bool
}

func (c *converter) fail(at Place, path, format string, args ...any) {
	c.failed = true
	c.problems.Error(at, InvalidYAML, path, format, args...)
}

func (c *converter) place(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{Line: c.line, Column: 1}
	}
	return Place{Line: c.line + max(t.Position.Line, 1) - 1, Column: max(t.Position.Column, 1)}
}

func (c *converter) node(in ast.Node, path string, depth int) Node {
	at := c.place(in.GetToken())
	if depth > maxNesting {
		c.fail(at, path, "%s nests deeper than %d levels.", c.problems.what(), maxNesting)
		return Node{}
	}
	n := c.scalar(in, path, at)
	switch in := in.(type) {
	case *ast.MappingNode:
		n = c.mapping(in.Values, path, depth)
	case *ast.MappingValueNode:
		n = c.mapping([]*ast.MappingValueNode{in}, path, depth)
	case *ast.SequenceNode:
		n = Node{Kind: List}
		for i, item := range in.Values {
			n.Items = append(n.Items, c.node(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	}
	if n.At == (Place{}) {
		n.At = at
	}
	return n
}

func (c *converter) mapping(values []*ast.MappingValueNode, path string, depth int) Node {
	n := Node{Kind: Object}
	seen := make(map[string]bool, len(values))
	for i, v := range values {
		at := c.place(v.Key.GetToken())
		if i == 0 {
			n.At = at
		}
		name, ok := key(v.Key)
		if !ok {
			c.fail(at, path, "A key must be plain text.")
			continue
		}
		if seen[name] {
			c.fail(at, Join(path, name), "The key %q is given twice.", name)
			continue
		}
		seen[name] = true
		n.Fields = append(n.Fields, Field{Name: name, At: at, Value: c.node(v.Value, Join(path, name), depth+1)})
	}
	return n
}

// key is a mapping key's text: strings, numbers and booleans as they are written.
func key(k ast.MapKeyNode) (string, bool) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, true
	}
	return "", false
}

func (c *converter) scalar(in ast.Node, path string, at Place) Node {
	switch in := in.(type) {
	case *ast.NullNode:
		return Node{}
	case *ast.BoolNode:
		return Node{Kind: Bool, Bool: in.Value}
	case *ast.StringNode:
		return Node{Kind: String, Text: in.Value}
	case *ast.LiteralNode:
		return Node{Kind: String, Text: in.Value.Value}
	case *ast.IntegerNode:
		return c.number(in.Value, path, at)
	case *ast.FloatNode:
		return c.number(in.Value, path, at)
	case *ast.InfinityNode, *ast.NanNode:
		c.fail(at, path, "Infinite numbers and NaN are not supported.")
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode, *ast.DirectiveNode:
		c.fail(at, path, "Anchors, aliases, tags and merge keys are not supported.")
	}
	return Node{}
}

func (c *converter) number(v any, path string, at Place) Node {
	n, err := numberNode(v)
	if err != nil || math.IsInf(n.Float, 0) || math.IsNaN(n.Float) {
		c.fail(at, path, "The number is out of range.")
		return Node{}
	}
	return n
}

// Join appends a name to a dotted path.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

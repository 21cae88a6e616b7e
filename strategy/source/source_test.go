package source_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/strategy/source"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     source.Front
	}{
		{"plain", "---\na: 1\n---\nbody", source.Front{Found: true, Closed: true, YAML: "a: 1\n", Line: 2, Body: "body", HasBody: true}},
		{"no body", "---\na: 1\n---", source.Front{Found: true, Closed: true, YAML: "a: 1\n", Line: 2}},
		{"no body but a line end", "---\na: 1\n---\n", source.Front{Found: true, Closed: true, YAML: "a: 1\n", Line: 2}},
		{"blank body", "---\n---\n\n", source.Front{Found: true, Closed: true, Line: 2, Body: "\n", HasBody: true}},
		{"windows", "\uFEFF---\r\na: 1\r\n--- \r\n\r\nb\r\n", source.Front{Found: true, Closed: true, YAML: "a: 1\r\n", Line: 2, Body: "\r\nb\r\n", HasBody: true}},
		{"rule in body", "---\n---\nx\n---\ny", source.Front{Found: true, Closed: true, Line: 2, Body: "x\n---\ny", HasBody: true}},
		{"not closed", "---\na: 1\n", source.Front{Found: true, YAML: "a: 1\n", Line: 2}},
		{"none", "# Title\n---\n", source.Front{Body: "# Title\n---\n", HasBody: true}},
		{"indented", " ---\n---\n", source.Front{Body: " ---\n---\n", HasBody: true}},
		{"empty", "", source.Front{}},
		{"fence only", "---", source.Front{Found: true, Line: 2}},
	} {
		require.Equal(t, tt.want, source.Split([]byte(tt.in)), tt.name)
	}
}

func parse(text string) (source.Node, []source.Diagnostic) {
	p := source.Problems{File: "a.strategy.md"}
	n, ok := source.ParseYAML(text, 2, &p)
	if ok == p.Failed() {
		panic("ok and the problems disagree")
	}
	return n, p.List
}

func TestParseYAML(t *testing.T) {
	n, problems := parse("name: \"A: b\"\nn: 3\nf: 2.5\nyes: true\nnone:\nlist:\n  - x\n  - {k: [1, 2]}\ntext: |\n  one\n  two\nlast: 'é'\n1: one\n")
	require.Empty(t, problems)
	require.Equal(t, map[string]any{
		"name": "A: b", "n": int64(3), "f": 2.5, "yes": true, "none": nil, "list": []any{"x", map[string]any{"k": []any{int64(1), int64(2)}}},
		"text": "one\ntwo\n", "last": "é", "1": "one",
	}, n.Value())
	last, ok := n.Field("last")
	require.True(t, ok)
	require.Equal(t, source.Place{Line: 13, Column: 7}, last.At)
	require.Equal(t, source.Place{Line: 14, Column: 1}, n.Fields[len(n.Fields)-1].At)
	_, ok = n.Field("gone")
	require.False(t, ok)

	for _, empty := range []string{"", "\n", "# only a comment\n"} {
		n, problems := parse(empty)
		require.Empty(t, problems, empty)
		require.Equal(t, source.Object, n.Kind)
	}
}

func TestInvalidYAML(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		line     int
	}{
		{"open quote", "a: 1\nb: \"x\n", 3},
		{"tab", "a:\n\tb: 1\n", 3},
		{"twice", "a: 1\nb: 2\na: 3\n", 4},
		{"bracket", "a: [1\nb: 2\n", 3},
		{"colon", "a: b: c\n", 2},
		{"anchor", "a: &x 1\nb: *x\n", 2},
		{"merge", "a: {b: 1}\n<<: {c: 2}\n", 3},
		{"tag", "a: !!binary abc\n", 2},
		{"scalar", "just text\n", 2},
		{"list", "- a\n", 2},
		{"infinity", "a: .inf\n", 2},
		{"documents", "a: 1\n...\nb: 2\n", 2},
		{"long", "a: " + strings.Repeat("x", source.MaxFront), 2},
		{"deep flow", "a: " + strings.Repeat("[", 30000), 2},
		{"deep braces", "a: " + strings.Repeat("{a: ", 10000), 2},
		{"deep list", strings.Repeat("- ", 30000), 2},
		{"deep keys", strings.Repeat("? ", 30000), 2},
	} {
		_, problems := parse(tt.in)
		require.NotEmpty(t, problems, tt.name)
		require.Equal(t, source.InvalidYAML, problems[0].Code, tt.name)
		require.Equal(t, "a.strategy.md", problems[0].File, tt.name)
		require.GreaterOrEqual(t, problems[0].Line, 2, tt.name)
		require.Positive(t, problems[0].Column, tt.name)
		require.True(t, strings.HasSuffix(problems[0].Message, "."), problems[0].Message)
		if problems[0].Line != tt.line {
			t.Errorf("%s: line %d, want %d: %v", tt.name, problems[0].Line, tt.line, problems[0])
		}
	}
}

func TestDiagnosticString(t *testing.T) {
	d := source.Diagnostic{Code: source.InvalidField, Severity: source.Error, Message: "No.", Path: "when", File: "a.md", Line: 3, Column: 7}
	require.Equal(t, "a.md:3:7: error strategy.invalid_field when: No.", d.String())
	require.Equal(t, "info x: Y.", source.Diagnostic{Code: "x", Severity: source.Info, Message: "Y."}.String())
}

func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"---\nname: x\nwhen:\n  all:\n    - a.b: {equals: 1}\n---\nbody", "---\na: &x [*x]\n---", "---\n? - a\n: b\n---\n", "---\n|\n---", "---\na: \"\\x\n---"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		front := source.Split(data)
		require.True(t, strings.HasSuffix(string(data), front.Body), "the body is the file's end, byte for byte")
		n, problems := parse(front.YAML)
		for _, d := range problems {
			require.Positive(t, d.Line)
			require.Positive(t, d.Column)
		}
		n.Value()
	})
}

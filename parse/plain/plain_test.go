package plain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

const notebookSample = `{"cells":[{"cell_type":"markdown","source":["# Plan\n","\n","Words."]},
{"cell_type":"code","source":"print(1)","outputs":[{"text":["1\n"]},{"data":{"text/plain":"42","image/png":"aGk="}},{"output_type":"error","ename":"KeyError","evalue":"lost"}]}],
"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}`

func TestConformance(t *testing.T) {
	text := plain.Text(parse.Limits{})
	parsetest.Run(t, text, parsetest.Sample{
		Name: "a.txt", Data: []byte("One paragraph\nof two lines.\n\nAnother — with ümlauts.\n"),
		Contains: []string{"two lines", "ümlauts"}, Sections: []parse.Kind{parse.Paragraph},
	})
	others := []parse.Parser{text}
	parsetest.Run(t, plain.Markdown(parse.Limits{}), parsetest.Sample{
		Name: "a.md",
		Data: []byte("# T\n\ntext\n\n- a\n- b\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"), Contains: []string{"# T", "| 1 | 2 |"},
		Sections: []parse.Kind{parse.Heading, parse.Paragraph, parse.List, parse.Code, parse.Table}, Others: others,
	})
	parsetest.Run(t, plain.Code(parse.Limits{}), parsetest.Sample{
		Name: "a.go",
		Data: []byte("package a\n\n// F does.\nfunc F() {\n}\n\ntype T struct{}\n"), Contains: []string{"package a", "func F"},
		Sections: []parse.Kind{parse.Code}, Others: others,
	})
	parsetest.Run(t, plain.CSV(parse.Limits{}), parsetest.Sample{
		Name: "a.csv", Data: []byte("name,n\n\"a, b\",1\n\"c\nd\",2\n"),
		Contains: []string{"| name | n |\n| --- | --- |\n| a, b | 1 |\n| c<br>d | 2 |"}, Sections: []parse.Kind{parse.Table}, Others: others,
	})
	parsetest.Run(t, plain.JSON(parse.Limits{}), parsetest.Sample{
		Name: "a.json", Data: []byte(`{"a": {"b": [1, 2]}, "c": "x, y"}`),
		Contains: []string{`"a"`, `"c"`}, Sections: []parse.Kind{parse.Code}, Others: others,
	})
	parsetest.Run(t, plain.Lines(parse.Limits{}), parsetest.Sample{
		Name: "a.jsonl", Data: []byte("{\"a\": 1}\n{\"a\": 2}\n"),
		Contains: []string{`{"a": 2}`}, Sections: []parse.Kind{parse.Code}, Others: others,
	})
	parsetest.Run(t, plain.YAML(parse.Limits{}), parsetest.Sample{
		Name: "a.yaml", Data: []byte("# c\na:\n  - b\n  - c\nd: e\n"),
		Contains: []string{"a:", "d: e"}, Sections: []parse.Kind{parse.Code}, Others: others,
	})
	parsetest.Run(t, plain.XML(parse.Limits{}), parsetest.Sample{
		Name: "a.xml", Data: []byte("<?xml version=\"1.0\"?>\n<a>\n\n<b>x</b></a>\n"),
		Contains: []string{"<b>x</b>"}, Sections: []parse.Kind{parse.Paragraph}, Others: others,
	})
	parsetest.Run(t, plain.Notebook(parse.Limits{}), parsetest.Sample{
		Name: "a.ipynb", Data: []byte(notebookSample),
		Contains: []string{"# Plan", "Words.", "```python\nprint(1)\n```", "1", "42", "KeyError: lost"},
		Sections: []parse.Kind{parse.Heading, parse.Code}, Others: others,
	})
}

// labels parses with one parser and lists "label: first line" of each section.
func labels(t *testing.T, p parse.Parser, name, text string) []string {
	t.Helper()
	r, err := parse.NewRegistry(p)
	require.NoError(t, err)
	d, err := r.Parse(t.Context(), parse.File{Name: name, Data: []byte(text)}, nil)
	require.NoError(t, err)
	require.Equal(t, text, d.Text, "the text is the file")
	var out []string
	for _, s := range d.Sections {
		first, _, _ := strings.Cut(d.Text[s.Start:s.End], "\n")
		out = append(out, s.Label+": "+first)
	}
	return out
}

func label(name, line string) string { return name + ": " + line }

func TestDeclarations(t *testing.T) {
	code := plain.Code(parse.Limits{})
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a.go", "package a\n\nimport \"b\"\n\n// F is.\n// Really.\nfunc (x *T) F(a int) {\n\tx := 1\n}\n\nvar V = 1\n", []string{": package a", "F: // F is.", "V: var V = 1"}},
		{"a.py", "import os\n\n@dec\ndef f():\n    '''doc'''\n    def inner(): pass\n\nclass C(object):\n    pass\n", []string{": import os", "f: @dec", "C: class C(object):"}},
		{"a.ts", "import x\nexport const a = 1\nexport default class B {\n  m() {}\n}\n", []string{": import x", "a: export const a = 1", "B: export default class B {"}},
		{"a.java", "package x;\n/** Doc. */\npublic final class A {\n  void m() {}\n}\n", []string{": package x;", "A: /** Doc. */"}},
		{"a.rs", "use x;\n\npub fn f() {}\nimpl T for S {}\n", []string{": use x;", "f: pub fn f() {}", "T: impl T for S {}"}},
		{"a.c", "#include <x.h>\n\nstatic int f(int a)\n{\n  return 1;\n}\nstruct s {\n};\n", []string{": #include <x.h>", "f: static int f(int a)", ": struct s {"}},
		{"a.sh", "#!/bin/sh\nset -e\nrun() {\n  x\n}\n", []string{": #!/bin/sh", "run: run() {"}},
		{"a.css", "a { b: c }\n\nd { e: f }\n", []string{": a { b: c }", ": d { e: f }"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, labels(t, code, tt.name, tt.text)) })
	}
}

func TestMembers(t *testing.T) {
	p := plain.JSON(parse.Limits{})
	require.Equal(t, []string{`a: "a": [1, {"x": "},"}],`, `b: "b": null`}, labels(t, p, "a.json", `{"a": [1, {"x": "},"}], "b": null}`))
	require.Equal(t, []string{": 1,", ": 2"}, labels(t, p, "a.json", "[1, 2]"))
}

func TestTopLevelKeys(t *testing.T) {
	p := plain.YAML(parse.Limits{})
	require.Equal(t, []string{label("top", "top:"), label("key", "key: e")}, labels(t, p, "a.yaml", "top:\n  - b\n\nkey: e\n"))
	require.Equal(t, []string{"tool.x: [tool.x]", "y: y = 1"}, labels(t, p, "a.toml", "[tool.x]\ny = 1\n"))
}

func TestCSVDialects(t *testing.T) {
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	want := "| a | b |\n| --- | --- |\n| 1,5 | x |\n| 2,5 | y |"
	for name, text := range map[string]string{
		"semicolon":  "a;b\n1,5;x\n2,5;y\n",
		"tab":        "a\tb\n1,5\tx\n2,5\ty\n",
		"bar":        "a|b\n1,5|x\n2,5|y\n",
		"comma":      "a,b\n\"1,5\",x\n\"2,5\",y\n",
		"excel hint": "sep=;\na;b\n1,5;x\n2,5;y\n",
		"blank rows": "a;b\n;\n1,5;x\n\n2,5;y\n",
		"trailing":   "a;b;;\n1,5;x;;\n2,5;y;;\n",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := r.Parse(t.Context(), parse.File{Name: "t.csv", Data: []byte(text)}, nil)
			require.NoError(t, err)
			require.Equal(t, want, d.Text)
			require.Len(t, d.Sections, 1)
			require.Equal(t, parse.Table, d.Sections[0].Kind)
			require.Equal(t, len(want), d.Sections[0].End)
		})
	}
}

// Rows are numbered as a spreadsheet numbers them: blank lines count, a value of
// several lines does not.
func TestCSVRows(t *testing.T) {
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	text := "Sales,,\r\n\r\nregion,q1,q2\r\nnorth,\"1\r\n2\",3\r\n,,\r\n\r\nsouth,4,5\r\neast,6,7\r\n"
	d, err := r.Parse(t.Context(), parse.File{Name: "t.csv", Data: []byte(text)}, nil)
	require.NoError(t, err)
	m := parse.NewMap(d)
	for word, want := range map[string]int{"Sales": 1, "region": 3, "---": 3, "north": 4, "south": 7, "east": 8} {
		at := strings.Index(d.Text, word)
		place := m.At(at, at+len(word))
		require.Equal(t, []int{want, want}, []int{place.RowStart, place.RowEnd}, word)
	}
	place := m.At(strings.Index(d.Text, "north"), len(d.Text))
	require.Equal(t, []int{4, 8}, []int{place.RowStart, place.RowEnd})
}

func TestCSVTitle(t *testing.T) {
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"Sales,,\nas of May\n\nRegion,Q1,Q2\nNorth,1,2\n": "Sales\nas of May\n\n| Region | Q1 | Q2 |\n| --- | --- | --- |\n| North | 1 | 2 |",
		"# remark\na,b\n1,2\n":                            "# remark\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
		"name\nJane\n":                                    "| name |\n| --- |\n| Jane |",
		"name,\nJane,1\n":                                 "| name |  |\n| --- | --- |\n| Jane | 1 |",
		"only,,\nthe,,\nfirst,,x\n":                       "only\nthe\n\n| first |  | x |\n| --- | --- | --- |",
	} {
		d, err := r.Parse(t.Context(), parse.File{Name: "t.csv", Data: []byte(text)}, nil)
		require.NoError(t, err)
		require.Equal(t, want, d.Text)
		last := d.Sections[len(d.Sections)-1]
		require.Equal(t, parse.Table, last.Kind)
		require.Equal(t, len(d.Text), last.End)
	}
}

func TestCharsetIsReported(t *testing.T) {
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	german := "Die Prüfung der Geschäftsführung ergab größere Unregelmäßigkeiten; über die Höhe der Rückstellungen wird später entschieden."
	japaneseText := "これは日本語の文章です。文字コードの判定を確かめるために、すこし長めに書いています。"
	latin, err := charmap.Windows1252.NewEncoder().String(german)
	require.NoError(t, err)
	sjis, err := japanese.ShiftJIS.NewEncoder().String(japaneseText)
	require.NoError(t, err)
	for charset, tt := range map[string][2]string{"windows-1252": {latin, german}, "shift_jis": {sjis, japaneseText}, "utf-8": {"\xEF\xBB\xBFx", "x"}, "utf-16le": {"\xFF\xFEx\x00", "x"}} {
		d, err := r.Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte(tt[0])}, nil)
		require.NoError(t, err)
		require.Equal(t, charset, d.Charset)
		require.Equal(t, tt[1], d.Text)
	}
}

// TestCarriageReturns: a text whose lines end with carriage returns alone has lines.
func TestCarriageReturns(t *testing.T) {
	d, err := plain.Text(parse.Limits{}).Parse(t.Context(), parse.File{Name: "old.txt", Data: []byte("one\rtwo\r\rthree\r")}, nil)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n\nthree\n", d.Text)
	require.Equal(t, 4, parse.NewLines(d.Text).LineAt(len("one.two..t")))
}

func TestTooLarge(t *testing.T) {
	for _, p := range plain.All(parse.Limits{PlainText: 3}) {
		_, err := p.Parse(t.Context(), parse.File{Name: "x", Data: []byte("1234")}, func(float64) {})
		require.True(t, fault.Is(err, fault.FileTooLarge), "%s: %v", p.Info().Name, err)
	}
}

func TestManySmallMembersAreJoined(t *testing.T) {
	for name, text := range map[string]string{"a.json": "[" + strings.Repeat("1,", 1<<20) + "1]", "a.yaml": strings.Repeat("a:\n", 1<<20), "a.go": strings.Repeat("var a\n", 1<<19)} {
		r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
		require.NoError(t, err)
		d, err := r.Parse(t.Context(), parse.File{Name: name, Data: []byte(text)}, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, len(d.Sections), 10_001, name)
	}
}

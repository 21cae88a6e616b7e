package outline_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/outline"
)

// show renders sections as "kind[label]: text", one a line, line breaks as /.
func show(text string, sections []parse.Section) string {
	var b strings.Builder
	for _, s := range sections {
		label := s.Label
		if s.Level > 0 {
			label = fmt.Sprintf("%d %s", s.Level, label)
		}
		fmt.Fprintf(&b, "%s[%s]: %s\n", s.Kind, label, strings.ReplaceAll(text[s.Start:s.End], "\n", "/"))
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"headings nest": {
			"# A\n\nx\n\n## B *b*\n\ny\n\n# C\nz\n",
			"heading[1 A]: # A//x//## B *b*//y\nparagraph[]: x\nheading[2 B *b*]: ## B *b*//y\nparagraph[]: y\nheading[1 C]: # C/z\nparagraph[]: z\n",
		},
		"setext":          {"Title\n=====\n\ntext", "heading[1 Title]: Title/=====//text\nparagraph[]: text\n"},
		"list":            {"- a\n- b\n  - c\n\nend", "list[]: - a/- b/  - c\nparagraph[]: end\n"},
		"numbered":        {"1. a\n2. b\n", "list[]: 1. a/2. b\n"},
		"fenced":          {"```go\nx := 1\n\ny\n```\nafter", "code[go]: ```go/x := 1//y/```\nparagraph[]: after\n"},
		"unclosed fence":  {"```\nx", "code[]: ```/x\n"},
		"indented":        {"p\n\n    code\n    more\n", "paragraph[]: p\ncode[]:     code/    more\n"},
		"table":           {"| a | b |\n|---|:-:|\n| 1 | 2 |\n\nend", "table[]: | a | b |/|---|:-:|/| 1 | 2 |\nparagraph[]: end\n"},
		"table in text":   {"intro:\n| a | b |\n|---|---|\n| 1 | 2 |\n", "paragraph[]: intro:\ntable[]: | a | b |/|---|---|/| 1 | 2 |\n"},
		"no table":        {"a - b\n---x\n", "paragraph[]: a - b/---x\n"},
		"quote":           {"> said\n> so\n\nme", "paragraph[]: > said/> so\nparagraph[]: me\n"},
		"html block":      {"<div>\nx\n</div>\n\nend", "paragraph[]: <div>/x/</div>\nparagraph[]: end\n"},
		"front matter":    {"---\ntitle: x\n---\n# A\n", "code[front matter]: ---/title: x/---\nheading[1 A]: # A\n"},
		"rule first":      {"---\n\ntext\n", "paragraph[]: text\n"},
		"carriage return": {"# A\r\n\r\nx\r\ny\r\n", "heading[1 A]: # A\r/\r/x\r/y\nparagraph[]: x\r/y\n"},
		"link in heading": {"# See [this](http://x) `code`\n", "heading[1 See this code]: # See [this](http://x) `code`\n"},
		"definition":      {"[a]: http://x\n", "paragraph[]: [a]: http://x\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			sections, ok := outline.Markdown(tt.text)
			require.True(t, ok)
			require.Equal(t, tt.want, show(tt.text, sections))
		})
	}
}

func TestMarkdownTooDeep(t *testing.T) {
	text := strings.Repeat(">", 5000) + " x\n\ny"
	sections, ok := outline.Markdown(text)
	require.False(t, ok)
	require.Len(t, sections, 2)
	_, ok = outline.Markdown(strings.Repeat("-", 5000) + "\ntext")
	require.True(t, ok, "a long rule is not nesting")
}

func TestParagraphs(t *testing.T) {
	text := "\n a\nb\r\n\r\n \nc\n"
	require.Equal(t, "paragraph[]:  a/b\nparagraph[]: c\n", show(text, outline.Paragraphs(text)))
	require.Empty(t, outline.Paragraphs(" \n\n"))
}

func TestParagraphsOfLargeTextAreJoined(t *testing.T) {
	text := strings.Repeat("a short line\n\n", 3<<20)
	sections := outline.Paragraphs(text)
	require.LessOrEqual(t, len(sections), 100_000)
	require.Equal(t, 0, sections[0].Start)
	require.Equal(t, len(text)-2, sections[len(sections)-1].End)
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b\n  - c\n\n```\nd\n```\n", "---\na: b\n---\n> | a |\n> |---|\n> | b |\n", "1. a\n\n   b\n\t- c\n<div>\n", "a\r\n=\r\n\r\n    b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		sections, _ := outline.Markdown(text)
		last, end := 0, 0
		for _, s := range sections {
			if s.Start < last || s.End < s.Start || s.End > len(text) || !utf8.ValidString(text[s.Start:s.End]) {
				t.Fatalf("section %+v of %q", s, text)
			}
			last = s.Start
			if s.Kind != parse.Heading {
				if s.Start < end {
					t.Fatalf("overlap at %+v of %q", s, text)
				}
				end = s.End
			}
		}
	})
}

// A cost per heading that grows with the text would keep this busy for minutes.
func TestMarkdownManyHeadings(t *testing.T) {
	sections, ok := outline.Markdown(strings.Repeat("# a\n", 200_000))
	require.True(t, ok)
	require.Len(t, sections, 200_000)
}

// A text of nothing but tiny paragraphs has a map that is smaller than itself.
func TestParagraphsAreJoinedWhereThereAreTooMany(t *testing.T) {
	text := strings.Repeat("a\n\n", 300_000)
	sections := outline.Paragraphs(text)
	require.LessOrEqual(t, len(sections), 100_001)
	require.Equal(t, len(text)-2, sections[len(sections)-1].End)
	for i, s := range sections[1:] {
		require.Greater(t, s.Start, sections[i].End)
	}
	require.Len(t, outline.Paragraphs(strings.Repeat("a\n\n", 1000)), 1000)
}

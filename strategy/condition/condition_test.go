package condition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/strategy/condition"
	"inlay/strategy/render"
	"inlay/strategy/source"
)

// compile reads a "when" written as YAML.
func compile(text string) (*condition.Condition, []source.Diagnostic) {
	p := &source.Problems{File: "t.strategy.md"}
	n, ok := source.ParseYAML("when:\n  "+strings.ReplaceAll(text, "\n", "\n  ")+"\n", 2, p)
	if !ok {
		return nil, p.List
	}
	when, _ := n.Field("when")
	c, ok := condition.Compile(when, p)
	if ok == p.Failed() {
		panic("ok and the problems disagree")
	}
	return c, p.List
}

func mustCompile(tb testing.TB, text string) *condition.Condition {
	tb.Helper()
	c, problems := compile(text)
	require.Empty(tb, problems, text)
	return c
}

func values(tb testing.TB, text string) map[string]any {
	tb.Helper()
	v, err := render.DecodeJSON([]byte(text))
	require.NoError(tb, err)
	v, err = render.Normalize(v)
	require.NoError(tb, err)
	return v.(map[string]any)
}

const context = `{
 "attachments": {"files": [
   {"path": "/home/ann/Report.PDF", "name": "Report.PDF", "mimeType": "application/pdf", "extension": ".pdf", "size": 2048},
   {"path": "/home/ann/notes.md", "name": "notes.md", "mimeType": "text/markdown", "extension": ".md", "size": 10}],
   "text": "both", "selection": {"text": "Please review THIS TODO now. Straße Ünal"}, "visual": {"primary": {"name": "Editor"}, "items": []}},
 "clipboard": {"text": "", "hasText": false, "hasImage": true, "files": []},
 "assistant": {"id": "a1", "name": "Ann's helper", "model": {"id": "qwen3", "modalities": ["text", "Image"], "supportsToolCall": true}},
 "environment": {"os": "Linux", "architecture": "arm64", "locale": "de-DE", "timeZone": "Europe/Berlin", "currentDate": "2026-01-02"},
 "extra": {"file_manager": {"current_folder": {"path": "/home", "displayName": "Home"}, "selection": {"items": [{"path": null, "kind": "virtual", "size": 5}]}},
           "browser": {"active_tab": {"url": "https://arxiv.org/abs/1", "title": "Paper", "domain": "arxiv.org"}},
           "workspace": {"root": "/src", "id": 18446744073709551615, "name": "inlay", "git": {"branch": "main", "hasChanges": false}}}
}`

func TestOperators(t *testing.T) {
	for _, tt := range []struct {
		when string
		want condition.Truth
		code string
	}{
		{"true", condition.True, ""},
		{"false", condition.False, ""},
		// text
		{"environment.os: {equals: linux}", condition.True, ""},
		{"environment.os: {equals: linux, caseSensitive: true}", condition.False, ""},
		{"environment.os: {in: [windows, LINUX]}", condition.True, ""},
		{"environment.os: {in: [windows, macos]}", condition.False, ""},
		{"environment.os: {in: []}", condition.False, ""},
		{"attachments.selection.text: {contains: this todo}", condition.True, ""},
		{"attachments.selection.text: {contains: this todo, caseSensitive: true}", condition.False, ""},
		{"attachments.selection.text: {contains: THIS TODO, caseSensitive: true}", condition.True, ""},
		{"attachments.selection.text: {endsWith: ÜNAL}", condition.True, ""},
		{"attachments.selection.text: {startsWith: PLEASE}", condition.True, ""},
		{"attachments.selection.text: {startsWith: review}", condition.False, ""},
		{`attachments.selection.text: {regex: '\btodo\b'}`, condition.True, ""},
		{`attachments.selection.text: {regex: '\btodo\b', caseSensitive: true}`, condition.False, ""},
		{"environment.locale: {glob: 'DE-?E'}", condition.True, ""},
		{"environment.locale: {glob: 'de'}", condition.False, ""},
		{"environment.locale: {glob: 'DE-*', caseSensitive: true}", condition.False, ""},
		{"extra.browser.active_tab.url: {glob: 'https://*.org/*'}", condition.True, ""},
		{"attachments.text: {length: {min: 4, max: 4}}", condition.True, ""},
		{"attachments.text: {length: {min: 5}}", condition.False, ""},
		{"clipboard.text: {length: {max: 0}}", condition.True, ""},
		{"attachments.text: {contains: bo, endsWith: th}", condition.True, ""},
		{"attachments.text: {contains: bo, endsWith: x}", condition.False, ""},
		// booleans
		{"clipboard.hasImage: {equals: true}", condition.True, ""},
		{"extra.workspace.git.hasChanges: {equals: true}", condition.False, ""},
		{"assistant.model.supportsToolCall: {in: [true]}", condition.True, ""},
		{"extra.workspace.id: {min: 18000000000000000000}", condition.True, ""},
		{"extra.workspace.id: {max: 5}", condition.False, ""},
		// lists
		{"attachments.files: {count: {min: 2, max: 2}}", condition.True, ""},
		{"clipboard.files: {count: {min: 1}}", condition.False, ""},
		{"assistant.model.modalities: {contains: image}", condition.True, ""},
		{"assistant.model.modalities: {contains: image, caseSensitive: true}", condition.False, ""},
		{"assistant.model.modalities: {any: {equals: text}}", condition.True, ""},
		{"assistant.model.modalities: {all: {length: {min: 4}}}", condition.True, ""},
		{"attachments.files: {any: {extension: {in: [.pdf, .docx]}}}", condition.True, ""},
		{"attachments.files: {all: {mimeType: {startsWith: text/}}}", condition.False, ""},
		{"attachments.files: {none: {extension: {equals: .exe}}}", condition.True, ""},
		{"attachments.files: {none: {extension: {equals: .md}}}", condition.False, ""},
		{"attachments.files: {any: {size: {min: 2000, max: 3000}, extension: {equals: .pdf}}}", condition.True, ""},
		{"attachments.files: {any: {size: {min: 2000}, extension: {equals: .md}}}", condition.False, ""},
		{"attachments.files: {any: {any: [{size: {equals: 10}}, {size: {equals: 11}}]}}", condition.True, ""},
		{"attachments.files: {any: {none: [{size: {min: 0}}]}}", condition.False, ""},
		{"attachments.files: {any: {path: {glob: '*.MD'}}}", condition.True, ""},
		{"attachments.visual.items: {any: {name: {equals: x}}}", condition.False, ""},
		{"attachments.visual.items: {all: {name: {equals: x}}}", condition.False, ""},
		{"attachments.visual.items: {none: {name: {equals: x}}}", condition.True, ""},
		{"attachments.visual.primary.name: {equals: editor}", condition.True, ""},
		// missing
		{"extra.browser.active_tab.gone: {equals: x}", condition.Unknown, source.PathMissing},
		{"extra.nowhere.x: {length: {max: 3}}", condition.Unknown, source.PathMissing},
		{"extra.file_manager.selection.items: {any: {path: {contains: x}}}", condition.Unknown, source.PathMissing},
		{"extra.file_manager.selection.items: {none: {path: {contains: x}}}", condition.Unknown, source.PathMissing},
		{"extra.file_manager.selection.items: {any: {kind: {equals: virtual}}}", condition.True, ""},
		{"environment.os.deeper: {equals: x}", condition.Unknown, source.PathMissing},
		// wrong kinds
		{"attachments.files: {contains: a}", condition.False, source.TypeMismatch},
		{"attachments.files: {length: {min: 1}}", condition.False, source.TypeMismatch},
		{"environment.os: {count: {min: 1}}", condition.False, source.TypeMismatch},
		{"environment.os: {min: 1}", condition.False, source.TypeMismatch},
		{"environment.os: {any: {equals: x}}", condition.False, source.TypeMismatch},
		{"environment.os: {equals: 5}", condition.False, source.TypeMismatch},
		{"clipboard.hasText: {equals: 'false'}", condition.False, source.TypeMismatch},
		{"clipboard.hasText: {glob: 'f*'}", condition.False, source.TypeMismatch},
		{"clipboard.hasText: {regex: 'f'}", condition.False, source.TypeMismatch},
		{"clipboard.hasText: {contains: true}", condition.False, source.TypeMismatch},
		// composites
		{"all: [true, {environment.os: {equals: linux}}]", condition.True, ""},
		{"all: [{extra.x.y: {equals: 1}}, false]", condition.False, ""},
		{"all: [{extra.x.y: {equals: 1}}, true]", condition.Unknown, source.PathMissing},
		{"any: [{extra.x.y: {equals: 1}}, true]", condition.True, ""},
		{"any: [{extra.x.y: {equals: 1}}, false]", condition.Unknown, source.PathMissing},
		{"any: [false, false]", condition.False, ""},
		{"none: [false, false]", condition.True, ""},
		{"none: [false, true]", condition.False, ""},
		{"none: [false, {extra.x.y: {equals: 1}}]", condition.Unknown, source.PathMissing},
		{"none: [true, {extra.x.y: {equals: 1}}]", condition.False, ""},
		{"environment.os: {equals: linux}\nclipboard.hasImage: {equals: true}", condition.True, ""},
		{"environment.os: {equals: linux}\nclipboard.hasImage: {equals: false}", condition.False, ""},
		{"all:\n  - any: [false, {environment.os: {equals: linux}}]\n  - none:\n      - clipboard.hasText: {equals: true}", condition.True, ""},
	} {
		e := mustCompile(t, tt.when).Evaluate(condition.NewContext(values(t, context), nil), condition.Limits{})
		require.Equal(t, tt.want.String(), e.Result.String(), "%s: %s", tt.when, e.Why())
		if tt.code == "" {
			if tt.want != condition.True && !strings.Contains(tt.when, "extra.x.y") {
				require.NotEmpty(t, e.Why(), tt.when)
			}
			continue
		}
		require.NotEmpty(t, e.All(), tt.when)
		require.Equal(t, tt.code, e.All()[0].Code, tt.when)
		require.Contains(t, e.Why(), tt.code, tt.when)
	}
	require.Equal(t, condition.True, (*condition.Condition)(nil).Evaluate(nil, condition.Limits{}).Result)
}

func TestCompileErrors(t *testing.T) {
	for _, tt := range []struct{ when, code, path string }{
		{"", source.InvalidField, "when"},
		{"text", source.InvalidField, "when"},
		{"3", source.InvalidField, "when"},
		{"[]", source.InvalidField, "when"},
		{"{}", source.InvalidField, "when"},
		{"all: []", source.InvalidField, "when.all"},
		{"all: {a: 1}", source.InvalidField, "when.all"},
		{"any: [3]", source.InvalidField, "when.any"},
		{"nowhere.x: {equals: 1}", source.InvalidField, "when.nowhere.x"},
		{"attachments: {count: {min: 1}}", source.InvalidField, "when.attachments"},
		{"attachments.files[0].path: {equals: 1}", source.InvalidField, "when.attachments.files[0].path"},
		{"attachments..x: {equals: 1}", source.InvalidField, "when.attachments..x"},
		{"environment.os: linux", source.InvalidField, "when.environment.os"},
		{"environment.os: {}", source.InvalidField, "when.environment.os"},
		{"environment.os: {caseSensitive: true}", source.InvalidField, "when.environment.os"},
		{"environment.os: {caseSensitive: 1, equals: x}", source.InvalidField, "when.environment.os.caseSensitive"},
		{"environment.os: {like: x}", source.InvalidField, "when.environment.os.like"},
		{"environment.os: {equals: null}", source.InvalidField, "when.environment.os.equals"},
		{"environment.os: {equals: [x]}", source.InvalidField, "when.environment.os.equals"},
		{"environment.os: {in: x}", source.InvalidField, "when.environment.os.in"},
		{"environment.os: {in: [null]}", source.InvalidField, "when.environment.os.in"},
		{"environment.os: {contains: [x]}", source.InvalidField, "when.environment.os.contains"},
		{"environment.os: {startsWith: 3}", source.InvalidField, "when.environment.os.startsWith"},
		{"environment.os: {glob: 3}", source.InvalidField, "when.environment.os.glob"},
		{"environment.os: {regex: 3}", source.InvalidField, "when.environment.os.regex"},
		{"environment.os: {regex: '('}", source.RegexInvalid, "when.environment.os.regex"},
		{"environment.os: {regex: '(?=x)'}", source.RegexInvalid, "when.environment.os.regex"},
		{"environment.os: {regex: '" + strings.Repeat("a", 1001) + "'}", source.RegexInvalid, "when.environment.os.regex"},
		{"environment.os: {length: 3}", source.InvalidField, "when.environment.os.length"},
		{"environment.os: {length: {min: a}}", source.InvalidField, "when.environment.os.length.min"},
		{"environment.os: {length: {least: 1}}", source.InvalidField, "when.environment.os.length.least"},
		{"environment.os: {length: {min: 2, max: 1}}", source.InvalidField, "when.environment.os.length"},
		{"environment.os: {max: a}", source.InvalidField, "when.environment.os.max"},
		{"attachments.files: {any: x}", source.InvalidField, "when.attachments.files.any"},
		{"attachments.files: {any: {path: {equals: x}, length: {min: 1}}}", source.InvalidField, "when.attachments.files.any.path"},
		{"attachments.files: {any: {'a b': {equals: x}}}", source.InvalidField, "when.attachments.files.any.a b"},
		{"visual.name: {equals: x}", source.InvalidField, "when.visual.name"},
		{"visual.exists: true", source.InvalidField, "when.visual.exists"},
		{"visual.exists: {query: //A, min: 1}", source.InvalidField, "when.visual.exists"},
		{"visual.count: {query: //A}", source.InvalidField, "when.visual.count"},
		{"visual.match: {query: //A/@name}", source.InvalidField, "when.visual.match"},
		{"visual.match: {query: //A, equals: x}", source.QueryInvalid, "when.visual.match.query"},
		{"visual.exists: {query: //A/@name}", source.QueryInvalid, "when.visual.exists.query"},
	} {
		_, problems := compile(tt.when)
		require.NotEmpty(t, problems, tt.when)
		require.Equal(t, tt.code, problems[0].Code, tt.when)
		require.Equal(t, tt.path, problems[0].Path, tt.when)
		require.GreaterOrEqual(t, problems[0].Line, 2, tt.when)
		require.Positive(t, problems[0].Column, tt.when)
	}
	_, problems := compile("all:\n  - true\n  - environment.os:\n      like: x")
	require.Equal(t, 6, problems[0].Line)
	require.Equal(t, 9, problems[0].Column)
}

func TestPaths(t *testing.T) {
	c := mustCompile(t, "all:\n  - extra.browser.active_tab.url: {equals: x}\n  - any: [{extra.file_manager.selection.items: {any: {path: {equals: x}}}}, {clipboard.text: {equals: x}}]\n  - visual.exists: {query: //A}\n  - extra.browser.active_tab.url: {contains: y}")
	require.Equal(t, []string{"clipboard.text", "extra.browser.active_tab.url", "extra.file_manager.selection.items", "visual"}, c.Paths())
	require.Equal(t, []string{"browser", "file_manager"}, c.ExtraRoots())
	require.Empty(t, (*condition.Condition)(nil).ExtraRoots())
}

func TestProvidersThatFail(t *testing.T) {
	c := mustCompile(t, "extra.browser.active_tab.url: {contains: arxiv}")
	for _, tt := range []struct {
		p    condition.Provided
		want condition.Truth
		code string
	}{
		{condition.Provided{}, condition.True, ""},
		{condition.Provided{Took: 200 * time.Millisecond}, condition.True, ""},
		{condition.Provided{Took: 201 * time.Millisecond}, condition.Unknown, source.ExtraTimeout},
		{condition.Provided{Failure: source.ExtraPermission}, condition.Unknown, source.ExtraPermission},
		{condition.Provided{Failure: source.ExtraUnavailable}, condition.Unknown, source.ExtraUnavailable},
	} {
		e := c.Evaluate(condition.NewContext(values(t, context), map[string]condition.Provided{"browser": tt.p}), condition.Limits{})
		require.Equal(t, tt.want, e.Result)
		if tt.code != "" {
			require.Equal(t, tt.code, e.All()[0].Code)
		}
	}
}

// ticking is a clock that moves on at each look.
func ticking(step time.Duration) func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

func TestTimeouts(t *testing.T) {
	long := strings.Repeat("ab ", 100_000)
	over := map[string]any{"attachments.text": long, "attachments.files": []any{"a", "b"}, "visual": []any{map[string]any{"type": "A"}, map[string]any{"type": "B", "text": long}}}
	for _, tt := range []struct {
		name, when string
		limits     condition.Limits
		step       time.Duration
		code       string
	}{
		{"in time", "attachments.text: {contains: b}", condition.Limits{}, time.Millisecond, ""},
		{"condition", "attachments.text: {contains: b}", condition.Limits{}, 50 * time.Millisecond, source.ConditionTimeout},
		{"regex", "attachments.text: {regex: 'x$'}", condition.Limits{Regex: 5 * time.Millisecond}, time.Millisecond, source.RegexTimeout},
		{"glob", "attachments.text: {glob: '*a*b*c*d'}", condition.Limits{Condition: 9 * time.Millisecond}, time.Millisecond, source.ConditionTimeout},
		{"items", "attachments.files: {any: {equals: z}}", condition.Limits{Condition: 3 * time.Millisecond}, time.Millisecond, source.ConditionTimeout},
		{"whole", "all: [{attachments.text: {contains: b}}, {attachments.text: {contains: a}}]", condition.Limits{Matching: 4 * time.Millisecond}, time.Millisecond, source.ConditionTimeout},
		{"query", "visual.exists: {query: //C}", condition.Limits{Query: 2 * time.Millisecond}, time.Millisecond, source.QueryTimeout},
		{"regex in query", "visual.exists: {query: \"//B[matches(@text,'x$')]\"}", condition.Limits{Query: 20 * time.Millisecond, Regex: 2 * time.Millisecond}, time.Millisecond, source.QueryTimeout},
		{"regex over selected", "visual.match: {query: //B/@text, regex: 'x$'}", condition.Limits{Regex: 2 * time.Millisecond}, time.Millisecond, source.RegexTimeout},
	} {
		ctx := condition.NewContext(over, nil)
		ctx.Now = ticking(tt.step)
		e := mustCompile(t, tt.when).Evaluate(ctx, tt.limits)
		if tt.code == "" {
			require.Equal(t, condition.True, e.Result, tt.name)
			continue
		}
		require.Equal(t, condition.Unknown, e.Result, tt.name)
		require.Equal(t, tt.code, e.All()[0].Code, tt.name)
	}
	d := condition.Limits{}.WithDefaults()
	require.Equal(t, condition.Limits{Matching: 300 * time.Millisecond, Condition: 80 * time.Millisecond, Regex: 50 * time.Millisecond, Query: 120 * time.Millisecond, Extra: 200 * time.Millisecond}, d)
}

func TestLongRegexSeesAllOfTheText(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for when, want := range map[string]condition.Truth{
		"'^É+$'": condition.True, "'é$'": condition.True, "'x'": condition.False, "'^.{5,}x?$'": condition.True,
	} {
		c := mustCompile(t, "attachments.text: {regex: "+when+"}")
		e := c.Evaluate(condition.NewContext(map[string]any{"attachments.text": long}, nil), condition.Limits{Matching: time.Minute, Condition: time.Minute, Regex: time.Minute})
		require.Equal(t, want, e.Result, when)
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a/b", true},
		{"?", "é", true},
		{"?", "", false},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"a*c*e", "abcde", true},
		{"a*c*e", "abcd", false},
		{"**", "x", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"*.pdf", "a.pdf.txt", false},
		{"[a]", "a", false},
	} {
		require.Equal(t, tt.want, condition.Glob(tt.pattern, tt.s), "%s %s", tt.pattern, tt.s)
	}
}

const screen = `{"visual": {"roots": [
  {"type": "TopLevel", "name": "Visual Studio", "process": "devenv", "bounds": {"x": 0, "y": 0, "width": 800, "height": 600}, "children": [
    {"type": "Panel", "children": [
      {"type": "Button", "name": "Save", "disabled": true},
      {"type": "Button", "name": "Save all"},
      {"type": "Panel", "attached": true, "children": [{"type": "TextEdit", "name": "Editor", "focused": true, "text": "an ERROR here", "children": [{"type": "Button", "name": "Deep"}]}]}]},
    {"type": "TextEdit", "name": "Secret", "password": true, "text": "hunter2"}]},
  {"type": "TopLevel", "name": "Terminal", "children": [{"type": "ListViewItem", "selected": true}, {"type": "ListViewItem", "selected": true}, {"type": "ListViewItem"}, "broken"]}
]}}`

func TestVisualQueries(t *testing.T) {
	over := values(t, screen)
	for _, tt := range []struct {
		query string
		count int
	}{
		{"//Button", 3},
		{"//button", 3},
		{"//*", 12},
		{"/TopLevel", 2},
		{"/TopLevel/Panel/Button", 2},
		{"/Panel", 0},
		{"//Panel", 2},
		{"//Panel//Button", 3},
		{"//Panel/Button", 2},
		{"//Panel/*", 4},
		{"//*/Button", 3},
		{"/*/*/Button", 2},
		{".", 1},
		{"./TextEdit", 1},
		{".//Button", 1},
		{".//Button/.", 1},
		{".//TextEdit[@focused=true]", 1},
		{"//TextEdit[@focused=false]", 1},
		{"//TextEdit[@focused]", 1},
		{"//ListViewItem[@selected=true]", 2},
		{"//Button[@name='save']", 1},
		{"//Button[@name=\"Save\"][@disabled]", 1},
		{"//Button[@disabled=false]", 2},
		{"//Button[contains(@name,'SAVE')]", 2},
		{"//Button[contains(@name, 'all')]", 1},
		{"//*[matches(@text,'error|warning')]", 1},
		{"//*[contains(@text,'hunter')]", 0},
		{"//*[@password=true]", 1},
		{"//*[@bounds.width=800]", 1},
		{"//*[@bounds.x=0]", 1},
		{"//*[@process='DEVENV']//Button", 3},
		{"//Nothing", 0},
	} {
		c := mustCompile(t, fmt.Sprintf("visual.count: {query: %q, min: %d, max: %d}", tt.query, tt.count, tt.count))
		e := c.Evaluate(condition.NewContext(over, nil), condition.Limits{})
		require.Equal(t, condition.True, e.Result, tt.query)
		c = mustCompile(t, fmt.Sprintf("visual.exists: {query: %q}", tt.query))
		e = c.Evaluate(condition.NewContext(over, nil), condition.Limits{})
		require.Equal(t, tt.count > 0, e.Result == condition.True, tt.query)
	}
	for when, want := range map[string]condition.Truth{
		"visual.match: {query: //TopLevel/@name, contains: visual studio}":           condition.True,
		"visual.match: {query: /TopLevel/@name, contains: Studio, startsWith: Term}": condition.False,
		"visual.match: {query: //@name, equals: Deep}":                               condition.True,
		"visual.match: {query: //TextEdit/@text, contains: hunter}":                  condition.False,
		"visual.match: {query: //TopLevel/@bounds.width, min: 500}":                  condition.True,
		"visual.match: {query: //Button/@disabled, equals: true}":                    condition.True,
		"visual.match: {query: //Nothing/@name, equals: x}":                          condition.False,
		"visual.match: {query: ./@name, equals: x}":                                  condition.False,
	} {
		require.Equal(t, want, mustCompile(t, when).Evaluate(condition.NewContext(over, nil), condition.Limits{}).Result, when)
	}
	for name, none := range map[string]map[string]any{"no tree": {}, "no list": {"visual": "x"}} {
		e := mustCompile(t, "visual.exists: {query: //A}").Evaluate(condition.NewContext(none, nil), condition.Limits{})
		require.Equal(t, condition.Unknown, e.Result, name)
		require.Equal(t, source.PathMissing, e.All()[0].Code)
	}
	e := mustCompile(t, "visual.exists: {query: ./A}").Evaluate(condition.NewContext(map[string]any{"visual": []any{map[string]any{"children": []any{map[string]any{"type": "A"}}}}}, nil), condition.Limits{})
	require.Equal(t, condition.True, e.Result, "without an attached element, queries start at the roots")
}

func TestInvalidQueries(t *testing.T) {
	for _, q := range []string{
		"", "Button", "//", "/", "//Button[", "//Button[]", "//Button[3]", "//Button[@nope]", "//Button[@name=]", "//Button[@name='x]", "//Button[@name=x]", "//Button[@name='x'",
		"//Button[contains(@name)]", "//Button[contains(@name,'x']", "//Button[contains(@name,x)]", "//Button[matches(@name,'(')]", "//Button[contains(@zip,'x')]",
		"//Button/@name/x", "//Button/@nope", "//Button x", "..", "//Button/ancestor::*", strings.Repeat("/A", 501), "/",
	} {
		_, problems := compile(fmt.Sprintf("visual.exists: {query: %q}", q))
		require.NotEmpty(t, problems, q)
		require.Equal(t, source.QueryInvalid, problems[0].Code, q)
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{
		"true", "environment.os: {equals: linux}", "all: [{visual.exists: {query: \"//A[@name='x']//B\"}}]", "attachments.files: {any: {path: {glob: '*a?'}}}",
		"attachments.selection.text: {regex: '(a|b)*c', length: {min: 1}}", "visual.match: {query: './/*[matches(@text,\"x+\")]/@text', in: [a, 1, true]}",
	} {
		f.Add(s)
	}
	over := values(f, context)
	over["visual"] = values(f, screen)["visual"]
	f.Fuzz(func(t *testing.T, when string) {
		c, problems := compile(when)
		for _, d := range problems {
			require.Positive(t, d.Line)
		}
		if c == nil || len(problems) > 0 {
			return
		}
		once := c.Evaluate(condition.NewContext(over, nil), condition.Limits{Matching: time.Hour, Condition: time.Hour, Regex: time.Hour, Query: time.Hour})
		twice := c.Evaluate(condition.NewContext(over, nil), condition.Limits{Matching: time.Hour, Condition: time.Hour, Regex: time.Hour, Query: time.Hour})
		require.Equal(t, once, twice)
		require.NotEmpty(t, once.Why())
	})
}

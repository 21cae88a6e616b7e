package strategy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/strategy"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func load(t *testing.T, text string, others ...string) (*strategy.Strategy, []strategy.Diagnostic) {
	t.Helper()
	fsys := fstest.MapFS{"dir/a.strategy.md": file(text)}
	for i := 0; i+1 < len(others); i += 2 {
		fsys[others[i]] = file(others[i+1])
	}
	registry, err := strategy.NewRegistry(writes("files", nil), writes("selected-text", nil))
	require.NoError(t, err)
	return strategy.Loader{Provider: "user", Registry: registry}.Load(t.Context(), fsys, "dir/a.strategy.md")
}

const full = `---
schema: everywhere.strategy/v1
id: User.Review
enabled: false
name: "Review"
description: Reviews
icon: Eye
priority: 80
when:
  attachments.files: {count: {min: 1}}
tools:
  builtin.web: {"*": true, search: false}
  builtin.files.read_file: true
  builtin.shell.*: false
  lonely: true
preprocessors: [files, selected-text]
systemPrompt: |
  You review.
options:
  matchingTimeout: 300ms
  conditionTimeout: 80ms
  regexTimeout: 0.5s
  visualQueryTimeout: 120ms
  extraTimeout: 200ms
  preprocessorTimeout: 10m
  preprocessors:
    files: {limit: 5, mode: full}
metadata: {anything: [goes, 1, {here: true}]}
---

Review {preprocess.files.content} {"json": {"stays": 1}}
`

func TestLoadEveryField(t *testing.T) {
	s, problems := load(t, full)
	require.Empty(t, problems)
	require.Equal(t, "user.review", s.ID)
	require.Equal(t, "user", s.Provider)
	require.False(t, s.Enabled)
	require.Equal(t, "Review", s.Name)
	require.Equal(t, "Reviews", s.Description)
	require.Equal(t, "Eye", s.Icon)
	require.Equal(t, 80, s.Priority)
	require.Equal(t, []string{"attachments.files"}, s.When.Paths())
	require.Equal(t, strategy.ToolRules{
		"builtin.web": {"*": true, "search": false}, "builtin.files": {"read_file": true}, "builtin.shell": {"*": false}, "lonely": {"*": true},
	}, s.Tools)
	require.Equal(t, []string{"files", "selected-text"}, s.Preprocessors)
	require.Equal(t, "You review.\n", *s.SystemPrompt)
	require.Equal(t, 500*time.Millisecond, s.Options.Regex)
	require.Equal(t, 10*time.Minute, s.Options.PreprocessorTimeout)
	require.Equal(t, map[string]any{"limit": int64(5), "mode": "full"}, s.Options.Preprocessors["files"])
	require.Equal(t, map[string]any{"anything": []any{"goes", int64(1), map[string]any{"here": true}}}, s.Metadata)
	require.Equal(t, "\nReview {preprocess.files.content} {\"json\": {\"stays\": 1}}\n", s.Body, "byte for byte")
	require.Equal(t, "dir/a.strategy.md", s.File)

	s, problems = load(t, "---\nname: Small\n---\r\nx\r\n")
	require.Empty(t, problems)
	require.Equal(t, "user.dir.a", s.ID)
	require.True(t, s.Enabled)
	require.Nil(t, s.When)
	require.Nil(t, s.SystemPrompt)
	require.Equal(t, "x\r\n", s.Body)
}

func TestLoadDiagnostics(t *testing.T) {
	front := func(lines string) string { return "---\nname: N\n" + lines + "\n---\nbody" }
	for _, tt := range []struct {
		name, text, code, path string
		line                   int
	}{
		{"no front matter", "# Hello", "strategy.invalid_yaml", "", 1},
		{"empty", "", "strategy.invalid_yaml", "", 1},
		{"half written", "---\nname: N\n", "strategy.invalid_yaml", "", 1},
		{"not UTF-8", "---\nname: \xff\n---\n", "strategy.invalid_yaml", "", 1},
		{"broken YAML", front("when: [x"), "strategy.invalid_yaml", "", 3},
		{"unknown field", front("preprocesors: [files]"), "strategy.invalid_field", "preprocesors", 3},
		{"schema", front("schema: everywhere.strategy/v2"), "strategy.invalid_field", "schema", 3},
		{"no name", "---\nid: user.x\n---\nbody", "strategy.invalid_field", "name", 2},
		{"null name", "---\nname:\n---\nbody", "strategy.invalid_field", "name", 2},
		{"null description", front("description: null"), "strategy.invalid_field", "description", 3},
		{"null enabled", front("enabled:"), "strategy.invalid_field", "enabled", 3},
		{"enabled text", front("enabled: 'yes'"), "strategy.invalid_field", "enabled", 3},
		{"priority", front("priority: 1.5"), "strategy.invalid_field", "priority", 3},
		{"when", front("when:\n  nowhere.x: {equals: 1}"), "strategy.invalid_field", "when.nowhere.x", 4},
		{"regex", front("when: {environment.os: {regex: '('}}"), "regex.invalid", "when.environment.os.regex", 3},
		{"query", front("when: {visual.exists: {query: '['}}"), "visual.query_invalid", "when.visual.exists.query", 3},
		{"id kind", front("id: 3"), "strategy.invalid_field", "id", 3},
		{"id form", front("id: user..x"), "strategy.invalid_id", "id", 3},
		{"id space", front("id: user x"), "strategy.invalid_id", "id", 3},
		{"reserved", front("id: Builtin.x"), "strategy.invalid_id", "id", 3},
		{"unknown preprocessor", front("preprocessors:\n  - files\n  - gone"), "strategy.unknown_preprocessor", "preprocessors", 5},
		{"preprocessors kind", front("preprocessors: files"), "strategy.invalid_field", "preprocessors", 3},
		{"preprocessor kind", front("preprocessors: [[files]]"), "strategy.invalid_field", "preprocessors", 3},
		{"preprocessor twice", front("preprocessors: [files, files]"), "strategy.invalid_field", "preprocessors", 3},
		{"tools kind", front("tools: [x]"), "strategy.invalid_field", "tools", 3},
		{"tool value", front("tools: {a: yes please}"), "strategy.invalid_field", "tools.a", 3},
		{"tool function", front("tools: {a: {b: 1}}"), "strategy.invalid_field", "tools.a.b", 3},
		{"system prompt kind", front("systemPrompt: [x]"), "strategy.invalid_field", "systemPrompt", 3},
		{"system prompt form", front("systemPrompt: 'x {a..b}'"), "strategy.invalid_field", "systemPrompt", 3},
		{"body form", "---\nname: N\n---\n{a.}", "strategy.invalid_field", "body", 4},
		{"options kind", front("options: 3"), "strategy.invalid_field", "options", 3},
		{"unknown option", front("options: {timeout: 3s}"), "strategy.invalid_field", "options.timeout", 3},
		{"duration number", front("options: {regexTimeout: 50}"), "strategy.invalid_field", "options.regexTimeout", 3},
		{"duration unit", front("options: {regexTimeout: 50h}"), "strategy.invalid_field", "options.regexTimeout", 3},
		{"duration sign", front("options: {regexTimeout: -5s}"), "strategy.invalid_field", "options.regexTimeout", 3},
		{"duration zero", front("options: {regexTimeout: 0ms}"), "strategy.invalid_field", "options.regexTimeout", 3},
		{"duration form", front("options: {regexTimeout: 1e3s}"), "strategy.invalid_field", "options.regexTimeout", 3},
		{"duration endless", front("options: {preprocessorTimeout: 99999999m}"), "strategy.invalid_field", "options.preprocessorTimeout", 3},
		{"settings kind", front("options: {preprocessors: {files: 3}}"), "strategy.invalid_field", "options.preprocessors.files", 3},
		{"metadata", front("metadata: text"), "strategy.invalid_field", "metadata", 3},
		{"from kind", front("from: [a]"), "strategy.invalid_from", "from", 3},
		{"from field", front("from: {path: x}"), "strategy.invalid_from", "from.path", 3},
		{"from sort", front("from: {source: x, kind: yaml}"), "strategy.invalid_from", "from.kind", 3},
		{"from nothing", front("from: {kind: auto}"), "strategy.invalid_from", "from", 3},
		{"from gone", front("from: ./gone.md"), "strategy.invalid_from", "from", 3},
		{"from outside", front("from: ../../etc/passwd"), "strategy.invalid_from", "from", 3},
		{"from absolute", front("from: /etc/passwd"), "strategy.invalid_from", "from", 3},
		{"from backslash", front(`from: '..\x.md'`), "strategy.invalid_from", "from", 3},
		{"from itself", front("from: a.strategy.md"), "strategy.invalid_from", "from", 3},
		{"from URL", front("from: https://example.org/x.md"), "strategy.invalid_from", "from", 3},
		{"from scheme", front("from: skill://x"), "strategy.invalid_from", "from", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, problems := load(t, tt.text)
			require.Nil(t, s)
			require.NotEmpty(t, problems)
			d := problems[0]
			require.Equal(t, tt.code, d.Code, d)
			require.Equal(t, tt.path, d.Path, d)
			require.Equal(t, "dir/a.strategy.md", d.File)
			require.Equal(t, tt.line, d.Line, d)
			require.Positive(t, d.Column)
			require.Equal(t, "error", d.Severity)
			require.True(t, strings.HasSuffix(d.Message, "."), d.Message)
		})
	}
}

func TestLoadWarnings(t *testing.T) {
	s, problems := load(t, "---\nname: N\npreprocessors: [files]\n---\n \n")
	require.NotNil(t, s)
	require.Equal(t, "strategy.unused_preprocessor", problems[0].Code)
	require.Equal(t, "warning", problems[0].Severity)
	require.Equal(t, 3, problems[0].Line)
	s, problems = load(t, "---\nname: N\noptions: {preprocessors: {files: {}}}\n---\nx")
	require.NotNil(t, s)
	require.Equal(t, "options.preprocessors.files", problems[0].Path)
}

const base = "---\nid: user.base\nname: Base\ndescription: from base\npriority: 5\nwhen: false\npreprocessors: [files]\nsystemPrompt: base system\ntools: {a: true}\n---\nbase body"

func TestFrom(t *testing.T) {
	s, problems := load(t, "---\nfrom: ../base.strategy.md\n---\n", "base.strategy.md", base)
	require.Empty(t, problems)
	require.Equal(t, "user.dir.a", s.ID, "an id is never inherited")
	require.Equal(t, "Base", s.Name)
	require.Equal(t, 5, s.Priority)
	require.Equal(t, []string{"files"}, s.Preprocessors)
	require.Equal(t, "base body", s.Body, "a missing body is inherited")
	require.Equal(t, "base.strategy.md", s.From)

	s, problems = load(t, "---\nfrom: {source: ../base.strategy.md, kind: strategy}\nname: Own\nwhen: true\npreprocessors: []\nsystemPrompt: null\ntools: {b: true}\n---\n\n", "base.strategy.md", base)
	require.Empty(t, problems)
	require.Equal(t, "Own", s.Name)
	require.Equal(t, "\n", s.Body, "an empty body is empty")
	require.Empty(t, s.Preprocessors)
	require.Nil(t, s.SystemPrompt)
	require.Equal(t, strategy.ToolRules{"b": {"*": true}}, s.Tools, "fields are replaced, not merged")
	require.Equal(t, "from base", s.Description)

	s, problems = load(t, "---\nfrom: ./SKILL.md\n---\n", "dir/SKILL.md", "---\nname: Polite\ndescription: Rewrites politely\nlicense: MIT\nallowed-tools: [x]\npriority: 9\n---\nWrite politely.\n")
	require.Empty(t, problems)
	require.Equal(t, "Polite", s.Name)
	require.Equal(t, "Rewrites politely", s.Description)
	require.Equal(t, "Write politely.\n", s.Body)
	require.Zero(t, s.Priority, "a skill gives name, description and body")

	s, problems = load(t, "---\nfrom: plain.md\nname: P\n---\n", "dir/plain.md", "---\nnot: front matter\n---\n# Title\n")
	require.Empty(t, problems)
	require.Equal(t, "---\nnot: front matter\n---\n# Title\n", s.Body)
	s, problems = load(t, "---\nfrom: plain.md\n---\n", "dir/plain.md", "x")
	require.Nil(t, s)
	require.Equal(t, "name", problems[0].Path, "plain Markdown brings no name")

	s, problems = load(t, "---\nfrom: nested.strategy.md\n---\n", "dir/nested.strategy.md", "---\nfrom: x.md\nname: N\n---\n")
	require.Nil(t, s)
	require.Len(t, problems, 2, "both files are named")
	require.Equal(t, "dir/a.strategy.md", problems[0].File)
	require.Equal(t, "dir/nested.strategy.md", problems[1].File)
	require.Equal(t, "strategy.invalid_from", problems[1].Code)
	s, problems = load(t, "---\nfrom: broken.strategy.md\n---\n", "dir/broken.strategy.md", "---\nname: [\n---\n")
	require.Nil(t, s)
	require.Equal(t, "strategy.invalid_yaml", problems[1].Code)
}

func TestFromURL(t *testing.T) {
	fsys := fstest.MapFS{
		"a.strategy.md": file("---\nfrom: https://example.org/base.strategy.md\n---\n"),
		"b.strategy.md": file("---\nfrom: {source: 'https://example.org/down', kind: url}\nname: B\n---\n"),
	}
	l := strategy.Loader{Provider: "user", Fetch: func(_ context.Context, url string) ([]byte, error) {
		if url != "https://example.org/base.strategy.md" {
			return nil, errors.New("down")
		}
		return []byte(base), nil
	}}
	s, problems := l.Load(t.Context(), fsys, "a.strategy.md")
	require.Empty(t, problems)
	require.Equal(t, "base body", s.Body)
	_, problems = l.Load(t.Context(), fsys, "b.strategy.md")
	require.Equal(t, "strategy.invalid_from", problems[0].Code)
}

func TestProviders(t *testing.T) {
	fsys := fstest.MapFS{"a.strategy.md": file("---\nname: N\nid: user.x\n---\n")}
	_, problems := strategy.Loader{Provider: "builtin"}.Load(t.Context(), fsys, "a.strategy.md")
	require.Equal(t, "strategy.invalid_id", problems[0].Code)
	fsys["b.strategy.md"] = file("---\nname: N\n---\n")
	s, problems := strategy.Loader{Provider: "builtin"}.Load(t.Context(), fsys, "b.strategy.md")
	require.Empty(t, problems)
	require.Equal(t, "builtin.b", s.ID)
}

// folder writes strategies to disk, so that times, renames and half-written
// files are real.
type folder struct {
	*strategy.Folder
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) folder {
	t.Helper()
	dir := t.TempDir()
	f, err := strategy.OpenFolder(strategy.Loader{Provider: "user"}, dir)
	require.NoError(t, err)
	return folder{Folder: f, t: t, dir: dir}
}

// write writes a file as if it had been changed age ago.
func (f folder) write(name, text string, age time.Duration) {
	f.t.Helper()
	p := filepath.Join(f.dir, name)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(p), 0o700))
	require.NoError(f.t, os.WriteFile(p, []byte(text), 0o600))
	when := time.Now().Add(-age)
	require.NoError(f.t, os.Chtimes(p, when, when))
}

func (f folder) bodies() map[string]string {
	f.t.Helper()
	set, err := f.Load(f.t.Context())
	require.NoError(f.t, err)
	out := map[string]string{}
	for _, s := range set.Strategies {
		out[s.ID] = s.Body
	}
	return out
}

func (f folder) codes() []string {
	f.t.Helper()
	set, err := f.Load(f.t.Context())
	require.NoError(f.t, err)
	var out []string
	for _, d := range set.Diagnostics {
		out = append(out, d.File+" "+d.Code)
	}
	return out
}

func TestFolderReloads(t *testing.T) {
	f := newFolder(t)
	require.Empty(t, f.bodies())
	f.write("a.strategy.md", "---\nname: A\n---\none", time.Hour)
	f.write("sub/b.strategy.md", "---\nname: B\n---\ntwo", time.Hour)
	f.write("broken.strategy.md", "---\nname: [\n---\n", time.Hour)
	f.write("notes.md", "no strategy", time.Hour)
	require.Equal(t, map[string]string{"user.a": "one", "user.sub.b": "two"}, f.bodies())
	require.Equal(t, []string{"broken.strategy.md strategy.invalid_yaml"}, f.codes(), "a broken file hides no other")

	before, err := f.Load(t.Context())
	require.NoError(t, err)
	again, err := f.Load(t.Context())
	require.NoError(t, err)
	require.Same(t, before.Strategies[0], again.Strategies[0], "what did not change is not read again")

	f.write("a.strategy.md", "---\nname: A\n---\nedited", time.Minute)
	require.Equal(t, "edited", f.bodies()["user.a"])
	f.write("a.strategy.md", "---\nname: A\n---\nEDITED", 0)
	require.Equal(t, "EDITED", f.bodies()["user.a"])
	f.write("a.strategy.md", "---\nname: A\n---\nquick!", 0)
	require.Equal(t, "quick!", f.bodies()["user.a"], "two changes of one length within the clock's grain")

	f.write("a.strategy.md", "---\nname: A\n", time.Minute)
	require.Equal(t, "quick!", f.bodies()["user.a"], "half-written: the last good version stands")
	require.Equal(t, []string{"a.strategy.md strategy.invalid_yaml", "a.strategy.md strategy.previous_version_stands", "broken.strategy.md strategy.invalid_yaml"}, f.codes())
	f.write("a.strategy.md", "---\nname: A\n---\nwhole again", time.Minute)
	require.Equal(t, "whole again", f.bodies()["user.a"])

	require.NoError(t, os.Rename(filepath.Join(f.dir, "a.strategy.md"), filepath.Join(f.dir, "c.strategy.md")))
	require.Equal(t, map[string]string{"user.c": "whole again", "user.sub.b": "two"}, f.bodies())
	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "sub")))
	require.NoError(t, os.Remove(filepath.Join(f.dir, "broken.strategy.md")))
	require.Equal(t, map[string]string{"user.c": "whole again"}, f.bodies())
	require.Empty(t, f.codes())
}

func TestFolderFollowsSources(t *testing.T) {
	f := newFolder(t)
	f.write("a.strategy.md", "---\nname: A\nfrom: base.md\n---\n", time.Hour)
	require.Empty(t, f.bodies())
	f.write("base.md", "one", time.Hour)
	require.Equal(t, "one", f.bodies()["user.a"], "a source that comes later")
	f.write("base.md", "other", time.Minute)
	require.Equal(t, "other", f.bodies()["user.a"])
	require.NoError(t, os.Remove(filepath.Join(f.dir, "base.md")))
	require.Equal(t, "other", f.bodies()["user.a"])
	require.Contains(t, f.codes(), "a.strategy.md strategy.previous_version_stands")
}

func TestFolderStaysInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.md")
	require.NoError(t, os.WriteFile(outside, []byte("SECRET"), 0o600))
	f := newFolder(t)
	require.NoError(t, os.Symlink(outside, filepath.Join(f.dir, "link.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(f.dir, "link.strategy.md")))
	f.write("a.strategy.md", "---\nname: A\nfrom: link.md\n---\n", time.Hour)
	require.Empty(t, f.bodies())
	require.Equal(t, []string{"a.strategy.md strategy.invalid_from", "link.strategy.md strategy.unreadable_file"}, f.codes())

	_, err := strategy.OpenFolder(strategy.Loader{}, filepath.Join(f.dir, "gone"))
	require.True(t, fault.Is(err, fault.FileNotFound))
}

func TestDuplicateIDs(t *testing.T) {
	f := newFolder(t)
	f.write("a.strategy.md", "---\nid: user.same\nname: A\n---\nfirst", time.Hour)
	f.write("b.strategy.md", "---\nid: USER.Same\nname: B\n---\nsecond", time.Hour)
	require.Equal(t, map[string]string{"user.same": "first"}, f.bodies())
	require.Equal(t, []string{"b.strategy.md strategy.duplicate_id"}, f.codes())
	set, err := f.Load(t.Context())
	require.NoError(t, err)
	s, ok := set.Lookup("User.SAME")
	require.True(t, ok)
	require.Equal(t, "A", s.Name)
	_, ok = set.Lookup("user.other")
	require.False(t, ok)
	joined := strategy.Join(strategy.Set{Strategies: []*strategy.Strategy{{ID: "user.same", File: "other"}}}, set)
	require.Len(t, joined.Strategies, 1)
	require.Contains(t, joined.Diagnostics[len(joined.Diagnostics)-1].Message, "taken by other")
}

func TestWatch(t *testing.T) {
	f := newFolder(t)
	f.write("a.strategy.md", "---\nname: A\n---\none", time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	sets := make(chan strategy.Set)
	ended := make(chan error)
	go func() { ended <- f.Watch(ctx, time.Millisecond, func(s strategy.Set) { sets <- s }) }()
	require.Equal(t, "one", (<-sets).Strategies[0].Body)
	f.write("a.strategy.md", "---\nname: A\n---\ntwo", 0)
	for s := range sets { // a write is seen in the middle, too
		if len(s.Strategies) == 1 && s.Strategies[0].Body == "two" {
			break
		}
	}
	cancel()
	for {
		select {
		case <-sets:
			continue
		case err := <-ended:
			require.ErrorIs(t, err, context.Canceled)
		}
		break
	}
	_, err := f.Load(ctx)
	require.True(t, fault.Is(err, fault.Canceled))
}

func TestLoadFile(t *testing.T) {
	f := newFolder(t)
	f.write("a.strategy.md", "---\nname: A\n---\none", 0)
	s, problems, err := strategy.LoadFile(t.Context(), strategy.Loader{Provider: "user"}, filepath.Join(f.dir, "a.strategy.md"))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, "one", s.Body)
	_, _, err = strategy.LoadFile(t.Context(), strategy.Loader{}, filepath.Join(f.dir, "gone.strategy.md"))
	require.True(t, fault.Is(err, fault.FileNotFound))
	_, _, err = strategy.LoadFile(t.Context(), strategy.Loader{}, filepath.Join(f.dir, "no", "where.strategy.md"))
	require.True(t, fault.Is(err, fault.FileNotFound))
}

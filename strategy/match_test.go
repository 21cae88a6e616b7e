package strategy_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/condition"
)

func loadAll(tb testing.TB, files map[string]string) strategy.Set {
	tb.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name+strategy.Extension] = file(text)
	}
	f := strategy.Folder{Loader: strategy.Loader{Provider: "user"}, FS: fsys}
	set, err := f.Load(tb.Context())
	require.NoError(tb, err)
	require.Empty(tb, set.Diagnostics)
	return set
}

func ids(list []strategy.Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Strategy.ID)
	}
	return out
}

func TestMatchOrderAndReasons(t *testing.T) {
	set := loadAll(t, map[string]string{
		"low":     "---\nname: Low\n---\n",
		"b":       "---\nname: Same\npriority: 5\n---\n",
		"a":       "---\nname: Same\npriority: 5\n---\n",
		"high":    "---\nname: High\npriority: 90\nwhen: {environment.os: {equals: linux}}\n---\n",
		"off":     "---\nname: Off\nenabled: false\n---\n",
		"false":   "---\nname: F\npriority: 9\nwhen: {environment.os: {equals: windows}}\n---\n",
		"unknown": "---\nname: U\nwhen: {extra.browser.active_tab.url: {contains: x}}\n---\n",
	})
	m := strategy.Matcher{}
	got, err := m.Match(t.Context(), set.Strategies, map[string]any{"environment.os": "linux"})
	require.NoError(t, err)
	require.Equal(t, []string{"user.high", "user.a", "user.b", "user.low"}, ids(got.Candidates))
	require.Equal(t, []string{"user.false", "user.unknown"}, ids(got.Others))
	require.Equal(t, "environment.os equals is false", got.Others[0].Evaluation.Why())
	require.Equal(t, "extra.browser.active_tab.url is unknown (extra.provider_unavailable)", got.Others[1].Evaluation.Why())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Match(ctx, set.Strategies, nil)
	require.True(t, fault.Is(err, fault.Canceled))
	_, err = m.Match(t.Context(), set.Strategies, map[string]any{"extra.x": func() {}})
	require.Error(t, err)
}

// tab is a provider of extra.browser.
type tab struct {
	collect func(ctx context.Context) (any, error)
	runs    *atomic.Int64
}

func (tab) Root() string       { return "browser" }
func (tab) Permission() string { return "Reads the page in front of you" }
func (p tab) Collect(ctx context.Context) (any, error) {
	if p.runs != nil {
		p.runs.Add(1)
	}
	return p.collect(ctx)
}

const wantsTab = "---\nname: Tab\nwhen: {extra.browser.active_tab.url: {contains: arxiv}}\n---\n{extra.browser.active_tab.url}"

func TestProvidersAreAskedOnlyWhenNeeded(t *testing.T) {
	var runs atomic.Int64
	m := strategy.Matcher{Providers: []strategy.ExtraProvider{tab{runs: &runs, collect: func(context.Context) (any, error) {
		return map[string]any{"active_tab": map[string]string{"url": "https://arxiv.org"}}, nil
	}}}}
	none := loadAll(t, map[string]string{"a": "---\nname: A\n---\n", "off": "---\nname: O\nenabled: false\nwhen: {extra.browser.x: {equals: 1}}\n---\n"})
	_, err := m.Match(t.Context(), none.Strategies, nil)
	require.NoError(t, err)
	require.Zero(t, runs.Load())

	set := loadAll(t, map[string]string{"a": wantsTab, "b": wantsTab})
	for _, given := range []map[string]any{{"extra.browser.active_tab.url": "arxiv"}, {"extra": map[string]any{"browser": map[string]any{"active_tab": map[string]any{"url": "ARXIV"}}}}} {
		got, err := m.Match(t.Context(), set.Strategies, given)
		require.NoError(t, err)
		require.Len(t, got.Candidates, 2)
		require.Zero(t, runs.Load(), "what the caller supplied is not collected again")
	}
	got, err := m.Match(t.Context(), set.Strategies, nil)
	require.NoError(t, err)
	require.Len(t, got.Candidates, 2)
	require.EqualValues(t, 1, runs.Load(), "once for all strategies")
	out, err := (&strategy.Engine{}).Execute(t.Context(), got.Candidates[0].Strategy, strategy.ExecutionContext{Values: got.Values})
	require.NoError(t, err)
	require.Equal(t, "https://arxiv.org", string(out.Prompt), "what was collected serves the execution")
}

func TestProvidersThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		collect func(context.Context) (any, error)
		code    string
	}{
		"error":     {func(context.Context) (any, error) { return nil, errors.New("x") }, "extra.provider_unavailable"},
		"panic":     {func(context.Context) (any, error) { panic("x") }, "extra.provider_unavailable"},
		"odd value": {func(context.Context) (any, error) { return make(chan int), nil }, "extra.provider_unavailable"},
		"refused":   {func(context.Context) (any, error) { return nil, fs.ErrPermission }, "extra.permission_unavailable"},
		"denied": {func(context.Context) (any, error) {
			return nil, &fault.Error{Code: fault.PreprocessorPermissionUnavailable}
		}, "extra.permission_unavailable"},
		"slow":       {func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, "extra.timeout"},
		"ignores it": {func(context.Context) (any, error) { time.Sleep(time.Hour); return "late", nil }, "extra.timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			set := loadAll(t, map[string]string{"a": wantsTab})
			synctest.Test(t, func(t *testing.T) {
				m := strategy.Matcher{Providers: []strategy.ExtraProvider{tab{collect: tt.collect}}}
				start := time.Now()
				got, err := m.Match(t.Context(), set.Strategies, nil)
				require.NoError(t, err)
				require.LessOrEqual(t, time.Since(start), 200*time.Millisecond)
				require.Empty(t, got.Candidates)
				require.Equal(t, condition.Unknown, got.Others[0].Evaluation.Result)
				require.Equal(t, tt.code, got.Others[0].Evaluation.All()[0].Code)
				time.Sleep(2 * time.Hour) // until what was abandoned ends too
			})
		})
	}
}

func TestPermissions(t *testing.T) {
	registry, err := strategy.NewRegistry(writes("files", nil))
	require.NoError(t, err)
	set := loadAll(t, map[string]string{"a": `---
name: A
when:
  all:
    - attachments.selection.text: {length: {min: 1}}
    - extra.browser.active_tab.url: {contains: x}
    - extra.workspace.name: {equals: x}
    - extra.custom.y: {equals: x}
    - visual.exists: {query: //A}
    - any: [{clipboard.text: {equals: x}}, {clipboard.hasImage: {equals: true}}]
preprocessors: [files, gone]
tools: {builtin.web: {"*": true}, builtin.shell: false}
systemPrompt: "{environment.os} {assistant.name}"
---
{attachments.selection.text} {attachments.files} {Argument} {preprocess.files.content}`})
	var texts []string
	for _, p := range strategy.Permissions(set.Strategies[0], registry, tab{}) {
		texts = append(texts, p.From+": "+p.Text)
	}
	require.Equal(t, []string{
		"when: Reads selected text",
		"when: Reads what kind of content the clipboard holds",
		"when: Reads clipboard text",
		"when: Reads the page in front of you",
		"when: Reads extra.custom.y",
		"when: Reads the workspace's name, folder and git state",
		"when: Reads visible UI information",
		"preprocessor files: Reads what the test gives",
		"preprocessor gone: Runs the preprocessor gone, which is not installed",
		"prompt: Reads the assistant's settings",
		"prompt: Reads the list of attached files",
		"prompt: Reads information about this computer",
		"tools: Denies tool builtin.shell",
		"tools: Allows tool builtin.web.*",
	}, texts)
}

// many makes n strategies of the usual kinds.
func many(n int) map[string]string {
	kinds := []string{
		"attachments.files: {any: {extension: {in: [.pdf, .docx, .md]}}}",
		"attachments.selection.text: {length: {min: 1, max: 5000}, contains: TODO}",
		"extra.browser.active_tab.url: {startsWith: 'https://arxiv.org/'}",
		"attachments.selection.text: {regex: '\\bfix(me)?\\b'}",
		"none: [{clipboard.text: {contains: secret}}, {environment.os: {equals: windows}}]",
	}
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("s%05d", i)] = fmt.Sprintf("---\nname: Strategy %d\npriority: %d\npreprocessors: [files]\noptions: {matchingTimeout: 1m, conditionTimeout: 1m, regexTimeout: 1m}\nwhen:\n  all:\n    - %s\n    - environment.locale: {startsWith: de}\n---\nDo it with {preprocess.files.context}.\n", i, i%100, kinds[i%len(kinds)])
	}
	return files
}

func manyValues() map[string]any {
	return map[string]any{
		"attachments": map[string]any{"files": []any{
			map[string]any{"name": "a.txt", "extension": ".txt"},
			map[string]any{"name": "b.pdf", "extension": ".pdf"},
		}, "selection": map[string]any{"text": "please fix this TODO"}},
		"extra":          map[string]any{"browser": map[string]any{"active_tab": map[string]any{"url": "https://example.org"}}},
		"clipboard.text": "hello", "environment.os": "linux", "environment.locale": "de-DE",
	}
}

func TestTenThousandStrategies(t *testing.T) {
	if testing.Short() {
		t.Skip("loads 10,000 files")
	}
	set := loadAll(t, many(10_000))
	require.Len(t, set.Strategies, 10_000)
	got, err := (&strategy.Matcher{}).Match(t.Context(), set.Strategies, manyValues())
	require.NoError(t, err)
	require.Len(t, got.Candidates, 8_000)
	require.Len(t, got.Others, 2_000)
	for i, c := range got.Candidates[1:] {
		require.GreaterOrEqual(t, got.Candidates[i].Strategy.Priority, c.Strategy.Priority)
	}
}

func BenchmarkLoad10000(b *testing.B) {
	fsys := fstest.MapFS{}
	for name, text := range many(10_000) {
		fsys[name+strategy.Extension] = file(text)
	}
	for b.Loop() {
		f := strategy.Folder{Loader: strategy.Loader{Provider: "user"}, FS: fsys}
		set, err := f.Load(b.Context())
		require.NoError(b, err)
		require.Len(b, set.Strategies, 10_000)
	}
}

func BenchmarkMatch10000(b *testing.B) {
	set := loadAll(b, many(10_000))
	values := manyValues()
	for b.Loop() {
		_, err := (&strategy.Matcher{}).Match(b.Context(), set.Strategies, values)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/strategy")
}

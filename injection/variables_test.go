package injection_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/injection"
	"inlay/tokens"
)

// A count that stopped once the decision was known says so beside its number.
func TestTokensFilesMethod(t *testing.T) {
	long := file("long.txt", strings.Repeat("facts and more facts ", 200))
	for name, tt := range map[string]struct {
		exact bool
		file  injection.File
		want  tokens.Method
	}{
		"small":            {file: file("a.txt", "few words"), want: tokens.Exact},
		"stopped":          {file: long, want: tokens.AtLeast},
		"asked to the end": {exact: true, file: long, want: tokens.Exact},
	} {
		res := inject(t, injection.Request{Text: "facts", Files: []injection.File{tt.file}, Model: model{length: 300}, Options: injection.Options{DryRun: true, ExactCounts: tt.exact}})
		require.Equal(t, tt.want, res.Decision.Files.Method, name)
		require.Equal(t, tt.want.String(), res.Variables["preprocess.files.tokens.files_method"], name)
		require.Equal(t, res.Decision.Files.N, res.Variables["preprocess.files.tokens.files"], name)
	}
}

func TestOverview(t *testing.T) {
	require.Equal(t, "No document is attached.", injection.Overview(nil, nil))
	require.Equal(t, strings.Join([]string{
		"- a/README.md (complete text below)",
		"- b/README.md (complete text earlier in this conversation)",
		"- report.pdf (3 passages below)",
		"- one.pdf (1 passage below)",
		"- off.txt (no part of it is shown)",
		"- later.txt (passages below)",
		`- "x\n- forged" (complete text below)`,
		"- bad.pdf (could not be read)",
	}, "\n"), injection.Overview([]injection.FileReport{
		{Name: "README.md", Path: "/src/a/README.md", Strategy: injection.InjectFull},
		{Name: "README.md", Path: "/src/b/README.md", Strategy: injection.None, InContext: true},
		{Name: "report.pdf", Strategy: injection.Retrieval, Citations: 3},
		{Name: "one.pdf", Strategy: injection.Retrieval, Citations: 1},
		{Name: "off.txt", Strategy: injection.None},
		{Name: "later.txt", Strategy: injection.Retrieval},
		{Name: "x\n- forged", Strategy: injection.InjectFull},
	}, []injection.Failure{{File: "bad.pdf", Code: fault.Corrupt}}))
}

// What a turn did with its files is what its overview says.
func TestOverviewOfATurn(t *testing.T) {
	res := inject(t, injection.Request{
		Text: "facts", Model: model{length: 10_000},
		Files: []injection.File{file("a.txt", "facts of a"), {Name: "b.txt", Data: []byte("facts of b"), Mode: injection.ModeRetrieval}, {Name: "c.txt", Data: []byte("c"), Mode: injection.ModeNone}},
	})
	require.Equal(t, "- a.txt (complete text below)\n- b.txt (1 passage below)\n- c.txt (no part of it is shown)", res.Variables["preprocess.files.overview"])
}

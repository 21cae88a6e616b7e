package builtin_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/tokens"
)

// A root with a file, a folder, a pipe, and links inside and out.
func roots(t *testing.T) (root, away string) {
	t.Helper()
	root, away = t.TempDir(), t.TempDir()
	for file, text := range map[string]string{filepath.Join(root, "in.txt"): "in", filepath.Join(root, "dir", "deep.txt"): "deep", filepath.Join(away, "out.txt"): "out"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for name, target := range map[string]string{
		"link.txt": filepath.Join(away, "out.txt"), "up": "..", "inside.txt": "in.txt", "gone-link.txt": filepath.Join(root, "nowhere"), "away": away,
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	require.NoError(t, os.Symlink(root, filepath.Join(away, "to-root")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	return root, away
}

func TestOpenUnder(t *testing.T) {
	root, away := roots(t)
	linked := filepath.Join(away, "to-root")
	for name, tt := range map[string]struct {
		root, path string
		want       string
		code       fault.Code
		denied     bool
	}{
		"in it":                  {root: root, path: filepath.Join(root, "in.txt"), want: "in"},
		"deeper":                 {root: root, path: filepath.Join(root, "dir", "deep.txt"), want: "deep"},
		"back and forth":         {root: root, path: root + "/dir/../in.txt", want: "in"},
		"link inside":            {root: root, path: filepath.Join(root, "inside.txt"), want: "in"},
		"root is a link":         {root: linked, path: filepath.Join(linked, "in.txt"), want: "in"},
		"named past the link":    {root: linked, path: filepath.Join(root, "in.txt"), want: "in"},
		"named through the link": {root: root, path: filepath.Join(linked, "in.txt"), want: "in"},

		"outside":                {root: root, path: filepath.Join(away, "out.txt"), code: fault.FileUnreadable, denied: true},
		"up and out":             {root: root, path: root + "/../" + filepath.Base(away) + "/out.txt", code: fault.FileUnreadable, denied: true},
		"link out":               {root: root, path: filepath.Join(root, "link.txt"), code: fault.FileUnreadable, denied: true},
		"through a folder link":  {root: root, path: filepath.Join(root, "away", "out.txt"), code: fault.FileUnreadable, denied: true},
		"link to the parent":     {root: root, path: root + "/up/" + filepath.Base(away) + "/out.txt", code: fault.FileUnreadable},
		"system file":            {root: root, path: "/etc/passwd", code: fault.FileUnreadable, denied: true},
		"outside and not there":  {root: root, path: filepath.Join(away, "gone"), code: fault.FileUnreadable, denied: true},
		"prefix of another name": {root: filepath.Join(root, "di"), path: filepath.Join(root, "dir", "deep.txt"), code: fault.FileUnreadable, denied: true},
		"empty root":             {root: "", path: "openunder_test.go", code: fault.FileUnreadable, denied: true},
		"empty path":             {root: root, path: "", code: fault.FileUnreadable, denied: true},
		"folder":                 {root: root, path: filepath.Join(root, "dir"), code: fault.FileUnreadable},
		"the root":               {root: root, path: root, code: fault.FileUnreadable},
		"pipe":                   {root: root, path: filepath.Join(root, "pipe"), code: fault.FileUnreadable},
		"nul":                    {root: root, path: root + "/a\x00b", code: fault.FileUnreadable},
		"gone":                   {root: root, path: filepath.Join(root, "gone.txt"), code: fault.FileNotFound},
		"link to nothing":        {root: root, path: filepath.Join(root, "gone-link.txt"), code: fault.FileUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := builtin.OpenUnder(tt.root)(t.Context(), tt.path)
			require.Equal(t, tt.code, fault.CodeOf(err))
			require.Equal(t, tt.want, string(data))
			if tt.denied {
				require.ErrorIs(t, err, fs.ErrPermission)
			}
		})
	}
	_, err := builtin.OpenUnder()(t.Context(), filepath.Join(root, "in.txt"))
	require.ErrorIs(t, err, fs.ErrPermission)
	data, err := builtin.OpenUnder(away, root)(t.Context(), filepath.Join(root, "in.txt"))
	require.NoError(t, err)
	require.Equal(t, "in", string(data))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = builtin.OpenUnder(root)(ctx, filepath.Join(root, "in.txt"))
	require.ErrorIs(t, err, context.Canceled)
}

// A file that may not be opened fails as preprocessor.permission_unavailable,
// whether it was attached or selected (STR-12).
func TestDeniedFiles(t *testing.T) {
	denied := func(context.Context) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: "/home/me/lease.md", Err: syscall.EACCES}
	}
	r, err := strategy.NewRegistry(builtin.Preprocessors(builtin.Options{
		Injector: injector(t), Open: builtin.OpenUnder(t.TempDir()), Defaults: injection.Options{Strict: true},
	})...)
	require.NoError(t, err)
	for id, x := range map[string]strategy.ExecutionContext{
		"files":                  {Attachments: []strategy.Attachment{{Attachment: chat.Attachment{Name: "lease.md"}, New: true, Open: denied}}},
		"file-manager-selection": {Values: selection(item("lease.md"))},
	} {
		x.Input, x.Model = "rent", model(t, 8000)
		s := &strategy.Strategy{ID: "user.denied", Name: "Denied", Preprocessors: []string{id}, Body: "x"}
		out, err := (&strategy.Engine{Registry: r}).Execute(t.Context(), s, x)
		require.Equal(t, fault.PreprocessorPermissionUnavailable, fault.CodeOf(err), "%s: %v", id, err)
		require.ErrorContains(t, err, "lease.md")
		require.Equal(t, fault.PreprocessorPermissionUnavailable, out.Steps[0].Failure)
		require.Equal(t, string(fault.FileUnreadable), out.Steps[0].Diagnostics[0].Cause)
	}
}

// windowless is a model that does not say how long its window is.
type windowless struct{ llm.Measurer }

func (windowless) Length(context.Context) (tokens.Count, error) {
	return tokens.Count{}, &fault.Error{Code: fault.WindowUnknown, Subject: "model x", Reason: "its context window is unknown", Next: "set context_length"}
}

// Without the model's window files and intent cannot decide: what is missing is
// named, with what to do about it.
func TestUnknownWindow(t *testing.T) {
	for _, id := range []string{"files", "intent"} {
		s := &strategy.Strategy{ID: "user.window", Name: "Window", Preprocessors: []string{id}, Body: "x"}
		x := strategy.ExecutionContext{Input: strings.Repeat("2026-11-22 10:00:00 error: disk full\n", 200), Attachments: attach("lease.md"), Model: windowless{model(t, 8000)}}
		out, err := (&strategy.Engine{Registry: registry(t)}).Execute(t.Context(), s, x)
		require.Equal(t, fault.PreprocessorContextMissing, fault.CodeOf(err), id)
		require.ErrorContains(t, err, "context window is unknown (set context_length)", id)
		require.Equal(t, string(fault.WindowUnknown), out.Steps[0].Diagnostics[0].Cause, id)

		x.Model = nil
		_, err = (&strategy.Engine{Registry: registry(t)}).Execute(t.Context(), s, x)
		require.Equal(t, fault.PreprocessorContextMissing, fault.CodeOf(err), id)
	}
}

// A damaged file is an exception that keeps its own fault.
func TestBadFile(t *testing.T) {
	s := &strategy.Strategy{ID: "user.bad", Name: "Bad", Preprocessors: []string{"files"}, Body: "x"}
	bad := strategy.Attachment{Attachment: chat.Attachment{Name: "bad.pdf"}, New: true, Open: func(context.Context) ([]byte, error) { return []byte("%PDF-1.4\nnothing"), nil }}
	out, err := (&strategy.Engine{Registry: registry(t)}).Execute(t.Context(), s, strategy.ExecutionContext{Input: "rent", Model: model(t, 8000), Attachments: []strategy.Attachment{bad}})
	require.Equal(t, fault.PreprocessorException, fault.CodeOf(err))
	outer, ok := errors.AsType[*fault.Error](err)
	require.True(t, ok)
	inner, ok := errors.AsType[*fault.Error](outer.Err)
	require.True(t, ok)
	require.Equal(t, fault.Corrupt, inner.Code)
	require.Equal(t, "bad.pdf", inner.Subject)
	require.Equal(t, string(fault.Corrupt), out.Steps[0].Diagnostics[0].Cause)
}

// A dry run decides over a selection and shows none of its text.
func TestDryRunOfASelection(t *testing.T) {
	p := builtin.FileManagerSelection{Injector: injector(t), Open: builtin.OpenUnder("testdata")}
	x := strategy.ExecutionContext{Input: "rent", Model: model(t, 8000), Values: selection(item("lease.md")), DryRun: true}
	require.Empty(t, process(t, p, x)["preprocess.file_manager.selection.text"])
	x.DryRun = false
	require.Contains(t, process(t, p, x)["preprocess.file_manager.selection.text"], "1,250 euros")
}

package ignore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"inlay/ignore"
)

// rules are what the cases below are judged by.
const rules = "# a comment\n\n*.log\n!keep.log\nbuild/\n/root-only.txt\nsecret*\ndocs/**/draft.md\n\\#odd\nvendor\na**z\nspace \n/deep/*/x\n!vendor/inside.txt\n"

const nested = "!important.log\nlocal.txt\n/here\n"

func cases() []string {
	return []string{
		"a.log", "keep.log", "sub/b.log", "sub/keep.log", "sub/important.log", "build/x", "src/build/y", "building/z", "root-only.txt", "sub/root-only.txt",
		"secrets.env", "sub/secret", "docs/a/b/draft.md", "docs/draft.md", "docs/a/draft.txt", "#odd", "vendor/inside.txt", "x/vendor/y", "abcz", "abc",
		"space", "deep/1/x", "deep/1/2/x", "deep/x", "sub/local.txt", "local.txt", "sub/here", "sub/more/here", "plain.go",
	}
}

// TestLikeGit compares with git itself.
func TestLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git to compare with")
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", ".gitignore"), []byte(nested), 0o600))
	require.NoError(t, exec.CommandContext(t.Context(), git, "init", "-q", dir).Run())
	r := ignore.New(os.DirFS(dir), nil)
	for _, name := range cases() {
		cmd := exec.CommandContext(t.Context(), git, "-C", dir, "check-ignore", "-q", "--no-index", name)
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		want := cmd.Run() == nil
		got, err := r.Ignored(name, false)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}

func TestIgnored(t *testing.T) {
	r := ignore.New(fstest.MapFS{
		".gitignore": {Data: []byte(rules)}, "sub/.gitignore": {Data: []byte(nested)}, ".rooignore": {Data: []byte("*.pem\n!a.log\n")},
	}, nil)
	for name, want := range map[string]bool{
		"a.log": true, "keep.log": false, "sub/important.log": false, "build/x": true, "secrets.env": true, "sub/local.txt": true,
		"key.pem": true, "sub/deep/key.pem": true, ".git/config": true, "sub/.git": true, "plain.go": false, ".": false,
	} {
		got, err := r.Ignored(name, false)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"../x", "/etc/passwd", "a/../b", ""} {
		_, err := r.Ignored(name, false)
		require.Error(t, err, name)
	}
	broken := ignore.New(fstest.MapFS{".gitignore/x": {}}, nil)
	_, err := broken.Ignored("a", false)
	require.Error(t, err, "an ignore file that cannot be read lets nothing through")
}

func FuzzIgnored(f *testing.F) {
	f.Add(rules, strings.Join(cases(), "\n"))
	f.Add("[", "x")
	f.Fuzz(func(_ *testing.T, text, names string) {
		r := ignore.New(fstest.MapFS{".gitignore": {Data: []byte(text)}}, nil)
		for name := range strings.Lines(names) {
			_, _ = r.Ignored(strings.TrimSuffix(name, "\n"), false)
		}
	})
}

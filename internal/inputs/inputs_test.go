package inputs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/ignore"
	"inlay/internal/inputs"
	"inlay/parse"
)

// tree makes files below a new folder; a name that ends in / is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func names(dir string, files []parse.File) (out []string) {
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f.Path)
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

func TestFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.md": "A", "b/c.md": "C", "b/d.txt": "D", "b/.hidden/e.md": "E", ".env": "SECRET", "vendor/f.md": "F", "out.log": "L",
		".gitignore": "vendor/\n*.log\n", "b/.gitignore": "d.txt\n",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "leak.md")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	globs := func(patterns ...string) ignore.Globs {
		g, err := ignore.ParseGlobs("", patterns)
		require.NoError(t, err)
		return g
	}
	for _, c := range []struct {
		name   string
		reader inputs.Reader
		given  string
		want   []string
	}{
		{"all", inputs.Reader{}, "", []string{"a.md", "b/c.md"}},
		{"include", inputs.Reader{Include: globs("/*.md")}, "", []string{"a.md"}},
		{"exclude", inputs.Reader{Exclude: globs("b/")}, "", []string{"a.md"}},
		{"a folder that is ignored, named by the user", inputs.Reader{}, "vendor", []string{"vendor/f.md"}},
		{"glob", inputs.Reader{}, "*.md", []string{"a.md"}},
		{"glob of folders", inputs.Reader{}, "*", []string{"a.md", "b/c.md"}},
		{"deep glob", inputs.Reader{}, "**/c.md", []string{"b/c.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.reader
			if c.name == "glob of folders" { // vendor and out.log match too, and are named by the glob
				c.want = []string{"a.md", "b/c.md", "out.log", "vendor/f.md"}
				require.NoError(t, os.Remove(filepath.Join(dir, "leak.md")))
				require.NoError(t, os.Remove(filepath.Join(dir, "etc")))
			}
			if c.name == "glob" {
				c.want = []string{"a.md", "leak.md"} // a link that the user names is followed
			}
			files, _, err := r.Read(t.Context(), filepath.Join(dir, c.given))
			require.NoError(t, err)
			require.Equal(t, c.want, names(dir, files))
		})
	}
}

// TestRepository: the ignore files of the repository hold in its folders.
func TestRepository(t *testing.T) {
	dir := tree(t, map[string]string{".git/HEAD": "ref", ".gitignore": "*.log\nbuild/\n", "src/a.md": "A", "src/a.log": "L", "build/b.md": "B"})
	files, _, err := new(inputs.Reader).Read(t.Context(), filepath.Join(dir, "src"))
	require.NoError(t, err)
	require.Equal(t, []string{"src/a.md"}, names(dir, files))
	files, _, err = new(inputs.Reader).Read(t.Context(), filepath.Join(dir, "build"))
	require.NoError(t, err, "the user named it")
	require.Equal(t, []string{"build/b.md"}, names(dir, files))
}

func TestBounds(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "12345", "b.md": "12345", "c/d.md": "12345"})
	r := &inputs.Reader{Files: 3, Bytes: 15}
	_, _, err := r.Read(t.Context(), dir)
	require.NoError(t, err)
	_, _, err = r.Read(t.Context(), filepath.Join(dir, "c"))
	require.ErrorContains(t, err, "more than 3 files", "the bounds hold for all folders together")
	for _, r := range []*inputs.Reader{{Files: 2}, {Bytes: 14}} {
		for _, name := range []string{dir, filepath.Join(dir, "*"), filepath.Join(dir, "**")} {
			_, _, err := r.Read(t.Context(), name)
			require.True(t, fault.Is(err, fault.LimitExceeded), "%s: %v", name, err)
			require.ErrorContains(t, err, "--folder-")
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "A", "[x].md": "X"})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for name, says := range map[string]string{
		"nowhere.md": "there is no such file", "*.pdf": "no file matches", "a[": "is not a valid pattern", "empty": "the folder has no file to read",
	} {
		_, _, err := new(inputs.Reader).Read(t.Context(), filepath.Join(dir, name))
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, name)
	}
	files, _, err := new(inputs.Reader).Read(t.Context(), filepath.Join(dir, "[x].md"))
	require.NoError(t, err, "a name that is there is no glob")
	require.Equal(t, []string{"[x].md"}, names(dir, files))

	_, _, err = new(inputs.Reader).Read(t.Context(), "ftp://example.com/a")
	require.ErrorContains(t, err, "is not an address that can be read")
	_, _, err = (&inputs.Reader{Offline: true}).Read(t.Context(), "https://example.com/a")
	require.ErrorContains(t, err, "is a web address")

	r := &inputs.Reader{Stdin: strings.NewReader("text")}
	files, _, err = r.Read(t.Context(), "-")
	require.NoError(t, err)
	require.Equal(t, "stdin", files[0].Name)
	_, _, err = r.Read(t.Context(), "-")
	require.ErrorContains(t, err, "only once")
}

func TestNotes(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "A", "1.x": "", "2.x": "", "3.x": "", "4.x": "", "5.y": ""})
	r := &inputs.Reader{Accept: func(f parse.File) string {
		if strings.HasSuffix(f.Name, ".x") {
			return "odd"
		}
		return ""
	}}
	files, notes, err := r.Read(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"5.y", "a.md"}, names(dir, files))
	require.Equal(t, []string{dir + ": left out: 4 entries odd (1.x, 2.x, 3.x and 1 more)"}, notes)
}

func TestLooksLikePath(t *testing.T) {
	dir := tree(t, map[string]string{"docs/a.md": ""})
	t.Chdir(dir)
	for _, word := range []string{"report.pdf", "./x", "../x", "~/x.y", "/etc/nothing", "docs/nothing", "*.pdf", "docs/*", "a/b.docx", "Notes.MD", "notes2/"} {
		require.True(t, inputs.LooksLikePath(word, true), word)
	}
	for _, word := range []string{
		"", " ", "and/or", "TCP/IP", "km/h", "e.g.", "3.5", "3*4", "Node.js", "report.pdf?", ".pdf", "What does it say of report.pdf", "**bold**", "Warum?", "何ですか", "a\nb.md", "/",
	} {
		require.False(t, inputs.LooksLikePath(word, true), word)
	}
	require.True(t, inputs.LooksLikePath("my report.pdf", false))
	for word, want := range map[string]bool{
		"nosuch/sub": true, "backup.tar.gz": true, "limits.m": true, "example.org/terms": true, "a": false, "3.5": false, "/": false, "why?": false,
		"e.g.": false, ".": false, "two words/x": false,
	} {
		require.Equal(t, want, inputs.CouldBePath(word), word)
	}
	require.False(t, inputs.LooksLikePath("What is in my report.pdf?", false))
}

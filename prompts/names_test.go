package prompts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/prompts"
)

func TestNames(t *testing.T) {
	at := func(path string) prompts.Name {
		return prompts.Name{Name: path[strings.LastIndexAny(path, `/\`)+1:], Path: path}
	}
	up := func(name string) prompts.Name { return prompts.Name{Name: name} }
	for name, tt := range map[string]struct {
		files []prompts.Name
		want  []string
	}{
		"none":               {nil, []string{}},
		"different":          {[]prompts.Name{at("/a/x.md"), at("/b/y.md")}, []string{"x.md", "y.md"}},
		"two folders":        {[]prompts.Name{at("/src/a/README.md"), at("/src/b/README.md")}, []string{"a/README.md", "b/README.md"}},
		"only those alike":   {[]prompts.Name{at("/a/README.md"), at("/a/x.md"), at("/b/README.md")}, []string{"a/README.md", "x.md", "b/README.md"}},
		"further up":         {[]prompts.Name{at("/p/a/docs/README.md"), at("/p/b/docs/README.md")}, []string{"a/docs/README.md", "b/docs/README.md"}},
		"as far as needed":   {[]prompts.Name{at("/p/a/docs/R"), at("/p/b/docs/R"), at("/p/lib/R")}, []string{"a/docs/R", "b/docs/R", "lib/R"}},
		"one has no folder":  {[]prompts.Name{at("R"), at("docs/R")}, []string{"R", "docs/R"}},
		"path is an end":     {[]prompts.Name{at("docs/R"), at("/x/docs/R")}, []string{"docs/R", "x/docs/R"}},
		"relative and dots":  {[]prompts.Name{at("../a/R"), at("./b/R")}, []string{"a/R", "b/R"}},
		"uploads":            {[]prompts.Name{up("R"), up("R"), up("R")}, []string{"R", "R (2)", "R (3)"}},
		"upload and path":    {[]prompts.Name{up("R"), at("/a/R")}, []string{"R", "a/R"}},
		"same path":          {[]prompts.Name{at("/a/R"), at("/a/R")}, []string{"R", "R (2)"}},
		"same path, another": {[]prompts.Name{at("/a/R"), at("/a/R"), at("/b/R")}, []string{"a/R", "a/R (2)", "b/R"}},
		"number is taken":    {[]prompts.Name{up("R"), up("R (2)"), up("R")}, []string{"R", "R (2)", "R (3)"}},
		"folder name taken":  {[]prompts.Name{up("a/R"), at("/a/R"), at("/b/R")}, []string{"a/R", "a/R (2)", "b/R"}},
		"windows":            {[]prompts.Name{at(`C:\a\R`), at(`C:\b\R`)}, []string{"a/R", "b/R"}},
		"inside of a mail": {[]prompts.Name{
			{Name: "mail.eml/scan.pdf", Path: "/in/mail.eml"},
			{Name: "mail.eml/scan.pdf", Path: "/out/mail.eml"},
		}, []string{"in/mail.eml/scan.pdf", "out/mail.eml/scan.pdf"}},
		"empty names":         {[]prompts.Name{up(""), up("")}, []string{"", " (2)"}},
		"of the same folders": {[]prompts.Name{at("/a/b/R"), at("/b/R"), at("/c/b/R")}, []string{"a/b/R", "b/R", "c/b/R"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, prompts.Names(tt.files)) })
	}
}

// Whatever the names, those shown differ.
func FuzzNames(f *testing.F) {
	f.Add("R", "/a/R", "R", "/b/R", "R (2)", "")
	f.Add("R", "a", "a/R", "", "R", "/a/R")
	f.Fuzz(func(t *testing.T, n1, p1, n2, p2, n3, p3 string) {
		files := []prompts.Name{{Name: n1, Path: p1}, {Name: n2, Path: p2}, {Name: n3, Path: p3}, {Name: n1, Path: p2}, {Name: n1, Path: p1}}
		seen := map[string]bool{}
		for i, name := range prompts.Names(files) {
			require.False(t, seen[name], name)
			require.Contains(t, name, files[i].Name)
			seen[name] = true
		}
	})
}

package prompts

import (
	"fmt"
	"slices"
	"strings"
)

// Name is a file's name and, where it is known, its path.
type Name struct {
	Name string // "README.md"
	Path string // "docs/README.md"; may be empty
}

// Names returns for each file the name to show for it: its own where no other
// file has the same, else with as many of its folders as tell it apart
// ("docs/README.md"). Those that folders cannot tell apart are numbered
// ("README.md (2)"). The names returned differ from each other; the same list
// gives the same names.
func Names(files []Name) []string {
	shown := make([]string, len(files))
	for i, f := range files {
		shown[i] = f.Name
	}
	for depth := 1; ; depth++ {
		longer := false
		for _, same := range alike(shown) {
			if samePath(files, same) {
				continue // versions of one file, which no folder tells apart
			}
			for _, i := range same {
				if name, ok := files[i].under(depth); ok {
					shown[i], longer = name, true
				}
			}
		}
		if !longer {
			return numbered(shown)
		}
	}
}

// samePath reports whether all of a group are at one path.
func samePath(files []Name, group []int) bool {
	return !slices.ContainsFunc(group, func(i int) bool { return files[i].Path != files[group[0]].Path })
}

// alike lists groups of indexes with the same name.
func alike(names []string) (groups [][]int) {
	at := map[string][]int{}
	for i, name := range names {
		at[name] = append(at[name], i)
	}
	for _, name := range names {
		if len(at[name]) > 1 {
			groups = append(groups, at[name])
			delete(at, name)
		}
	}
	return groups
}

// under is the name below the last depth folders of its path, if it has as many.
func (n Name) under(depth int) (string, bool) {
	path := n.Path
	if !strings.Contains(path, "/") {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	folders := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(folders) > 0 {
		folders = folders[:len(folders)-1]
	}
	if depth > len(folders) {
		return "", false
	}
	return strings.Join(folders[len(folders)-depth:], "/") + "/" + n.Name, true
}

// numbered appends a number to names that are there already.
func numbered(names []string) []string {
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	seen := map[string]bool{}
	for i, name := range names {
		for n := 2; seen[names[i]] || n > 2 && taken[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s (%d)", name, n)
		}
		seen[names[i]] = true
	}
	return names
}

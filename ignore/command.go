package ignore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// WordError is the word of a command that is refused, and why: [ErrOutside],
// [ErrIgnored] or [ErrUnclear].
type WordError struct {
	Word string
	Err  error
}

// Error implements error.
func (e *WordError) Error() string { return fmt.Sprintf("%q %s", e.Word, e.Err) }

// Unwrap returns the reason.
func (e *WordError) Unwrap() error { return e.Err }

// CheckCommand judges every word of a shell command that may name a file:
// arguments, redirections, assignments, here-documents, the contents of
// substitutions, and the parts of a word after an option, "=" or ":". A word whose
// value only the shell knows, and a command that no shell could parse, are
// [ErrUnclear]. cwd is where the command is to run, relative to the folder.
//
// What a program finds by itself (the files of a folder, its own patterns, a
// script) is not seen: whoever approves the command has to judge that.
func (r *Rules) CheckCommand(command, cwd string) error {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return &WordError{command, ErrUnclear}
	}
	words := wordChecker{r, []string{cwd}}
	roles := map[*syntax.Word]role{}
	var unknown error // what is refused for sure is told first
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			assign(roles, n.Args)
		case *syntax.Word:
			switch e := words.syntax(n, roles[n]); {
			case errors.Is(e, ErrUnclear):
				unknown = cmp.Or(unknown, e)
			case e != nil && err == nil:
				err = e
			}
		}
		return err == nil
	})
	return cmp.Or(err, unknown)
}

// role is what a word of a command is for.
type role int

const (
	argument role = iota
	program       // the first word
	task          // an argument of a program that runs tasks by their names
)

// runners take names of tasks, which often are those of ignored folders: build,
// dist, target.
func runner(name string) bool {
	switch path.Base(name) {
	case "npm", "npx", "yarn", "pnpm", "bun", "deno", "make", "just", "task", "cargo", "go", "mvn", "mvnw", "gradle", "gradlew", "rake",
		"bundle", "composer", "dotnet", "docker", "cmake", "meson", "bazel", "swift":
		return true
	}
	return false
}

func assign(roles map[*syntax.Word]role, args []*syntax.Word) {
	for i, w := range args {
		switch {
		case i == 0:
			roles[w] = program
		case runner(args[0].Lit()):
			roles[w] = task
		}
	}
}

// wordChecker judges the words of one command in their order.
type wordChecker struct {
	rules *Rules
	// folders are where the command may be: where it starts, and every folder
	// that it has named since (cd sub && cat key, git -C sub).
	folders []string
}

// syntax judges what a word comes to. A program may lie anywhere.
func (c *wordChecker) syntax(w *syntax.Word, r role) error {
	if unclear(w) {
		return &WordError{source(w), ErrUnclear}
	}
	texts, err := expand.Fields(nil, w)
	if err != nil {
		return &WordError{source(w), ErrUnclear}
	}
	for _, text := range texts {
		if r == program && path.IsAbs(text) || r == task && c.isTask(text) {
			continue
		}
		if err := c.word(text); err != nil {
			return err
		}
	}
	return nil
}

// unclear reports whether only the shell knows what a word comes to.
func unclear(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

func source(w *syntax.Word) string {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return "a word"
	}
	return b.String()
}

// harmless reports whether a path is outside every workspace and has no content.
func harmless(name string) bool {
	return name == "/dev/null" || name == "/dev/stdin" || name == "/dev/stdout" || name == "/dev/stderr"
}

// CheckWords judges the words of a command that runs without a shell, each with
// the paths that it may contain.
func (r *Rules) CheckWords(cwd string, words ...string) error {
	c := wordChecker{r, []string{cwd}}
	for _, w := range words {
		if err := c.word(w); err != nil {
			return err
		}
	}
	return nil
}

func (c *wordChecker) word(w string) error {
	for _, name := range candidates(w) {
		if name == "" || harmless(name) || strings.HasPrefix(name, "-") {
			continue
		}
		if path.IsAbs(name) || name == "~" || strings.HasPrefix(name, "~/") {
			return &WordError{w, ErrOutside}
		}
		for i, folder := range c.folders {
			full := strings.TrimPrefix(folder+"/"+name, "/")
			if err := c.rules.checkPattern(full); err != nil && (i == 0 || errors.Is(err, ErrIgnored)) {
				return &WordError{w, err}
			}
			if c.rules.isFolder(full) && len(c.folders) < mostLinks {
				c.folders = append(c.folders, path.Clean(full))
			}
		}
	}
	return nil
}

// isTask reports whether a word can only name a task: it is plain, and no file
// is called so.
func (c *wordChecker) isTask(word string) bool {
	if c.rules == nil || strings.HasPrefix(word, "-") || strings.ContainsAny(word, "=./\\*?[ ") {
		return false
	}
	for _, folder := range c.folders {
		if info, err := fs.Stat(c.rules.root, path.Join(folder, word)); err == nil && !info.IsDir() {
			return false
		}
	}
	return true
}

func (r *Rules) isFolder(name string) bool {
	if r == nil || path.Clean(name) == "." {
		return false
	}
	info, err := fs.Stat(r.root, path.Clean(name))
	return err == nil && info.IsDir()
}

// candidates are the paths that a word may contain: the word, and its pieces.
func candidates(word string) []string {
	if i := strings.Index(word, "://"); i > 0 && !strings.HasPrefix(word[:i], "file") && !strings.ContainsAny(word, " \t\n") {
		return nil
	}
	out := []string{word}
	for _, piece := range strings.FieldsFunc(word, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`()[]{};|&<>=:,@", c) }) {
		out = append(out, piece)
		if strings.HasPrefix(piece, "-") && len(piece) > 2 {
			out = append(out, piece[2:])
		}
	}
	return out
}

// checkPattern judges a path, and those that it matches if it is a pattern.
func (r *Rules) checkPattern(name string) error {
	switch err := r.Check(name); {
	case errors.Is(err, ErrOutside), errors.Is(err, ErrIgnored):
		return err
	case err != nil:
		return ErrUnclear
	case r == nil || !strings.ContainsAny(name, "*?["):
		return nil
	}
	found, err := fs.Glob(r.root, path.Clean(name))
	if err != nil {
		return nil //nolint:nilerr // no pattern
	}
	hidden := strings.HasPrefix(path.Base(name), ".")
	for _, f := range found {
		if strings.HasPrefix(path.Base(f), ".") && !hidden {
			continue // a shell's pattern does not stand for them either
		}
		if err := r.Check(f); err != nil {
			return err
		}
	}
	return nil
}

package route

import (
	"strings"

	"inlay/internal/lazy"
)

// What is said about the conversation and about tools, rather than about the
// workspace.

var (
	going = phrases("going")
	more  = lazy.Regexp(`(?i)\((?:\d+ )?more lines|lines (\d+)-(\d+) of (\d+)|truncated|\.\.\.\s*$`)
	shown = lazy.Regexp(`lines \d+-(\d+) of \d+`)
)

// goOn continues from the last tool result: the next lines of a file that was
// shown in part, the first file that a search found.
func goOn(a ask) (Decision, bool) {
	if a.Last == nil || !a.says(going) {
		return Decision{}, false
	}
	switch a.Last.Tool {
	case "read_file":
		if more().MatchString(a.Last.Preview) && a.Last.Path != "" {
			params := map[string]any{"path": a.Last.Path}
			if m := shown().FindStringSubmatch(a.Last.Preview); m != nil {
				params["start_line"] = number(m[1]) + 1
			}
			return use("read_file", params, "the file was shown in part")
		}
	case "codebase_search", "search_files", "list_files":
		if hits := pathsIn(a.Last.Preview); len(hits) > 0 && a.can("read_file") {
			return use("read_file", map[string]any{"path": hits[min(a.nth(len(hits)), len(hits)-1)]}, "the search found this file")
		}
	}
	return because(AtHand, big("go on from what the last tool returned")), true
}

// goOnTo is goOn for a clause, where it takes a tool.
func goOnTo(a ask) (Decision, bool) {
	d, ok := goOn(a)
	return d, ok && d.Tool != nil
}

// nth is which of n results an ask means; the first if it does not say.
func (a ask) nth(n int) int {
	for i, word := range []string{"first", "second", "third"} {
		if strings.Contains(a.words, word) {
			return i
		}
	}
	if strings.Contains(a.words, "last") {
		return n - 1
	}
	return 0
}

func number(s string) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

var (
	pointsBack = phrases("pointsBack")
	sums       = phrases("sums")
)

// atHand sends what speaks of results that are there to the large model.
func atHand(a ask) (Decision, bool) {
	known := a.Last != nil || a.Context != ""
	if !known || len(a.paths) > 0 && !a.knows(a.paths[0]) {
		return Decision{}, false
	}
	if a.says(pointsBack) && a.says(sums) || a.says(sums) && len(a.paths) > 0 {
		return because(AtHand, big("what it asks about is at hand")), true
	}
	return Decision{}, false
}

// knows reports whether a file was read before.
func (a ask) knows(p string) bool { return has(a.Read, p) }

var (
	abilities = phrases("abilities")
	tellsOf   = phrases("tellsOf")
	commandIn = pattern("[\"'`](?:<programs>)(?:[\\s\"'`]|$)|\\b(?:<programs>)(?: -{1,2}\\w[\\w-]*| (?:build|install|merge|rebase|commit|pull|push|fetch|apply|run|ci|test|compose|command|exec)\\b)|\\bthe (?:<programs>) command\\b")
	option    = lazy.Regexp(`(?:^|\s)["'` + "`" + `]?--[a-z][\w-]+|\s-\w (?:flag|option|switch|parameter)|(?:flag|option|switch|schalter|parameter|l'option) -\w\b`)
	naming    = phrases("naming")
	told      = phrases("told")
	atLarge   = phrases("atLarge")
)

// aside is talk about tools, commands, names and files at large, or of what is
// done already: nothing of the workspace is asked for.
func aside(a ask) (Decision, bool) {
	switch {
	case a.says(abilities):
		return big("the ask is about what can be done here"), true
	case a.says(tellsOf) && commandIn().MatchString(a.text) && len(a.paths) == 0 && !a.says(outputOf) && !a.says(oursOnly):
		return big("the ask is about a command, not to run it"), true
	case a.says(tellsOf) && option().MatchString(a.text) && len(a.paths) == 0 && !a.says(outputOf) && !a.says(oursOnly):
		return big("the ask is about an option of a program"), true
	case a.says(explains) && len(a.paths) == 0 && !a.says(oursOnly):
		return big("the ask brings along the error that it is about"), true
	case a.says(opinions) && len(a.paths)+len(a.symbols) == 0:
		return big("the ask is for an opinion"), true
	case a.says(textbook) && len(a.paths)+len(a.symbols) == 0 && !a.own():
		return big("the ask is one of knowledge"), true
	case a.says(made) && len(a.paths) == 0 && !a.says(inCode):
		return big("the ask is for something to be thought up"), true
	case a.says(naming), a.says(atLarge):
		return big("the ask is about files at large"), true
	case a.says(conversation):
		return because(AtHand, big("the ask is about what was said")), true
	case a.says(told) && !a.says(wants):
		return big("the ask tells of what was done"), true
	}
	return Decision{}, false
}

var (
	oursOnly = phrases("oursOnly")
	wants    = phrases("wants")
)

package route

import (
	"strings"

	"inlay/internal/lazy"
)

// What is said about the conversation and about tools, rather than about the
// workspace.

var (
	going = lazy.Regexp(`^(?:(?:continue|go on|read on|keep reading|further|go ahead|carry on|proceed|keep going|mach (?:bitte |mal )?weiter|weiter|lies weiter|fahre? fort|next|nächste\w*|(?:show me |give me |let me see |i need |read )?more|` +
		`(?:(?:open|read|show|show me|take|look at|see|öffne) )?(?:the |den |die |das )?(?:first|top|next|second|third|last|erste\w*|zweite\w*)|(?:open|read|show me|see|let me see) (?:that|this|it)|(?:that|the|this) (?:whole|full|entire|complete) file)` +
		`(?:[ ,]+(?:please|pls|bitte|with|from|of|reading|there|here|then|now|where you left off|the|that|this|it|first|top|one|ones?|hit|result|match|file|part|page|whole|full|entire|\d+|lines|zeilen|mit|de[mrns]|ersten?|nächsten?|lesen|treffer|datei|teil))*\W*|(?:show me |read |what about |i need |see |give me )?the rest\b.{0,60})$`)
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
	return big("go on from what the last tool returned"), true
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
	pointsBack = lazy.Regexp(`\b(?:based on (?:this|that|these|the above|what)|given (?:this|that|the above)|from (?:this|that|the above|the results?|the output)|according to (?:this|the above)|what you(?:'ve| have)? (?:found|read|seen|just)|we(?:'ve| have)? (?:found|seen|discussed|just)|the above|so far|aus dem obigen|auf dieser grundlage|was du (?:gefunden|gelesen)|bisher\w*|the findings|these results|those results|that output|this output|die ergebnisse|that file|this file|diese datei)\b`)
	sums       = lazy.Regexp(`\b(?:summari[sz]e|summary|recap|conclude|conclusions?|explain|compare|write up|tl;?dr|what does (?:this|that|it) mean|why|fasse?|zusammenfass\w*|erklär\w*|bedeutet|draft|what should|which of)\b`)
)

// atHand sends what speaks of results that are there to the large model.
func atHand(a ask) (Decision, bool) {
	known := a.Last != nil || a.Context != ""
	if !known || len(a.paths) > 0 && !a.knows(a.paths[0]) {
		return Decision{}, false
	}
	if a.says(pointsBack) && a.says(sums) || a.says(sums) && len(a.paths) > 0 {
		return big("what it asks about is at hand"), true
	}
	return Decision{}, false
}

// knows reports whether a file was read before.
func (a ask) knows(p string) bool { return has(a.Read, p) }

var (
	abilities = lazy.Regexp(`\b(?:what|which) (?:tools|commands|functions) (?:do|can) you\b|\bwhat (?:can|could) you do\b|\b(?:can|could|may|do) you (?:\w+ ){1,3}(?:commands|files|code|scripts|the shell|the internet)\s*\??$|\bare you (?:able|allowed) to\b|\bwas kannst du\b`)
	tellsOf   = lazy.Regexp(`^(?:(?:so|and|ok|hm),? )*(?:please |can you |could you )*(?:what(?:'s| is| does| do| would| will)|how (?:do|does|would)|when (?:do|does|would|should)|why (?:do|does|would)|does|do (?:i|you|we|they)|is|are|would|will|explain|tell me (?:how|what|why)|was (?:ist|macht|bewirkt|tut)|wie funktioniert|erkläre?)\b`)
	commandIn = lazy.Regexp("[\"'`](?:" + programs + ")(?:[\\s\"'`]|$)|\\b(?:" + programs + ")(?: -{1,2}\\w[\\w-]*| (?:build|install|merge|rebase|commit|pull|push|fetch|apply|run|ci|test|compose|command|exec)\\b)|\\bthe (?:" + programs + ") command\\b")
	naming    = lazy.Regexp(`\b(?:good name|better name|name (?:a|the|my|this) (?:file|folder|script)|call (?:a|the|my) file|which is (?:better|best|faster|nicer)|what(?:'s| is) better)\b`)
	told      = lazy.Regexp(`^(?:(?:yesterday|today|earlier|meanwhile),? )?(?:(?:i|we)(?: have|'ve)?(?: just| already)? (?:read|ran|opened|looked|saw|checked|edited|changed|fixed|finished)|thanks|thank you|danke|(?:the )?(?:command|build|tests?) .*\b(?:passed|worked|succeeded))\b[^?]*$`)
	atLarge   = lazy.Regexp(`\b(?:projects|people|everybody|everyone|teams|developers|repositories|companies) (?:have|ship|use|add|keep|need|put)\b`)
)

// aside is talk about tools, commands, names and files at large, or of what is
// done already: nothing of the workspace is asked for.
func aside(a ask) (Decision, bool) {
	switch {
	case a.says(abilities):
		return big("the ask is about what can be done here"), true
	case a.says(tellsOf) && commandIn().MatchString(a.text) && len(a.paths) == 0 && !a.says(oursOnly):
		return big("the ask is about a command, not to run it"), true
	case a.says(naming), a.says(atLarge):
		return big("the ask is about files at large"), true
	case a.says(told) && !a.says(wants):
		return big("the ask tells of what was done"), true
	}
	return Decision{}, false
}

var (
	oursOnly = lazy.Regexp(`\b(?:our|this project|this repo|the codebase|unser\w*)\b`)
	wants    = lazy.Regexp(`\b(?:please|now|can you|could you|but|bitte|jetzt)\b`)
)

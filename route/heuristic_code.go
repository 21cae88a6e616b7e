package route

import (
	"regexp"
	"slices"
	"strings"

	"inlay/internal/lazy"
)

var (
	changes = lazy.Regexp(`\b(?:change|rename|fix|add|remove|replace|refactor|update|insert|delete|modify|edit|correct|rewrite|implement|convert|extract|move|append|bump|increase|decrease|set|make|handle|log|introduce|simplify|clean up|translate the|document|comment out|uncomment|ersetze|füge|entferne|lösche|benenne|korrigiere|behebe|passe|erweitere|baue)\b|(?:^|\s)(?:ändere|überarbeite)\b`)
	literal = lazy.Regexp("(?i)\\breplace\\s+[`\"]([^`\"]+)[`\"]\\s+(?:with|by)\\s+[`\"]([^`\"]*)[`\"]|\\bersetze\\s+[`\"]([^`\"]+)[`\"]\\s+durch\\s+[`\"]([^`\"]*)[`\"]|\\b(?:change|rename)\\s+[`\"]([^`\"]+)[`\"]\\s+(?:to|into)\\s+[`\"]([^`\"]*)[`\"]")
	inserts = lazy.Regexp("(?i)\\b(?:insert|add|füge|append)\\s+[`\"]([^`\"]+)[`\"].*?\\b(?:at|on|in|after|before|als|in) (?:line|zeile) (\\d+)")
	codeish = lazy.Regexp(`\b(?:code|codebase|repo(?:sitory)?|project|function|method|class|module|package|endpoint|handler|component|service|test|tests|bug|error|config|configuration|api|logic|middleware|database|schema|query|button|page|form|login|auth\w*|cach\w*|parser|router|variable|constant|import|implementation|feature|validation|defined|declared|implemented|timeout|retry|migration|funktion|methode|klasse|projekt|fehler|komponente)\b`)
	ours    = lazy.Regexp(`\b(?:our|this|the|we|us|my|unsere?\w*|dieses?|die|der|das|im|wir|mein\w*)\b`)
)

// edit changes a file: precisely where the text is at hand, else it is read, or
// found, first.
func edit(a ask) (Decision, bool) {
	if !a.matches(changes()) || a.matches(howTo()) || a.matches(asking()) || a.matches(authors()) {
		return Decision{}, false
	}
	if len(a.paths) == 0 {
		if a.Last != nil && a.Last.Tool == "read_file" && (a.matches(pointsBack()) || strings.Contains(a.low, " it ") || strings.HasSuffix(a.low, " it")) {
			a.paths = []string{a.Last.Path}
		} else {
			return a.locate("the ask is to change code that must be found first")
		}
	}
	p := a.paths[0]
	if a.knows(p) {
		if d, ok := a.exact(p); ok {
			return d, true
		}
		d := big("the file is at hand and the change must be written; prefer apply_diff or insert_content")
		d.Big.NeedsTools = true
		return d, true
	}
	if !a.can("read_file") {
		return Decision{}, false
	}
	return use("read_file", map[string]any{"path": p}, "a file is read before it is changed")
}

// exact is an edit that the ask spells out and the last result holds.
func (a ask) exact(p string) (Decision, bool) {
	if m := literal().FindStringSubmatch(a.Ask); m != nil && a.Last != nil && a.can("apply_diff") {
		from, to := m[1]+m[3]+m[5], m[2]+m[4]+m[6]
		for row := range strings.Lines(a.Last.Preview) {
			row = strings.TrimRight(row, "\r\n")
			if strings.Count(a.Last.Preview, from) == 1 && strings.Contains(row, from) {
				diff := "<<<<<<< SEARCH\n" + row + "\n=======\n" + strings.Replace(row, from, to, 1) + "\n>>>>>>> REPLACE"
				return use("apply_diff", map[string]any{"path": p, "diff": diff}, "the ask spells out the change and the file is at hand")
			}
		}
	}
	if m := inserts().FindStringSubmatch(a.Ask); m != nil && a.can("insert_content") {
		return use("insert_content", map[string]any{"path": p, "line": number(m[2]), "content": m[1]}, "the ask spells out the line and the file is at hand")
	}
	return Decision{}, false
}

// locate finds the code that an ask is about, if it is about code.
func (a ask) locate(why string) (Decision, bool) {
	about := len(a.symbols) > 0 || a.matches(codeish()) && a.matches(ours()) || a.matches(ownCode())
	switch {
	case !about:
		return Decision{}, false
	case a.can("codebase_search"):
		return use("codebase_search", map[string]any{"query": strings.TrimSpace(a.text)}, why)
	case a.can("search_files") && len(a.symbols)+len(a.quoted) > 0:
		return use("search_files", map[string]any{"path": ".", "regex": regexp.QuoteMeta(a.target())}, why)
	}
	return Decision{}, false
}

// ownCode speaks of something of ours that is to be put right, or of where a
// name is defined, or asks about it.
var ownCode = lazy.Regexp(`\bwhere\b.*\b(?:defined|declared|implemented)\b|^(?:so |and )?(?:why|how|where) (?:do|does|did|is|are) (?:our|we)\b|\b(?:our|unsere?\w*)\b.*\b(?:fix|repair|find out|behebe|korrigiere)\b`)

// target is the text that is looked for.
func (a ask) target() string {
	if len(a.quoted) > 0 {
		return a.quoted[0]
	}
	if m := marker().FindString(a.text); m != "" {
		return m
	}
	if len(a.symbols) > 0 {
		return strings.TrimSuffix(a.symbols[0], "()")
	}
	return ""
}

var (
	holding = lazy.Regexp(`\b(?:contain\w*|mention\w*|using|use|uses|import\w*|reference\w*|call|calls|with the (?:word|string|text)|enthalten|verwenden|benutzen)\b`)
	greps   = lazy.Regexp(`\b(?:grep|search (?:for|the)|find (?:all|every|any)|look for|(?:does|do) (?:any|some)\w+ (?:import|use|call|mention|reference|contain)|hunt (?:down|for)|track down|all (?:usages|uses|occurrences|references|calls|places|todos?)|usages? of|occurrences? of|references? to|every (?:place|use|call|file)|suche?(?: nach| alle)?|finde alle|(?:which|what|list|show|welche) .*(?:files|dateien)|todo comments?|where (?:do we|is|are) .* (?:used|called|imported|referenced)|where (?:does|do) .* (?:appear|occur|turn up))\b`)
	marker  = lazy.Regexp(`\b(TODO|FIXME|HACK|XXX|DEPRECATED)\b`)
)

// Three ways to say what is looked for and where: X in Y, Y for X, Y nach X.
var (
	xInY   = lazy.Regexp("(?i)\\b(search|grep|look|find|scan|suche?)(?: (?:for|nach|all|every|any|occurrences? of|usages? of))*(?: the (?:word|text|string|term))? [\"'`]?([\\w.-]{2,})[\"'`]? (?:in|under|inside|within|below|across|unter)(?: the| all| every)? [\"'`]?(\\*?[\\w./-]+)[\"'`]?(?:[\\s.,;:?!]|$)")
	yForX  = lazy.Regexp("(?i)\\b(?:search|grep|scan|suche|durchsuche)(?: through| in)?(?: the| all)* [\"'`]?(\\*?[\\w./-]+)[\"'`]?(?: files?| folder| directory)? (?:for|nach)(?: the (?:word|text|string|term))? [\"'`]?([\\w.-]{2,})")
	byKind = lazy.Regexp(`(?i)(\*\.\w+)|\b(` + kindNames + `) files\b`)
	vague  = lazy.Regexp(`(?i)^(?:the|a|an|any|all|it|this|that|out|at|for|into|my|our|files?|code|function|bugs?|errors?|mistakes|problems?|something|which|where)$`)
)

const kindNames = `go|python|java|javascript|typescript|yaml|json|markdown|html|css|ruby|rust|php|sql|xml|toml|text`

// kinds are the patterns of files by what people call them.
func kinds(name string) string {
	switch name = strings.ToLower(name); name {
	case "python":
		return "*.py"
	case "javascript":
		return "*.js"
	case "typescript":
		return "*.ts"
	case "markdown":
		return "*.md"
	case "ruby":
		return "*.rb"
	case "rust":
		return "*.rs"
	case "text":
		return "*.txt"
	}
	return "*." + name
}

// wanted is what an ask looks for and the folder or the file where; empty
// where it does not say.
func (a ask) wanted() (what, where string) {
	what = a.target()
	if m := xInY().FindStringSubmatch(a.text); m != nil && !vague().MatchString(m[2]) {
		bare := strings.ToLower(m[1]) == "find" && !strings.ContainsAny(m[3], "/*")
		if what == "" && !bare {
			what = m[2]
		}
		where = m[3]
	} else if m := yForX().FindStringSubmatch(a.text); m != nil {
		if what == "" && !vague().MatchString(m[2]) {
			what = m[2]
		}
		where = m[1]
	}
	for _, p := range a.paths {
		if strings.HasSuffix(p, "/") || !strings.Contains(p[strings.LastIndexByte(p, '/')+1:], ".") {
			return what, p
		}
	}
	if folder, named := a.folder(); named && len(a.paths) == 0 {
		return what, folder
	}
	where = strings.TrimRight(where, ".")
	if strings.Contains(where, "*") || noFolder().MatchString(where) || kindName().MatchString(where) {
		where = ""
	}
	return what, where
}

var kindName = lazy.Regexp(`(?i)^(?:` + kindNames + `|files?|code|codebase|folder|directory)$`)

// grep searches for an exact text.
func grep(a ask) (Decision, bool) {
	if !a.matches(greps()) && !xInY().MatchString(a.text) && !yForX().MatchString(a.text) || a.matches(howTo()) || !a.can("search_files") {
		return Decision{}, false
	}
	what, where := a.wanted()
	if what == "" {
		return Decision{}, false
	}
	if where == "" {
		where = "."
	}
	params := map[string]any{"path": where, "regex": regexp.QuoteMeta(what)}
	if m := byKind().FindStringSubmatch(a.text); m != nil {
		pattern := m[1]
		if pattern == "" {
			pattern = kinds(m[2])
		}
		params["file_pattern"] = pattern
	}
	return use("search_files", params, "the ask is to find an exact text")
}

var (
	authors = lazy.Regexp(`^(?:please |can you |could you |bitte )*(?:write|draft|compose|create|generate|design|brainstorm|suggest|propose|schreibe?|entwirf|erstelle|plan)\b`)
	asking  = lazy.Regexp(`^(?:what|why|how|where|which|who|when|does|do|is|are|explain|describe|summari[sz]e|compare|was|warum|wie|wo|welche|erkläre?)\b`)
)

// read reads the file that an ask is about.
func read(a ask) (Decision, bool) {
	if len(a.paths) == 0 || !a.can("read_file") || a.matches(authors()) || a.matches(general()) {
		return Decision{}, false
	}
	unread := slices.IndexFunc(a.paths, func(p string) bool { return !a.knows(p) })
	if unread < 0 {
		return big("the file is at hand"), true
	}
	p := a.paths[unread]
	if strings.HasSuffix(p, "/") {
		if a.can("codebase_search") {
			return use("codebase_search", map[string]any{"query": strings.TrimSpace(a.text), "path": p}, "the ask is about a folder")
		}
		return use("list_files", map[string]any{"path": p}, "the ask is about a folder")
	}
	return use("read_file", map[string]any{"path": p}, "the ask is about this file, which is not at hand")
}

var finds = lazy.Regexp(`\b(?:where(?:'s| is| are| do| does| \w+ is)|find|locate|search|look up|which (?:file|module|function|class|part|package|component|service)|who calls|wo (?:ist|wird|werden|steht|sind|liegt|\w+en wir)|finde|suche)\b`)

// find looks for code by meaning.
func find(a ask) (Decision, bool) {
	if !a.matches(finds()) || a.matches(howTo()) {
		return Decision{}, false
	}
	return a.locate("the ask is to find code")
}

var inspects = lazy.Regexp(`^(?:please |can you |could you |and |so |bitte |kannst du )*(?:how (?:does|do|is|are)|why (?:does|do|did|is|are)|what (?:does|happens|is|calls|causes)|explain|describe|show|debug|investigate|trace|check|review|inspect|look at|walk me through|understand|analy[sz]e|wie (?:funktioniert|wird|werden|läuft)|warum|was (?:macht|passiert)|erkläre?|prüfe?|untersuche?|zeige?)\b`)

// inspect looks for the code that a question is about, if it is about code of
// this workspace rather than about an idea.
func inspect(a ask) (Decision, bool) {
	if !a.matches(inspects()) || a.matches(howTo()) || a.matches(general()) {
		return Decision{}, false
	}
	if a.Last != nil && a.matches(pointsBack()) {
		return Decision{}, false
	}
	return a.locate("the ask is about code that is not at hand")
}

var general = lazy.Regexp(`\b(?:in general|difference between|pros and cons|advantages?|trade-?offs?|concept of|idea of|principle|best practices?|im allgemeinen|unterschied zwischen|vor- und nachteile|history of|versus|vs\.?)\b`)

// write makes a file whose content the ask brings along.
func write(a ask) (Decision, bool) {
	m := block().FindStringSubmatch(a.Ask)
	if m == nil || len(a.paths) == 0 || !a.can("write_to_file") || !creates().MatchString(a.low) {
		return Decision{}, false
	}
	return use("write_to_file", map[string]any{"path": a.paths[0], "content": m[1]}, "the ask brings the file's content along")
}

var (
	block   = lazy.Regexp("(?s)```[^\n]*\n(.*?)```")
	creates = lazy.Regexp(`\b(?:create|write|save|make|add|new file|lege|erstelle|speichere)\b`)
)

var (
	abilities = lazy.Regexp(`\b(?:what|which) (?:tools|commands|functions) (?:do|can) you\b|\bwhat (?:can|could) you do\b|\b(?:can|could|may|do) you (?:\w+ ){1,3}(?:commands|files|code|scripts|the shell|the internet)\s*\??$|\bare you (?:able|allowed) to\b|\bwas kannst du\b`)
	tellsOf   = lazy.Regexp(`^(?:(?:so|and|ok|hm),? )*(?:please |can you |could you )*(?:what(?:'s| is| does| do| would| will)|how (?:do|does|would)|when (?:do|does|would|should)|why (?:do|does|would)|does|do|is|are|would|will|explain|tell me (?:how|what|why)|was (?:ist|macht|bewirkt|tut)|wie funktioniert|erkläre?)\b`)
	commandIn = lazy.Regexp("[\"'`](?:" + programs + ")(?:[\\s\"'`]|$)|\\b(?:" + programs + ")(?: -{1,2}\\w[\\w-]*| (?:build|install|merge|rebase|commit|pull|push|fetch|apply|run|ci|test|compose|command|exec)\\b)|\\bthe (?:" + programs + ") command\\b")
	naming    = lazy.Regexp(`\b(?:good name|better name|name (?:a|the|my|this) (?:file|folder|script)|call (?:a|the|my) file|which is (?:better|best|faster|nicer)|what(?:'s| is) better)\b`)
	told      = lazy.Regexp(`^(?:(?:yesterday|today|earlier|meanwhile),? )?(?:(?:i|we)(?: have|'ve)?(?: just| already)? (?:read|ran|opened|looked|saw|checked|edited|changed|fixed|finished)|thanks|thank you|danke|(?:the )?(?:command|build|tests?) .*\b(?:passed|worked|succeeded))\b[^?]*$`)
	atLarge   = lazy.Regexp(`\b(?:projects|people|everybody|everyone|teams|developers|repositories|companies) (?:have|ship|use|add|keep|need|put)\b`)
)

// aside is talk about tools, commands, names and files at large, or of what is
// done already: nothing of the workspace is asked for.
func aside(a ask) (Decision, bool) {
	switch {
	case a.matches(abilities()):
		return big("the ask is about what can be done here"), true
	case a.matches(tellsOf()) && commandIn().MatchString(a.text) && len(a.paths) == 0 && !a.matches(oursOnly()):
		return big("the ask is about a command, not to run it"), true
	case a.matches(naming()), a.matches(atLarge()):
		return big("the ask is about files at large"), true
	case a.matches(told()) && !a.matches(wants()):
		return big("the ask tells of what was done"), true
	}
	return Decision{}, false
}

var (
	oursOnly = lazy.Regexp(`\b(?:our|this project|this repo|the codebase|unser\w*)\b`)
	wants    = lazy.Regexp(`\b(?:please|now|can you|could you|but|bitte|jetzt)\b`)
)

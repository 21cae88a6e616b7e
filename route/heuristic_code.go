package route

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
)

// general reports whether an ask is of knowledge at large, not of this workspace.
func (a ask) general() bool { return a.says(general) && !a.own() }

// own reports whether an ask speaks of this workspace: of its code, not of the
// team or the boss.
func (a ask) own() bool { return a.memo.own() }

func (a ask) speaksOfOurs() bool {
	words := notCode.in(a.lang).ReplaceAllString(a.words, " ")
	return ourOwn.in(a.lang).MatchString(words) || (we.in(a.lang).MatchString(words) || one.in(a.lang).MatchString(words) &&
		!inKind.in(a.lang).MatchString(words)) && (coded.in(a.lang).MatchString(words) || deeds.in(a.lang).MatchString(words) || len(a.symbols) > 0)
}

// ours reports whether an ask is about code of this workspace: it names code, or
// says so, or speaks of a certain thing of software.
func (a ask) ours() bool {
	switch {
	case a.own():
		return true
	case a.general():
		return false
	}
	return slices.ContainsFunc(a.symbols, ownName) || a.certain() && !a.says(inKind)
}

// ownName reports whether a name of code is none that every program has.
func ownName(symbol string) bool {
	return !owned().MatchString(symbol) && !languageError().MatchString(symbol)
}

// languageError is an error that the language throws, not the workspace.
var languageError = pattern(`^(?:<language errors>)$`)

// elsewhere reports whether an ask is about the software or the world of others.
func (a ask) elsewhere() bool {
	if a.own() || len(a.paths) > 0 || slices.ContainsFunc(a.symbols, ownName) {
		return false
	}
	if m := abroad.in(a.lang).FindStringIndex(a.words); m != nil && (does().MatchString(a.words[m[0]:]) || !a.codeAt(m[1])) {
		return true
	}
	if a.lang == german { // every noun is capitalized
		return false
	}
	m := capital().FindStringIndex(a.text)
	return m != nil && !a.codeFollows(a.text[m[1]:])
}

// does comes before the doer.
var does = lazy.Regexp(`^(?:do|does|did|speichert|hat)\b`)

// capital is a name of the world after a word that makes it the topic.
var capital = lazy.Regexp(`(?:^|\s)(?:(?:does|do|did|is|are|was|were|in|on|by|at|of|dans|du|sur|par|chez|à|sont|est|de|né)(?: an?| the| le| la)?)\s+(?:[A-Z][a-zé]+[ -]?)+(?: \d+)?`)

func (a ask) codeAt(at int) bool { return a.codeFollows(a.words[at:]) }

// codeFollows reports whether a text begins with a thing of software, as what
// follows "Stripe" in "the Stripe webhook".
func (a ask) codeFollows(rest string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(rest)), " ")
	return word != "" && coded.in(a.lang).MatchString(fold(word))
}

// certain reports whether an ask speaks of a certain thing of software, "the
// login page": a determiner and its noun with nothing between that parts them.
func (a ask) certain() bool {
	for at := 0; ; {
		m := certain.in(a.lang).FindStringIndex(a.words[at:])
		if m == nil {
			return false
		}
		thing := a.words[at+m[0] : at+m[1]]
		if !linking.in(a.lang).MatchString(thing) && (!everyday.in(a.lang).MatchString(thing) || !a.says(mine) && a.ofSoftware()) {
			return true
		}
		at += m[0] + 1
	}
}

// ofSoftware reports whether an ask says of a thing what is said of software.
func (a ask) ofSoftware() bool {
	return a.says(broken) || a.says(participles) || a.says(deeds) || a.says(changes) || a.says(theCode) || a.says(wishes) || len(a.paths)+len(a.symbols)+len(a.quoted) > 0
}

// orders reports whether an ask is to change something.
func (a ask) orders() bool {
	return a.says(changes) && !a.asks() || !a.asks() && (a.says(wishes) || a.says(needs) && a.ours() && !a.says(lists) && !a.says(definitions))
}

// asks reports whether an ask is a question.
func (a ask) asks() bool { return a.says(question) && !a.says(statement) || a.says(marked) }

// opinion reports whether an ask is for advice rather than for a step.
func (a ask) opinion() bool { return a.says(howTo) && !a.own() }

// edit changes a file: precisely where the text is at hand, else it is read, or
// found, first.
func edit(a ask) (Decision, bool) {
	if !a.orders() || a.says(authors) {
		return Decision{}, false
	}
	if !slices.ContainsFunc([]string{"apply_diff", "insert_content", "write_to_file"}, a.can) {
		return because(Unsure, writes("the ask is to change something, which this mode cannot")), len(a.paths) > 0
	}
	if d, ok := a.spelled(); ok {
		return d, true
	}
	if len(a.paths) == 0 && a.Last != nil && a.Last.Tool == "read_file" && (a.says(back) || !a.own() && len(a.symbols) == 0) {
		a.paths = []string{a.Last.Path}
	}
	if len(a.paths) == 0 {
		if a.says(prosaic) || a.brings() || !a.ours() && !a.points() || a.says(household) || a.says(outside) || a.elsewhere() {
			return Decision{}, false
		}
		return a.locate("the ask is to change code that must be found first")
	}
	p := a.paths[0]
	if a.says(filing) {
		return because(Unsure, writes("no tool moves or deletes files")), true
	}
	if a.knows(p) {
		return writes("the file is at hand and the change must be written; prefer apply_diff or insert_content"), true
	}
	if isFolder(p) || !a.can("read_file") {
		return a.locate("the ask is to change code that must be found first")
	}
	return use("read_file", map[string]any{"path": p}, "a file is read before it is changed")
}

// broad sends orders whose place no search finds to the large model, with its
// tools: changes to all of the code, to its history, or to nothing in particular.
func broad(a ask) (Decision, bool) {
	if len(a.paths)+len(a.symbols)+len(a.quoted) > 0 || a.Last != nil && a.Last.Tool == "read_file" {
		return Decision{}, false
	}
	all := a.says(sweeping) && (a.orders() || a.says(authors) && a.ours())
	if all || a.orders() && a.says(versions) || a.says(anything) && a.alone() {
		return writes("the ask is about all of the code, or nothing certain of it, which the model must plan"), true
	}
	return Decision{}, false
}

// points reports whether an ask speaks of a certain thing of software, or of what
// people see of it.
func (a ask) points() bool { return a.says(definite) && (a.named() || a.says(onShow)) }

// named reports whether an ask names a thing of software beside its verb, which
// may be one too: sort, search, filter.
func (a ask) named() bool {
	_, rest, _ := strings.Cut(a.words, " ")
	return coded.in(a.lang).MatchString(rest)
}

// besides is the most bytes of an ask beside a clause that is all it wants.
const besides = 20

// alone reports whether a clause is the whole ask.
func (a ask) alone() bool { return len(a.text)+besides >= len(a.Ask) }

// brings reports whether an ask brings along what it is about: "shorten this
// sentence: ...".
func (a ask) brings() bool {
	order, rest, ok := strings.Cut(a.words, ": ")
	return ok && changes.in(a.lang).MatchString(order) && len(strings.Fields(rest)) > 1 &&
		(material.in(a.lang).MatchString(order) || !coded.in(a.lang).MatchString(order)) && !ourOwn.in(a.lang).MatchString(order)
}

// spelled is an exact edit of the file that was read last.
func (a ask) spelled() (Decision, bool) {
	if a.Last == nil || a.Last.Tool != "read_file" || len(a.paths) > 0 && !same(a.paths[0], a.Last.Path) && strings.Contains(a.paths[0], ".") {
		return Decision{}, false
	}
	return a.exact(a.Last.Path)
}

// writes sends what must be written to the large model, with its tools.
func writes(why string) Decision {
	d := because(Work, big(why))
	d.Big.NeedsTools = true
	return d
}

var (
	literal = lazy.Regexp("(?i)\\b(?:replace|swap)\\s+[`\"]([^`\"]+)[`\"]\\s+(?:with|by|for)\\s+[`\"]([^`\"]*)[`\"]|\\bersetze\\s+[`\"]([^`\"]+)[`\"]\\s+durch\\s+[`\"]([^`\"]*)[`\"]|\\b(?:change|rename|turn|switch)\\s+[`\"]([^`\"]+)[`\"]\\s+(?:to|into)\\s+[`\"]([^`\"]*)[`\"]|" +
		"\\b(?:ändere|benenne)\\s+[`\"]([^`\"]+)[`\"]\\s+(?:zu|in|auf|nach)\\s+[`\"]([^`\"]*)[`\"]|\\b(?:replace|change)\\s+(.{1,200}?)\\s+(?:with|by|to|into)\\s+(.{1,200}?)(?:\\s+in (?:\\S+|this file|that file|the file))?\\s*[.!]?\\s*$")
	inserts = lazy.Regexp("(?i)\\b(?:insert|add|put|füge?|append)\\s+(?:(?:the|a|this|die) )?(?:(?:line|entry|text|zeile) )?[`\"]([^`\"]+)[`\"].*?\\b(?:at|on|in|after|before|als|in|into|to) (?:the )?(?:line|zeile) (\\d+)")
)

// exact is an edit that the ask spells out and the last result holds.
func (a ask) exact(p string) (Decision, bool) {
	if m := literal().FindStringSubmatch(a.text); m != nil && a.can("apply_diff") {
		from, to := pair(m[1:])
		preview := unnumbered(a.Last.Preview)
		for row := range strings.Lines(preview) {
			row = strings.TrimRight(row, "\r\n")
			if strings.Count(preview, from) == 1 && within(row, from) && (m[len(m)-2] == "" || unmistakable().MatchString(from)) {
				diff := "<<<<<<< SEARCH\n" + row + "\n=======\n" + strings.Replace(row, from, to, 1) + "\n>>>>>>> REPLACE"
				return use("apply_diff", map[string]any{"path": p, "diff": diff}, "the ask spells out the change and the file is at hand")
			}
		}
	}
	if m := inserts().FindStringSubmatch(a.text); m != nil && a.can("insert_content") {
		return use("insert_content", map[string]any{"path": p, "line": number(m[2]), "content": m[1]}, "the ask spells out the line and the file is at hand")
	}
	if line, content, ok := a.atEdge(); ok && a.can("insert_content") {
		return use("insert_content", map[string]any{"path": p, "line": line, "content": content}, "the ask spells out the line and where it goes")
	}
	return Decision{}, false
}

// unmistakable is a text that nobody writes for what it names: with a digit, a
// sign, or the capitals of a name.
var unmistakable = lazy.Regexp(`[^\pL\s'’.,-]|[a-z][A-Z]`)

// within reports whether a row has a text that neither begins nor ends within a
// word.
func within(row, text string) bool {
	at := strings.Index(row, text)
	if at < 0 || text == "" {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(row[:at])
	after, _ := utf8.DecodeRuneInString(row[at+len(text):])
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return (!wordly(before) || !wordly(first)) && (!wordly(last) || !wordly(after))
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

var edge = pattern("(?i)^(?:<courtesies>)*(?:add|append|put|insert)\\s+(?:(?:the|this|a) (?:line|entry) )?(?:[`\"]([^`\"]+)[`\"]|([^\\s,]*[=:_#/@.<({][^\\s,]*|\\w+ [^\\s,]*=[^\\s,]*))\\s+(?:as (?:the |a )?(?:very )?(?:new )?(last|first) line|(?:at|to) the (?:very )?(end|bottom|top|start|beginning))(?: (?:of|in) \\S+(?: file)?)?(?:,? (?:please|pls|thanks))?[.!]?$")

// atEdge is a line that an ask spells out for the end of a file (0) or for its start (1).
func (a ask) atEdge() (line int, content string, ok bool) {
	m := edge().FindStringSubmatch(a.text)
	if m == nil {
		return 0, "", false
	}
	switch strings.ToLower(m[3] + m[4]) {
	case "first", "top", "start", "beginning":
		line = 1
	}
	return line, m[1] + m[2], true
}

// pair is the pair of groups that matched.
func pair(groups []string) (from, to string) {
	for i := 0; i+1 < len(groups); i += 2 {
		if groups[i] != "" {
			return groups[i], groups[i+1]
		}
	}
	return "", ""
}

// locate finds code of the workspace. Where no tool could, the large model must
// look for it, and needs its tools.
func (a ask) locate(why string) (Decision, bool) {
	switch {
	case a.can("codebase_search"):
		params := map[string]any{"query": strings.TrimSpace(a.text)}
		if len(a.paths) > 0 && isFolder(a.paths[0]) {
			params["path"] = a.paths[0]
		}
		return use("codebase_search", params, why)
	case a.can("search_files") && len(a.symbols)+len(a.quoted) > 0:
		return use("search_files", map[string]any{"path": ".", "regex": regexp.QuoteMeta(a.target())}, why)
	}
	return writes("the code must be found, which takes tools"), true
}

// find looks for code by meaning: where something is done, what goes wrong, how
// things of this workspace work, what is to be written for them.
func find(a ask) (Decision, bool) {
	if a.opinion() || a.speaksOfLast() {
		return Decision{}, false
	}
	if a.general() || a.elsewhere() || a.brings() {
		return Decision{}, false
	}
	if a.says(authors) {
		return a.when(!a.says(letters) && a.says(makings) && !a.says(imagined) || a.own() && !a.says(prosaic) && !a.says(letters) && a.says(coded), "the code that the ask builds on must be found first")
	}
	return a.when(a.seeksCode(), "the ask is about code that is not at hand")
}

// seeksCode reports whether an ask is about code of the workspace: what goes
// wrong in it, where something is, how or why it is done.
func (a ask) seeksCode() bool {
	about := a.ours()
	return a.seeksCause(about) || a.seeksPlace(about) ||
		a.says(already) && (about || a.says(theCode) || a.says(yet)) || a.says(related) && (about || a.says(tells)) || about && (a.says(tells) || a.says(finds))
}

func (a ask) seeksCause(about bool) bool {
	return a.says(broken) && a.says(causes) && !a.says(settled) && (!a.says(question) || about) || a.says(reasons) && !a.asks() && !a.says(prosaic)
}

// seeksPlace reports whether an ask is for the place where something is done.
func (a ask) seeksPlace(about bool) bool {
	switch {
	case a.says(whichOf), a.says(how):
		return about || a.says(coded) || a.says(firmly) || a.says(participles)
	case a.says(partOf), a.says(seeksVerb), a.says(somewhere) && about:
		return true
	case a.says(passive):
		return about || a.ofOurs || a.says(firmly) || a.says(coded) && !a.says(mine) || a.says(participles) && !a.says(worldly)
	case a.says(whenDone):
		return a.says(coded) && !a.says(inKind)
	}
	return a.says(theCode) && (a.says(finds) || a.says(whereIs) || a.says(tells) && about)
}

// report takes the report of a failure for an ask to find it.
func report(a ask) (Decision, bool) {
	about := a.ours() || a.says(coded)
	wrong := a.says(broken) && about && !a.asks() && !a.brings() && !a.elsewhere() || a.says(checks) && len(strings.Fields(a.words)) > 5 && (about || !a.says(personal))
	return a.when(wrong && a.Last == nil && (!a.says(question) || a.says(statement)) && !a.says(prosaic) && !a.says(authors) && !a.general(), "the ask reports what goes wrong in the code")
}

// speaksOfLast reports whether an ask is about what the last tool returned.
func (a ask) speaksOfLast() bool {
	at := a.Last != nil && (a.says(back) || a.Last.Tool == "read_file" && (a.asks() || a.says(authors)))
	return at && (!a.own() || a.says(pointing)) && len(a.symbols) == 0
}

func (a ask) when(ok bool, why string) (Decision, bool) {
	if !ok {
		return Decision{}, false
	}
	return a.locate(why)
}

// read reads the file that an ask is about, or looks into the folder.
func read(a ask) (Decision, bool) {
	if len(a.paths) == 0 || a.general() && !strings.Contains(a.paths[0], "/") {
		return Decision{}, false
	}
	if (a.says(etiquette) || a.says(howTo)) && !a.own() && !strings.Contains(a.paths[0], "/") {
		return Decision{}, false
	}
	unread := slices.IndexFunc(a.paths, func(p string) bool { return !a.knows(p) && !isFolder(p) })
	if unread < 0 {
		unread = slices.IndexFunc(a.paths, isFolder)
	}
	switch {
	case unread >= 0 && rooted().MatchString(a.paths[unread]):
		return because(Unsure, writes("the file is not in the workspace")), true
	case unread < 0:
		return because(AtHand, big("the file is at hand")), true
	case a.says(authors) && !a.about():
		return writes("the file is to be written"), true
	case isFolder(a.paths[unread]) && (!a.says(opens) || strings.HasSuffix(a.paths[unread], "/")):
		if a.says(views) && !a.says(searches) && a.can("list_files") {
			return use("list_files", map[string]any{"path": a.paths[unread]}, "the ask is to look into a folder")
		}
		if p := a.paths[unread]; !strings.HasSuffix(p, "/") && !a.ours() && !a.says(coded) && !a.placed(p) {
			return Decision{}, false // perhaps no folder at all
		}
		return a.locate("the ask is about a folder")
	case !a.can("read_file"):
		return Decision{}, false
	}
	return use("read_file", a.linesOf(a.paths[unread]), "the ask is about this file, which is not at hand")
}

// lineRange is the lines that an ask names: "lines 10 to 40".
var lineRange = lazy.Regexp(`(?i)\b(?:lines?|zeilen?|lignes?) (\d{1,6})(?: ?[-–] ?| (?:to|bis|à|through|until|and|und|et) (?:line |zeile |ligne )?)(\d{1,6})\b`)

// linesOf are the parameters to read a file, or the lines of it that an ask names.
func (a ask) linesOf(p string) map[string]any {
	params := map[string]any{"path": p}
	if m := lineRange().FindStringSubmatch(a.text); m != nil && 0 < number(m[1]) && number(m[1]) <= number(m[2]) {
		params["start_line"], params["end_line"] = number(m[1]), number(m[2])
	}
	return params
}

// placed reports whether an ask speaks of what is in a folder.
func (a ask) placed(p string) bool {
	before, _, _ := strings.Cut(a.text, p)
	return withinAt().MatchString(before) || a.says(searches)
}

var aboutPath = lazy.Regexp("(?i)\\b(?:for|about|of|from|on|based on|für|aus|über|von)\\s+(?:the |file |die |der |das )*[\"'`]?$")

// about reports whether the first path is what an ask speaks of, rather than
// what it is to make.
func (a ask) about() bool {
	before, _, _ := strings.Cut(a.text, a.paths[0])
	return aboutPath().MatchString(before)
}

// isFolder tells folders from files by their names.
func isFolder(p string) bool {
	last := p[strings.LastIndexByte(strings.TrimRight(p, "/"), '/')+1:]
	return strings.HasSuffix(p, "/") || strings.Contains(p, "/") && !strings.Contains(last, ".") && !barePath().MatchString(last)
}

var barePath = pattern(`^(?:<bare names>|[A-Z]\w*file)$`)

// write makes a file whose content the ask brings along.
func write(a ask) (Decision, bool) {
	if len(a.paths) == 0 || !a.can("write_to_file") || !creates().MatchString(a.low) {
		return Decision{}, false
	}
	_, rest, _ := strings.Cut(a.Ask, "```")
	_, rest, _ = strings.Cut(rest, "\n") // the block's language
	content, _, closed := strings.Cut(rest, "```")
	if !closed {
		return Decision{}, false
	}
	return use("write_to_file", map[string]any{"path": a.paths[0], "content": content}, "the ask brings the file's content along")
}

var creates = lazy.Regexp(`\b(?:create|write|save|make|add|new file|lege|erstelle|speichere)\b`)

package route

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"inlay/internal/lazy"
)

// ask is an ask, or a clause of one, with what it names.
type ask struct {
	Input
	text    string   // prose: without code blocks and addresses
	low     string   // text in lower case
	words   string   // low without courtesies at its start, and "_" for files and quotes
	paths   []string // files and folders
	given   []string // files that it names and that came with it
	quoted  []string // in backticks or quotes, paths or not
	symbols []string // names of code
	around  []string // what the whole ask has in quotes
	lang    language
	ofOurs  bool  // a clause of an ask about this workspace
	memo    *memo // what was found of its words before
}

var (
	fenced   = lazy.Regexp("(?s)```.*?(?:```|$)")
	pathLike = pattern("(?:^|[\\s\"'`(])((?:\\.{0,2}/)?(?:[\\w@.-]+/)+[\\w@.-]*|\\.?[\\w-]+(?:\\.[\\w-]+)*\\.(?:<extensions>)|<bare names>|\\.(?:env|git\\w+|\\w+ignore|\\w+rc|editorconfig|node-version|python-version|tool-versions|babelrc)(?:\\.\\w+)*)(?:[\\s\"'`),;:?!]|\\.(?:\\s|$)|$)")
	quotes   = lazy.Regexp("`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“|(?:^|[\\s(])'([^'\n]+)'(?:[\\s,.;:?!)]|$)")
	spaced   = pattern(`^[\w@./-]+(?: [\w@./-]+)+\.(?:<extensions>)$`) // a file's name with spaces
	verbs    = pattern(`^(?:<first words>)\b`)
	symbol   = pattern(`\b(?:[a-z]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*|[A-Za-z0-9]+_[A-Za-z0-9_]+|\w+\(\)|\w+\.[a-z]\w+\(\)|[a-z]\w*\.[A-Z]\w+|(?:<owners>)\.\w+)`)
	// brands look like names of code, or of files.
	brands = pattern(`^(?:<brands>)$|(?i)^(?:<brand sites>)\.(?:js|io|net)$`)
	url    = pattern("`(?:<programs>)\\s[^`\n]*`|\\w+://\\w\\S*") // or a command in quotes
	// fraction is no path: 1/2, km/h, input/output.
	fraction = pattern(`(?i)^(?:\d+/\d+|\w{1,3}/\w{1,3}|<pairs>)$`)
	// inTree begins with a folder that projects have.
	inTree  = pattern(`^(?:<folder names>)/`)
	owned   = pattern(`^(?:<owners>)\.\w+$`)
	rooted  = lazy.Regexp(`^/(?:etc|usr|var|home|tmp|opt|root|dev|proc|srv|mnt|sys|s?bin|lib|Users|app|workspace)(?:/|$)`)
	thereIs = lazy.Regexp(`(?i)\b(?:is there|there is|(?:we|repo|this project|our project|it|project already) (?:have|has)|gibt es) (?:an?|ein\w*) $`)
	// anyOne before a file's name speaks of files of that kind, not of one.
	anyOne = lazy.Regexp(`(?i)(?:^|[\s(])(?:an?|any|every|each|ein\w*|jede\w*)\s+(?:(?:good|proper|typical|new|simple|gut\w*) )?["'` + "`" + `]?$`)
)

// prose is an ask without its code blocks and addresses, but for commands.
func prose(text string) string {
	text = fenced().ReplaceAllString(text, " ")
	var out strings.Builder
	from := 0
	for _, at := range commands(text) { // an address may be what a command is given
		out.WriteString(unaddressed(text[from:at[0]]))
		out.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	out.WriteString(unaddressed(text[from:]))
	return strings.TrimSpace(out.String())
}

// unaddressed is a text without the addresses that are outside of commands.
func unaddressed(text string) string {
	return url().ReplaceAllStringFunc(text, func(m string) string {
		if m[0] == '`' {
			return m
		}
		return " "
	})
}

// endBytes is how much of either end of a long ask is read: what is wanted
// is there, and what lies between is material.
const endBytes = 8 << 10

// ends is the prose of both ends of an ask.
func ends(text string) string {
	if len(text) <= 2*endBytes {
		return prose(text)
	}
	from := len(text) - endBytes
	if at := strings.IndexByte(text[from:], '\n'); at >= 0 && at < endBytes/2 {
		from += at + 1
	}
	tail := strings.ToValidUTF8(text[from:], "")
	if strings.Count(text[:from], "```")%2 == 1 { // the cut is in a code block
		tail = "```\n" + tail
	}
	return strings.TrimSpace(prose(strings.ToValidUTF8(text[:endBytes], "")) + "\n" + prose(tail))
}

// memo is what was found of the words of an ask, which several rules ask for.
type memo struct {
	says map[*regexp.Regexp]bool
	own  func() bool
}

// language is that of a text, without what it quotes.
func languageIn(text string) language {
	return spoken(quotes().ReplaceAllString(strings.ToLower(text), " "))
}

// readAsk finds what a text in a language names.
func readAsk(in Input, text string, l language) ask {
	text = written(text)
	a := ask{Input: in, text: text, low: strings.ToLower(text), lang: l, memo: &memo{says: map[*regexp.Regexp]bool{}}}
	rest := text
	for _, m := range quotes().FindAllStringSubmatch(text, -1) {
		q := m[1] + m[2] + m[3] + m[4] + m[5]
		if !strings.Contains(q, " ") {
			a.quoted = appendNew(a.quoted, q)
			continue
		}
		rest = strings.Replace(rest, q, strings.Repeat(" ", len(q)), 1) // words, not paths
		if spaced().MatchString(q) && !program().MatchString(q) && !verbs().MatchString(strings.ToLower(q)) {
			a.paths = appendNew(a.paths, q)
		} else {
			a.quoted = appendNew(a.quoted, q)
		}
	}
	a.paths = append(a.paths, pathsIn(rest)...)
	a.paths = slices.DeleteFunc(a.paths, func(p string) bool { // a part of a longer path is the same file
		return slices.ContainsFunc(a.paths, func(long string) bool { return strings.HasSuffix(long, "/"+p) })
	})
	a.words = plain(a.low, a.paths)
	a.paths = slices.DeleteFunc(a.paths, func(p string) bool {
		came := attachedFile(in.Files, p)
		if came {
			a.given = append(a.given, p)
		}
		return came
	})
	for _, s := range symbol().FindAllString(text, -1) {
		if !brands().MatchString(s) && !slices.ContainsFunc(a.paths, func(p string) bool { return strings.Contains(p, s) }) {
			a.symbols = append(a.symbols, s)
		}
	}
	a.memo.own = sync.OnceValue(a.speaksOfOurs)
	return a
}

// plain is a lower-case text without courtesies at its start and with "_" for
// files and what is in quotes, which hold no orders.
func plain(low string, paths []string) string {
	low = quotes().ReplaceAllStringFunc(low, func(q string) string {
		at := strings.IndexAny(q, "`\"“„'")
		return q[:at] + "_" + after(q)
	})
	for _, p := range paths {
		low = strings.ReplaceAll(low, strings.ToLower(p), "_")
	}
	low = strings.TrimLeft(low, " \t,.!:-–—")
	lead := courtesy().FindString(low)
	low = low[len(lead):]
	if request().MatchString(lead) { // asked kindly, it is not a question
		low = strings.TrimRight(low, "? \n")
	}
	return formal(elided().ReplaceAllString(fold(low), "$1 $2"))
}

// elided is an article joined to its noun.
var elided = lazy.Regexp(`\b(l')(\pL)`)

// after is what a quote's pattern took beyond its end.
func after(q string) string {
	if last := q[len(q)-1]; last != '\'' && strings.IndexByte(" ,.;:?!)\n\t", last) >= 0 {
		return string(last)
	}
	return ""
}

// address reports whether a name is a part of an address, as /v1/users.
func address(p string) bool {
	return strings.HasPrefix(p, "/") && !rooted().MatchString(p) && !strings.Contains(p, ".")
}

// pathsIn are the files and folders that a text names.
func pathsIn(text string) (out []string) {
	for from := 0; ; {
		m := pathLike().FindStringSubmatchIndex(text[from:])
		if m == nil {
			return out
		}
		start, end := from+m[2], from+m[3]
		before := text[max(0, start-80):start]
		if p := strings.TrimSuffix(text[start:end], "."); (!fraction().MatchString(p) || inTree().MatchString(p)) && !brands().MatchString(p) && !owned().MatchString(p) && (!anyOne().MatchString(before) || thereIs().MatchString(before)) && !address(p) {
			out = appendNew(out, p)
		}
		from = end
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func (a ask) can(tool string) bool { return slices.Contains(a.Tools, tool) }

// says reports whether the words of an ask hold a phrase.
func (a ask) says(p *phrase) bool {
	expr := p.in(a.lang)
	said, found := a.memo.says[expr]
	if !found {
		said = expr.MatchString(a.words)
		a.memo.says[expr] = said
	}
	return said
}

// What an ask forbids: an imperative with a negation, up to the end of its
// clause, and the ways to say "not that one".
const toDo = `(?:read|open|run|execute|touch|change|edit|modify|look|use|start|delete|remove|install|list|search|show|print|write|do|call|commit|restart|deploy|rename|view|check|fix|bother|worry|care|consider|include)`

var forbidden = lazy.Regexp("(?i)(?:" + strings.Join([]string{
	`\b(?:i )?(?:don['’]?t|do not) (?:want|need|expect) you to\b[^,;\n]*?(?:[,;\n]|\b(?:but|and (?:just|only|instead)|just)\b|$)`,
	`(?:^|[.!?;,]\s*|\b(?:please|but|and|so|then|you|we) )(?:don['’]?t|do not|never|(?:must|should|shall|may) ?not|mustn['’]?t|shouldn['’]?t|avoid|no need to|there is no need to)(?: just| even| you)? ` + toDo + `(?:ing|ning|ting)?\b[^,;\n]*?(?:[,;\n]|[.!?](?:\s|$)|\b(?:but|and (?:just|only|instead)|just (?:tell|show|explain|list))\b|$)`,
	`(?:\bavoid|\bi forbid you to|(?:^|[.!?;,]\s*|\bplease )(?:skip|ignore|forget(?: about)?|disregard))\b[^,;\n]*?(?:[,;\n]|[.!?](?:\s|$)|\b(?:but|and (?:just|only|instead))\b|$)`,
	`\bwithout (?:\w+ing)\b[^,;:\n]*?(?:[,;:\n]|[.!?](?:\s|$)|$)`,
	"\\b(?:instead of|rather than)(?: \\w+ing)? [\"'`]?[\\w./-]+[\"'`]?,?",
	"\\bleave [\"'`]?[\\w./-]+[\"'`]? (?:alone|as it is|untouched)(?:,? and\\b|[,.;])?",
	"(?:^|, )(?:but )?not (?:the )?[\"'`]?[\\w./-]+[\"'`]?",
	`(?:^|[.!?;,]\s*|bitte )(?:lies|lese|öffne|führe?|starte?|ändere?|bearbeite|lösche|zeige?|installiere?|benutze|fass)\b(?:[^,;.!?\n]|\.\w)*\b(?:nicht|nichts|nie)\b(?:[^,;.!?\n]|\.\w)*(?:[,;.!?\n]|$)`,
	`(?:^|[.!?;,]\s*)(?:bitte )?(?:gar )?(?:nichts|nicht) \w+(?:en|ern)(?:[,;.!?\n]|$)`,
	`\bohne\b[^,;\n]* zu \pL+(?:[,;.:\n]|$)`,
}, ")|(?:") + ")")

// leads is what is left of a clause that was taken away.
var leads = lazy.Regexp(`^(?:\s*[.,]\s+)+`)

// granted is an ask without what it forbids. Quotes hold no orders.
func granted(text string) string {
	text = forbidden().ReplaceAllStringFunc(text, func(m string) string {
		if strings.Count(m, "`")%2 != 0 || strings.Count(m, `"`)%2 != 0 {
			return m
		}
		return "\n"
	})
	return strings.TrimSpace(leads().ReplaceAllString(text, ""))
}

var (
	stops = lazy.Regexp(`[.!?]\s+|:-?[)D]\s+|[;\n]+\s*|(?:^|\s)\d+[.)]\s+|(?i:,? (?:and )?(?:then|afterwards|after that|danach|dann),? )|(?i:^first,? )`)
	next  = pattern(`(?i)(?:, (?:and |und |et )?| and | und | et )(?:also )?((?:<first words>)\b|(?:<late questions>)\b)`)
)

// clauses are the steps of an ask in their order. What is in quotes is not
// taken apart, nor is a command or a question.
func clauses(text string) (out []string) {
	masked := quotes().ReplaceAllStringFunc(text, func(q string) string { return strings.Repeat("_", len(q)) })
	for _, at := range commands(text) {
		masked = masked[:at[0]] + strings.Repeat("_", at[1]-at[0]) + masked[at[1]:]
	}
	for _, at := range between(masked, stops().FindAllStringIndex(masked, -1)) {
		if low := strings.ToLower(text[at[0]:at[1]]); question.in(anyLanguage).MatchString(plain(low, nil)) {
			out = append(out, text[at[0]:at[1]])
			continue
		}
		var cuts [][]int
		for _, m := range next().FindAllStringSubmatchIndex(masked[at[0]:at[1]], -1) {
			cuts = append(cuts, []int{m[0], m[2]})
		}
		for _, inner := range between(masked[at[0]:at[1]], cuts) {
			out = append(out, text[at[0]+inner[0]:at[0]+inner[1]])
		}
	}
	return slices.DeleteFunc(out, func(c string) bool { return strings.TrimSpace(c) == "" })
}

// between are the stretches of a text that no cut takes.
func between(text string, cuts [][]int) (out [][2]int) {
	from := 0
	for _, c := range cuts {
		out = append(out, [2]int{from, c[0]})
		from = c[1]
	}
	return append(out, [2]int{from, len(text)})
}

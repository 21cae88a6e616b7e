package route

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"inlay/internal/lazy"
)

var (
	lists       = phrases("lists")
	definitions = phrases("definitions")
	inside      = phrases("inside")
	folderAfter = pattern("(?i)(?:^|\\PL)(?:<folder words>)\\s+(?:(?:<called>) )?[\"`]?([\\w.-]+)")
	folderWord  = pattern("(?i)(?:^|\\s)[\"`]?([\\w.-]+)[\"`]?(?:\\s+|-)(?:<folder words>)\\b")
	// listed is a folder that is named after a program or a verb that lists.
	listed   = pattern("(?i)^(?:<courtesies>)*(?:<listing verbs>) [\"`]?(<folder names>)[\"`]?\\W*$")
	contents = phrases("contents")
	inFolder = pattern("(?i)\\b(?:<in words>)\\s+[\"'`]?(\\.?[\\w-]+)[\"'`]?(?:[?!.,]|\\s+(?:and|recursively|auf|an|please|for|bitte|rekursiv)\\b|\\s*$)")
	// leadsIn names a folder and then asks what is in it.
	leadsIn   = phrases("leadsIn")
	noFolder  = pattern(`(?i)^(?:<no folders>)$`)
	recursive = phrases("recursive")
)

// list lists a folder, or the definitions of a file.
func list(a ask) (Decision, bool) {
	if a.says(howTo) || a.says(authors) || a.orders() {
		return Decision{}, false
	}
	if a.says(definitions) && a.says(inside) && len(a.paths) > 0 && a.can("list_code_definition_names") {
		return use("list_code_definition_names", map[string]any{"path": a.paths[0]}, "the ask is about the definitions of a file")
	}
	where, named := a.folder()
	wanted := a.says(lists) && (len(a.paths) == 0 || isFolder(a.paths[0]) || named) || named && a.says(contents) || listed().MatchString(a.text)
	leads := named && a.says(leadsIn)
	if !named && a.ofOthers() || !wanted && !leads || a.says(holding) && !leads && !a.says(contents) || a.notListed() || !a.can("list_files") {
		return Decision{}, false
	}
	params := map[string]any{"path": where}
	if a.says(recursive) {
		params["recursive"] = true
	}
	return use("list_files", params, "the ask is to see what is in a folder")
}

// notListed reports whether an ask is for something else than the files of a
// folder: knowledge, or a text in them.
func (a ask) notListed() bool {
	return a.general() || a.says(inKind) && len(a.paths) == 0 && !a.says(ourOwn) || marker().MatchString(a.text) || a.says(occurs) && a.exactly()
}

// ofOthers reports whether a question without a folder may be about the files of
// somebody else: "which files does Windows need to boot".
func (a ask) ofOthers() bool {
	return a.says(question) && !a.own() && !topLevel().MatchString(a.words) && len(strings.Fields(a.words)) > shortQuestion
}

// shortQuestion is the most words of a question for files without a folder:
// "which files are there".
const shortQuestion = 5

// topLevel is the folder of the whole workspace.
var topLevel = lazy.Regexp(`\b(?:root|top[- ]level|workspace|hauptverzeichnis|wurzelverzeichnis|racine)\b|\b(?:folder|directory|ordner|dossier) (?:for|fur|pour)\b|\b(?:my project|mein\w* projekt|mon projet)\b`)

// folder is the folder that an ask names, with or without a word that says it
// is one; "." and false if it names none.
func (a ask) folder() (where string, named bool) {
	if len(a.paths) > 0 {
		return a.paths[0], isFolder(a.paths[0])
	}
	for _, re := range []*regexp.Regexp{listed(), folderWord(), folderAfter(), inFolder()} {
		for _, m := range re.FindAllStringSubmatch(a.text, -1) {
			if name := m[1]; !noFolder().MatchString(name) {
				return strings.TrimRight(name, "."), true
			}
		}
	}
	return ".", false
}

var holding = phrases("holding")

// exactly reports whether an ask has a text of its own: a name, or a quote that
// is no file.
func (a ask) exactly() bool {
	return len(a.symbols) > 0 || shaped().MatchString(a.text) || slices.ContainsFunc(a.quoted, func(q string) bool { return !slices.Contains(a.paths, q) })
}

// withinAt comes before the folder that a search is in.
var withinAt = lazy.Regexp("(?i)\\b(?:in|under|inside|below|within|from|of|unter|aus|folder|directory|ordner)\\s+(?:the )?[\"'`]?$")

// target is the text that is looked for.
func (a ask) target() string {
	for _, q := range a.quoted {
		before, _, _ := strings.Cut(a.text, q)
		if !slices.Contains(a.paths, q) || !isFolder(q) || !withinAt().MatchString(before) {
			return q
		}
	}
	if m := marker().FindStringSubmatch(a.text); m != nil {
		return m[1]
	}
	for _, re := range []*regexp.Regexp{saidName(), keyed()} {
		if m := re.FindStringSubmatch(a.text); m != nil {
			return m[1]
		}
	}
	if m := shaped().FindStringSubmatch(a.text); m != nil {
		return m[1]
	}
	if len(a.symbols) > 0 {
		return strings.TrimSuffix(a.symbols[0], "()")
	}
	for _, re := range []*regexp.Regexp{called(), held(), named(), imported(), sought()} {
		if m := re.FindStringSubmatch(a.text); m != nil && !vague().MatchString(m[1]) {
			return strings.TrimRight(m[1], ".,;:?!")
		}
	}
	return ""
}

var (
	marker  = lazy.Regexp(`\b(TODO|FIXME|HACK|XXX|DEPRECATED)(?:s\b|\b)`)
	seeking = phrases("seeking")
	// shouted is a name in capitals.
	shouted = lazy.Regexp(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	// places asks where.
	places = phrases("places")
	// imported is what files import.
	imported = lazy.Regexp(`(?i)\b(?:we|still|that|which|files?|anything|something|who)\s+import(?:s|ing|ed)?\s+([\w./@-]*\w)(?:\s+(?:anywhere|in)\b.*)?[?.!]?\s*$`)
	// named is a word that only software has: a package, an address.
	named = lazy.Regexp(`(?:use|using|import|importing|reference|mention|call|contain)s? (?:the (?:\w+ ){0,2})?(@?[a-z]\w*(?:[./-]\w+)+|/\w[\w/-]+)`)
	// shaped is a text that no sentence has: an address, a call, a version.
	shaped = lazy.Regexp(`(?:^|\s)(\w+://\S*|\d+(?:\.\d+){2,3}(?::\d+)?|[\w.]+\(|\w+=\S*|#[0-9a-fA-F]{3,8}|@\w+)(?:[\s?.!,;]|$)`)
	// saidName is a name of several words that files are said to say.
	saidName = lazy.Regexp(`\b(?:it|that|which|places|files) (?:still )?says? ([A-Z][\w&.-]*\w(?: [A-Z0-9][\w&.-]*\w)*)`)
	// keyed is a key, a label or a number that is to be found.
	keyed = lazy.Regexp(`(?i)^(?:please |pls |bitte )?(?:search|look|grep|hunt|find|suche?|finde|cherche[rz]?|trouve[rz]?)(?: for| nach)?(?: \pL+){0,3}? (?:key|id|label|number|token|constant|ticket|reference|identifier|schlüssel|nummer|kennung|clé|numéro|étiquette|référence|variable) ([A-Za-z]+[-_:]\w[\w:-]*|[A-Za-z]+\d\w*)(?:[\s,.;?!]|$)`)
	// sought is a bare word that is said to be looked for.
	sought = pattern(`(?i)(?:\b(?:<sought>)|^(?:hm+,? )?(?:no[.,]? )?(?:grep|rg|ag)(?: for)?) (\S*\w\S*)`)
	// called is a bare word that is called one: "the word banana".
	called = pattern(`(?i)\b(?:<literal words>) ([\w./@-]*\w)`)
	// held is a bare word that files are said to hold, at the end of the ask.
	held = pattern(`(?i)\b(?:<file nouns>)\b.*\b(?:<holders>)\s+(?:(?:<literal words>) )?([\w./@-]+?)(?:\s+(?:<anywhere>)\b.*)?\s*[?.!]?\s*$`)
)

// Three ways to say what is looked for and where: X in Y, Y for X, Y nach X.
var (
	xInY   = pattern("(?i)\\b(<search verbs>)(?: (?:for|nach|all|every|any|occurrences? of|usages? of|mal|bitte|tous les|toutes les))*(?: (?:<literal words>))? [\"'`]?([\\w.-]{2,})[\"'`]? (?:<search in>)(?: (?:<search articles>))*(?: (?:<folder words>))? [\"'`]?(\\*?[\\w./-]+)[\"'`]?(?:[\\s.,;:?!]|$)")
	yForX  = lazy.Regexp("(?i)\\b(?:search|grep|scan|suche|durchsuche)(?: through| in)?(?: the| all)* [\"'`]?(\\*?[\\w./-]+)[\"'`]?(?: files?| folder| directory)? (?:for|nach)(?: the (?:word|text|string|term))? [\"'`]?([\\w.-]{2,})")
	byKind = pattern(`(?i)(\*\.\w+)|\b(<kinds>)(?: files\b|-dateien\b)`)
	vague  = pattern(`(?i)^(?:<vague>)$`)
	kinded = pattern(`(?i)^(?:<kinds>|files?|code|codebase|folder|directory|repo|project)$`)
)

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
	if m := xInY().FindStringSubmatch(a.text); m != nil && !vague().MatchString(m[2]) && a.searchable(m[0], m[2], m[3]) {
		bare := strings.ToLower(m[1]) == "find" && !strings.ContainsAny(m[3], "/*")
		if what == "" && !bare {
			what = m[2]
		}
		where = m[3]
	} else if m := yForX().FindStringSubmatch(a.text); m != nil && a.searchable(m[0], m[2], m[1]) {
		if what == "" && !vague().MatchString(m[2]) {
			what = m[2]
		}
		where = m[1]
	}
	for _, p := range a.paths {
		if p != what && (isFolder(p) || !strings.Contains(p[strings.LastIndexByte(p, '/')+1:], ".")) {
			return what, p
		}
	}
	if folder, named := a.folder(); named && len(a.paths) == 0 && folder != what && !slices.Contains(a.symbols, folder) {
		return what, folder
	}
	where = strings.TrimRight(where, ".")
	if strings.Contains(where, "*") || noFolder().MatchString(where) || kinded().MatchString(where) {
		where = ""
	}
	return what, where
}

// searchable reports whether something shows that a search is one of files: the
// shape of what is looked for, or the place.
func (a ask) searchable(phrase, what, where string) bool {
	where = strings.TrimRight(where, ".")
	return literalShape().MatchString(what) || strings.ContainsAny(where, "/.*_") || isFolderName().MatchString(where) || kinded().MatchString(where) ||
		fileWords().MatchString(phrase) || a.own() || a.says(codePlaces) || len(a.quoted)+len(a.symbols)+len(a.paths) > 0
}

var (
	literalShape = lazy.Regexp(`\d[A-Za-z]|[A-Za-z][-_]?\d|[_@#=:/.-]|[a-z][A-Z]|^[A-Z]{2,}$`)
	isFolderName = pattern(`^(?:<folder names>)$`)
	fileWords    = pattern(`(?i)\b(?:<folder words>|files?|dateien?|fichiers?|logs?|code|repo|project)\b`)
)

// markerWords is the most words of an ask that is for a marker such as TODO.
const markerWords = 6

// seekAtEnd is an order to search at the end of an ask that names more.
var seekAtEnd = lazy.Regexp("(?i)(?:^|[.?!,;:]\\s+|\\band )(?:please |pls |just )?(?:search|grep|rg)(?: for| nach)? [\"'`]?(\\w+)[\"'`]?\\W*$")

// seek searches for what an ask of several names says to search for.
func seek(a ask) (Decision, bool) {
	m := seekAtEnd().FindStringSubmatch(a.text)
	if m == nil || len(a.symbols) < 2 || !slices.Contains(a.symbols, m[1]) || !a.can("search_files") {
		return Decision{}, false
	}
	return use("search_files", map[string]any{"path": ".", "regex": m[1]}, "the ask is to find an exact text")
}

// grep searches for an exact text.
func grep(a ask) (Decision, bool) {
	if !a.can("search_files") || !a.seeksText() || a.notSought() {
		return Decision{}, false
	}
	what, where := a.wanted()
	if what == "" || a.asks() && !a.says(places) && slices.ContainsFunc(a.paths, func(p string) bool { return p != what && !isFolder(p) }) {
		return Decision{}, false // a question about a named file takes the file
	}
	params := map[string]any{"path": cmp.Or(where, "."), "regex": regexp.QuoteMeta(what)}
	if pattern := filePattern(a.text); pattern != "" {
		params["file_pattern"] = pattern
	}
	return use("search_files", params, "the ask is to find an exact text")
}

// seeksText reports whether an ask is for the places of a text.
func (a ask) seeksText() bool {
	switch {
	case a.says(occurs):
		return true
	case a.says(seeking) && (shaped().MatchString(a.text) || called().MatchString(a.text)), held().MatchString(a.text) && !a.says(authors) && !a.orders():
		return true
	case len(a.quoted) > 0 && (a.says(sayings) && (a.says(finds) || a.says(tells)) || strings.Contains(a.quoted[0], " ") && a.says(places)):
		return true
	case keyed().MatchString(a.text), a.says(seeking) && saidName().MatchString(a.text):
		return true
	case a.says(seeking) && (xInY().MatchString(a.text) || yForX().MatchString(a.text)):
		return true
	case a.says(places) && (len(a.quoted) > 0 || len(a.symbols) == 1 || shouted().MatchString(a.text)):
		return true
	}
	return marker().MatchString(a.text) && len(strings.Fields(a.words)) <= markerWords && !a.orders()
}

// notSought reports whether an ask that may be for a text is for something else:
// advice, a definition, a change, the world outside.
func (a ask) notSought() bool {
	return a.says(howTo) || a.says(general) || a.says(defines) && len(a.symbols) == 0 ||
		a.says(changes) && (!a.says(seeking) || len(a.quoted) == 0) ||
		a.says(outside) && len(a.paths)+len(a.symbols)+len(a.quoted) == 0
}

// filePattern is the pattern of the files that an ask is about, if it names one.
func filePattern(text string) string {
	m := byKind().FindStringSubmatch(text)
	switch {
	case m == nil:
		return ""
	case m[1] != "":
		return m[1]
	}
	return kinds(m[2])
}

package route

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// Heuristic decides by the words of the ask, without a model: a tool to read,
// edit, search, run or inspect, or to go on from the last tool result; the
// large model for what is conceptual, a synthesis or a summary of what is at
// hand. It speaks English and German.
type Heuristic struct{}

var _ Decider = Heuristic{}

// Name implements [Decider].
func (Heuristic) Name() string { return "heuristic" }

// Decide implements [Decider]. It never fails but for cancellation.
func (Heuristic) Decide(ctx context.Context, in Input) (Decision, Usage, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, Usage{}, err
	}
	a := readAsk(in)
	for _, rule := range rules() {
		if d, ok := rule(a); ok {
			return d, Usage{}, nil
		}
	}
	return big("the ask is conceptual or can be answered from what is at hand"), Usage{}, nil
}

// rule decides an ask, or leaves it to the next.
type rule func(a ask) (Decision, bool)

// rules in order: the first that decides wins.
func rules() []rule {
	return []rule{goOn, atHand, run, write, list, edit, grep, read, find, inspect}
}

// ask is an ask with what it names.
type ask struct {
	Input
	text    string   // without code blocks
	low     string   // text in lower case
	paths   []string // files and folders
	quoted  []string // in backticks or quotes, and no path
	symbols []string // names of code
}

var (
	fenced   = regexp.MustCompile("(?s)```.*?(?:```|$)")
	pathLike = regexp.MustCompile("(?:^|[\\s\"'`(])((?:\\.{0,2}/)?(?:[\\w@.-]+/)+[\\w@.-]*|[\\w-]+(?:\\.[\\w-]+)*\\.(?:go|py|js|jsx|ts|tsx|java|c|h|cc|cpp|hpp|cs|rs|rb|php|kt|swift|sql|sh|html|css|scss|vue|md|txt|json|ya?ml|toml|ini|cfg|conf|env|xml|csv|log|lock|mod|sum|proto|tf|ipynb)|Dockerfile|Makefile|README|LICENSE|\\.(?:env|gitignore|rooignore|eslintrc|dockerignore)[\\w.]*)(?:[\\s\"'`),;:?!]|\\.(?:\\s|$)|$)")
	quotes   = regexp.MustCompile("`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“")
	phrase   = regexp.MustCompile("`[^`\n]* [^`\n]*`|\"[^\"\n]* [^\"\n]*\"") // words, not a path
	symbol   = regexp.MustCompile(`\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[a-z0-9]+_[a-z0-9_]+|\w+\(\)|\w+\.[a-z]\w+\(\))`)
	url      = regexp.MustCompile(`\w+://\S+`)
)

func readAsk(in Input) ask {
	a := ask{Input: in, text: url.ReplaceAllString(fenced.ReplaceAllString(in.Ask, " "), " ")}
	a.low = strings.ToLower(strings.TrimSpace(a.text))
	for rest := phrase.ReplaceAllString(a.text, " "); ; {
		m := pathLike.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		if p := strings.TrimSuffix(rest[m[2]:m[3]], "."); !slices.Contains(a.paths, p) && !strings.Contains(p, "and/or") && !fraction.MatchString(p) {
			a.paths = append(a.paths, p)
		}
		rest = rest[m[3]:]
	}
	for _, m := range quotes.FindAllStringSubmatch(a.text, -1) {
		q := m[1] + m[2] + m[3] + m[4]
		if !slices.Contains(a.paths, q) {
			a.quoted = append(a.quoted, q)
		}
	}
	for _, s := range symbol.FindAllString(a.text, -1) {
		if !slices.ContainsFunc(a.paths, func(p string) bool { return strings.Contains(p, s) }) {
			a.symbols = append(a.symbols, s)
		}
	}
	return a
}

// fraction is no path: 1/2, km/h, input/output.
var fraction = regexp.MustCompile(`^(?:\d+/\d+|\w{1,3}/\w{1,3}|input/output|yes/no|true/false|client/server|he/she|pros/cons|read/write)$`)

func (a ask) can(tool string) bool { return slices.Contains(a.Tools, tool) }

func (a ask) matches(re *regexp.Regexp) bool { return re.MatchString(a.low) }

func use(tool string, params map[string]any, why string) (Decision, bool) {
	return Decision{Decision: ToTool, Tool: &Call{tool, params}, Reasoning: why}, true
}

func big(why string) Decision {
	return Decision{Decision: ToBig, Big: &Big{Notes: why}, Reasoning: why}
}

var (
	going = regexp.MustCompile(`^(?:ok(?:ay)?[,. ]+|yes[,. ]+|ja[,. ]+|and |und |now |gut[,. ]+|great[,. ]+)*(?:continue|go on|carry on|proceed|next(?: one| page| file| part)?|keep going|more|the rest|mach weiter|weiter|fahre? fort|nächste\w*)\b.{0,60}$`)
	more  = regexp.MustCompile(`(?i)\((?:\d+ )?more lines|lines (\d+)-(\d+) of (\d+)|truncated|\.\.\.\s*$`)
	shown = regexp.MustCompile(`lines \d+-(\d+) of \d+`)
)

// goOn continues from the last tool result: the next lines of a file that was
// shown in part, the first file that a search found.
func goOn(a ask) (Decision, bool) {
	if a.Last == nil || !a.matches(going) {
		return Decision{}, false
	}
	switch a.Last.Tool {
	case "read_file":
		if more.MatchString(a.Last.Preview) && a.Last.Path != "" {
			params := map[string]any{"path": a.Last.Path}
			if m := shown.FindStringSubmatch(a.Last.Preview); m != nil {
				params["start_line"] = number(m[1]) + 1
			}
			return use("read_file", params, "the file was shown in part")
		}
	case "codebase_search", "search_files", "list_files":
		if m := pathLike.FindStringSubmatch(a.Last.Preview); m != nil && a.can("read_file") {
			return use("read_file", map[string]any{"path": m[1]}, "the search found this file first")
		}
	}
	return big("go on from what the last tool returned"), true
}

func number(s string) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

var (
	pointsBack = regexp.MustCompile(`\b(?:based on (?:this|that|these|the above|what)|given (?:this|that|the above)|from (?:this|that|the above|the results?|the output)|according to (?:this|the above)|what you(?:'ve| have)? (?:found|read|seen|just)|we(?:'ve| have)? (?:found|seen|discussed|just)|the above|so far|aus dem obigen|auf dieser grundlage|was du (?:gefunden|gelesen)|bisher\w*|the findings|these results|those results|that output|this output|die ergebnisse|that file|this file|diese datei)\b`)
	sums       = regexp.MustCompile(`\b(?:summari[sz]e|summary|recap|conclude|conclusions?|explain|compare|write up|tl;?dr|what does (?:this|that|it) mean|why|fasse?|zusammenfass\w*|erklär\w*|bedeutet|draft|what should|which of)\b`)
)

// atHand sends what speaks of results that are there to the large model.
func atHand(a ask) (Decision, bool) {
	known := a.Last != nil || a.Context != ""
	if !known || len(a.paths) > 0 && !a.knows(a.paths[0]) {
		return Decision{}, false
	}
	if a.matches(pointsBack) && a.matches(sums) || a.matches(sums) && len(a.paths) > 0 {
		return big("what it asks about is at hand"), true
	}
	return Decision{}, false
}

// knows reports whether a file was read before.
func (a ask) knows(p string) bool {
	return a.Last != nil && a.Last.Tool == "read_file" && same(a.Last.Path, p) || strings.Contains(a.Context, "read_file "+p)
}

var (
	commandWord = regexp.MustCompile(`^(?:please |can you |could you |now |then |and |let's |bitte |kannst du )*(?:re-?run|run|execute|start|launch|invoke|install|build|compile|deploy|führe?|starte?|baue?|installiere?)\b`)
	program     = regexp.MustCompile(`^(?:npm|npx|yarn|pnpm|node|go|make|cmake|git|python3?|pip3?|pytest|cargo|rustc|docker|docker-compose|kubectl|terraform|mvn|gradle|\./\S+|ls|cat|grep|find|curl|bash|sh|php|composer|bundle|rake|ruby|dotnet|java|javac|tsc|eslint|prettier|jest|vitest|deno|bun|golangci-lint|ruff|mypy|black|psql|sqlite3|df|du|ps|top|uname|echo|pwd|which|chmod|mkdir|touch)(?:\s|$)`)
	inText      = regexp.MustCompile(`(?i)^(?:.*?\b(?:run|execute|führe|starte|start)\s+)((?:npm|npx|yarn|pnpm|go|make|git|python3?|pip3?|pytest|cargo|docker|kubectl|terraform|mvn|gradle|dotnet|tsc|eslint|jest|bundle|rake|curl|ls|df|du)\b[^,.;?!\n]*(?:\.[\w/][^,;?!\n]*)*)`)
	tasks       = regexp.MustCompile(`\b(?:tests?|test suite|linter|lint|build|server|migrations?|script|project|app|application|benchmarks?|formatter|container|dependencies|unit-?tests?|projekt|anwendung|testsuite)\b`)
	howTo       = regexp.MustCompile(`^(?:how (?:do (?:i|you|people)|can|should|would|to)\b|what(?:'s| is) the (?:best|difference|point|purpose of using)|should (?:i|we)|wie (?:kann|soll|würde)|when should|why (?:do people|would|should)|is it (?:better|safe|possible|ok))`)
)

// run proposes a command that the ask names. An ask to run something that it
// does not name gets a command without one, so that the host asks for it.
func run(a ask) (Decision, bool) {
	if a.matches(howTo) || !a.can("execute_command") {
		return Decision{}, false
	}
	starts := a.matches(commandWord)
	if bare := strings.Trim(strings.TrimSpace(a.text), "`$ "); program.MatchString(bare) && bare == strings.ToLower(bare) && !strings.HasSuffix(bare, "?") && looksTyped(bare) {
		return use("execute_command", map[string]any{"command": bare}, "the ask is a command")
	}
	if !starts && !strings.Contains(a.low, " run ") && !strings.Contains(a.low, "execute ") {
		return Decision{}, false
	}
	for _, q := range a.quoted {
		if program.MatchString(q) || starts && strings.Contains(a.low, "command") {
			return use("execute_command", map[string]any{"command": q}, "the ask names a command to run")
		}
	}
	if m := inText.FindStringSubmatch(a.text); m != nil {
		if command := trimTail(m[1]); looksTyped(command) {
			return use("execute_command", map[string]any{"command": command}, "the ask names a command to run")
		}
	}
	if starts && a.matches(tasks) {
		return use("execute_command", map[string]any{}, "the ask is to run something and does not say how")
	}
	return Decision{}, false
}

// looksTyped tells commands from sentences that begin with a program's name.
func looksTyped(s string) bool {
	words := strings.Fields(s)
	for _, w := range words[min(1, len(words)):] {
		switch strings.ToLower(w) {
		case "the", "for", "a", "an", "is", "are", "to", "through", "over", "sure", "that", "this", "how", "why", "me", "it", "ahead":
			return false
		}
	}
	return len(words) > 0 && len(words) <= 14
}

var tail = regexp.MustCompile(`(?i)\s+(?:and (?:tell|show|fix|then|report|see|check|let|give|paste|send)|then |in the (?:root|terminal|shell|background)|please|for me|to (?:see|check|make|verify|find|get|update|start|build|install)|aus|und (?:zeige?|sag)|again|now|once more).*$`)

func trimTail(s string) string {
	return strings.Trim(strings.TrimSpace(tail.ReplaceAllString(s, "")), "`\"")
}

var (
	lists       = regexp.MustCompile(`\b(?:list|show|what|which|liste|zeige?|welche)\b.*\b(?:files|folders?|director(?:y|ies)|contents? of (?:the )?\S+/|tree|structure|dateien|ordner|verzeichnis\w*)\b|^ls\b|what(?:'s| is) in (?:the )?\S+/|what(?:'s| is) (?:in|inside) the \S+ (?:folder|directory)`)
	definitions = regexp.MustCompile(`\b(?:list|show|what|which|outline|overview|liste|zeige?|welche)\b.*\b(?:functions?|methods?|classes|class names|definitions?|types|structs?|interfaces?|symbols|exports?|funktionen|methoden|klassen|outline)\b|\boutline\b`)
	inside      = regexp.MustCompile(`\b(?:in|of|from|under|inside|within|defined|declared|contains?|are there|in der|im|von|does \S+ (?:define|declare|export|have))\b`)
	folderWord  = regexp.MustCompile(`\b(?:the|in|im|of|ordner|folder|directory|verzeichnis)\s+["` + "`" + `]?([\w.-]+)["` + "`" + `]?\s+(?:folder|directory|dir|ordner|verzeichnis)\b|\b(?:folder|directory|ordner|verzeichnis)\s+["` + "`" + `]?([\w.-]+)`)
	recursive   = regexp.MustCompile(`\b(?:recursive\w*|all files|tree|structure|everything|alle dateien|rekursiv)\b`)
)

// list lists a folder, or the definitions of a file.
func list(a ask) (Decision, bool) {
	if a.matches(howTo) {
		return Decision{}, false
	}
	if a.matches(definitions) && a.matches(inside) && len(a.paths) > 0 && a.can("list_code_definition_names") && !a.matches(changes) {
		return use("list_code_definition_names", map[string]any{"path": a.paths[0]}, "the ask is about the definitions of a file")
	}
	if !a.matches(lists) || a.matches(holding) || !a.can("list_files") {
		return Decision{}, false
	}
	where := "."
	if len(a.paths) > 0 {
		where = a.paths[0]
	} else if m := folderWord.FindStringSubmatch(a.low); m != nil {
		if name := m[1] + m[2]; !slices.Contains([]string{"this", "current", "root", "project", "the", "structure", "that", "and", "tree", "is", "are", "workspace", "working"}, name) {
			where = name
		}
	}
	params := map[string]any{"path": where}
	if a.matches(recursive) {
		params["recursive"] = true
	}
	return use("list_files", params, "the ask is to see what is in a folder")
}

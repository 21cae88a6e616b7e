package route

import (
	"context"
	"regexp"
	"strings"

	"inlay/internal/lazy"
)

// Heuristic decides by the words of the ask, without a model: a tool to read,
// edit, search, run or inspect, or to go on from the last tool result; the
// large model for what is conceptual, a synthesis or a summary of what is at
// hand. It speaks English and German.
type Heuristic struct{}

var _ Decider = Heuristic{}

// Name implements [Decider].
func (Heuristic) Name() string { return "heuristic" }

// Decide implements [Decider]. It never fails but for cancellation. Of several
// things that are asked for, the first that takes a tool decides.
func (Heuristic) Decide(ctx context.Context, in Input) (Decision, Usage, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, Usage{}, err
	}
	whole := readAsk(in, granted(prose(in.Ask)))
	if len(in.Done) > 0 {
		return whole.proceed(), Usage{}, nil
	}
	for _, rule := range []rule{goOn, atHand, aside} {
		if d, ok := rule(whole); ok {
			return d, Usage{}, nil
		}
	}
	for _, clause := range clauses(whole.text) {
		if d, ok := first(readAsk(in, clause)); ok {
			return d, Usage{}, nil
		}
	}
	return big("the ask is conceptual or can be answered from what is at hand"), Usage{}, nil
}

// first is what a clause asks for by the first rule that knows.
func first(a ask) (Decision, bool) {
	for _, rule := range []rule{run, write, list, edit, grep, read, find, inspect} {
		if d, ok := rule(a); ok {
			return d, true
		}
	}
	return Decision{}, false
}

// proceed is the next step of an ask for which tools ran: the first file that a
// search by meaning found, then the clauses that are still to be done, then
// the large model.
func (a ask) proceed() Decision {
	if d, ok := a.firstHit(); ok {
		return d
	}
	end := big("what the ask takes was done, and the results are at hand")
	for _, clause := range clauses(a.text) {
		step := readAsk(a.Input, clause)
		d, ok := first(step)
		switch {
		case ok && d.Tool != nil && !again(a.Done, *d.Tool):
			return d
		case ok && d.Big != nil && d.Big.NeedsTools, step.orders():
			end.Big.NeedsTools = true
		}
	}
	return end
}

// orders reports whether an ask is to change something; quotes hold no orders.
func (a ask) orders() bool {
	return changes().MatchString(quotes().ReplaceAllString(a.low, " ")) && !a.matches(asking()) && !a.matches(howTo())
}

// firstHit reads the first file that the search found, if the search was the
// last step.
func (a ask) firstHit() (Decision, bool) {
	if a.Last == nil || a.Last.Tool != "codebase_search" || !a.can("read_file") {
		return Decision{}, false
	}
	m := pathLike().FindStringSubmatch(a.Last.Preview)
	if m == nil || a.knows(m[1]) {
		return Decision{}, false
	}
	return use("read_file", map[string]any{"path": m[1]}, "the search found this file first")
}

// rule decides an ask, or leaves it to the next.
type rule func(a ask) (Decision, bool)

func use(tool string, params map[string]any, why string) (Decision, bool) {
	return Decision{Decision: ToTool, Tool: &Call{tool, params}, Reasoning: why}, true
}

func big(why string) Decision {
	return Decision{Decision: ToBig, Big: &Big{Notes: why}, Reasoning: why}
}

var (
	going = lazy.Regexp(`^(?:ok(?:ay)?[,. ]+|yes[,. ]+|ja[,. ]+|and |und |now |gut[,. ]+|great[,. ]+)*(?:continue|go on|go ahead|carry on|proceed|next(?: one| page| file| part)?|keep going|more|(?:show me |read )?the rest|open (?:the )?(?:first|top)(?: one| hit| result| match| file)?|mach weiter|weiter|fahre? fort|nächste\w*)\b.{0,60}$`)
	more  = lazy.Regexp(`(?i)\((?:\d+ )?more lines|lines (\d+)-(\d+) of (\d+)|truncated|\.\.\.\s*$`)
	shown = lazy.Regexp(`lines \d+-(\d+) of \d+`)
)

// goOn continues from the last tool result: the next lines of a file that was
// shown in part, the first file that a search found.
func goOn(a ask) (Decision, bool) {
	if a.Last == nil || !a.matches(going()) {
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
		if m := pathLike().FindStringSubmatch(a.Last.Preview); m != nil && a.can("read_file") {
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
	pointsBack = lazy.Regexp(`\b(?:based on (?:this|that|these|the above|what)|given (?:this|that|the above)|from (?:this|that|the above|the results?|the output)|according to (?:this|the above)|what you(?:'ve| have)? (?:found|read|seen|just)|we(?:'ve| have)? (?:found|seen|discussed|just)|the above|so far|aus dem obigen|auf dieser grundlage|was du (?:gefunden|gelesen)|bisher\w*|the findings|these results|those results|that output|this output|die ergebnisse|that file|this file|diese datei)\b`)
	sums       = lazy.Regexp(`\b(?:summari[sz]e|summary|recap|conclude|conclusions?|explain|compare|write up|tl;?dr|what does (?:this|that|it) mean|why|fasse?|zusammenfass\w*|erklär\w*|bedeutet|draft|what should|which of)\b`)
)

// atHand sends what speaks of results that are there to the large model.
func atHand(a ask) (Decision, bool) {
	known := a.Last != nil || a.Context != ""
	if !known || len(a.paths) > 0 && !a.knows(a.paths[0]) {
		return Decision{}, false
	}
	if a.matches(pointsBack()) && a.matches(sums()) || a.matches(sums()) && len(a.paths) > 0 {
		return big("what it asks about is at hand"), true
	}
	return Decision{}, false
}

// knows reports whether a file was read before.
func (a ask) knows(p string) bool { return has(a.Read, p) }

// programs that people name when they mean a command.
const programs = `npm|npx|yarn|pnpm|node|go|make|cmake|git|python3?|pip3?|pytest|cargo|rustc|docker|docker-compose|kubectl|terraform|mvn|gradle|\./\S+|ls|cat|grep|find|curl|bash|sh|php|composer|bundle|rake|ruby|dotnet|java|javac|tsc|eslint|prettier|jest|vitest|deno|bun|golangci-lint|ruff|mypy|black|psql|sqlite3|df|du|ps|top|uname|echo|pwd|which|chmod|mkdir|touch`

var (
	commandWord = lazy.Regexp(`^(?:please |can you |could you |now |then |and |let's |bitte |kannst du )*(?:re-?run|run|execute|re-?start|start|launch|invoke|install|build|compile|deploy|führe?|starte?|baue?|installiere?)\b`)
	program     = lazy.Regexp(`^(?:` + programs + `)(?:\s|$)`)
	runs        = lazy.Regexp(`\b(?:run|execute|kick off|fire up|invoke|try|use|call)\s`)
	inText      = lazy.Regexp(`(?i)^(?:.*?\b(?:run|execute|use|try|führe|starte|start)\s+)((?:npm|npx|yarn|pnpm|go|make|git|python3?|pip3?|pytest|cargo|docker|kubectl|terraform|mvn|gradle|dotnet|tsc|eslint|jest|bundle|rake|curl|ls|df|du|\./\S+)(?:\s|$|\b)[^,.;?!\n]*(?:\.[\w/][^,;?!\n]*)*)`)
	tasks       = lazy.Regexp(`\b(?:tests?|test suite|linter|lint|build|server|migrations?|script|project|app|application|benchmarks?|formatter|containers?|dependencies|unit-?tests?|projekt|anwendung|testsuite)\b`)
	howTo       = lazy.Regexp(`^(?:how (?:do (?:i|you|people)|can|should|would|to)\b|what(?:'s| is) the (?:best|difference|point|purpose of using)|should (?:i|we)|wie (?:kann|soll|würde)|when should|why (?:do people|would|should)|is it (?:better|safe|possible|ok))`)
)

// run proposes a command that the ask names. An ask to run something that it
// does not name gets a command without one, so that the host asks for it.
func run(a ask) (Decision, bool) {
	if a.matches(howTo()) || !a.can("execute_command") {
		return Decision{}, false
	}
	starts := a.matches(commandWord())
	if bare := strings.Trim(strings.TrimSpace(a.text), "`$ "); program().MatchString(bare) && bare == strings.ToLower(bare) && !strings.HasSuffix(bare, "?") && looksTyped(bare) {
		return use("execute_command", map[string]any{"command": bare}, "the ask is a command")
	}
	if !starts && (!a.matches(runs()) || a.matches(asking())) {
		return Decision{}, false
	}
	for _, q := range a.quoted {
		if program().MatchString(q) || starts && strings.Contains(a.low, "command") {
			return use("execute_command", map[string]any{"command": q}, "the ask names a command to run")
		}
	}
	if m := inText().FindStringSubmatch(a.text); m != nil {
		if command := trimTail(m[1]); looksTyped(command) {
			return use("execute_command", map[string]any{"command": command}, "the ask names a command to run")
		}
	}
	if starts && a.matches(tasks()) {
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

var tail = lazy.Regexp(`(?i)\s+(?:and (?:tell|show|fix|then|report|see|check|let|give|paste|send)|then |in the (?:root|terminal|shell|background)|please|for me|to (?:see|check|make|verify|find|get|update|start|build|install)|aus|und (?:zeige?|sag)|again|now|once more).*$`)

func trimTail(s string) string {
	return strings.Trim(strings.TrimSpace(tail().ReplaceAllString(s, "")), "`\"")
}

var (
	lists       = lazy.Regexp(`\b(?:list|listing|overview|show|see|enumerate|any|what|which|liste|zeige?|welche)\b.*\b(?:files|folders?|director(?:y|ies)|contents? of (?:the )?\S+/|tree|structure|dateien|ordner|verzeichnis\w*)\b|^ls\b|what(?:'s| is) in (?:the )?\S+/|what(?:'s| is) (?:in|inside) the \S+ (?:folder|directory)`)
	definitions = lazy.Regexp(`\b(?:list|show|what|which|outline|overview|liste|zeige?|welche)\b.*\b(?:functions?|methods?|classes|class names|definitions?|types|structs?|interfaces?|symbols|exports?|funktionen|methoden|klassen|outline)\b|\boutline\b`)
	inside      = lazy.Regexp(`\b(?:in|of|from|under|inside|within|defined|declared|contains?|are there|in der|im|von|does \S+ (?:define|declare|export|have))\b`)
	folderWord  = lazy.Regexp(`(?i)\b(?:the|in|im|of|ordner|folder|directory|verzeichnis)\s+["` + "`" + `]?([\w.-]+)["` + "`" + `]?\s+(?:folder|directory|dir|ordner|verzeichnis)\b|\b(?:folder|directory|ordner|verzeichnis)\s+["` + "`" + `]?([\w.-]+)`)
	contents    = lazy.Regexp(`^(?:so |and |ok |please )*(?:what(?:'s|s| is| do we have| have we got| lives| lies)|show (?:me )?(?:everything|all)|list|was (?:ist|liegt|steht))\b.* (?:in|inside|under|within|unter)\b`)
	inFolder    = lazy.Regexp("(?i)\\b(?:in|inside|under|below|within|of|unter|from)\\s+[\"'`]?(\\.?[\\w-]+)[\"'`]?(?:[?!.,]|\\s+(?:and|recursively|auf|an|please|for|bitte|rekursiv)\\b|\\s*$)")
	noFolder    = lazy.Regexp(`(?i)^(?:im|in|alle|this|current|root|project|repo|repository|the|structure|that|and|tree|is|are|workspace|working|it|there|here|detail|details|order|total|general|our|my|your|a|an|all|us|me|them|one|which|python|java|go|rust|english|german|use|question|ist|for|named|called|like|with|to|contents?|progress|short|mind|practice|theory|life|production|unserem|diesem|dem|der|des|projekt|liegen|sind)$`)
	recursive   = lazy.Regexp(`\b(?:recursive\w*|all files|tree|structure|everything|alle dateien|rekursiv)\b`)
)

// list lists a folder, or the definitions of a file.
func list(a ask) (Decision, bool) {
	if a.matches(howTo()) {
		return Decision{}, false
	}
	if a.matches(definitions()) && a.matches(inside()) && len(a.paths) > 0 && a.can("list_code_definition_names") && !a.matches(changes()) {
		return use("list_code_definition_names", map[string]any{"path": a.paths[0]}, "the ask is about the definitions of a file")
	}
	where, named := a.folder()
	if !a.matches(lists()) && (!named || !a.matches(contents())) || a.matches(holding()) || !a.can("list_files") {
		return Decision{}, false
	}
	params := map[string]any{"path": where}
	if a.matches(recursive()) {
		params["recursive"] = true
	}
	return use("list_files", params, "the ask is to see what is in a folder")
}

// folder is the folder that an ask names, with or without a word that says it
// is one; "." and false if it names none.
func (a ask) folder() (where string, named bool) {
	if len(a.paths) > 0 {
		return a.paths[0], strings.HasSuffix(a.paths[0], "/")
	}
	for _, re := range []*regexp.Regexp{folderWord(), inFolder()} {
		for _, m := range re.FindAllStringSubmatch(a.text, -1) {
			if name := strings.Join(m[1:], ""); !noFolder().MatchString(name) {
				return strings.TrimRight(name, "."), true
			}
		}
	}
	return ".", false
}

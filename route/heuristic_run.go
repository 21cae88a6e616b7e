package route

import (
	"slices"
	"strings"

	"inlay/internal/lazy"
)

// programs that people name when they mean a command.
const programs = `npm|npx|yarn|pnpm|node|go|make|cmake|ninja|git|gh|python3?|pip3?|pipx|poetry|uv|tox|nox|pytest|cargo|rustc|rustup|docker|docker-compose|podman|kubectl|helm|minikube|terraform|ansible|ansible-playbook|vagrant|mvn|\./mvnw|gradle|\./gradlew|\./\S+|` +
	`ls|cat|grep|rg|find|curl|wget|bash|sh|zsh|php|composer|artisan|bundle|rake|rails|ruby|gem|dotnet|java|javac|sbt|mix|elixir|swift|flutter|dart|tsc|eslint|prettier|jest|vitest|vite|playwright|cypress|deno|bun|golangci-lint|gofmt|ruff|mypy|black|flake8|isort|psql|mysql|sqlite3|redis-cli|aws|gcloud|az|heroku|vercel|brew|apt|apt-get|systemctl|journalctl|ssh|scp|rsync|tar|zip|unzip|` +
	`df|du|ps|top|uname|echo|pwd|which|chmod|chown|mkdir|touch|rm|cp|mv|head|tail|wc|sed|awk|sort|tree|env|kill|lsof|netstat|ping|whoami|hostname|date`

var (
	runVerb   = lazy.Regexp(`^(?:re-?run|run|execute|re-?start|start|launch|invoke|install|build|compile|deploy|kick off|fire up|spin up|bring up|boot|trigger|führe?|starte?|baue?|installiere?)\b|^mach\w* (?:mal )?(?:einen?|den|das|die) (?:build|deployment|release|test\w*)\b|\b(?:laufen lassen|ausführen|starten|bauen|installieren|neu ?starten)\W*$`)
	running   = lazy.Regexp(`\b(?:run|execute|kick off|fire up|invoke|try|use|call|do|type|laufen|ausführen|ausführst|lass\w*|führ\w*|starte?\w*)\b|\b(?:with|via|using|mit) _`)
	aside2    = lazy.Regexp(`^(?:run|start|launch|build)\s+(?:me |us )?(?:through|over|down|by|with|from|off|on|a marathon|up)\b`)
	alone     = lazy.Regexp(`^_(?:,?\s+(?:please|pls|for me|now|again|then|instead|first|bitte|nochmal|(?:should|would|will) (?:do|work|help)(?: it)?))*\W*$`)
	strictly  = lazy.Regexp(`^(?:re-?run|run|execute|re-?start|launch|trigger|führe?|starte|laufen lassen|ausführen|starten|neu ?starten)\W*$`)
	runsQuote = lazy.Regexp(`^(?:re-?run|run|execute|führe?|starte?) (?:the command |mal |bitte )*_`)
	remarks   = lazy.Regexp(`^(?:explain|describe|document|compare|translate|write|draft|mention|erklär\w*|the|my|our|i|ran|used|tried|did)\b|\b(?:` + changeVerbs + `)\b`)
	bareRun   = lazy.Regexp(`^(?:start|launch|boot)(?: up)? (?:the|my|our|it|that|this|all)(?: [\w-]+){0,2}\W*$|^(?:install|deploy|installiere?)(?: [\w@/.-]+){0,2}\W*$`)
	whole     = lazy.Regexp(`\b(?:the|my|our|this|that|these|those|it|them|all|both|die|das|den|dem|es|alle|unser\w*)\b`)
	tasks     = lazy.Regexp(`\b(?:tests?|test suite|linter|lint|build|server|migrations?|script|project|app|application|benchmarks?|formatter|containers?|image|docs|binary|dependencies|deps|packages|unit-?tests?|type ?check\w*|it|staging|production|environment|stack|services|cluster|emulator|projekt|anwendung|testsuite|skripte?|migrationen|abhängigkeiten)\b`)
	program   = lazy.Regexp(`^(?:[A-Z_]+=\S+ |sudo |time )*(?:` + programs + `)(?:\s|$)`)
	inText    = lazy.Regexp(`(?i)^(?:.*?\b(?:run|execute|use|try|do|führe|starte|start)\s+(?:a |the |bitte |mal )?)((?:npm|npx|yarn|pnpm|go|make|git|python3?|pip3?|poetry|uv|pytest|cargo|docker|kubectl|helm|terraform|mvn|gradle|dotnet|tsc|eslint|jest|vitest|ruff|mypy|golangci-lint|bundle|rake|curl|ls|df|du|\./\S+|(?:[\w.-]+/)+[\w.-]+\.(?:sh|bash|py|js|rb|pl|ps1|bat|ts))(?:\s|$|\b)[^,.;?!\n]*(?:\.[\w/.][^,;?!\n]*)*)`)
	tail      = lazy.Regexp(`(?i)\s+(?:and (?:tell|show|fix|then|report|see|check|let|give|paste|send|commit|post)|then |in the (?:root|terminal|shell|background)|please|pls|for me|to (?:see|check|make|verify|find|get|update|start|build|install)|aus|und (?:zeige?|sag)|again|now|once more|so (?:i|we|that)|first).*$`)
)

// run proposes a command that the ask names. An ask to run something that it
// does not name gets a command without one, so that the host asks for it.
func run(a ask) (Decision, bool) {
	if !a.can("execute_command") || a.says(howTo) {
		return Decision{}, false
	}
	starts := a.says(runVerb) && !a.says(aside2)
	if command := a.command(starts); command != "" {
		return use("execute_command", map[string]any{"command": command}, "the ask names a command to run")
	}
	verb := runVerb().FindString(a.words)
	strict := strictly().MatchString(verb)
	if i := slices.IndexFunc(a.around, program().MatchString); starts && strict && i >= 0 {
		return use("execute_command", map[string]any{"command": a.around[i]}, "the ask names a command to run")
	}
	if starts && (a.says(tasks) || a.says(bareRun) || strict && a.says(whole)) {
		return use("execute_command", map[string]any{}, "the ask is to run something and does not say how")
	}
	return Decision{}, false
}

// command is the command that an ask names: all of it, a quote, or what follows
// the verb.
func (a ask) command(starts bool) string {
	if a.says(alone) && len(a.quoted) > 0 && program().MatchString(a.quoted[0]) {
		return a.quoted[0]
	}
	bare := strings.Trim(strings.TrimSpace(a.text), "`$ ")
	if !strings.Contains(bare, "`") && program().MatchString(bare) && !strings.HasSuffix(bare, "?") && looksTyped(bare) {
		return bare
	}
	if a.asks() || !starts && !a.says(running) && a.says(remarks) {
		return ""
	}
	for _, q := range a.quoted {
		if program().MatchString(q) && (starts || a.says(running) || strings.Contains(q, " ")) || a.says(runsQuote) {
			return q
		}
	}
	if !starts && !a.says(running) {
		return ""
	}
	if m := inText().FindStringSubmatch(a.text); m != nil {
		if command := trimTail(m[1]); looksTyped(command) {
			return command
		}
	}
	return ""
}

// Programs whose names begin sentences are typed with what no sentence has.
var (
	wordy = lazy.Regexp(`^(?:sort|which|head|tail|touch|tree|top|time|kill|date|split|cut|node|java|black|sh|echo|env)\b`)
	typed = lazy.Regexp(`^\S+(?: (?:\S*[./=$*"'-]\S*)(?: .*)?)?$`)
	seeks = lazy.Regexp(`^find(?: [./~$*-].*| \w[\w/]* -.*)?$`)
	goes  = lazy.Regexp(`^go(?: (?:build|test|run|mod|vet|fmt|get|install|generate|env|work|tool|version|list|clean|doc|fix)\b.*)?$`)
	makes = lazy.Regexp(`^make(?: (?:\S+|\S*[-=.]\S*|\S+ \S+))?$`)
)

// looksTyped tells commands from sentences that begin with a program's name.
func looksTyped(s string) bool {
	words := strings.Fields(s)
	if wordy().MatchString(s) && !typed().MatchString(s) || strings.HasPrefix(s, "find") && !seeks().MatchString(s) || strings.HasPrefix(s, "go ") && !goes().MatchString(s) || strings.HasPrefix(s, "make ") && !makes().MatchString(s) {
		return false
	}
	for _, w := range words[min(1, len(words)):] {
		switch strings.ToLower(strings.TrimRight(w, ".,!")) {
		case "the", "for", "a", "an", "is", "are", "to", "through", "over", "sure", "that", "this", "how", "why", "me", "it", "ahead", "where", "which", "every", "out", "our", "my", "your", "please", "pls", "instead", "and":
			return false
		}
	}
	return len(words) > 0 && len(words) <= 14
}

func trimTail(s string) string {
	return strings.Trim(strings.TrimSpace(tail().ReplaceAllString(s, "")), "`\"")
}

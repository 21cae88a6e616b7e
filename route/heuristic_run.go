package route

import (
	"slices"
	"strings"

	"inlay/internal/lazy"
)

var (
	runVerb   = phrases("runVerb")
	running   = phrases("running")
	aside2    = phrases("aside2")
	alone     = phrases("alone")
	strictly  = lazy.Regexp(`^(?:re-?run|run|execute|re-?start|launch|trigger|kick off|führe?|starte|laufen lassen|ausführen|starten|neu ?starten)\W*$`)
	runsQuote = phrases("runsQuote")
	remarks   = phrases("remarks")
	nounFails = phrases("noun fails") // "build fails" begins with a noun
	bareRun   = phrases("bareRun")
	tasks     = phrases("tasks")
	doesThat  = phrases("does that")
	program   = pattern(`^(?:[A-Z_]+=\S+ |sudo |time )*(?:<programs>)(?:\s|$)`)
)

// run proposes a command that the ask names, or says in words. An ask to run
// something without naming a command goes to the model, which finds it in the
// workspace.
func run(a ask) (Decision, bool) {
	if !a.can("execute_command") || a.says(howTo) {
		return Decision{}, false
	}
	starts := a.says(runVerb) && !a.says(aside2)
	if command := a.command(starts); command != "" {
		return use("execute_command", map[string]any{"command": command}, "the ask names a command to run")
	}
	if command := a.spokenCommand(); command != "" {
		return use("execute_command", map[string]any{"command": command}, "the ask is for a command in words")
	}
	verb := runVerb.in(a.lang).FindString(a.words)
	strict := strictly().MatchString(verb)
	if i := slices.IndexFunc(a.around, program().MatchString); starts && strict && i >= 0 {
		return use("execute_command", map[string]any{"command": a.around[i]}, "the ask names a command to run")
	}
	if starts && strict && (len(a.paths) == 0 || program().MatchString(strings.TrimSpace(a.words[len(verb):]))) {
		return writes("the ask is to run something; which command that takes must be found in the workspace"), true
	}
	if a.says(runChecks) && len(a.paths) == 0 || starts && !a.says(nounFails) && (a.says(tasks) || a.says(bareRun)) {
		return writes("the ask is to run something; which command that takes must be found in the workspace"), true
	}
	return Decision{}, false
}

// leadWords is the most words before a colon and a command.
const leadWords = 6

// command is the command that an ask names: all of it, a quote, or what follows
// the verb.
func (a ask) command(starts bool) string {
	if a.says(alone) && len(a.quoted) > 0 && program().MatchString(a.quoted[0]) {
		return a.quoted[0]
	}
	if line := typedLine(a.text); line != "" {
		return line
	}
	if a.asks() && !a.says(outputOf) || !starts && !a.says(running) && !a.says(outputOf) && a.says(remarks) {
		return ""
	}
	if before, line, ok := strings.Cut(a.text, ": "); ok && (starts || strings.Contains(line, " -")) && len(strings.Fields(before)) <= leadWords && typedLine(line) != "" {
		return typedLine(line)
	}
	if starts || a.says(running) || a.says(outputOf) {
		for _, at := range commands(a.text) {
			return a.text[at[0]:at[1]]
		}
	}
	for _, q := range a.quoted {
		if program().MatchString(q) && (starts || a.says(running) || strings.Contains(q, " ")) || a.says(runsQuote) {
			return q
		}
	}
	return ""
}

// typedIn proposes the command line that the whole ask is, or that it names and
// says to run.
func typedIn(a ask) (Decision, bool) {
	command := typedLine(a.text)
	if command == "" && a.says(doesThat) {
		if at := commands(a.text); len(at) == 1 {
			command = a.text[at[0][0]:at[0][1]]
		}
	}
	if command == "" || !a.can("execute_command") {
		return Decision{}, false
	}
	return use("execute_command", map[string]any{"command": command}, "the ask is a command line")
}

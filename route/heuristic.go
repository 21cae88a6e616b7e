package route

import "context"

// Heuristic decides by the words of the ask, without a model: a tool to read,
// edit, search, run or inspect, or to go on from the last tool result; the
// large model for what is conceptual, a synthesis or a summary of what is at
// hand, and, with its tools, wherever no rule is sure. It speaks English, German
// and French (words).
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
	whole := readGranted(in)
	if len(in.Done) > 0 {
		return whole.proceed(), Usage{}, nil
	}
	for _, rule := range []rule{typedIn, goOn, attached, atHand, aside, seek} {
		if d, ok := rule(whole); ok {
			return d, Usage{}, nil
		}
	}
	for _, clause := range clauses(whole.text) {
		if d, ok := first(whole.part(clause)); ok {
			return d, Usage{}, nil
		}
	}
	for _, rule := range []rule{find, report} {
		if d, ok := rule(whole); ok && len(whole.paths) == 0 {
			return d, Usage{}, nil
		}
	}
	return whole.rest(), Usage{}, nil
}

// readGranted reads an ask without what it forbids. A file that must not be
// changed may still be what it is about: "do not touch a.go, just explain it".
func readGranted(in Input) ask {
	text := ends(in.Ask)
	l := languageIn(text)
	a := readAsk(in, granted(text), l)
	if len(a.paths) > 0 || !a.says(itself) || readsNot().MatchString(text) {
		return a
	}
	if all := readAsk(in, text, l); len(all.paths) > 0 {
		return readAsk(in, a.text+" "+all.paths[0], l)
	}
	return a
}

// part is a clause of an ask.
func (a ask) part(clause string) ask {
	if clause == a.text {
		a.around = a.quoted
		return a
	}
	p := readAsk(a.Input, clause, a.lang)
	p.around = a.quoted
	p.ofOurs = a.own()
	return p
}

// first is what a clause asks for by the first rule that knows.
func first(a ask) (Decision, bool) {
	for _, rule := range []rule{run, write, list, grep, broad, edit, read, find, search, goOnTo} {
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
	end := because(AtHand, big("what the ask takes was done, and the results are at hand"))
	for _, clause := range clauses(a.text) {
		step := a.part(clause)
		d, ok := first(step)
		switch {
		case ok && d.Tool != nil && !again(a.Done, *d.Tool):
			return d
		case ok && d.Big != nil && d.Big.NeedsTools, step.orders():
			end.Code, end.Big.NeedsTools = Work, true
		}
	}
	return end
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
	return Decision{Decision: ToTool, Tool: &Call{tool, params}, Reasoning: why, Code: ByTool}, true
}

func big(why string) Decision {
	return Decision{Decision: ToBig, Big: &Big{Notes: why}, Reasoning: why, Code: Conceptual}
}

// because is a decision with its code.
func because(c Code, d Decision) Decision {
	d.Code = c
	return d
}

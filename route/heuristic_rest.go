package route

import (
	"slices"
	"strings"
)

var (
	concepts  = phrases("concepts")
	small     = phrases("small talk")
	fromFiles = phrases("attached")
	outside   = phrases("outside")
	searches  = phrases("searches")
	related   = phrases("related")
	// codePlaces are what only searches of a workspace are for.
	codePlaces = phrases("code places")
	household  = phrases("household")
	filing     = phrases("filing") // orders about whole files
	worldly    = phrases("worldly")
	whereIs    = phrases("where is")
)

// rest is the decision where no rule proposes a tool: condensed where the ask is
// one of knowledge, writing or talk, or about what is at hand; else with all
// tools, since no rule is sure.
func (a ask) rest() Decision {
	switch {
	case a.conceptual():
		return big("the ask is conceptual or can be answered from what is at hand")
	case a.speaksOfLast() || a.Context != "" && a.says(back) && a.says(sums):
		return because(AtHand, big("what it asks about is at hand"))
	}
	return because(Unsure, writes("no rule is sure what the ask takes"))
}

// conceptual reports whether an ask is one of knowledge, writing or talk that
// names nothing of the workspace.
func (a ask) conceptual() bool {
	if len(a.paths)+len(a.symbols) > 0 || a.own() || a.says(changes) && a.says(definite) && a.says(coded) {
		return false
	}
	return a.says(general) || a.says(small) || a.says(concepts) && !a.ours() || a.says(authors) && !a.says(makings) || a.says(howTo) || a.says(prosaic)
}

// attached answers from files that came with the message, which need no tool.
// Where the ask names nothing of the workspace beside them, it may be about them.
func attached(a ask) (Decision, bool) {
	if len(a.Files) == 0 {
		return Decision{}, false
	}
	switch {
	case len(a.paths) > 0:
		return Decision{}, false
	case len(a.given) > 0, a.says(fromFiles), a.mentions():
		return because(Attached, big("what it asks about is attached")), true
	case a.own(), len(a.symbols) > 0, a.says(runVerb), typedLine(a.text) != "":
		return Decision{}, false
	}
	return because(Unsure, writes("the ask may be about what is attached")), true
}

// mentions reports whether an ask names an attached file by its name, or by its
// name without the extension.
func (a ask) mentions() bool {
	return slices.ContainsFunc(a.Files, func(f string) bool {
		base := strings.ToLower(f[strings.LastIndexByte(f, '/')+1:])
		stem, _, _ := strings.Cut(base, ".")
		return base != "" && strings.Contains(a.low, base) || len(stem) > 4 && names(a.low, stem)
	})
}

// search takes an order to search for a search of the workspace, unless it is
// one of the world outside.
func search(a ask) (Decision, bool) {
	if !a.says(searches) || a.says(outside) || a.general() || a.says(back) && a.Last != nil {
		return Decision{}, false
	}
	if a.elsewhere() && !a.says(codePlaces) || !a.named() && !a.says(theCode) && !a.ours() && len(a.paths)+len(a.symbols)+len(a.quoted) == 0 && !a.says(codePlaces) {
		return Decision{}, false
	}
	return a.locate("the ask is to search")
}

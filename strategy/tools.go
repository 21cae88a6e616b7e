package strategy

import (
	"slices"
	"strings"

	"inlay/strategy/condition"
)

// ToolRules says which tools a request may use: plugin pattern to function
// pattern to allowed (STR-10). In patterns "*" is any text and "?" any one
// character. Rules never change global settings, and asking the user for
// consent stays with the caller.
type ToolRules map[string]map[string]bool

// Decision is what tool rules say of one tool.
type Decision struct {
	Allowed bool
	Known   bool   // a rule spoke; else the caller's own default holds
	Plugin  string // the patterns of the rule
	Func    string
}

// Decide asks the layers, from the weakest (the default) over the strategy's to
// the strongest (the chat's). The last layer that has a matching rule decides.
// Within a layer the rule with the more specific plugin pattern wins, then the
// more specific function pattern; of two that are equally specific, the one that
// denies. Plugin and function names are compared without regard to case.
func Decide(plugin, function string, layers ...ToolRules) Decision {
	for _, layer := range slices.Backward(layers) {
		if d := layer.decide(plugin, function); d.Known {
			return d
		}
	}
	return Decision{}
}

func (r ToolRules) decide(plugin, function string) Decision {
	best := Decision{}
	for _, p := range sortedKeys(r) {
		if !condition.Glob(strings.ToLower(p), strings.ToLower(plugin)) {
			continue
		}
		for _, f := range sortedKeys(r[p]) {
			d := Decision{Allowed: r[p][f], Known: true, Plugin: p, Func: f}
			if condition.Glob(strings.ToLower(f), strings.ToLower(function)) && d.beats(best) {
				best = d
			}
		}
	}
	return best
}

func (d Decision) beats(e Decision) bool {
	if !e.Known {
		return true
	}
	if a, b := specificity(d.Plugin), specificity(e.Plugin); a != b {
		return a > b
	}
	if a, b := specificity(d.Func), specificity(e.Func); a != b {
		return a > b
	}
	return e.Allowed && !d.Allowed
}

// specificity orders patterns: one without wildcards beats all others, then the
// one with more fixed characters, then the one with fewer stars.
func specificity(pattern string) int {
	stars := strings.Count(pattern, "*")
	fixed := len(pattern) - stars - strings.Count(pattern, "?")
	if fixed == len(pattern) {
		return 1 << 30
	}
	return fixed<<10 - min(stars, 1<<10-1)
}

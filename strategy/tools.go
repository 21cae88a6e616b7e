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
	return r.best([]reading{{strings.ToLower(plugin), strings.ToLower(function)}}, strings.ToLower)
}

// Allowed asks the layers as [Decide] does about a tool by the one name that
// clients send: "rm", "fs.rm", "fs__rm", "fs-rm", "mcp__fs__rm".
//
// Where the plugin ends in such a name is not known, so every reading is tried:
// a dot, a hyphen or two underscores may part plugin from function, with or
// without "mcp" before them; the whole name may be a function of no plugin,
// which only the plugin pattern "*" matches, or a plugin with all its functions.
// Of all rules that match any reading the most specific one wins, and of two
// that are equally specific the one that denies. Case does not count, and
// neither does which separators are used, since clients replace those that their
// protocol does not allow: the rule "builtin.file_system" finds
// "builtin-file_system-read". A name longer than 256 bytes, which no protocol
// allows, is denied.
func Allowed(name string, layers ...ToolRules) Decision {
	if len(name) > maxToolName {
		return Decision{Known: true}
	}
	readings := readingsOf(name)
	for _, layer := range slices.Backward(layers) {
		if d := layer.best(readings, fold); d.Known {
			return d
		}
	}
	return Decision{}
}

// maxToolName bounds how many readings a name can have.
const maxToolName = 256

// reading is a tool's name taken apart, in the form that patterns are compared in.
type reading struct{ plugin, function string }

// readingsOf lists what a flat name may mean.
func readingsOf(name string) []reading {
	list := []reading{{"", fold(name)}, {fold(name), ""}}
	for _, at := range joints(name) {
		left, right := fold(name[:at[0]]), name[at[1]:]
		list = append(list, reading{left, fold(right)})
		if left != "mcp" {
			continue
		}
		for _, at := range joints(right) {
			list = append(list, reading{fold(right[:at[0]]), fold(right[at[1]:])})
		}
	}
	return list
}

// joints finds where a name may be parted: each run of separators but a single
// underscore, which is part of a word.
func joints(name string) (runs [][2]int) {
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && separator(rune(name[end])) {
			end++
		}
		if end > i && name[i:end] != "_" {
			runs = append(runs, [2]int{i, end})
		}
		i = max(end, i+1)
	}
	return runs
}

func separator(r rune) bool { return r == '.' || r == '-' || r == '_' }

// fold writes a name or a pattern in lower case, with one dot for each run of
// separators.
func fold(s string) string {
	var b strings.Builder
	joint := false
	for _, r := range strings.ToLower(s) {
		if separator(r) {
			joint = true
			continue
		}
		if joint {
			b.WriteByte('.')
			joint = false
		}
		b.WriteRune(r)
	}
	if joint {
		b.WriteByte('.')
	}
	return b.String()
}

// best is the most specific rule that matches any of the readings; form brings
// patterns to the form of the readings.
func (r ToolRules) best(readings []reading, form func(string) string) Decision {
	best := Decision{}
	for _, p := range sortedKeys(r) {
		for _, f := range sortedKeys(r[p]) {
			d := Decision{Allowed: r[p][f], Known: true, Plugin: p, Func: f}
			plugin, function := form(p), form(f)
			matches := func(one reading) bool {
				return condition.Glob(plugin, one.plugin) && condition.Glob(function, one.function)
			}
			if slices.ContainsFunc(readings, matches) && d.beats(best) {
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

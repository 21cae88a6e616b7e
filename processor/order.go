package processor

import (
	"fmt"
	"slices"
	"strings"

	"inlay/strategy/source"
)

// declared is one entry of a family's list.
type declared struct {
	name    string
	after   string // directly behind this one
	replace string // in the place of this one
	options source.Node
	given   bool // options are there
	at      source.Place
}

// plan is what a configuration says about one family.
type plan struct {
	entries []declared
	empty   bool     // the defaults are dropped
	drop    []string // single defaults that are dropped
}

// mistake is what is wrong with an order, and where.
type mistake struct {
	at      source.Place
	reason  string
	unknown string // the name that is not known, if that is it
}

func wrong(d declared, format string, args ...any) *mistake {
	return &mistake{at: d.at, reason: fmt.Sprintf(format, args...)}
}

// order puts a family's processors in their order:
//
//   - The defaults are in their own order, but for those that are dropped.
//   - Entries that are only a name are in the order of the list: defaults
//     among them change places with one another where the list has them in
//     another order, and any other comes directly behind the entry before it,
//     or at the front.
//   - {name, after} comes directly behind the other, behind what the list put
//     there before.
//   - {name, replace} takes the place of a default.
func order(known, defaults []string, p plan) ([]declared, *mistake) {
	if m := checkNames(known, defaults, p); m != nil {
		return nil, m
	}
	chain := slices.DeleteFunc(slices.Clone(defaults), func(name string) bool { return p.empty || slices.Contains(p.drop, name) })
	entries := map[string]declared{}
	for _, d := range p.entries {
		entries[d.name] = d
		if i := slices.Index(chain, d.replace); d.replace != "" && i >= 0 {
			if j := slices.Index(chain, d.name); j >= 0 {
				chain = slices.Delete(chain, j, j+1)
				i = slices.Index(chain, d.replace)
			}
			chain[i] = d.name
		}
	}
	chain = slices.DeleteFunc(chain, func(name string) bool { return entries[name].after != "" })
	chain = positions(chain, p.entries)
	chain, m := attach(chain, p.entries)
	if m != nil {
		return nil, m
	}
	out := make([]declared, len(chain))
	for i, name := range chain {
		out[i] = entries[name]
		out[i].name = name
	}
	return out, nil
}

// positions puts the entries that are only a name into the order of the list.
func positions(chain []string, entries []declared) []string {
	var listed []string // those in the chain already, in the order of the list
	for _, d := range entries {
		if d.after == "" && d.replace == "" && slices.Contains(chain, d.name) {
			listed = append(listed, d.name)
		}
	}
	slots := slices.Clone(listed)
	next := 0
	for i, name := range chain {
		if slices.Contains(slots, name) {
			chain[i] = listed[next]
			next++
		}
	}
	previous := ""
	for _, d := range entries {
		if d.after != "" {
			continue
		}
		if !slices.Contains(chain, d.name) {
			chain = slices.Insert(chain, slices.Index(chain, previous)+1, d.name)
		}
		previous = d.name
	}
	return chain
}

// attach puts what has an after behind it. What cannot be put anywhere hangs on
// itself.
func attach(chain []string, entries []declared) ([]string, *mistake) {
	var waiting []declared
	for _, d := range entries {
		if d.after != "" {
			waiting = append(waiting, d)
		}
	}
	last := map[string]string{} // the newest that was put behind a name
	for len(waiting) > 0 {
		var still []declared
		for _, d := range waiting {
			if !slices.Contains(chain, d.after) {
				still = append(still, d)
				continue
			}
			behind := d.after
			for last[behind] != "" {
				behind = last[behind]
			}
			last[d.after] = d.name
			chain = slices.Insert(chain, slices.Index(chain, behind)+1, d.name)
		}
		if len(still) == len(waiting) {
			return nil, unattached(still)
		}
		waiting = still
	}
	return chain, nil
}

// unattached tells a cycle from a processor that is not in the chain.
func unattached(waiting []declared) *mistake {
	first := waiting[0]
	path := []string{first.name}
	at := first
	for {
		i := slices.IndexFunc(waiting, func(d declared) bool { return d.name == at.after })
		if i < 0 {
			return wrong(at, "%s comes after %s, which is not in the chain", at.name, at.after)
		}
		at = waiting[i]
		path = append(path, at.name)
		if slices.Index(path, at.name) < len(path)-1 {
			return wrong(first, "the order goes in a circle: %s", strings.Join(path[slices.Index(path, at.name):], " after "))
		}
	}
}

func checkNames(known, defaults []string, p plan) *mistake {
	seen := map[string]bool{}
	replaced := map[string]bool{}
	for _, d := range p.entries {
		for _, name := range []string{d.name, d.after, d.replace} {
			if name != "" && !slices.Contains(known, name) {
				m := wrong(d, "there is no processor %s here", name)
				m.unknown = name
				return m
			}
		}
		switch {
		case seen[d.name]:
			return wrong(d, "%s is given twice", d.name)
		case d.after != "" && d.replace != "":
			return wrong(d, "%s has both after and replace", d.name)
		case d.replace != "" && (!slices.Contains(defaults, d.replace) || p.empty || slices.Contains(p.drop, d.replace)):
			return wrong(d, "%s replaces %s, which is not in the default chain", d.name, d.replace)
		case d.replace != "" && replaced[d.replace]:
			return wrong(d, "%s is replaced twice", d.replace)
		}
		seen[d.name] = true
		replaced[d.replace] = true
	}
	for _, d := range p.entries {
		if replaced[d.name] && d.replace != d.name {
			return wrong(d, "%s is replaced and is in the list", d.name)
		}
	}
	return nil
}

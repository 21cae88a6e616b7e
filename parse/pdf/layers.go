package pdf

import (
	"regexp"

	lib "github.com/ledongthuc/pdf"
)

// layers are the optional content groups of a document that are not shown, by
// their references.
type layers map[string]bool

// maxLayers bounds the groups that are looked at.
const maxLayers = 10_000

// readLayers reads which groups a viewer shows at first (PDF 32000-1, 8.11.4).
func readLayers(r *lib.Reader) layers {
	off := layers{}
	_ = guard(func() error { // damaged, everything is shown
		all := r.Trailer().Key("Root").Key("OCProperties")
		config := all.Key("D")
		if config.Key("BaseState").Name() == "OFF" {
			for _, group := range referencesIn(all.Key("OCGs").String()) {
				off[group] = true
			}
			for _, group := range referencesIn(config.Key("ON").String()) {
				delete(off, group)
			}
		}
		for _, group := range referencesIn(config.Key("OFF").String()) {
			off[group] = true
		}
		return nil
	})
	return off
}

// referencesIn lists the references in how a value is written.
func referencesIn(written string) []string {
	return regexp.MustCompile(`\d+ \d+ R\b`).FindAllString(written, maxLayers)
}

// hide reports whether what belongs to a group, or to a membership of groups, is
// not shown. written is how the file refers to it, v what it is.
func (l layers) hide(written string, v lib.Value) bool {
	if len(l) == 0 || written == "" {
		return false
	}
	if v.Key("Type").Name() != "OCMD" {
		return l[written]
	}
	groups := referencesIn(entryKeys(v)["OCGs"])
	off := 0
	for _, g := range groups {
		if l[g] {
			off++
		}
	}
	switch v.Key("P").Name() {
	case "AllOn":
		return off > 0
	case "AnyOff":
		return off == 0
	case "AllOff":
		return off < len(groups)
	}
	return len(groups) > 0 && off == len(groups)
}

// marked is what marked content is.
type marked struct {
	text     string // what it stands for
	replaces bool   // it stands for that
	hides    bool   // it is not shown
}

// property reads the properties that marked content calls by name.
func (d *document) property(r *resources, name string) marked {
	if m, ok := r.marked[name]; ok {
		return m
	}
	d.charge(64)
	var m marked
	err := guard(func() error {
		v := r.dict.Key("Properties").Key(name)
		if actual := v.Key("ActualText"); actual.Kind() == lib.String {
			m.text, m.replaces = textString([]byte(actual.RawString())), true
		}
		m.hides = d.off.hide(r.keys("Properties")[name], v)
		return nil
	})
	if ends(err) {
		panic(err)
	}
	if r.marked == nil {
		r.marked = map[string]marked{}
	}
	r.marked[name] = m
	return m
}

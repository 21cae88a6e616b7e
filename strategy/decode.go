package strategy

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"inlay/strategy/condition"
	"inlay/strategy/render"
	"inlay/strategy/source"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// valid reports whether a file is UTF-8 text.
func valid(data []byte, p *source.Problems) bool {
	if !utf8.Valid(data) {
		p.Error(source.Place{Line: 1, Column: 1}, source.InvalidYAML, "", "The file is not UTF-8 text.")
		return false
	}
	return true
}

// decoder reads the fields of front matter into a strategy.
type decoder struct {
	*source.Problems
	s *Strategy
}

// fields are what front matter may hold, and how each is read.
func fields() map[string]func(decoder, source.Node) {
	return map[string]func(decoder, source.Node){
		"schema":        decoder.schema,
		"id":            func(d decoder, n source.Node) { d.text(n, "id", new(string)) },
		"from":          func(decoder, source.Node) {}, // read before the fields that replace its own
		"enabled":       decoder.enabled,
		"name":          func(d decoder, n source.Node) { d.text(n, "name", &d.s.Name) },
		"description":   func(d decoder, n source.Node) { d.text(n, "description", &d.s.Description) },
		"icon":          func(d decoder, n source.Node) { d.text(n, "icon", &d.s.Icon) },
		"priority":      decoder.priority,
		"when":          decoder.when,
		"tools":         decoder.tools,
		"preprocessors": decoder.preprocessors,
		"systemPrompt":  decoder.systemPrompt,
		"options":       decoder.options,
		"metadata":      decoder.metadata,
	}
}

// decodeFields reads every field that is there into s and leaves the others.
func decodeFields(s *Strategy, n source.Node, p *source.Problems) {
	known := fields()
	d := decoder{Problems: p, s: s}
	for _, f := range n.Fields {
		decode, ok := known[f.Name]
		if !ok {
			p.Error(f.At, source.InvalidField, f.Name, "There is no field %q; fields of your own go under metadata.", f.Name)
			continue
		}
		decode(d, f.Value)
	}
}

// wrong reports a value of the wrong kind.
func (d decoder) wrong(n source.Node, path, want string) {
	d.Error(n.At, source.InvalidField, path, "This must be %s, not %s.", want, n.Kind)
}

func (d decoder) text(n source.Node, path string, into *string) {
	if n.Kind != source.String {
		d.wrong(n, path, "text")
		return
	}
	*into = n.Text
}

func (d decoder) schema(n source.Node) {
	if n.Kind != source.String || n.Text != Schema {
		d.Error(n.At, source.InvalidField, "schema", "The only schema known is %s.", Schema)
	}
}

func (d decoder) enabled(n source.Node) {
	if n.Kind != source.Bool {
		d.wrong(n, "enabled", "true or false")
	}
	d.s.Enabled = n.Bool
}

func (d decoder) priority(n source.Node) {
	if n.Kind != source.Number || !n.Whole {
		d.wrong(n, "priority", "a whole number")
	}
	d.s.Priority = int(n.Int)
}

func (d decoder) when(n source.Node) {
	d.s.When, _ = condition.Compile(n, d.Problems)
}

func (d decoder) systemPrompt(n source.Node) {
	if n.Kind == source.Null {
		d.s.SystemPrompt = nil
		return
	}
	var text string
	d.text(n, "systemPrompt", &text)
	d.s.SystemPrompt = &text
	checkTemplate(text, "systemPrompt", n.At, d.Problems)
}

// checkTemplate reports a malformed placeholder. start is where text begins in
// its file, or where its field does.
func checkTemplate(text, path string, start source.Place, p *source.Problems) {
	if _, err := render.Parse(text); err != nil {
		p.Error(start, source.InvalidField, path, "A placeholder is malformed: %v.", err)
	}
}

func (d decoder) metadata(n source.Node) {
	if n.Kind != source.Object {
		d.wrong(n, "metadata", "a mapping")
		return
	}
	d.s.Metadata, _ = n.Value().(map[string]any)
}

func (d decoder) preprocessors(n source.Node) {
	if n.Kind != source.List {
		d.wrong(n, "preprocessors", "a list of ids")
		return
	}
	d.s.Preprocessors = nil
	for _, item := range n.Items {
		switch {
		case item.Kind != source.String || item.Text == "":
			d.wrong(item, "preprocessors", "an id")
		case contains(d.s.Preprocessors, item.Text):
			d.Error(item.At, source.InvalidField, "preprocessors", "%q is given twice.", item.Text)
		default:
			d.s.Preprocessors = append(d.s.Preprocessors, item.Text)
		}
	}
}

// tools reads both forms: plugin to function to bool, and flat plugin.function
// to bool.
func (d decoder) tools(n source.Node) {
	if n.Kind != source.Object {
		d.wrong(n, "tools", "a mapping")
		return
	}
	d.s.Tools = ToolRules{}
	for _, f := range n.Fields {
		path := source.Join("tools", f.Name)
		switch f.Value.Kind {
		case source.Bool:
			plugin, function := flatName(f.Name)
			d.rule(plugin, function, f.Value.Bool)
		case source.Object:
			for _, inner := range f.Value.Fields {
				if inner.Value.Kind != source.Bool {
					d.wrong(inner.Value, source.Join(path, inner.Name), "true or false")
				}
				d.rule(f.Name, inner.Name, inner.Value.Bool)
			}
		default:
			d.wrong(f.Value, path, "true, false or a mapping of functions")
		}
	}
}

func (d decoder) rule(plugin, function string, allowed bool) {
	if d.s.Tools[plugin] == nil {
		d.s.Tools[plugin] = map[string]bool{}
	}
	d.s.Tools[plugin][function] = allowed
}

// flatName parts "builtin.web.search" at its last dot; a name without one is a
// plugin with all its functions.
func flatName(name string) (plugin, function string) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return name, "*"
}

func (d decoder) options(n source.Node) {
	if n.Kind != source.Object {
		d.wrong(n, "options", "a mapping")
		return
	}
	o := &d.s.Options
	into := map[string]*time.Duration{
		"matchingTimeout": &o.Matching, "conditionTimeout": &o.Condition, "regexTimeout": &o.Regex,
		"visualQueryTimeout": &o.Query, "extraTimeout": &o.Extra, "preprocessorTimeout": &o.PreprocessorTimeout,
	}
	for _, f := range n.Fields {
		path := "options." + f.Name
		if target, ok := into[f.Name]; ok {
			d.duration(f.Value, path, target)
			continue
		}
		if f.Name != "preprocessors" || f.Value.Kind != source.Object {
			d.Error(f.At, source.InvalidField, path, "There is no such option, or it is of another kind.")
			continue
		}
		d.settings(f.Value, path)
	}
}

func (d decoder) settings(n source.Node, path string) {
	d.s.Options.Preprocessors = map[string]map[string]any{}
	for _, f := range n.Fields {
		settings, ok := f.Value.Value().(map[string]any)
		if !ok {
			d.wrong(f.Value, source.Join(path, f.Name), "a mapping of settings")
		}
		d.s.Options.Preprocessors[f.Name] = settings
	}
}

// maxDuration bounds every limit a strategy may set.
const maxDuration = 24 * time.Hour

// duration reads "300ms", "2s" or "1.5m".
func (d decoder) duration(n source.Node, path string, into *time.Duration) {
	for _, unit := range []struct {
		suffix string
		length time.Duration
	}{{"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}} {
		digits, ok := strings.CutSuffix(n.Text, unit.suffix)
		if !ok {
			continue
		}
		amount, err := strconv.ParseFloat(digits, 64)
		if err == nil && strings.Trim(digits, "0123456789.") == "" && amount > 0 && amount*float64(unit.length) <= float64(maxDuration) {
			*into = time.Duration(amount * float64(unit.length))
			return
		}
		break
	}
	d.Error(n.At, source.InvalidField, path, "This must be a duration in ms, s or m, up to 24 hours: 300ms.")
}

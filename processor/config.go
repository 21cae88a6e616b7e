package processor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/strategy/source"
)

// Load builds chains from the processors section of a YAML configuration:
//
//	processors:
//	  drop_defaults: [LoopDetectionModifier]     # or true, or a family
//	  message_modifiers:
//	    - CoreSystemPromptModifier
//	    - { name: MyRedactor, after: AtFileProcessorModifier }
//	    - { name: MyMemory, replace: MemoryImportModifier }
//	    - { name: ShellProcessorModifier, options: { allow: ["git status"] } }
//	  tool_modifiers: [ToolValidationModifier]
//	  llm_steps: []
//	  response_modifiers: []
//
// name is the file's, for errors, which are fault.Usage with line and column:
// unknown keys, names and options, names that are twice, circles. Other
// sections of the file are left alone, and without a processors section the
// chains are the registry's defaults.
func Load(name string, data []byte, r Registry) (*Chains, error) {
	l := loader{file: name, registry: r}
	problems := source.Problems{File: name, What: "configuration"}
	root, ok := source.ParseYAML(string(data), 1, &problems)
	if !ok {
		d := problems.List[0]
		return nil, l.bad(source.Place{Line: d.Line, Column: d.Column}, d.Message)
	}
	section, found := root.Field("processors")
	if found && section.Kind == source.Null {
		found = false
	}
	if found && section.Kind != source.Object {
		return nil, l.bad(section.At, "processors is "+section.Kind.String()+", want a mapping of families")
	}
	return l.chains(section)
}

// Defaults are the registry's default chains.
func Defaults(r Registry) (*Chains, error) { return Load("", nil, r) }

type loader struct {
	file     string
	registry Registry
	plans    map[Family]plan
}

func (l *loader) bad(at source.Place, reason string) error {
	return &fault.Error{Code: fault.Usage, Subject: fmt.Sprintf("%s:%d:%d", l.file, at.Line, at.Column), Reason: reason, Next: "see docs/processors.md"}
}

func placeless(_ source.Place, reason string) error {
	return &fault.Error{Code: fault.Usage, Subject: "processors", Reason: reason, Next: "see docs/processors.md"}
}

func families() []Family {
	return []Family{MessageModifiers, ToolModifiers, LLMSteps, ResponseModifiers}
}

// chains reads the section and builds every family.
func (l *loader) chains(section source.Node) (*Chains, error) {
	l.plans = map[Family]plan{}
	var drop source.Node
	for _, f := range section.Fields {
		switch {
		case f.Name == "drop_defaults":
			drop = f.Value
		case slices.Contains(families(), Family(f.Name)):
			entries, err := l.entries(f)
			if err != nil {
				return nil, err
			}
			l.plans[Family(f.Name)] = plan{entries: entries}
		default:
			known := []string{"drop_defaults", string(MessageModifiers), string(ToolModifiers), string(LLMSteps), string(ResponseModifiers)}
			return nil, l.bad(f.At, fmt.Sprintf("unknown key %q; known are %s%s", f.Name, strings.Join(known, ", "), didYouMean(f.Name, known)))
		}
	}
	if err := l.drop(drop); err != nil {
		return nil, err
	}
	return l.build()
}

func (l *loader) entries(f source.Field) ([]declared, error) {
	if f.Value.Kind == source.Null {
		return nil, nil
	}
	if f.Value.Kind != source.List {
		return nil, l.bad(f.Value.At, f.Name+" is "+f.Value.Kind.String()+", want a list")
	}
	var out []declared
	for _, item := range f.Value.Items {
		d, err := l.entry(item)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (l *loader) entry(n source.Node) (declared, error) {
	d := declared{at: n.At}
	if n.Kind == source.String {
		d.name = n.Text
		return d, nil
	}
	if n.Kind != source.Object {
		return d, l.bad(n.At, "an entry is "+n.Kind.String()+", want a name or {name, after}")
	}
	for _, f := range n.Fields {
		to := map[string]*string{"name": &d.name, "after": &d.after, "replace": &d.replace}[f.Name]
		switch {
		case to != nil && f.Value.Kind == source.String && f.Value.Text != "":
			*to = f.Value.Text
		case to != nil:
			return d, l.bad(f.At, f.Name+" is "+f.Value.Kind.String()+", want the name of a processor")
		case f.Name == "options" && f.Value.Kind == source.Object:
			d.options, d.given = f.Value, true
		case f.Name == "options":
			return d, l.bad(f.At, "options is "+f.Value.Kind.String()+", want a mapping, indented below it")
		case l.anywhere(f.Name) != "":
			return d, l.bad(f.At, fmt.Sprintf("an entry with options is written {name: %s, options: {...}}", f.Name))
		default:
			return d, l.bad(f.At, fmt.Sprintf("unknown key %q of an entry; known are name, after, replace and options", f.Name))
		}
	}
	if d.name == "" {
		return d, l.bad(n.At, "an entry has no name")
	}
	return d, nil
}

// drop reads drop_defaults: true, or a list of families and names.
func (l *loader) drop(n source.Node) error {
	switch n.Kind {
	case source.Null:
		return nil
	case source.Bool:
		for _, f := range families() {
			p := l.plans[f]
			p.empty = n.Bool
			l.plans[f] = p
		}
		return nil
	case source.List:
		for _, item := range n.Items {
			if err := l.dropOne(item); err != nil {
				return err
			}
		}
		return nil
	default:
		return l.bad(n.At, "drop_defaults is "+n.Kind.String()+", want true, false or a list of families and names")
	}
}

func (l *loader) dropOne(n source.Node) error {
	if n.Kind == source.String && slices.Contains(families(), Family(n.Text)) {
		p := l.plans[Family(n.Text)]
		p.empty = true
		l.plans[Family(n.Text)] = p
		return nil
	}
	for _, f := range families() {
		if _, defaults := l.names(f); n.Kind == source.String && slices.Contains(defaults, n.Text) {
			p := l.plans[f]
			p.drop = append(p.drop, n.Text)
			if slices.ContainsFunc(p.entries, func(d declared) bool { return d.name == n.Text }) {
				return l.bad(n.At, n.Text+" is dropped and is in the list")
			}
			l.plans[f] = p
			return nil
		}
	}
	known := []string{string(MessageModifiers), string(ToolModifiers), string(LLMSteps), string(ResponseModifiers)}
	for _, f := range families() {
		_, defaults := l.names(f)
		known = append(known, defaults...)
	}
	return l.bad(n.At, fmt.Sprintf("drop_defaults names %q, which is neither a family nor a default processor%s", n.Text, didYouMean(n.Text, known)))
}

// anywhere is the family that has a processor of this name.
func (l *loader) anywhere(name string) Family {
	for _, f := range families() {
		if all, _ := l.names(f); slices.Contains(all, name) {
			return f
		}
	}
	return ""
}

// hint helps with the name of a processor that a family does not have.
func (l *loader) hint(f Family, name string, known []string) string {
	if why := l.registry.Without[f]; why != "" {
		return ": " + why
	}
	if other := l.anywhere(name); other != "" {
		return fmt.Sprintf("; it is one of %s", other)
	}
	return cmp.Or(didYouMean(name, known), "; known are "+orNone(known))
}

func (l *loader) names(f Family) (all, defaults []string) {
	r := l.registry
	switch f {
	case MessageModifiers:
		return names(r.Messages)
	case LLMSteps:
		return names(r.Steps)
	case ResponseModifiers:
		return names(r.Responses)
	case ToolModifiers, ToolRuns:
	}
	for _, get := range []func() ([]string, []string){
		func() ([]string, []string) { return names(r.Injection) },
		func() ([]string, []string) { return names(r.Parameters) },
		func() ([]string, []string) { return names(r.Validation) },
	} {
		a, d := get()
		all, defaults = append(all, a...), append(defaults, d...)
	}
	return all, defaults
}

// build orders and makes every family.
func (l *loader) build() (*Chains, error) {
	ordered := map[Family][]declared{}
	for _, f := range families() {
		all, defaults := l.names(f)
		for i, name := range all {
			if slices.Contains(all[:i], name) {
				return nil, placeless(source.Place{}, fmt.Sprintf("%s: there are two processors of the name %s", f, name))
			}
		}
		list, m := order(all, defaults, l.plans[f])
		if m != nil {
			if m.unknown != "" {
				m.reason += l.hint(f, m.unknown, all)
			}
			return nil, l.bad(m.at, m.reason)
		}
		ordered[f] = list
	}
	var c Chains
	tools := ordered[ToolModifiers]
	return &c, firstError(
		func() error {
			return build(l, &c.Messages, ordered[MessageModifiers], l.registry.Messages, MessageChain)
		},
		func() error { return build(l, &c.Injection, tools, l.registry.Injection, InjectionChain) },
		func() error { return build(l, &c.Parameters, tools, l.registry.Parameters, ParameterChain) },
		func() error { return build(l, &c.Validation, tools, l.registry.Validation, ValidationChain) },
		func() error { return build(l, &c.Steps, ordered[LLMSteps], l.registry.Steps, StepChain) },
		func() error {
			return build(l, &c.Responses, ordered[ResponseModifiers], l.registry.Responses, ResponseChain)
		},
	)
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// build makes the processors of one kind in order and chains them.
func build[P, C any](l *loader, to *C, list []declared, entries []Entry[P], chain func(...P) (C, error)) error {
	var made []P
	for _, d := range list {
		i := slices.IndexFunc(entries, func(e Entry[P]) bool { return e.Name == d.name })
		if i < 0 {
			continue // of another kind of the same family
		}
		o := Options{node: d.options, given: d.given, at: d.at, subject: d.name, place: l.bad}
		if l.file == "" {
			o.place = placeless
		}
		p, err := entries[i].Make(o)
		if err != nil {
			return err
		}
		made = append(made, p)
	}
	var err error
	*to, err = chain(made...)
	return err
}

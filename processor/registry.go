package processor

// Entry is a processor that a configuration may name.
type Entry[P any] struct {
	Name    string
	Default bool // is in the chain, at its place in the registry, unless dropped
	// Make builds it. o holds its options in the configuration.
	Make func(o Options) (P, error)
}

// Fixed is an entry without options.
func Fixed[T any](p Processor[T], isDefault bool) Entry[Processor[T]] {
	return Entry[Processor[T]]{Name: p.Name, Default: isDefault, Make: func(o Options) (Processor[T], error) { return p, o.Into(&struct{}{}) }}
}

// Registry is everything that a configuration may name, each family in its
// default order. Names are unique within a family.
type Registry struct {
	Messages   []Entry[MessageModifier]
	Injection  []Entry[ToolInjection]
	Parameters []Entry[ToolParameter]
	Validation []Entry[ToolValidation]
	Steps      []Entry[Step]
	Responses  []Entry[ResponseModifier]
	Without    map[Family]string // why this host has nothing of a family, and what to do: phrases for whoever names one
}

func names[P any](entries []Entry[P]) (all, defaults []string) {
	for _, e := range entries {
		all = append(all, e.Name)
		if e.Default {
			defaults = append(defaults, e.Name)
		}
	}
	return all, defaults
}

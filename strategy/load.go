package strategy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"strings"

	"inlay/fault"
	"inlay/strategy/render"
	"inlay/strategy/source"
)

// Extension ends the name of every strategy file.
const Extension = ".strategy.md"

// Loader reads the strategy files of one provider.
type Loader struct {
	Provider string    // the namespace of its ids: "builtin", "user", "workspace"
	Registry *Registry // the preprocessors a strategy may name; nil checks none

	// Fetch reads the source of a "from" that is a URL. nil refuses URLs.
	Fetch func(ctx context.Context, url string) ([]byte, error)
}

// Load reads one strategy file, slash-separated in fsys. Whatever is wrong is a
// diagnostic with its place; with an error among them there is no strategy.
func (l Loader) Load(ctx context.Context, fsys fs.FS, name string) (*Strategy, []Diagnostic) {
	p := &source.Problems{File: name}
	data, ok := read(fsys, name, p)
	if !ok {
		return nil, p.List
	}
	s := l.parse(ctx, fsys, name, data, p)
	if p.Failed() {
		return nil, p.List
	}
	return s, p.List
}

// parse reads a strategy from bytes; a relative "from" is looked for in fsys
// beside name.
func (l Loader) parse(ctx context.Context, fsys fs.FS, name string, data []byte, p *source.Problems) *Strategy {
	front, node, ok := frontOf(data, p)
	if !ok {
		return nil
	}
	s := &Strategy{Provider: l.Provider, Enabled: true, File: name, digest: sha256.Sum256(data)}
	if from, has := node.Field("from"); has {
		l.derive(ctx, fsys, s, from, p)
	}
	decodeFields(s, node, p)
	if front.HasBody {
		s.Body = front.Body
	}
	l.check(s, node, p)
	if front.HasBody {
		checkTemplate(s.Body, "body", source.Place{Line: front.Line + strings.Count(front.YAML, "\n") + 1, Column: 1}, p)
	}
	return s
}

// read reads a whole file within the limit, as UTF-8.
func read(fsys fs.FS, name string, p *source.Problems) ([]byte, bool) {
	at := source.Place{Line: 1, Column: 1}
	if info, err := fs.Stat(fsys, name); err == nil && info.Size() > source.MaxFile {
		p.Error(at, source.UnreadableFile, "", "The file is larger than %d bytes.", source.MaxFile)
		return nil, false
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		p.Error(at, source.UnreadableFile, "", "The file cannot be read.")
		return nil, false
	}
	return data, valid(data, p)
}

// frontOf parts a strategy file and reads its front matter.
func frontOf(data []byte, p *source.Problems) (source.Front, source.Node, bool) {
	front := source.Split(data)
	at := source.Place{Line: 1, Column: 1}
	switch {
	case !front.Found:
		p.Error(at, source.InvalidYAML, "", "The file must start with a line ---, its front matter and another line ---.")
		return front, source.Node{}, false
	case !front.Closed:
		p.Error(at, source.InvalidYAML, "", "The front matter is not ended by a line ---.")
		return front, source.Node{}, false
	}
	node, ok := source.ParseYAML(front.YAML, front.Line, p)
	return front, node, ok
}

// check looks at the whole once its source is resolved.
func (l Loader) check(s *Strategy, n source.Node, p *source.Problems) {
	l.identify(s, n, p)
	if s.Name == "" && !p.Failed() {
		p.Error(n.At, source.InvalidField, "name", "A strategy needs a name, its own or that of its source.")
	}
	list, _ := n.Field("preprocessors")
	for i, id := range s.Preprocessors {
		at := list.At
		if i < len(list.Items) {
			at = list.Items[i].At
		}
		one, known := l.Registry.Lookup(id)
		switch {
		case known:
			checkSettings(one, id, s, n, p)
		case l.Registry != nil:
			p.Error(at, source.UnknownPreprocessor, "preprocessors", "There is no preprocessor %q.", id)
		}
	}
	if len(s.Preprocessors) > 0 && strings.TrimSpace(s.Body) == "" && s.SystemPrompt == nil {
		d := unused(s)
		p.Warn(list.At, d.Code, d.Path, "%s", d.Message)
	}
	options, _ := n.Field("options")
	settings, _ := options.Field("preprocessors")
	for _, f := range settings.Fields {
		if !contains(s.Preprocessors, f.Name) {
			p.Warn(f.At, source.InvalidField, "options.preprocessors."+f.Name, "These settings are for a preprocessor the strategy does not run.")
		}
	}
}

// checkSettings reports what a preprocessor refuses of its settings: each by
// itself, then all together.
func checkSettings(one Preprocessor, id string, s *Strategy, n source.Node, p *source.Problems) {
	settings, err := render.Normalize(s.Options.Preprocessors[id])
	if err != nil {
		return // decoding the fields has said so
	}
	given, _ := settings.(map[string]any)
	refused := false
	for _, name := range sortedKeys(given) {
		if err := CheckSettings(one, map[string]any{name: given[name]}); err != nil {
			refused = true
			refuseSetting(err, id, n, p)
		}
	}
	if err := CheckSettings(one, given); err != nil && !refused {
		refuseSetting(err, id, n, p)
	}
}

// refuseSetting reports a refused setting where it is written: in the strategy
// itself, or in the source that it derives from.
func refuseSetting(err error, id string, n source.Node, p *source.Problems) {
	path, reason := "options.preprocessors."+id, err.Error()
	at := n.At
	if e, ok := errors.AsType[*fault.Error](err); ok {
		path = cmp.Or(e.Subject, path)
		reason = strings.TrimPrefix(reason, e.Subject+": ")
	}
	options, _ := n.Field("options")
	all, _ := options.Field("preprocessors")
	if own, ok := all.Field(id); ok {
		at = own.At
		for _, f := range own.Fields {
			if "options.preprocessors."+id+"."+f.Name == path {
				at = f.At
			}
		}
	}
	p.Error(at, source.InvalidField, path, "The setting %s.", reason)
}

// identify sets the id: the file's own, or one made of provider and path.
func (l Loader) identify(s *Strategy, n source.Node, p *source.Problems) {
	at := n.At
	if id, ok := n.Field("id"); ok {
		at = id.At
		s.ID = strings.ToLower(id.Text)
	} else {
		s.ID = derivedID(l.Provider, s.File)
	}
	if !validID(s.ID) {
		p.Error(at, source.InvalidID, "id", "An id is words of letters, digits, _ and - joined by dots.")
		return
	}
	if reserved := strings.HasPrefix(s.ID, "builtin."); reserved != (l.Provider == "builtin") {
		p.Error(at, source.InvalidID, "id", "Ids under builtin. belong to the built-in provider, and its strategies have no others.")
	}
}

func validID(id string) bool {
	return segments(id, ".", "_-")
}

// derivedID turns "user" and "web/Read Page.strategy.md" into "user.web.read-page".
func derivedID(provider, file string) string {
	words := strings.ToLower(strings.TrimSuffix(file, Extension))
	id := strings.Map(func(r rune) rune {
		switch {
		case r == '/', r == '.':
			return '.'
		case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
			return r
		}
		return '-'
	}, words)
	return source.Join(strings.ToLower(provider), id)
}

// derive fills s from the one source that "from" names. A source that has a
// "from" of its own is refused.
func (l Loader) derive(ctx context.Context, fsys fs.FS, s *Strategy, from source.Node, p *source.Problems) {
	ref, kind, ok := reference(from, p)
	if !ok {
		return
	}
	data, name, ok := l.open(ctx, fsys, s.File, ref, kind, from, p)
	if !ok {
		return
	}
	s.From = name
	s.digest = sha256.Sum256(append(s.digest[:], data...))
	inner := &source.Problems{File: name}
	if valid(data, inner) {
		inherit(s, data, kindOf(kind, name), inner)
	}
	if inner.Failed() {
		p.Error(from.At, source.InvalidFrom, "from", "The source %s cannot be used.", name)
	}
	p.List = append(p.List, inner.List...)
}

// reference reads "from: path" or "from: {source, kind}".
func reference(n source.Node, p *source.Problems) (ref, kind string, ok bool) {
	kind = "auto"
	switch n.Kind {
	case source.String:
		ref = n.Text
	case source.Object:
		for _, f := range n.Fields {
			switch {
			case f.Name == "source" && f.Value.Kind == source.String:
				ref = f.Value.Text
			case f.Name == "kind" && f.Value.Kind == source.String && contains([]string{"auto", "skill", "strategy", "markdown", "url"}, f.Value.Text):
				kind = f.Value.Text
			default:
				p.Error(f.At, source.InvalidFrom, "from."+f.Name, "from takes source, a path, and kind: auto, skill, strategy, markdown or url.")
				return "", "", false
			}
		}
	default:
	}
	if ref == "" {
		p.Error(n.At, source.InvalidFrom, "from", "from names one source: a path, or {source, kind}.")
		return "", "", false
	}
	return ref, kind, true
}

// open reads what ref names: a URL where the host allows it, else a file beside
// the strategy that lies in the same folder tree.
func (l Loader) open(ctx context.Context, fsys fs.FS, file, ref, kind string, n source.Node, p *source.Problems) (data []byte, name string, ok bool) {
	scheme, _, isURL := strings.Cut(ref, "://")
	if isURL || kind == "url" {
		if l.Fetch == nil || scheme != "https" && scheme != "http" {
			p.Error(n.At, source.InvalidFrom, "from", "Sources over the network are not allowed here.")
			return nil, "", false
		}
		data, err := l.Fetch(ctx, ref)
		if err != nil {
			p.Error(n.At, source.InvalidFrom, "from", "The source could not be fetched.")
		}
		return data, ref, err == nil
	}
	name = path.Join(path.Dir(file), ref)
	if path.IsAbs(ref) || strings.Contains(ref, `\`) || !fs.ValidPath(name) {
		p.Error(n.At, source.InvalidFrom, "from", "The source must be a relative path with slashes that stays in the strategies' folder.")
		return nil, "", false
	}
	if name == file {
		p.Error(n.At, source.InvalidFrom, "from", "A strategy cannot derive from itself.")
		return nil, "", false
	}
	inner := &source.Problems{File: name}
	if data, ok = read(fsys, name, inner); !ok {
		p.Error(n.At, source.InvalidFrom, "from", "The source %s cannot be read.", name)
	}
	return data, name, ok
}

func kindOf(kind, name string) string {
	switch {
	case kind != "auto" && kind != "url":
		return kind
	case strings.EqualFold(path.Base(name), "SKILL.md"):
		return "skill"
	case strings.HasSuffix(name, Extension):
		return "strategy"
	}
	return "markdown"
}

// inherit takes over from a source what its kind offers: a strategy all its
// fields but the id, a skill its name, description and body, Markdown its text.
func inherit(s *Strategy, data []byte, kind string, p *source.Problems) {
	if kind == "markdown" {
		s.Body = string(data)
		return
	}
	front, n, ok := frontOf(data, p)
	if !ok {
		return
	}
	s.Body = front.Body
	if kind == "skill" {
		kept := source.Node{Kind: source.Object, At: n.At}
		for _, f := range n.Fields {
			if f.Name == "name" || f.Name == "description" {
				kept.Fields = append(kept.Fields, f)
			}
		}
		decodeFields(s, kept, p)
		return
	}
	if from, nested := n.Field("from"); nested {
		p.Error(from.At, source.InvalidFrom, "from", "A source may not derive from another source.")
		return
	}
	decodeFields(s, n, p)
}

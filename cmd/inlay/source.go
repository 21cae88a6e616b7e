package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"inlay/fault"
	"inlay/internal/wire"
	"inlay/options"
	"inlay/processor"
)

// source answers for flags that were not given: from the environment, else from
// the configuration file. A setting is a flag with a `key` tag, a row of the table
// in package options.
type source struct {
	getenv func(string) string
	path   string            // of the file in force; empty when there is none
	text   []byte            // of that file
	values map[string]string // of the file, by key
	lines  map[string]int
	from   map[string]string // flag name, and setting key, to where its value came from
}

// openSource reads the configuration file that is in force: --config or
// INLAY_CONFIG, else ./inlay.yaml, else the one in the user's configuration folder.
func openSource(args []string, getenv func(string) string) (*source, error) {
	s := &source{getenv: getenv, values: map[string]string{}, lines: map[string]int{}, from: map[string]string{}}
	if named := configArg(args, getenv); named != "" {
		return s, s.read(named, true)
	}
	candidates := []string{"inlay.yaml"}
	if dir := wire.UserConfig(getenv); dir != "" {
		candidates = append(candidates, filepath.Join(dir, "inlay", "inlay.yaml"))
	}
	for _, path := range candidates {
		if err := s.read(path, false); err != nil || s.path != "" {
			return s, err
		}
	}
	return s, nil
}

func configArg(args []string, getenv func(string) string) string {
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--config="); ok {
			return value
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return getenv("INLAY_CONFIG")
}

func (s *source) read(path string, required bool) error {
	if err := notRegular(path); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil
	}
	if err != nil {
		return &fault.Error{Code: fault.CodeOf(err), Subject: path, Reason: "the configuration file cannot be read: " + reasonOf(err), Next: "check --config", Err: err}
	}
	s.path, s.text = path, data
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return s.invalid(err)
	}
	for _, doc := range f.Docs {
		if err := s.take(doc.Body); err != nil {
			return err
		}
	}
	return nil
}

// processorsKey is the section that configures the chains of inlay agent.
const processorsKey = "processors"

// ofProcessors reports whether a key is one of that section.
func ofProcessors(key string) bool {
	return key == "drop_defaults" || slices.Contains([]processor.Family{processor.MessageModifiers, processor.ToolModifiers, processor.LLMSteps, processor.ResponseModifiers}, processor.Family(key))
}

// invalid says where a file is no YAML, and of a tab that it is one.
func (s *source) invalid(err error) error {
	line, reason := 0, firstLine(err.Error())
	if syntax, ok := errors.AsType[yaml.Error](err); ok {
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			line = t.Position.Line
		}
		reason = firstLine(syntax.GetMessage())
	}
	if strings.Contains(reason, "character '\t'") {
		reason = "the line begins with a tab; YAML is indented with spaces"
	}
	return s.bad(line, "is not valid YAML: "+reason)
}

// take reads the top-level mapping of a YAML document.
func (s *source) take(body ast.Node) error {
	if body == nil {
		return nil
	}
	m, ok := body.(ast.MapNode)
	if !ok {
		return s.bad(body.GetToken().Position.Line, "is not a mapping of settings")
	}
	for it := m.MapRange(); it.Next(); {
		key, line := it.Key().GetToken().Value, it.Key().GetToken().Position.Line
		if key == processorsKey {
			continue // a section of its own, read where the chains are built
		}
		if ofProcessors(key) {
			return s.bad(line, key+" belongs below "+processorsKey+": and has to be indented")
		}
		value, set, ok := single(it.Value())
		if !ok {
			return s.bad(line, key+" is neither a single value nor a list of them")
		}
		if _, twice := s.lines[key]; twice {
			return s.bad(line, key+" is set twice")
		}
		s.lines[key] = line
		if set {
			s.values[key] = value
		}
	}
	return nil
}

// single is a value as its flag takes it, a list separated by commas; set is false
// for null.
func single(n ast.Node) (value string, set, ok bool) {
	switch n := n.(type) {
	case ast.ScalarNode:
		v := n.GetValue()
		return fmt.Sprint(v), v != nil, true
	case *ast.SequenceNode:
		parts := make([]string, len(n.Values))
		for i, one := range n.Values {
			if parts[i], set, ok = single(one); !set || !ok {
				return "", false, false
			}
		}
		return strings.Join(parts, ","), len(parts) > 0, true
	}
	return "", false, false
}

func (s *source) bad(line int, reason string) *fault.Error {
	subject := s.path
	if line > 0 {
		subject = fmt.Sprintf("%s:%d", s.path, line)
	}
	return &fault.Error{Code: fault.Usage, Subject: subject, Reason: reason, Next: "see inlay config"}
}

// Validate is called by kong with all flags known: a key in the file that the
// table of options does not have is an error.
func (s *source) Validate(*kong.Application) error {
	for _, key := range sortedByLine(s.lines) {
		if slices.Contains(settingKeys(), key) {
			continue
		}
		if now, ok := (options.Command | options.Service | options.Routing).Renamed(key); ok {
			return s.bad(s.lines[key], key+" "+options.RenamedReason(now))
		}
		return s.unknown(key)
	}
	return nil
}

// unknown is the error of a key that no setting has.
func (s *source) unknown(key string) error {
	err := s.bad(s.lines[key], fmt.Sprintf("unknown setting %q", key))
	if near := nearest(key, settingKeys()); near != "" {
		err.Next = "did you mean " + near + "?"
	} else {
		err.Next = "inlay config lists the settings"
	}
	return err
}

// settingKeys are the keys of the table, sorted.
func settingKeys() []string {
	var keys []string
	for _, o := range settingRows() {
		keys = append(keys, o.Key)
	}
	slices.Sort(keys)
	return keys
}

// settingRows are the rows of the table that have a flag.
func settingRows() []options.Option {
	return slices.DeleteFunc(options.All(), func(o options.Option) bool { return o.Flag == "" })
}

func sortedByLine(lines map[string]int) []string {
	keys := make([]string, 0, len(lines))
	for key := range lines {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return lines[a] - lines[b] })
	return keys
}

// Resolve gives kong the value of a flag that was not on the command line.
func (s *source) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	key := flag.Tag.Get("key")
	if key == "" {
		return nil, nil
	}
	name := options.EnvName(flag.Name)
	if value := s.getenv(name); value != "" {
		s.from[flag.Name] = "environment " + name
		s.from[key] = s.from[flag.Name]
		return elsewhere(value), nil
	}
	if value, ok := s.values[key]; ok {
		s.from[flag.Name] = fmt.Sprintf("%s:%d", s.path, s.lines[key])
		s.from[key] = s.from[flag.Name]
		return elsewhere(fmt.Sprint(value)), nil
	}
	return nil, nil
}

// elsewhere is a value of the environment or the configuration file. Unlike what was
// typed, it is not repeated in an error: it may be a key in the wrong place.
type elsewhere string

// blame names the place of a value that an error is about, where that is not the
// command line: a line of the configuration file or a variable.
func (s *source) blame(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.Usage {
		return err
	}
	about, _, _ := strings.Cut(cmp.Or(e.Subject, e.Reason), " ")
	about = strings.TrimPrefix(strings.TrimSuffix(about, ":"), "--")
	from := s.from[about]
	if from == "" || strings.HasPrefix(from, "flag ") {
		return err
	}
	located := *e
	switch key := keyOf(about); {
	case key != "" && e.Subject == "--"+about && strings.HasPrefix(from, "environment "):
		located.Subject = from
	case key != "" && e.Subject == "--"+about:
		located.Subject = from + ": " + key
	case e.Subject != "":
		located.Subject = from + ": " + e.Subject
	default:
		located.Subject = from
	}
	return &located
}

// keyOf is the key of a flag; empty: it has none.
func keyOf(flag string) string {
	for _, o := range settingRows() {
		if o.Flag == flag {
			return o.Key
		}
	}
	return ""
}

// note records which flags were on the command line.
func (s *source) note(k *kong.Context) {
	for _, p := range k.Path {
		if p.Flag != nil && !p.Resolved {
			s.from[p.Flag.Name] = "flag --" + p.Flag.Name
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// reasonOf is the innermost reason of an operating system's error.
func reasonOf(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

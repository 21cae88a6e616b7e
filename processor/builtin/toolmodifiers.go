package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/schema"
	"inlay/processor"
)

// ToolInjection offers further tools when the user speaks of something. Only
// the user's own words count: a document cannot bring a tool in.
type ToolInjection struct {
	Rules []InjectionRule `json:"rules"`

	known []string
}

// InjectionRule adds tools to those offered.
type InjectionRule struct {
	When  string   `json:"when"` // a regular expression over the user's words; empty: always
	Tools []string `json:"tools"`
}

func (p ToolInjection) check() (option, reason string) {
	for _, r := range p.Rules {
		if _, err := regexp.Compile(r.When); err != nil {
			return "rules", "has a when that is not a regular expression"
		}
		if reason := unknownTool(p.known, r.Tools); reason != "" {
			return "rules", reason
		}
	}
	return "", ""
}

// Inject implements the processor.
func (p ToolInjection) Inject(_ context.Context, t *processor.Turn, v []processor.Tool) ([]processor.Tool, processor.Verdict, error) {
	out := slices.Clone(v)
	for _, rule := range p.Rules {
		when, err := regexp.Compile(rule.When)
		if err != nil {
			return v, processor.Continue(), err
		}
		if !when.MatchString(t.Said) {
			continue
		}
		for _, tool := range t.Tools {
			has := slices.ContainsFunc(out, func(o processor.Tool) bool { return o.Name == tool.Name })
			if slices.Contains(rule.Tools, tool.Name) && !has {
				out = append(out, tool)
			}
		}
	}
	return out, processor.Continue(), nil
}

// ToolParameters rewrites the arguments of calls before they are judged.
type ToolParameters struct {
	Rules []ParameterRule `json:"rules"`

	known []string
}

// ParameterRule changes the arguments of some tools, in the order of its fields.
type ParameterRule struct {
	Tool    string            `json:"tool"`   // a glob: "read_*"; empty: all
	Rename  map[string]string `json:"rename"` // an argument's name to another
	Remove  []string          `json:"remove"`
	Default map[string]any    `json:"default"` // where the argument is not there
	Set     map[string]any    `json:"set"`     // whatever was there
}

func (p ToolParameters) check() (option, reason string) {
	for _, r := range p.Rules {
		if _, err := path.Match(r.Tool, ""); err != nil {
			return "rules", "has a tool that is not a pattern"
		}
		if one := func(name string) bool { ok, _ := path.Match(r.Tool, name); return ok }; r.Tool != "" && p.known != nil && !slices.ContainsFunc(p.known, one) {
			return "rules", unknownTool(p.known, []string{r.Tool})
		}
	}
	return "", ""
}

// Modify implements the processor. Arguments that are no JSON object stay as
// they are, for a validator to refuse.
func (p ToolParameters) Modify(_ context.Context, _ *processor.Turn, c processor.Call) (processor.Call, processor.Verdict, error) {
	for _, r := range p.Rules {
		if ok, err := path.Match(r.Tool, c.Name); err != nil || !ok && r.Tool != "" {
			continue
		}
		args, ok := arguments(c.Arguments)
		if !ok {
			return c, processor.Continue(), nil
		}
		r.apply(args)
		data, err := json.Marshal(args)
		if err != nil {
			return c, processor.Continue(), err
		}
		c.Arguments = string(data)
	}
	return c, processor.Continue(), nil
}

func (r ParameterRule) apply(args map[string]any) {
	for _, from := range slices.Sorted(maps.Keys(r.Rename)) {
		if value, ok := args[from]; ok {
			delete(args, from)
			args[r.Rename[from]] = value
		}
	}
	for _, name := range r.Remove {
		delete(args, name)
	}
	for name, value := range r.Default {
		if _, ok := args[name]; !ok {
			args[name] = value
		}
	}
	maps.Copy(args, r.Set)
}

// arguments reads a call's arguments, which are one JSON object; numbers keep
// their digits.
func arguments(text string) (map[string]any, bool) {
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var args map[string]any
	err := d.Decode(&args)
	return args, err == nil && args != nil && json.Valid([]byte(text)) // valid: nothing is behind it
}

// problem is an error's text; empty if there is none.
func problem(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// ToolValidation judges calls: the arguments follow the tool's schema, each
// path among them stays in the workspace and is not kept out by an ignore
// file, and the tool is not on the list of denied ones.
type ToolValidation struct {
	Workspace *Workspace `json:"-"`
	Deny      []string   `json:"deny"`  // names of tools
	Paths     []string   `json:"paths"` // arguments that are paths, beside those the tool names

	known []string
}

func (p ToolValidation) check() (option, reason string) { return "deny", unknownTool(p.known, p.Deny) }

// unknownTool says which of some tools is not there: a mistyped one in a list of
// denied tools would deny nothing.
func unknownTool(known, named []string) string {
	for _, name := range named {
		if known != nil && !slices.Contains(known, name) {
			return fmt.Sprintf("names the unknown tool %q; known are %s", name, strings.Join(known, ", "))
		}
	}
	return ""
}

// Validate implements the processor.
func (p ToolValidation) Validate(_ context.Context, _ *processor.Turn, c processor.Candidate) (processor.Candidate, processor.Verdict, error) {
	if slices.Contains(p.Deny, c.Name) {
		return c, processor.Deny("this tool is not allowed"), nil
	}
	args, ok := arguments(c.Arguments)
	if !ok {
		return c, processor.Deny("the arguments are not one JSON object"), nil
	}
	if reason, err := againstSchema(c.Tool, args); reason != "" || err != nil {
		return c, processor.Deny(reason), err
	}
	for _, name := range slices.Concat(c.Tool.Paths, p.Paths) {
		if reason := p.pathReason(args[name]); reason != "" {
			return c, processor.Deny(name + ": " + reason), nil
		}
	}
	return c, processor.Continue(), nil
}

func againstSchema(t processor.Tool, args map[string]any) (string, error) {
	if t.Parameters == nil {
		if len(args) > 0 {
			return "this tool takes no arguments", nil
		}
		return "", nil
	}
	compiled, err := schema.Compile(t.Parameters)
	if err != nil {
		return "", &fault.Error{Code: fault.Usage, Subject: "tool " + t.Name, Reason: "its schema is not a valid JSON schema", Err: err}
	}
	if wrong := problem(compiled.CheckValue(args)); wrong != "" {
		return "the arguments do not follow the tool's schema: " + wrong, nil
	}
	return "", nil
}

// pathReason is why a path, or a list of paths, is refused.
func (p ToolValidation) pathReason(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		if p.Workspace == nil {
			return "there is no workspace"
		}
		_, _, err := p.Workspace.Resolve(v)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code != fault.FileNotFound {
			return f.Reason
		}
		return ""
	case []any:
		for _, item := range v {
			if reason := p.pathReason(item); reason != "" {
				return reason
			}
		}
		return ""
	default:
		return "it is not a path"
	}
}

package route

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"inlay/ignore"
	"inlay/internal/schema"
)

// Tool is what the host can run.
type Tool struct {
	Name        string
	Description string          // for the full prompt's catalogue
	Schema      json.RawMessage // of its parameters
	Paths       []string        // parameters that name a file or folder of the workspace
}

// The tools that a decision may always name.
const (
	Followup   = "ask_followup_question"
	Completion = "attempt_completion"
)

func object(required []string, properties ...string) json.RawMessage {
	list, _ := json.Marshal(required) //nolint:errchkjson // strings
	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":` + string(list) + `,"properties":{` + strings.Join(properties, ",") + `}}`)
}

func text(name string) string { return fmt.Sprintf(`%q:{"type":"string","minLength":1}`, name) }
func line(name string) string { return fmt.Sprintf(`%q:{"type":"integer","minimum":0}`, name) }
func flag(name string) string { return fmt.Sprintf(`%q:{"type":"boolean"}`, name) }

// Tools are the seed's, with the parameters they take.
func Tools() []Tool { return slices.Clone(seedTools()) }

// seedTools are made once: every decision needs them.
var seedTools = sync.OnceValue(func() []Tool { //nolint:gochecknoglobals // made once, never changed
	file := []string{"path"}
	return []Tool{
		{"read_file", "Reads a file of the workspace, or lines of it.", object(file, text("path"), line("start_line"), line("end_line")), file},
		{"search_files", "Searches files below a path by a regular expression.", object([]string{"path", "regex"}, text("path"), text("regex"), text("file_pattern")), file},
		{"list_files", "Lists the files of a folder.", object(file, text("path"), flag("recursive")), file},
		{"list_code_definition_names", "Lists the definitions in a source file or folder.", object(file, text("path")), file},
		{"codebase_search", "Finds the code that a question is about, by meaning.", object([]string{"query"}, text("query"), text("path")), file},
		{"execute_command", "Runs a command in the workspace.", object([]string{"command"}, text("command"), text("cwd")), []string{"cwd"}},
		{"apply_diff", "Replaces exact lines of a file that was read before.", object([]string{"path", "diff"}, text("path"), text("diff")), file},
		{"insert_content", "Inserts lines into a file that was read before; line 0 appends.", object([]string{"path", "line", "content"}, text("path"), line("line"), text("content")), file},
		{"write_to_file", "Writes a whole file.", object([]string{"path", "content"}, text("path"), `"content":{"type":"string"}`), file},
		{Followup, "Asks the user for what is missing.", object([]string{"question"}, text("question"), `"follow_up":{"type":"array","items":{"type":"string"}}`), nil},
		{Completion, "Presents the result of the task.", object([]string{"result"}, `"result":{"type":"string"}`), nil},
	}
})

// seedSchemas are the compiled schemas of the seed's tools, by their text.
var seedSchemas = sync.OnceValue(func() map[string]*schema.Schema { //nolint:gochecknoglobals // made once, never changed
	out := map[string]*schema.Schema{}
	for _, t := range seedTools() {
		if s, err := schema.Compile(t.Schema); err == nil {
			out[string(t.Schema)] = s
		}
	}
	return out
})

// compiled is what checks the parameters of a tool.
func (t Tool) compiled() (*schema.Schema, error) {
	if s, ok := seedSchemas()[string(t.Schema)]; ok {
		return s, nil
	}
	return schema.Compile(t.Schema)
}

// Mode says who the model is and which tools it may use.
type Mode struct {
	Name  string
	Role  string
	Tools []string // allow-list; the follow-up question and the completion are always on it
}

// Modes are the built-in ones.
func Modes() []Mode {
	read := []string{"read_file", "search_files", "list_files", "list_code_definition_names", "codebase_search"}
	edit := []string{"apply_diff", "insert_content", "write_to_file"}
	all := slices.Concat(read, edit, []string{"execute_command"})
	return []Mode{
		{"code", "You are a software engineer with broad knowledge of languages, frameworks and good practice.", all},
		{"architect", "You are a technical leader who gathers what is needed and plans before anything is built.", slices.Concat(read, edit)},
		{"ask", "You are a technical assistant who answers questions about software and changes nothing.", read},
		{"debug", "You are an expert in finding the cause of a fault before mending it.", all},
	}
}

// FindMode looks a built-in mode up.
func FindMode(name string) (Mode, bool) {
	for _, m := range Modes() {
		if m.Name == name {
			return m, true
		}
	}
	return Mode{}, false
}

// Allows reports whether the mode has a tool.
func (m Mode) Allows(tool string) bool {
	return tool == Followup || tool == Completion || slices.Contains(m.Tools, tool)
}

// edits are the tools that change a file which must have been read before.
func edits(tool string) bool { return tool == "apply_diff" || tool == "insert_content" }

// checker judges a proposal.
type checker struct {
	tools   []Tool
	allowed []string
	rules   *ignore.Rules
	read    map[string]string // what was read of files, by their cleaned paths
}

// fault is why a call cannot be proposed, as the question that asks for what is
// missing; empty where it can.
func (c checker) fault(call Call) string {
	i := slices.IndexFunc(c.tools, func(t Tool) bool { return t.Name == call.Name })
	if i < 0 || !slices.Contains(c.allowed, call.Name) {
		return "The step that this asks for is not allowed in this mode. What should be done instead?"
	}
	tool := c.tools[i]
	compiled, err := tool.compiled()
	if err != nil {
		return "The tool " + tool.Name + " cannot be used here. What should be done instead?"
	}
	params := call.Params
	if params == nil {
		params = map[string]any{}
	}
	if err := compiled.CheckValue(params); err != nil {
		return whatIsMissing(tool.Name, err)
	}
	if why := c.refused(tool, params); why != "" {
		return why
	}
	if edits(tool.Name) {
		return c.edit(params)
	}
	return ""
}

// whatIsMissing asks for the parameter that a call lacks, in the words of the
// person who is asked.
func whatIsMissing(tool string, err error) string {
	if wrong, ok := errors.AsType[*schema.Error](err); ok && len(wrong.Problems) == 1 && wrong.Problems[0].Keyword == "required" && len(wrong.Problems[0].Names) == 1 {
		switch wrong.Problems[0].Names[0] {
		case "command":
			return "Which command should be run? The ask does not name it."
		case "path":
			return "Which file or folder is meant? The ask does not name it."
		case "regex", "query":
			return "What should be searched for? The ask does not say."
		}
	}
	return fmt.Sprintf("To use %s something is missing or wrong: %s. Which values should it have?", tool, err)
}

// refused asks about the first parameter that names what is not for tools: a
// path, a pattern of files below it, or a word of a command.
func (c checker) refused(tool Tool, params map[string]any) string {
	for _, name := range tool.Paths {
		if value, ok := params[name].(string); ok {
			if name == "cwd" {
				value = strings.TrimSuffix(value, "/") + "/" // a folder, whether it is there or not
			}
			if err := c.path(value); err != nil {
				return fmt.Sprintf("The %s of %s %s. Which one should it be?", name, tool.Name, reason(err))
			}
		}
	}
	if pattern, ok := params["file_pattern"].(string); ok {
		folder, _ := params["path"].(string)
		if err := c.path(path.Join(folder, pattern)); err != nil {
			return fmt.Sprintf("The file_pattern of %s %s. Which one should it be?", tool.Name, reason(err))
		}
	}
	if command, ok := params["command"].(string); ok {
		cwd, _ := params["cwd"].(string)
		if word, ok := errors.AsType[*ignore.WordError](c.rules.CheckCommand(command, cwd)); ok {
			return fmt.Sprintf("In the command, %s %s. Which command should it be?", word.Word, reason(word.Err))
		}
	}
	return ""
}

func (c checker) path(name string) error {
	if strings.Contains(name, "\\") {
		return ignore.ErrOutside
	}
	return c.rules.Check(name)
}

// reason is why something is refused, without what a system said.
func reason(err error) string {
	for _, own := range []error{ignore.ErrOutside, ignore.ErrIgnored, ignore.ErrUnclear} {
		if errors.Is(err, own) {
			return own.Error()
		}
	}
	return "cannot be checked against the ignore files"
}

// has reports whether a list of files has one.
func has(files []string, p string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return same(f, p) })
}

func same(a, b string) bool { return path.Clean(a) == path.Clean(b) }

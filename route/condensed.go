package route

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed system.tmpl
var systemText string

// Environment is what the model may know of where it works.
type Environment struct {
	OS        string // "linux"
	Shell     string // "bash"
	Workspace string // its name or root, as the host wants it shown
}

// Prompt is what a system prompt is made of. The zero fields are left out.
type Prompt struct {
	Mode        Mode
	Tools       []Tool // for the full prompt's catalogue
	Environment Environment
	Objective   string // the task
	Context     string // selected context, shown as data
	Condensed   bool   // leaves out the tool catalogue and the guidance on format
}

// Build renders the prompt. Its text depends on p alone.
func Build(p Prompt) (string, error) {
	t, err := template.New("system").Funcs(template.FuncMap{"fence": fence, "schema": func(t Tool) string { return string(t.Schema) }}).Parse(systemText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, p)
	return strings.TrimRight(b.String(), "\n") + "\n", err
}

// fence is a marker that a text does not contain.
func fence(text string) string {
	f := "```"
	for strings.Contains(text, f) {
		f += "`"
	}
	return f
}

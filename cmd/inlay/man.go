package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"inlay/fault"
	"inlay/internal/wire"
)

// manCmd writes the manual pages.
type manCmd struct {
	Dir string `arg:"" help:"Folder to write inlay.1 and a page for each command to."`
}

// Run writes a page for the command and for each of its subcommands.
func (c manCmd) Run(*app) error {
	model, err := wholeModel()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return &fault.Error{Code: fault.CodeOf(err), Subject: c.Dir, Reason: "the folder cannot be made: " + reasonOf(err), Next: "name another", Err: err}
	}
	lines := commandLines(model.Node, "")
	for _, one := range lines {
		name := strings.ReplaceAll(strings.TrimSpace("inlay "+one.path), " ", "-")
		path := filepath.Join(c.Dir, name+".1")
		if err := os.WriteFile(path, []byte(manPage(name, one, lines)), 0o644); err != nil { //nolint:gosec // a manual is for everyone
			return &fault.Error{Code: fault.CodeOf(err), Subject: path, Reason: "cannot be written: " + reasonOf(err), Next: "name another folder", Err: err}
		}
	}
	return nil
}

// manPage is one page, in the language of man.
func manPage(name string, c commandLine, all []commandLine) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %q\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B inlay %s\n[flags] [arguments]\n",
		strings.ToUpper(name), version, name, roff(strings.TrimSuffix(c.help, ".")), c.path)
	if len(c.subs) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range all {
			if parent, last, _ := cutLast(sub.path); sub.path != "" && parent == c.path {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", last, roff(sub.help))
			}
		}
	}
	b.WriteString(".SH FLAGS\n")
	for _, f := range c.flags {
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(flagForm(f)), roff(f.Help))
		if o, ok := f.Mapper.(optionMapper); ok {
			fmt.Fprintf(&b, ".br\n%s; variable %s, key %s\n", roff("Value: "+o.option.WantsText()), o.option.Env(), o.option.Key)
		}
	}
	fmt.Fprintf(&b, ".SH ENVIRONMENT\n.TP\n.B %s\nKey for OpenAI-compatible servers.\n.TP\n.B OLLAMA_HOST\nAddress of Ollama.\n.TP\n.B INLAY_CONFIG\nConfiguration file.\n", wire.KeyVariable)
	b.WriteString(".SH EXIT STATUS\n0 done, 1 failed, 2 usage, 3 a file, 4 does not fit, 5 below \\-\\-fail\\-under, 130 canceled.\n")
	return b.String()
}

// cutLast parts the words of a command at the last of them.
func cutLast(path string) (before, last string, ok bool) {
	i := strings.LastIndexByte(path, ' ')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// flagForm is how a flag is written: -o, --output=text.
func flagForm(f *kong.Flag) string {
	form := "--" + f.Name
	if f.Short != 0 {
		form = "-" + string(f.Short) + ", " + form
	}
	if !f.IsBool() {
		form += "=" + f.FormatPlaceHolder()
	}
	return form
}

// roff escapes a line of text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"inlay/fault"
)

// completionCmd prints what a shell needs to complete the command line.
type completionCmd struct {
	Shell string `arg:"" optional:"" help:"Shell: bash, zsh or fish."`
}

// Run prints the script. It is made from the commands and flags that there are.
func (c completionCmd) Run(a *app) error {
	model, err := wholeModel()
	if err != nil {
		return err
	}
	scripts := map[string]func([]commandLine) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	script, ok := scripts[c.Shell]
	if !ok {
		return &fault.Error{Code: fault.Usage, Subject: "shell", Reason: "must be bash, zsh or fish", Next: "for example: source <(inlay completion bash)"}
	}
	_, err = io.WriteString(a.stdout, script(commandLines(model.Node, "")))
	return err
}

// wholeModel is the command line with all of its subcommands.
func wholeModel() (*kong.Application, error) {
	k, err := kong.New(new(cli), kongOptions()...)
	if err != nil {
		return nil, err
	}
	return k.Model, nil
}

// commandLine is a command with what may follow its name.
type commandLine struct {
	path  string // words between "inlay" and the flags; empty: of inlay itself
	help  string
	subs  []string
	flags []*kong.Flag
}

// commandLines lists the commands below n, each with its flags.
func commandLines(n *kong.Node, path string) []commandLine {
	one := commandLine{path: path, help: n.Help}
	for _, group := range n.AllFlags(true) {
		one.flags = append(one.flags, group...)
	}
	var below []commandLine
	for _, child := range n.Children {
		if child.Type != kong.CommandNode || child.Hidden {
			continue
		}
		one.subs = append(one.subs, child.Name)
		below = append(below, commandLines(child, strings.TrimSpace(path+" "+child.Name))...)
	}
	return append([]commandLine{one}, below...)
}

// words are what may follow: subcommands and flags.
func (c commandLine) words() []string {
	out := slices.Clone(c.subs)
	for _, f := range c.flags {
		if f.Short != 0 {
			out = append(out, "-"+string(f.Short))
		}
		out = append(out, "--"+f.Name)
	}
	return out
}

// values are those of a flag, where they are few and known.
func values(f *kong.Flag) []string {
	if f.Enum != "" {
		return f.EnumSlice()
	}
	hint := f.PlaceHolder
	if m, ok := f.Mapper.(optionMapper); ok {
		hint = strings.Join(m.option.Choices, "|")
	}
	if !strings.Contains(hint, "|") {
		return nil
	}
	known := slices.DeleteFunc(strings.Split(hint, "|"), func(v string) bool { return v != strings.ToLower(v) }) // recall@P is the user's to fill in
	if len(known) == 0 {
		return nil // FILE|DIR
	}
	return known
}

// bashCompletion completes commands, flags and their values, and files elsewhere.
func bashCompletion(lines []commandLine) string {
	var b strings.Builder
	b.WriteString("# bash completion of inlay: source <(inlay completion bash)\n_inlay() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= words=\n" +
		"  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n  [[ $cur == = ]] && cur=\n  case ${COMP_WORDS[1]} in\n")
	for _, c := range lines {
		if len(c.subs) > 0 && c.path != "" {
			fmt.Fprintf(&b, "    %s) path=\"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" ;;\n", c.path)
		}
	}
	b.WriteString("    *) path=${COMP_WORDS[1]} ;;\n  esac\n  (( COMP_CWORD == 1 )) && path=\n  case $path in\n")
	for _, c := range slices.Backward(lines) {
		pattern := fmt.Sprintf("%q", c.path)
		if len(c.subs) > 0 && c.path != "" {
			pattern += `|"` + c.path + ` "*`
		}
		fmt.Fprintf(&b, "    %s) words=%q ;;\n", pattern, strings.Join(c.words(), " "))
	}
	b.WriteString("  esac\n  case \"$path $prev\" in\n")
	for _, c := range lines {
		for _, f := range c.flags {
			if v := values(f); v != nil {
				pattern := fmt.Sprintf("%q", c.path+" --"+f.Name)
				if f.Short != 0 {
					pattern += fmt.Sprintf("|%q", c.path+" -"+string(f.Short))
				}
				fmt.Fprintf(&b, "    %s) words=%q cur=${cur#-} ;;\n", pattern, strings.Join(v, " "))
			}
		}
	}
	b.WriteString("  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -o bashdefault -F _inlay inlay\n")
	return b.String()
}

// zshCompletion uses bash's, which zsh can run, with files where nothing else fits.
func zshCompletion(lines []commandLine) string {
	return "#compdef inlay\n# zsh completion of inlay: source <(inlay completion zsh)\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(lines)
}

// fishCompletion has a line for each word.
func fishCompletion(lines []commandLine) string {
	var b strings.Builder
	b.WriteString("# fish completion of inlay: inlay completion fish | source\n")
	for _, c := range lines {
		when := "__fish_use_subcommand"
		if c.path != "" {
			when = "__fish_seen_subcommand_from " + strings.ReplaceAll(c.path, " ", "; and __fish_seen_subcommand_from ")
		}
		for _, sub := range c.subs {
			help := ""
			for _, other := range lines {
				if other.path == strings.TrimSpace(c.path+" "+sub) {
					help = other.help
				}
			}
			fmt.Fprintf(&b, "complete -c inlay -n %s -a %s -d %s\n", fishQuote(when), sub, fishQuote(help))
		}
		for _, f := range c.flags {
			b.WriteString("complete -c inlay -n " + fishQuote(when) + fishFlag(f) + " -d " + fishQuote(f.Help) + "\n")
		}
	}
	return b.String()
}

// fishFlag is a flag with its values.
func fishFlag(f *kong.Flag) string {
	line := " -l " + f.Name
	if f.Short != 0 {
		line += " -s " + string(f.Short)
	}
	if v := values(f); v != nil {
		return line + " -x -a " + fishQuote(strings.Join(v, " "))
	}
	if f.IsBool() {
		return line
	}
	return line + " -r"
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

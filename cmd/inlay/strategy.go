package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/plural"
	"inlay/internal/wire"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/strategy/render"
	"inlay/turn"
)

// strategyCmd is everything about strategy files.
type strategyCmd struct {
	List  strategyListCmd  `cmd:"" help:"List the strategies there are."`
	Check strategyCheckCmd `cmd:"" help:"Check strategy files and folders of them."`
	Show  strategyShowCmd  `cmd:"" help:"Show a strategy and what it may read or use."`
	Match strategyMatchCmd `cmd:"" help:"Say which strategies are worth offering in a context, and why the others are not."`
	Run   strategyRunCmd   `cmd:"" help:"Run a strategy's preprocessors and print the prompt it makes."`

	Replay strategyReplayCmd `cmd:"" help:"Render a turn again that a strategy made, from what was kept of it: the same bytes."`
}

// strategySettings say where strategies come from.
type strategySettings struct {
	Strategies string `key:"strategies"`
}

// load is the built-in strategies and the user's own.
func (s strategySettings) load(ctx context.Context, registry *strategy.Registry) (strategy.Set, error) {
	return wire.LoadStrategies(ctx, s.Strategies, registry)
}

// find reads a file, or looks an id up; the built-in ones go without their prefix too.
func (s strategySettings) find(ctx context.Context, a *app, name string, registry *strategy.Registry) (*strategy.Strategy, error) {
	if strings.HasSuffix(name, strategy.Extension) {
		one, notes, err := strategy.LoadFile(ctx, strategy.Loader{Provider: "user", Registry: registry}, name)
		if err != nil {
			return nil, err
		}
		if err := printDiagnostics(a.stderr, notes); err != nil {
			return nil, err
		}
		if one == nil {
			return nil, invalidStrategy(name, notes)
		}
		return one, nil
	}
	set, err := s.load(ctx, registry)
	if err != nil {
		return nil, err
	}
	return wire.FindStrategy(set, name)
}

func invalidStrategy(name string, notes []strategy.Diagnostic) error {
	broken := 0
	for _, d := range notes {
		if d.Severity == "error" {
			broken++
		}
	}
	return &fault.Error{Code: fault.StrategyInvalid, Subject: name, Reason: "it has " + plural.Of(broken, "error"), Next: "fix what is listed"}
}

func printDiagnostics(w io.Writer, notes []strategy.Diagnostic) error {
	for _, d := range notes {
		if _, err := fmt.Fprintln(w, printable(d.String())); err != nil {
			return err
		}
	}
	return nil
}

// strategyListCmd lists strategies.
type strategyListCmd struct {
	strategySettings
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: text or json."`
}

// Run prints a line for each strategy.
func (c *strategyListCmd) Run(ctx context.Context, a *app) error {
	registry, err := builtin.KnownPreprocessors()
	if err != nil {
		return err
	}
	set, err := c.load(ctx, registry)
	if err != nil {
		return err
	}
	if err := printDiagnostics(a.stderr, set.Diagnostics); err != nil {
		return err
	}
	if c.Output == "json" {
		return writeJSON(a.stdout, map[string]any{"schema": "inlay.strategies/v1", "strategies": builtin.DescribeAll(set.Strategies, registry)})
	}
	for _, s := range set.Strategies {
		off := ""
		if !s.Enabled {
			off = " (disabled)"
		}
		if _, err := fmt.Fprintf(a.stdout, "%-30s %s\n", s.ID, printable(s.Name)+off); err != nil {
			return err
		}
	}
	return nil
}

// strategyCheckCmd checks files.
type strategyCheckCmd struct {
	Path []string `arg:"" help:"Strategy files and folders of them."`
}

// Run prints every diagnostic and fails if one is an error.
func (c *strategyCheckCmd) Run(ctx context.Context, a *app) error {
	registry, err := builtin.KnownPreprocessors()
	if err != nil {
		return err
	}
	var all []strategy.Diagnostic
	good := 0
	for _, path := range c.Path {
		set, err := checkPath(ctx, strategy.Loader{Provider: "user", Registry: registry}, path)
		if err != nil {
			return err
		}
		all = append(all, set.Diagnostics...)
		good += len(set.Strategies)
	}
	if err := printDiagnostics(a.stdout, all); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(d strategy.Diagnostic) bool { return d.Severity == "error" }) {
		return invalidStrategy(strings.Join(c.Path, ", "), all)
	}
	noun := "strategies are"
	if good == 1 {
		noun = "strategy is"
	}
	_, err = fmt.Fprintf(a.stdout, "%d %s good\n", good, noun)
	return err
}

func checkPath(ctx context.Context, l strategy.Loader, path string) (strategy.Set, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, err := strategy.OpenFolder(l, path)
		if err != nil {
			return strategy.Set{}, err
		}
		return folder.Load(ctx)
	}
	s, notes, err := strategy.LoadFile(ctx, l, path)
	set := strategy.Set{Diagnostics: notes}
	if s != nil {
		set.Strategies = []*strategy.Strategy{s}
	}
	return set, err
}

// strategyShowCmd shows one strategy.
type strategyShowCmd struct {
	strategySettings
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: text or json."`
	Name   string `arg:"" help:"Strategy file or id."`
}

// Run prints what the strategy is and what it may read or use.
func (c *strategyShowCmd) Run(ctx context.Context, a *app) error {
	registry, err := builtin.KnownPreprocessors()
	if err != nil {
		return err
	}
	s, err := c.find(ctx, a, c.Name, registry)
	if err != nil {
		return err
	}
	d := builtin.Describe(s, registry)
	if c.Output == "json" {
		return writeJSON(a.stdout, d)
	}
	var b strings.Builder
	for _, row := range [][2]string{
		{"id", d.ID},
		{"name", d.Name},
		{"about", d.Description},
		{"file", d.File},
		{"from", d.From},
		{"priority", fmt.Sprint(d.Priority)},
		{"runs", strings.Join(d.Preprocessors, ", ")},
	} {
		if row[1] != "" {
			fmt.Fprintf(&b, "%-10s %s\n", row[0], row[1])
		}
	}
	for _, p := range d.Permissions {
		fmt.Fprintf(&b, "%-10s %s (%s)\n", "may", p.Text, p.From)
	}
	_, err = io.WriteString(a.stdout, printable(b.String()))
	return err
}

// strategyMatchCmd judges strategies.
type strategyMatchCmd struct {
	strategySettings
	contextFlags
	Output string `short:"o" enum:"text,json" default:"text" help:"What to print: text or json."`
}

// Run prints the strategies that match, in order, and why the others do not.
func (c *strategyMatchCmd) Run(ctx context.Context, a *app) error {
	registry, err := builtin.KnownPreprocessors()
	if err != nil {
		return err
	}
	set, err := c.load(ctx, registry)
	if err != nil {
		return err
	}
	values, err := c.values(a, "")
	if err != nil {
		return err
	}
	attached, err := openFiles(ctx, a, c.File)
	if err != nil {
		return err
	}
	attached.tell(a)
	list := turn.Attachments(attached.files, attached.images)
	if _, given := render.Find(values, "attachments.files"); !given {
		values["attachments.files"] = strategy.AttachmentValues(list)
	}
	found, err := (&strategy.Matcher{}).Match(ctx, set.Strategies, values)
	if err != nil {
		return err
	}
	return c.print(a.stdout, found)
}

func (c *strategyMatchCmd) print(w io.Writer, found strategy.Matches) error {
	candidates, others := builtin.DescribeMatches(found)
	if c.Output == "json" {
		return writeJSON(w, map[string]any{"schema": "inlay.matches/v1", "candidates": candidates, "others": others})
	}
	for i, m := range slices.Concat(candidates, others) {
		line := fmt.Sprintf("%-30s %s", m.ID, m.Name)
		if i >= len(candidates) {
			line = fmt.Sprintf("%-30s no: %s", m.ID, m.Why)
		}
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}

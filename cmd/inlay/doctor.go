package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/wire"
	"inlay/strategy/builtin"
)

// doctorCmd looks a set-up over before it is used, or while it is.
type doctorCmd struct {
	serveCmd
	Only   []string `placeholder:"CHECK" help:"Make these checks alone: settings, address, data, disk, database, blobs, index, cache, keys, tls, upstreams, embedder, intent, route, processors, worker, pdfium, ocr, clock, server."`
	Output string   `short:"o" enum:"text,json" default:"text" help:"What to print: text or json."`
}

// verdict is how a check ended.
type verdict string

const (
	good    verdict = "ok"
	worry   verdict = "warning" // it works; something should be looked at
	broken  verdict = "failed"
	skipped verdict = "skipped" // not asked for
)

// finding is what a check found, and what to do about it.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Found   string  `json:"found"`
	Next    string  `json:"next,omitempty"`
}

// check is one line of the table of checks.
type check struct {
	name string
	look func(context.Context, *examination) []finding
}

// checks is everything that is looked at, in this order.
func checks() []check {
	return []check{
		{"settings", lookSettings},
		{"address", lookAddress},
		{"data", lookData},
		{"disk", lookDisk},
		{"database", lookDatabase},
		{"blobs", lookBlobs},
		{"index", lookIndex},
		{"cache", lookCache},
		{"keys", lookKeys},
		{"tls", lookTLS},
		{"upstreams", lookUpstreams},
		{"embedder", lookEmbedder},
		{"intent", lookIntent},
		{"route", lookRoute},
		{"processors", lookProcessors},
		{"worker", lookWorker},
		{"pdfium", lookPDFium},
		{"ocr", lookOCR},
		{"clock", lookClock},
		{"server", lookServer},
	}
}

// examination is a set-up that is looked at.
type examination struct {
	*doctorCmd
	app *app
}

// errUnwell says that a check failed.
var errUnwell = errors.New("the set-up is not sound")

// Run makes the checks and prints what they found.
func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	table, err := c.chosen()
	if err != nil {
		return err
	}
	e := &examination{c, a}
	var all []finding
	for _, one := range table {
		for _, f := range one.look(ctx, e) {
			f.Check = one.name
			all = append(all, f)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	failed := 0
	for _, f := range all {
		if f.Verdict == broken {
			failed++
		}
	}
	if err := c.print(a.stdout, all, failed == 0); err != nil || failed == 0 {
		return err
	}
	return errUnwell
}

// chosen is the part of the table that --only names.
func (c *doctorCmd) chosen() ([]check, error) {
	table := checks()
	for _, name := range c.Only {
		if !slices.ContainsFunc(table, func(one check) bool { return one.name == name }) {
			return nil, &fault.Error{Code: fault.Usage, Subject: "--only " + name, Reason: "there is no such check", Next: "see inlay doctor --help"}
		}
	}
	if len(c.Only) == 0 {
		return table, nil
	}
	return slices.DeleteFunc(table, func(one check) bool { return !slices.Contains(c.Only, one.name) }), nil
}

func (c *doctorCmd) print(w io.Writer, all []finding, sound bool) error {
	if c.Output == "json" {
		return writeJSON(w, map[string]any{"schema": "inlay.doctor/v1", "ok": sound, "checks": all})
	}
	for _, f := range all {
		line := fmt.Sprintf("%-8s %-10s %s", f.Verdict, f.Check, printable(f.Found))
		if f.Next != "" {
			line += "\n" + strings.Repeat(" ", 20) + "-> " + printable(f.Next)
		}
		if _, err := fmt.Fprintln(w, fittedAt(w, line, 20)); err != nil {
			return err
		}
	}
	return nil
}

// fine is a check that found nothing wrong.
func fine(format string, args ...any) []finding {
	return []finding{{Verdict: good, Found: fmt.Sprintf(format, args...)}}
}

// left is a check that was not asked for.
func left(why string) []finding { return []finding{{Verdict: skipped, Found: why}} }

// bad is a check that failed.
func bad(found, next string) []finding {
	return []finding{{Verdict: broken, Found: found, Next: next}}
}

// ofError is the failure that an error tells of; next is what to do where the
// error does not say so.
func ofError(err error, next string) []finding {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return bad(err.Error(), next)
	}
	found := strings.TrimSpace(e.Subject + " " + e.Reason)
	if e.Subject != "" && e.Reason != "" {
		found = e.Subject + ": " + e.Reason
	}
	return bad(cmp.Or(found, string(e.Code)), cmp.Or(e.Next, next))
}

// lookSettings reads the settings as the commands would.
func lookSettings(ctx context.Context, e *examination) []finding {
	_, options := e.options()
	_, limits := e.limits()
	_, splitter := wire.OpenSplitter(e.Chunk)
	var out []finding
	for _, err := range []error{e.check(), options, limits, splitter, e.lookStrategies(ctx)} {
		if err != nil {
			out = append(out, ofError(e.app.settings.blame(err), "see inlay config")...)
		}
	}
	if e.ContextLength < 0 {
		out = append(out, bad("--context-length is less than 0", "leave it out, or give the number of tokens")...)
	}
	if out == nil {
		out = fine("valid, %s", from(e.app.settings))
	}
	return out
}

// lookStrategies reads the strategies of the host; one that is not valid is said
// and left out by the commands, and is a mistake here.
func (e *examination) lookStrategies(ctx context.Context) error {
	registry, err := builtin.KnownPreprocessors()
	if err != nil {
		return err
	}
	set, err := e.load(ctx, registry)
	if err == nil && len(set.Diagnostics) > 0 {
		d := set.Diagnostics[0]
		err = &fault.Error{
			Code: fault.StrategyInvalid, Subject: "--strategies",
			Reason: fmt.Sprintf("%d of the notes on your strategies: %s", len(set.Diagnostics), d.Message),
			Next:   "see inlay strategy check",
		}
	}
	return err
}

func from(s *source) string {
	if s.path == "" {
		return "without a configuration file"
	}
	return "configuration file " + s.path
}

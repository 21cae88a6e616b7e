package injection

import (
	"context"
	"strings"
	"time"

	"inlay/strategy"
)

// ID is the id under which strategies name this preprocessor.
const ID = "files"

// Preprocessor is an [Injector] as strategies see it: it reads the execution
// context and returns variables, nothing else (STR-2).
type Preprocessor struct {
	Injector *Injector
	Modes    map[string]Mode // overrides of single files, by their id
	Defaults Options         // what a strategy's options.preprocessors.files start from
	Observe  func(Result)    // told the whole result, for the host: a strategy sees variables alone (STR-2); nil: nobody
}

var (
	_ strategy.Preprocessor    = Preprocessor{}
	_ strategy.SettingsChecker = Preprocessor{}
)

// Info describes the preprocessor.
func (Preprocessor) Info() strategy.Info {
	return strategy.Info{
		ID:           ID,
		DisplayName:  "Attached files",
		Description:  "Lays attached files into the prompt: whole where they fit, as cited passages where they do not.",
		Permission:   "Reads attached files",
		Timeout:      10 * time.Minute,
		ContainInput: []string{Prefix + "prompt"},
	}
}

// Process injects the context's attachments and returns preprocess.files.*.
// The setting "query" is what the strategy itself asks of the files, such as a
// summary at one click; what the user wrote follows it.
func (p Preprocessor) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	options, query, err := p.settings(x.Settings)
	if err != nil {
		return strategy.Result{}, err
	}
	options.DryRun = options.DryRun || x.DryRun
	req := Request{Messages: x.Messages, Text: asked(query, x.Input), Model: x.Model, Options: options}
	for _, a := range x.Attachments {
		f := File{ID: a.FileID, Name: a.Name, Path: a.Path, MediaType: a.MediaType, Mode: p.Modes[a.FileID], Open: a.Open}
		if a.New {
			req.Files = append(req.Files, f)
		} else {
			req.Earlier = append(req.Earlier, f)
		}
	}
	if x.Progress != nil {
		req.Report = func(s Status) { x.Progress(s) }
	}
	res, err := p.Injector.Inject(ctx, req)
	if err != nil {
		return strategy.Result{}, err
	}
	if p.Observe != nil {
		p.Observe(res)
	}
	return strategy.Result{Variables: res.Variables, Diagnostics: diagnostics(res)}, nil
}

// asked joins a strategy's own question and the user's text.
func asked(query, input string) string {
	switch {
	case query == "":
		return input
	case strings.TrimSpace(input) == "":
		return query
	}
	return query + "\n\n" + input
}

// diagnostics names warnings and failures without any content.
func diagnostics(r Result) []strategy.Diagnostic {
	var out []strategy.Diagnostic
	for _, w := range r.Warnings {
		out = append(out, strategy.Diagnostic{Code: "files." + w.Code, Severity: "warning", Message: w.Message})
	}
	for _, f := range r.Failures {
		out = append(out, strategy.Diagnostic{Code: "files." + string(f.Code), Severity: "warning", Message: f.File + ": " + f.Reason})
	}
	return out
}

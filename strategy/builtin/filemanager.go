package builtin

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"strings"
	"time"

	"inlay/injection"
	"inlay/strategy"
	"inlay/strategy/render"
)

// FileManagerSelection exposes what is selected in the file manager: the paths,
// and the contents of the files, parsed and budgeted as attached files are.
type FileManagerSelection struct {
	Injector *injection.Injector
	Defaults injection.Options
	Open     func(ctx context.Context, path string) ([]byte, error) // nil: paths only
}

// Info implements [strategy.Preprocessor].
func (FileManagerSelection) Info() strategy.Info {
	return strategy.Info{
		ID: "file-manager-selection", DisplayName: "File manager selection",
		Description: "Takes paths and contents of the files selected in the file manager; contents that do not fit become cited passages.",
		Permission:  "Reads file manager current folder and selection, and the selected files", Timeout: 10 * time.Minute,
	}
}

// CheckSettings implements [strategy.SettingsChecker]: there are none.
func (p FileManagerSelection) CheckSettings(settings map[string]any) error {
	return strategy.NoSettings(p.Info().ID, settings)
}

// Process implements [strategy.Preprocessor].
func (p FileManagerSelection) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	const items = "extra.file_manager.selection.items"
	v, _ := render.Find(x.Values, items)
	selection, ok := v.([]any)
	if !ok || len(selection) == 0 {
		return strategy.Result{}, missing(p.Info().ID, "selection in the file manager", items)
	}
	paths := []string{}
	var files []injection.File
	skipped := 0
	for _, item := range selection {
		name, ok := textAt(asObject(item), "path")
		if !ok {
			continue // a virtual item, such as the recycle bin
		}
		paths = append(paths, name)
		if kind, _ := asObject(item)["kind"].(string); kind != "" && !strings.EqualFold(kind, "file") {
			continue
		}
		if p.Open == nil {
			skipped++
		} else {
			files = append(files, p.file(name))
		}
	}
	out := strategy.Result{Variables: map[string]any{
		"preprocess.file_manager.selection.paths": paths,
		"preprocess.file_manager.selection.text":  "",
	}}
	if skipped > 0 {
		out.Diagnostics = append(out.Diagnostics, strategy.Diagnostic{
			Code: "files.not_allowed", Severity: "warning", Path: "preprocess.file_manager.selection.text",
			Message: "The selected files are named only: no folder may be read.",
		})
	}
	if len(files) == 0 {
		return out, nil
	}
	return p.contents(ctx, x, files, out)
}

func asObject(v any) map[string]any {
	object, _ := v.(map[string]any)
	return object
}

func (p FileManagerSelection) file(name string) injection.File {
	return injection.File{
		Name: path.Base(filepath.ToSlash(name)), Path: name,
		Open: func(ctx context.Context) ([]byte, error) { return p.Open(ctx, name) },
	}
}

// contents lets the files preprocessor's own machinery read and budget the files.
func (p FileManagerSelection) contents(ctx context.Context, x strategy.ExecutionContext, files []injection.File, out strategy.Result) (strategy.Result, error) {
	req := injection.Request{
		Messages: x.Messages, Text: cmp.Or(x.Input, "What do the selected files say?"), Model: x.Model, Files: files, Options: p.Defaults,
	}
	req.Options.DryRun = req.Options.DryRun || x.DryRun
	if x.Progress != nil {
		req.Report = func(s injection.Status) { x.Progress(s) }
	}
	res, err := p.Injector.Inject(ctx, req)
	if err != nil {
		return strategy.Result{}, err
	}
	out.Variables["preprocess.file_manager.selection.text"] = res.Variables[injection.Prefix+"context"]
	for _, f := range res.Failures {
		out.Diagnostics = append(out.Diagnostics, strategy.Diagnostic{
			Code: "files." + string(f.Code), Severity: "warning", Message: f.File + ": " + f.Reason, Path: "preprocess.file_manager.selection.text",
		})
	}
	return out, nil
}

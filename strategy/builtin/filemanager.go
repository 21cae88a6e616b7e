package builtin

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"inlay/fault"
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

// OpenUnder reads files that lie under one of the given folders, following no
// link that leads out of it (SEC-2).
func OpenUnder(roots ...string) func(ctx context.Context, path string) ([]byte, error) {
	return func(ctx context.Context, name string) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, root := range roots {
			rel, ok := under(root, name)
			if ok {
				return readUnder(root, rel)
			}
		}
		return nil, &fault.Error{
			Code: fault.FileUnreadable, Subject: path.Base(filepath.ToSlash(name)), Reason: "it lies outside of the folders that may be read",
			Next: "attach it, or allow its folder",
		}
	}
}

// under reports whether name lies below root, by their absolute paths.
func under(root, name string) (rel string, ok bool) {
	base, err := filepath.Abs(root)
	if err != nil {
		return "", false
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	rel, err = filepath.Rel(base, full)
	return rel, err == nil && filepath.IsLocal(rel)
}

// maxSelected bounds one selected file; parsers have tighter limits of their own.
const maxSelected = 256 << 20

func readUnder(root, rel string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, unreadable(rel, err)
	}
	defer func() { _ = dir.Close() }()
	f, err := dir.Open(rel)
	if err != nil {
		return nil, unreadable(rel, err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, unreadable(rel, errors.Join(err, fs.ErrInvalid))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSelected+1))
	if err != nil {
		return nil, unreadable(rel, err)
	}
	if len(data) > maxSelected {
		return nil, &fault.Error{Code: fault.FileTooLarge, Subject: filepath.Base(rel), Reason: "it is larger than 256 MiB", Next: "select a smaller one"}
	}
	return data, nil
}

func unreadable(rel string, err error) error {
	code := fault.FileUnreadable
	if errors.Is(err, fs.ErrNotExist) {
		code = fault.FileNotFound
	}
	return &fault.Error{Code: code, Subject: filepath.Base(rel), Reason: "it cannot be read", Next: "check that it exists, is a file and may be read", Err: err}
}

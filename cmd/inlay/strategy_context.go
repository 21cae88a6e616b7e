package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/parse"
	"inlay/strategy"
	"inlay/strategy/condition"
	"inlay/strategy/render"
)

// contextFlags say what strategies work on.
type contextFlags struct {
	File    []string `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File to attach; - is standard input. A mode may follow: big.pdf=retrieval."`
	Context string   `placeholder:"FILE" help:"JSON with attachments, clipboard, assistant, environment, extra and visual context."`
}

// values reads the context file and adds what this computer is, unless it says.
func (c contextFlags) values(a *app, model string) (map[string]any, error) {
	values := map[string]any{}
	if c.Context != "" {
		data, err := os.ReadFile(c.Context)
		if err != nil {
			return nil, &fault.Error{Code: fault.CodeOf(err), Subject: c.Context, Reason: "the context cannot be read: " + reasonOf(err), Next: "check --context", Err: err}
		}
		if values, err = decodeContext(data); err != nil {
			return nil, &fault.Error{Code: fault.Usage, Subject: c.Context, Reason: err.Error(), Next: "write an object with " + strings.Join(condition.Roots(), ", ")}
		}
	}
	for path, value := range environment(a.getenv) {
		if _, given := render.Find(values, path); !given {
			values[path] = value
		}
	}
	if _, given := render.Find(values, "assistant.model.id"); !given && model != "" {
		values["assistant.model.id"] = model
	}
	return values, nil
}

var errNoObject = errors.New("the context is no JSON object")

func decodeContext(data []byte) (map[string]any, error) {
	v, err := render.DecodeJSON(bytes.TrimPrefix(data, []byte("\uFEFF")))
	if err != nil {
		return nil, fmt.Errorf("the context is no JSON: %w", err)
	}
	values, ok := v.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	for key := range values {
		if root, _, _ := strings.Cut(key, "."); !slices.Contains(condition.Roots(), root) {
			return nil, fmt.Errorf("%q is no root of context", root)
		}
	}
	return values, nil
}

// environment describes this computer as environment.* paths.
func environment(getenv func(string) string) map[string]any {
	system := runtime.GOOS
	if system == "darwin" {
		system = "macos"
	}
	values := map[string]any{
		"environment.os": system, "environment.architecture": runtime.GOARCH,
		"environment.timeZone": time.Local.String(), "environment.currentDate": time.Now().Format(time.DateOnly),
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		locale, _, _ := strings.Cut(getenv(name), ".")
		if locale != "" && locale != "C" && locale != "POSIX" {
			values["environment.locale"] = strings.ReplaceAll(locale, "_", "-")
			break
		}
	}
	return values
}

// attached turns what -f names, and what earlier turns had, into attachments.
func attached(files []injection.File, images []chat.Attachment, earlier []injection.File, limits parse.Limits) (list []strategy.Attachment, modes map[string]injection.Mode) {
	modes = map[string]injection.Mode{}
	for _, f := range files {
		id := parse.FileID(f.Data)
		modes[id] = f.Mode
		list = append(list, strategy.Attachment{
			Attachment: chat.Attachment{FileID: id, Name: f.Name, Path: f.Path, MediaType: f.MediaType}, New: true, Size: int64(len(f.Data)),
			Open: func(context.Context) ([]byte, error) { return f.Data, nil },
		})
	}
	for _, i := range images {
		list = append(list, strategy.Attachment{Attachment: i, New: true, Open: opener(i, "", limits)})
	}
	for _, f := range earlier {
		list = append(list, strategy.Attachment{Attachment: chat.Attachment{FileID: f.ID, Name: f.Name, Path: f.Path, MediaType: f.MediaType}, Open: f.Open})
	}
	return list, modes
}

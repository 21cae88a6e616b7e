package main

import (
	"os"
	"runtime"
	"strings"
	"time"

	"inlay/fault"
	"inlay/strategy/condition"
	"inlay/strategy/render"
)

// contextFlags say what strategies work on.
type contextFlags struct {
	File    []rawArg `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File, folder, web address or glob to attach; - is standard input. A mode may follow: big.pdf=retrieval."`
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
		if values, err = condition.DecodeContext(data); err != nil {
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

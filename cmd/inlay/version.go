package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// number is the release, or what it grows to.
const number = "0.1.0"

// version is what --version prints.
const version = "inlay " + number

// commit is set by the linker where the build has no Git folder to look at.
var commit string //nolint:gochecknoglobals // the linker sets it

// versionCmd says which build this is.
type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(a *app) error {
	_, err := io.WriteString(a.stdout, build(commit, debug.ReadBuildInfo)+"\n")
	return err
}

// build names the release, the commit it was made from, and the compiler.
func build(commit string, read func() (*debug.BuildInfo, bool)) string {
	changed := ""
	if info, ok := read(); ok && commit == "" {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = ", with changes"
			}
		}
	}
	if commit == "" {
		commit = "unknown"
	}
	return fmt.Sprintf("%s, commit %s%s, %s, %s/%s", version, commit[:min(len(commit), 12)], changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

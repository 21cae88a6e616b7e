package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"inlay/internal/wire"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && slices.Contains([]string{wire.WorkerCommand, wire.CompileCommand, readerCommand}, os.Args[1]) { // a test in this process reads a document
		main()
	}
	testscript.Main(m, map[string]func(){"inlay": profiled})
}

var update = flag.Bool("update", false, "rewrite golden files")

// TestScript runs the command's manual: testdata/script. Under the race detector,
// which makes each step ten times as long, only those scripts whose commands do
// several things at once.
func TestScript(t *testing.T) {
	dir, files := "testdata/script", []string(nil)
	if raced {
		for _, name := range []string{"ask", "eval", "serve", "store"} {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/crane" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/markdown")
		_, _ = io.WriteString(w, "# Crane\n\nThe crane rests on Sundays.\n")
	}))
	t.Cleanup(site.Close) // scripts run side by side, after this function
	testscript.Run(t, testscript.Params{
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"hostile": hostile},
		Dir:  dir, Files: files, UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HANDBOOK", root+"/../../testdata/handbook.md")
			e.Setenv("EVALDATA", root+"/../../eval/testdata")
			e.Setenv("SCANNED", root+"/../../parse/pdf/testdata/scanned.pdf")
			e.Setenv("PICTURES", root+"/../../parse/picture/testdata")
			e.Setenv("TESTDATA", root+"/../../testdata")
			e.Setenv("SITE", site.URL)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", os.DevNull) // no folder: nothing is compiled ahead
			return nil
		},
	})
}

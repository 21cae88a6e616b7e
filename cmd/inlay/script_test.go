package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"inlay": main}) }

var update = flag.Bool("update", false, "rewrite golden files")

// TestScript runs the command's manual: testdata/script.
func TestScript(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return os.Getuid() == 0, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HANDBOOK", root+"/../../testdata/handbook.md")
			e.Setenv("TESTDATA", root+"/../../testdata")
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
	})
}

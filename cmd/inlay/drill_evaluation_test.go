package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// evaluationSeen is an evaluation as its owner sees it.
type evaluationSeen struct {
	Status   string
	Progress struct {
		Share, Elapsed float64
		Begun          int
	}
	Error *struct{ Reason string }
}

func (d *drill) evaluation(id string) (e evaluationSeen) {
	d.t.Helper()
	require.NoError(d.t, json.Unmarshal(d.must(d.json(http.MethodGet, "/v1/evaluations/"+id, "", nil)).body, &e))
	return e
}

// stop is SIGTERM, and the wait for the end.
func (d *drill) stop() {
	d.t.Helper()
	require.NoError(d.t, d.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(d.t, d.cmd.Wait(), d.log.String())
	d.cmd = nil
	d.client.CloseIdleConnections()
}

// TestDrillEvaluation ends the server again and again under an evaluation: it
// goes on where it was, its progress never falls back, and it ends well.
func TestDrillEvaluation(t *testing.T) {
	if raced {
		t.Skip("the race detector makes its evaluation take many minutes")
	}
	rows := newTable(t, "end", "share before", "share after", "begun", "status")
	d := newDrill(t)
	d.start()
	set := evalSet(t, 4, 48)
	var files []any
	paths, err := filepath.Glob(filepath.Join(set, "documents", "*"))
	require.NoError(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		id := d.must(d.upload("", filepath.Base(path), data)).id()
		d.read("", id)
		files = append(files, map[string]any{"id": id})
	}
	var questions []any
	lines, err := os.ReadFile(filepath.Join(set, "questions.csv"))
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n")[1:] {
		part := strings.Split(line, ",")
		questions = append(questions, map[string]any{"question": part[0], "expected": []any{map[string]any{"file": part[1], "quote": part[2]}}})
	}
	id := d.must(d.json(http.MethodPost, "/v1/evaluations", "", map[string]any{
		"files": files, "questions": questions, "chunks": []string{"32/0", "48/0", "64/0", "80/0", "100/0", "120/0", "150/0", "200/0"},
	})).id()

	share := 0.0
	look := func() evaluationSeen {
		e := d.evaluation(id)
		require.NotEqual(t, "failed", e.Status, "%+v", e.Error)
		require.GreaterOrEqual(t, e.Progress.Share, share, "progress never falls back")
		share = e.Progress.Share
		return e
	}
	over := func() bool { return look().Status == "done" }
	for n := range 5 { // at once, before anything can be done
		d.stop()
		d.start()
		e := look()
		rows.row(fmt.Sprint("SIGTERM at once ", n+1), share, e.Progress.Share, e.Progress.Begun, e.Status)
	}
	for n := 0; n < 8 && !over(); n++ {
		from := share
		require.Eventually(t, func() bool { e := look(); return e.Progress.Share > from || e.Status == "done" }, waitFor, 5*time.Millisecond)
		before, how := share, "SIGTERM"
		if n%2 == 0 {
			how = "kill -9"
			d.kill()
		} else {
			d.stop()
		}
		d.start()
		e := d.evaluation(id)
		require.GreaterOrEqual(t, e.Progress.Share, before)
		share = e.Progress.Share
		rows.row(how, before, e.Progress.Share, e.Progress.Begun, e.Status)
	}
	require.Eventually(t, over, waitFor, 20*time.Millisecond)
	rows.row("none", share, share, d.evaluation(id).Progress.Begun, "done")
	require.InDelta(t, 1, share, 0)
	d.must(d.json(http.MethodGet, "/v1/evaluations/"+id+"/result", "", nil))
}

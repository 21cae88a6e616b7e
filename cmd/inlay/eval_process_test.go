package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/eval"
)

// evalSet writes documents and questions about them that take a while to
// evaluate.
func evalSet(t *testing.T, documents, questions int) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "documents"), 0o700))
	for d := range documents {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "Boat %s lies at berth %s of pontoon %s.\n\n", numeral(i*31+d*997+7), numeral(i*17+d), numeral(d*131+5))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "documents", fmt.Sprintf("pontoon%02d.txt", d)), []byte(b.String()), 0o600))
	}
	var b strings.Builder
	b.WriteString("question,file,quote\n")
	for q := range questions {
		i, d := q*7%400, q%documents
		fmt.Fprintf(&b, "Where does boat %s lie?,pontoon%02d.txt,Boat %s lies at berth %s\n", numeral(i*31+d*997+7), d, numeral(i*31+d*997+7), numeral(i*17+d))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "questions.csv"), []byte(b.String()), 0o600))
	return dir
}

// readEvaluation reads a report without what is timed or counts work.
func readEvaluation(t *testing.T, path string) (rep eval.Report) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &rep))
	rep.ElapsedMillis, rep.ParseMillis, rep.ParsedNow, rep.EmbeddedNow, rep.RankedNow = 0, 0, 0, 0, 0
	for i := range rep.Settings {
		rep.Settings[i].IndexMillis, rep.Settings[i].SearchMillis = 0, 0
	}
	return rep
}

// TestEvalResumes ends evaluations at many moments, by Ctrl-C and by kill -9:
// the next one with the same store does only what is left, and reports the same.
func TestEvalResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("evaluates a dozen times in processes of their own")
	}
	data, out := evalSet(t, 5, 64), t.TempDir()
	args := []string{"eval", "--data", data, "--chunk", "64/0,100/0", "--limit", "1,3", "--threshold", "0:1:0.1", "--jobs", "2"}
	plain := filepath.Join(out, "plain.json")
	whole, err := command(t, append(args, "--json", plain, "--jobs", "1")...).CombinedOutput()
	require.NoError(t, err, "%s", whole)
	want := readEvaluation(t, plain)
	bin := command(t).Path
	for _, c := range []struct {
		signal os.Signal
		moment string // of the progress
		exit   int
	}{
		{os.Interrupt, "parsing", 130},
		{os.Interrupt, "indexing with builtin 64/0", 130},
		{os.Kill, "indexing with builtin 64/0", -1},
		{os.Kill, "searching with builtin 64/0", -1},
		{os.Interrupt, "searching with builtin 100/0", 130},
		{os.Kill, "searching with builtin 100/0", -1},
	} {
		name := fmt.Sprintf("%v while %s", c.signal, c.moment)
		store, report := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "report.json")
		withStore := append(args, "--store", store, "--json", report)
		said := endAt(t, again(t, bin, withStore), c.moment, c.signal, c.exit)
		require.NoFileExists(t, report, name)
		if c.exit == 130 {
			require.Contains(t, said, "is kept in "+store, name)
		}
		left, err := again(t, bin, withStore).CombinedOutput()
		require.NoError(t, err, "%s: %s", name, left)
		require.Equal(t, want, readEvaluation(t, report), name)
		var raw eval.Report
		content, err := os.ReadFile(report)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(content, &raw))
		if strings.HasPrefix(c.moment, "searching") {
			require.Zero(t, raw.ParsedNow, name)
			require.Less(t, raw.EmbeddedNow, 10, name)
		}
		if strings.HasSuffix(c.moment, "100/0") {
			require.LessOrEqual(t, raw.RankedNow, 64, "%s: the first setting was whole", name)
		}
	}
}

// again is the command once more: the same binary, which rankings are bound to.
func again(t *testing.T, bin string, args []string) *exec.Cmd {
	t.Helper()
	cmd := command(t, args...)
	cmd.Path = bin
	return cmd
}

// endAt starts a command, sends it a signal when a line of its progress begins
// with moment, and returns what it said.
func endAt(t *testing.T, cmd *exec.Cmd, moment string, signal os.Signal, exit int) string {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var said []string
	sent := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said = append(said, lines.Text())
		if !sent && strings.HasPrefix(lines.Text(), moment) {
			sent = true
			require.NoError(t, cmd.Process.Signal(signal))
		}
	}
	err = cmd.Wait()
	all := strings.Join(said, "\n")
	require.True(t, sent, "never came to %s:\n%s", moment, all)
	e, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, "ended by itself before it was ended: %v\n%s", err, all)
	require.Equal(t, exit, e.ExitCode(), all)
	return all
}

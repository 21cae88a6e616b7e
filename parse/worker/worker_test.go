package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/fault"
	"inlay/parse"
	"inlay/parse/worker"
)

// role makes the test's own program a worker.
const role = "INLAY_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		child := worker.Child{
			Parsers: func(parse.Limits) (*parse.Registry, error) { return parse.NewRegistry(moody{}) },
		}
		if err := child.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// moody reads pages of plain text separated by form feeds. Some words make it do
// what a reader taken in by a hostile document may do.
type moody struct{}

func (moody) Info() parse.Info {
	return parse.Info{Name: "moody", Version: "1", Library: "moody", MediaTypes: []string{"text/plain"}, Extensions: []string{".txt"}}
}

func (m moody) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	return m.ParsePages(ctx, f, report, func(parse.PageText) {})
}

func (moody) ParsePages(_ context.Context, f parse.File, report parse.Progress, each func(parse.PageText)) (parse.Document, error) {
	pages := strings.Split(string(f.Data), "\f")
	d := parse.Document{Name: f.Name, Library: "moody"}
	for i, p := range pages {
		switch strings.TrimSpace(p) {
		case "refuse":
			return d, &fault.Error{Code: fault.PasswordRequired, Subject: f.Name, Reason: "no", Next: "ask"}
		case "die":
			_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
			time.Sleep(time.Second)
		case "spin":
			for {
				_ = len(p)
			}
		case "killed":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Second)
		case "pid":
			p = strconv.Itoa(os.Getpid())
		case "end":
			defer func() { time.AfterFunc(50*time.Millisecond, func() { os.Exit(0) }) }()
		case "work":
			var used syscall.Rusage
			for used.Utime.Nano()+used.Stime.Nano() < int64(1100*time.Millisecond) {
				_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
			}
		case "sleep":
			time.Sleep(time.Minute)
		case "eat":
			var all [][]byte
			for {
				all = append(all, []byte(strings.Repeat("x", 1<<24)))
				_ = all
			}
		case "write":
			if os.WriteFile(os.TempDir()+"/inlay-worker-test", []byte("x"), 0o600) == nil {
				return d, &fault.Error{Code: fault.Internal, Reason: "it could write a file"}
			}
		}
		s := parse.Section{Kind: parse.Page, Number: i + 1, Status: parse.Read}
		each(parse.PageText{Section: s, Of: len(pages), Text: p})
		report(float64(i+1) / float64(len(pages)))
		s.Start = len(d.Text)
		d.Text += p
		s.End = len(d.Text)
		d.Sections = append(d.Sections, s)
	}
	return d, nil
}

// command is this test's own program as a worker.
func command(wall time.Duration) worker.Command {
	limits := parse.Limits{Memory: 256 << 20, CPU: time.Second, Wall: wall}
	return worker.Command{Env: []string{role + "=1", "GOTRACEBACK=none"}, Limits: limits}
}

// reader keeps the registry's promises around a reader in a worker.
func reader(t *testing.T, c worker.Command) *parse.Registry {
	t.Helper()
	r, err := parse.NewRegistry(worker.Wrap(c, moody{})...)
	require.NoError(t, err)
	return r
}

func TestWorkerReads(t *testing.T) {
	var progress []float64
	f := parse.File{Name: "a.txt", Path: "/x/a.txt", Data: []byte("one\ftwo\fwrite")}
	d, err := reader(t, command(0)).Parse(t.Context(), f, func(p float64) { progress = append(progress, p) })
	require.NoError(t, err)
	require.Equal(t, "onetwowrite", d.Text)
	require.Equal(t, "two", d.Text[d.Sections[1].Start:d.Sections[1].End])
	require.Equal(t, "/x/a.txt", d.Path)
	require.Equal(t, []float64{1. / 3, 2. / 3, 1}, progress)
	require.Equal(t, []parse.Info{moody{}.Info()}, reader(t, command(0)).Parsers())
}

// However a worker ends, the supervisor goes on and says what happened.
func TestWorkerEnds(t *testing.T) {
	for _, c := range []struct {
		mood string
		code fault.Code
	}{
		{"refuse", fault.PasswordRequired},
		{"die", fault.Corrupt},
		{"spin", fault.LimitExceeded},
		{"eat", fault.LimitExceeded},
		{"sleep", fault.Timeout},
		{"killed", fault.Internal},
	} {
		t.Run(c.mood, func(t *testing.T) {
			t.Parallel()
			if worker.Raced && c.mood == "eat" {
				t.Skip("the race detector maps more memory than a worker may have, so nothing limits it")
			}
			p := reader(t, command(10*time.Second))
			if c.mood == "sleep" {
				p = reader(t, command(500*time.Millisecond))
			}
			_, err := p.Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte(c.mood)}, nil)
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, "a.txt: ")
			if c.mood == "refuse" {
				return
			}
			d, err := p.Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte("first page\f" + c.mood + "\flast")}, nil)
			require.NoError(t, err, "what was read before is kept")
			require.Equal(t, "first page", d.Text)
			require.Equal(t, parse.Coverage{Pages: 3, Characters: 10, PerPage: []int{10, 0, 0}, Failed: []int{2, 3}}, d.Coverage)
			require.True(t, d.Partial)
			require.Len(t, d.Warnings, 2)
			require.Contains(t, d.Warnings[0].Message, "only 1 of 3 pages was read")
			require.Equal(t, "pages 2-3 could not be read", d.Warnings[1].Message)
		})
	}
}

func TestWorkerCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := reader(t, command(0)).Parse(ctx, parse.File{Name: "a.txt", Data: []byte("one\fsleep")}, func(float64) { cancel() })
	require.True(t, fault.Is(err, fault.Canceled), "%v", err)
}

func TestWorkerThatIsNone(t *testing.T) {
	for _, path := range []string{"/bin/cat", "/bin/true", "/nonexistent"} {
		p := reader(t, worker.Command{Path: path, Limits: parse.Limits{Wall: 5 * time.Second}})
		_, err := p.Parse(t.Context(), parse.File{Name: "a.txt", Data: fmt.Append(nil, path)}, nil)
		require.Error(t, err)
		require.Equal(t, fault.Internal, fault.CodeOf(err), "%s: %v", path, err)
	}
}

// What was derived from a part of a document is not kept for the whole.
func TestPartialIsNotCached(t *testing.T) {
	store := &cache.Memory{}
	f := parse.File{Name: "a.txt", Data: []byte("first page\fkilled")}
	cached := parse.Cached{Registry: reader(t, command(0)), Store: store}
	d, err := cached.Parse(t.Context(), f, nil)
	require.NoError(t, err)
	require.True(t, d.Partial)
	require.NotEqual(t, "moody/1", d.Parser)
	d, err = cached.Parse(t.Context(), f, nil)
	require.NoError(t, err)
	require.False(t, d.Cached)
}

// A program that does not know its own subcommand would start itself for ever.
func TestWorkerStartsNoWorker(t *testing.T) {
	t.Setenv("INLAY_WORKER", "1")
	_, err := reader(t, command(0)).Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte("one")}, nil)
	about, ok := errors.AsType[*fault.Error](err)
	require.True(t, ok)
	require.ErrorContains(t, about.Err, "a worker starts no workers")
}

// TestKeptWorker reads one document after another in one process, and those after
// one that ended it in a new one.
func TestKeptWorker(t *testing.T) {
	c := command(10 * time.Second)
	c.Limits.CPU, c.Keep = 3*time.Second, &worker.Pool{}
	defer c.Keep.Close()
	p := reader(t, c)
	say := func(words string) string {
		d, err := p.Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte(words)}, nil)
		if err != nil {
			return string(fault.CodeOf(err))
		}
		return d.Text
	}
	first := say("pid")
	require.Equal(t, first, say("pid"), "one process for two documents")
	require.Equal(t, string(fault.PasswordRequired), say("refuse"))
	require.Equal(t, first, say("pid"), "a refusal does not end it")
	require.Equal(t, string(fault.Corrupt), say("die"))
	second := say("pid")
	require.NotEqual(t, first, second)
	require.Equal(t, "end", say("end"))
	third := second
	require.Eventually(t, func() bool { // it ends while it waits
		third = say("pid")
		return third != second && third != string(fault.Corrupt)
	}, 5*time.Minute, 10*time.Millisecond, "a worker that has ended is replaced")
	require.Equal(t, "work", say("work"))
	require.NotEqual(t, third, say("pid"), "one that has used much processor time too")

	fourth := say("pid")
	c.Keep.Close()
	require.NotEqual(t, fourth, say("pid"), "a closed pool has no worker left")

	alone := c
	alone.Keep = nil
	p = reader(t, alone)
	one, other := say("pid"), say("pid")
	require.NotEqual(t, one, other, "without Keep each document has its own process")
}

// TestKeptWorkerIsStopped by the context of a document, and goes on with the next.
func TestKeptWorkerIsStopped(t *testing.T) {
	c := command(500 * time.Millisecond)
	c.Keep = &worker.Pool{}
	defer c.Keep.Close()
	p := reader(t, c)
	for _, words := range []string{"one", "sleep", "one"} {
		d, err := p.Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte(words)}, nil)
		if words == "sleep" {
			require.Equal(t, fault.Timeout, fault.CodeOf(err))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, words, d.Text)
	}
}

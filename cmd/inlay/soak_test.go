package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	soak    = flag.Duration("soak", 0, "run TestSoak for so long")
	clients = flag.Int("clients", 32, "of TestSoak")
	heaps   = flag.String("heaps", "", "folder for heap profiles of TestSoak's server, one each time its memory is printed")
)

// TestSoak runs clients against a server process for as long as -soak says and
// prints every half minute what was answered and what memory the server holds:
// as the system counts it, and what of it the heap's last collection found in use.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("run it with -soak 10m, or make bench-service SOAK=10m")
	}
	if *heaps != "" {
		require.NoError(t, os.MkdirAll(*heaps, 0o755))
		folder, err := filepath.Abs(*heaps)
		require.NoError(t, err)
		t.Setenv(heapVariable, folder)
	}
	s := serveApart(t, "--upstream", "up=openai:"+small(t).url+"/v1", "--concurrency", "1000")
	text, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(t, err)
	id := uploadTo(t, s.url, "handbook.md", string(text))
	large := uploadTo(t, s.url, "large.md", strings.Repeat(string(text), 60))
	settled(t, s.url, id)
	settled(t, s.url, large)
	w := &workload{url: s.url, files: []string{id, large}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *clients}}, count: map[string]int{}, failed: map[string]int{}}
	end := time.Now().Add(*soak)
	var all sync.WaitGroup
	for i := range *clients {
		all.Go(func() { w.run(rand.New(rand.NewPCG(1, uint64(i))), end) })
	}
	for start := time.Now(); time.Now().Before(end); {
		time.Sleep(min(30*time.Second, time.Until(end)))
		t.Logf("%4.0f s: %s, %s, %s, load %s", time.Since(start).Seconds(), w.summary(), memory(t, s.pid), heap(t, s), firstOf(t, "/proc/loadavg"))
	}
	all.Wait()
	require.Empty(t, w.failed)
}

// memory is what the system says of a process.
func memory(t *testing.T, pid int) string {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "memory not known on this system"
	}
	var out []string
	for _, name := range []string{"VmRSS", "RssAnon", "VmHWM"} {
		if found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status); found != nil {
			out = append(out, name+" "+string(found[1])+" kB")
		}
	}
	return strings.Join(out, ", ")
}

// heap is what the server says of its heap: what the last collection found in
// use, what Go holds of the system, and how many goroutines there are.
func heap(t *testing.T, s process) string {
	t.Helper()
	resp, err := http.Get(s.url + "/metrics") //nolint:noctx // a test
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	figure := func(name string) int {
		found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
		require.NotNil(t, found, name)
		n, err := strconv.ParseFloat(string(found[1]), 64)
		require.NoError(t, err)
		return int(n)
	}
	if *heaps != "" {
		require.NoError(t, syscall.Kill(s.pid, syscall.SIGUSR1))
	}
	return fmt.Sprintf("live %d kB, held by Go %d kB, %d goroutines", figure("go_gc_heap_live_bytes")>>10,
		(figure("go_memstats_sys_bytes")-figure("go_memstats_heap_released_bytes"))>>10, figure("go_goroutines"))
}

// heapVariable names the folder where a server of these tests leaves a profile
// of its heap whenever it gets SIGUSR1.
const heapVariable = "INLAY_TEST_HEAPS"

// profiled is the command's main with that.
func profiled() {
	if dir := os.Getenv(heapVariable); dir != "" {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGUSR1)
		go func() {
			for n := 1; ; n++ {
				<-asked
				if err := writeHeap(filepath.Join(dir, fmt.Sprintf("%d.heap", n))); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		}()
	}
	main()
}

func writeHeap(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	runtime.GC()
	return pprof.WriteHeapProfile(f)
}

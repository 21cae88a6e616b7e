package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// calm is how long the load drill must last for its times and its memory to be
// held to what is promised of an otherwise idle machine; shorter, it shows them.
const calm = 5 * time.Minute

// outcomes are the statuses of requests and the times of those that were answered.
type outcomes struct {
	mu     sync.Mutex
	status map[int]int
	took   []time.Duration // of questions about 260 KB
	odd    string          // an answer that should not be
}

func (o *outcomes) note(got said, err error, took time.Duration, question bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.status == nil {
		o.status = map[int]int{}
	}
	o.status[got.status]++
	switch {
	case err != nil || got.status >= 500:
		o.odd = fmt.Sprint(got.status, " ", err, " ", string(got.body))
	case got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") == "":
		o.odd = "429 without Retry-After"
	case question && got.status == http.StatusOK:
		o.took = append(o.took, took)
	}
}

// share is the time that this share of the questions took at most.
func (o *outcomes) share(p float64) time.Duration {
	slices.Sort(o.took)
	if len(o.took) == 0 {
		return 0
	}
	return o.took[min(len(o.took)-1, int(p*float64(len(o.took))))]
}

// work lets clients do one thing after the other for a time.
func (d *drill) work(clients int, lasts time.Duration, do func(r *rand.Rand) (got said, err error, question bool)) *outcomes {
	var o outcomes
	var all sync.WaitGroup
	end := time.Now().Add(lasts)
	for i := range clients {
		all.Go(func() {
			for r := rand.New(rand.NewPCG(7, uint64(i))); time.Now().Before(end); {
				begun := time.Now()
				got, err, question := do(r)
				o.note(got, err, time.Since(begun), question)
				if after, err := strconv.Atoi(got.header.Get("Retry-After")); err == nil {
					time.Sleep(min(time.Until(end), time.Duration(after)*time.Second))
				}
			}
		})
	}
	all.Wait()
	return &o
}

// TestDrillLoad: mixed work of 32 clients, then 256 clients with questions. Run
// it long, on a machine that does nothing else: -drill -soak 10m.
func TestDrillLoad(t *testing.T) {
	lasts := 3 * time.Second
	if *drilled {
		lasts = 30 * time.Second
	}
	if *soak > 0 {
		lasts = *soak
	}
	rows := newTable(t, "work", "clients", "time", "answers", "questions", "p50", "p99", "memory", "middle")
	d := newDrill(t, "--upstream", "up=openai:"+talker(t, 5, 0))
	d.client.Transport = &http.Transport{MaxIdleConnsPerHost: 300}
	d.start()
	text, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(t, err)
	large := d.must(d.upload("", "large.md", []byte(strings.Repeat(string(text), 60)))).id()
	d.read("", large)
	question := func(r *rand.Rand) (said, error, bool) {
		got, err := d.json(http.MethodPost, "/v1/preprocess", "", map[string]any{
			"messages":       []any{map[string]any{"role": "user", "text": fmt.Sprintf("How long is the notice period of number %d?", r.IntN(1000))}},
			"files":          []any{map[string]any{"id": large}},
			"context_length": 8192, "mode": "retrieval",
		})
		return got, err, true
	}
	mixed := func(r *rand.Rand) (got said, err error, asked bool) {
		switch dice := r.IntN(10); {
		case dice < 5:
			return question(r)
		case dice < 6:
			got, err = d.upload("", "note.md", fmt.Appendf(text[:2000:2000], "%d", r.Int()))
			if err == nil && got.status == http.StatusOK {
				got, err = d.json(http.MethodDelete, "/v1/files/"+got.id(), "", nil)
			}
		case dice < 7:
			got, err = d.json(http.MethodPost, "/v1/chat/completions", "", map[string]any{
				"model": "talker", "stream": true, "messages": []any{map[string]any{"role": "user", "content": "talk"}}, "inlay": map[string]any{"context_length": 4096},
			})
		case dice < 8:
			got, err = d.json(http.MethodPost, "/v1/chats", "", map[string]any{"title": "load"})
			if err == nil && got.status == http.StatusOK {
				got, err = d.json(http.MethodDelete, "/v1/chats/"+got.id(), "", nil)
			}
		default:
			got, err = d.json(http.MethodGet, "/v1/files?limit=20", "", nil)
		}
		return got, err, false
	}
	show := func(work string, clients int, lasts time.Duration, o *outcomes, middle string) {
		rows.row(work, clients, lasts, fmt.Sprint(o.status), len(o.took), o.share(.5), o.share(.99), d.memory(), middle)
	}
	usual := d.work(32, lasts/2, mixed)
	middle := d.memory()
	second := d.work(32, lasts-lasts/2, mixed)
	show("mixed, first half", 32, lasts/2, usual, "")
	show("mixed, second half", 32, lasts/2, second, middle)
	alone := d.work(32, lasts/4, question)
	show("questions", 32, lasts/4, alone, "")
	crowd := d.work(256, lasts/4, question)
	show("questions, too many", 256, lasts/4, crowd, "")
	for _, o := range []*outcomes{usual, second, alone, crowd} {
		require.Empty(t, o.odd)
		require.NotEmpty(t, o.took)
	}
	if *soak < calm { // how many are too many depends on how fast they are answered
		return
	}
	require.LessOrEqual(t, second.share(.99), 250*time.Millisecond)
	require.LessOrEqual(t, crowd.share(.99), 2*alone.share(.99))
	var before, after float64
	_, _ = fmt.Sscan(middle, &before)
	_, _ = fmt.Sscan(d.memory(), &after)
	require.InEpsilon(t, before, after, .1, "%s at half time, %s in the end", middle, d.memory())
}

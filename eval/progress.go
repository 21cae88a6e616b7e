package eval

import (
	"context"
	"sync"
	"time"
)

// Progress says how far an evaluation is.
type Progress struct {
	Stage   Stage
	Setting string // "builtin 300/0"; empty while parsing
	Done    int    // documents or questions of this stage
	Total   int
	Share   float64       // of the whole evaluation, 0..1; an estimate
	Elapsed time.Duration // since the beginning
	Left    time.Duration // an estimate; 0 while there is nothing to estimate from
}

// Stage is a part of an evaluation.
type Stage string

// The stages, in order; indexing and searching take turns, one setting after the other.
const (
	Parsing   Stage = "parsing"
	Indexing  Stage = "indexing" // chunking and embedding
	Searching Stage = "searching"
)

// What the kinds of work weigh before any of them was timed.
const (
	parseWeight  = 1.0  // a document
	indexWeight  = 2e-6 // a byte of text, for each setting
	searchWeight = 0.02 // a question, for each setting
)

// progress estimates the time left from how long each kind of work took so far.
type progress struct {
	mu      sync.Mutex
	o       *Options
	began   time.Time
	setting string
	since   time.Time // the beginning of the stage under way
	work    [3]work   // by stage
	stage   int
	done    int // of the stage under way
	total   int
}

type work struct {
	done, total float64       // units
	timed       float64       // of done, those that took time
	took        time.Duration // for these
}

func newProgress(o *Options) *progress {
	p := &progress{o: o, began: time.Now(), since: time.Now(), total: len(o.Set.Documents)}
	settings := float64(len(o.Embedders) * len(o.Chunkings))
	p.work[0].total = float64(len(o.Set.Documents))
	p.work[1].total = settings * 20_000 * float64(len(o.Set.Documents)) // until it is known
	p.work[2].total = settings * float64(len(o.Set.Questions))
	return p
}

// plan takes note of how much text there is to index.
func (p *progress) plan(bytes, settings int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.work[1].total = float64(bytes * settings)
}

// begin starts a stage of a setting.
func (p *progress) begin(stage int, setting string, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.setting, p.since, p.done, p.total = stage, setting, time.Now(), 0, total
}

// step counts n documents or questions of the stage under way, which are units
// of its work; fresh says that they took time and did not come from the store.
func (p *progress) step(n int, units float64, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &p.work[p.stage]
	p.done += n
	w.done += units
	now := time.Now()
	if fresh {
		w.timed += units
		w.took += now.Sub(p.since)
	}
	p.since = now
	if p.o.Report != nil {
		p.o.Report(p.now(now))
	}
}

func (p *progress) now(at time.Time) Progress {
	stage := [...]Stage{Parsing, Indexing, Searching}[p.stage]
	x := Progress{Stage: stage, Setting: p.setting, Done: p.done, Total: p.total, Elapsed: at.Sub(p.began)}
	known, scale := 0.0, 0.0 // seconds, and the weights they stand for
	weights := [...]float64{parseWeight, indexWeight, searchWeight}
	for i, w := range p.work {
		if w.timed > 0 {
			known += w.took.Seconds()
			scale += weights[i] * w.timed
		}
	}
	if scale == 0 {
		return x
	}
	spent, left := 0.0, 0.0
	for i, w := range p.work {
		each := weights[i] * known / scale // seconds for a unit not timed yet
		if w.timed > 0 {
			each = w.took.Seconds() / w.timed
		}
		spent += each * w.done
		left += each * max(0, w.total-w.done)
	}
	x.Left = time.Duration(left * float64(time.Second))
	if spent+left > 0 {
		x.Share = spent / (spent + left)
	}
	return x
}

// parallel runs do for 0..n-1, at most workers at a time, and returns the
// error of the lowest number that failed. After an error or the context's end
// nothing new is begun.
func parallel(ctx context.Context, workers, n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	stop := make(chan struct{})
	var once sync.Once
	var wait sync.WaitGroup
	for range min(workers, n) {
		wait.Go(func() {
			for i := range next {
				if errs[i] = do(i); errs[i] != nil {
					once.Do(func() { close(stop) })
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-stop:
			break feed
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

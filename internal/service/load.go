package service

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"inlay/fault"
	"inlay/injection"
)

// DefaultLoad is what [Config.Load] is if it is zero.
const DefaultLoad = 64 << 20

// load bounds the bytes of the documents that questions under way are about: a
// search takes some forty times as much in memory. Those that would be too many
// wait, and no owner can make the others wait for more than one half of it. It
// bounds their number too, so that those that are let in are not answered ever
// later: whoever comes beyond it is told to come again.
type load struct {
	most   int64
	all    *semaphore.Weighted
	mu     sync.Mutex
	owners map[string]*semaphore.Weighted

	questions int            // at once
	under     int            // under way
	of        map[string]int // under way, by owner
}

// perProcessor is how many questions are let in at once for each processor.
const perProcessor = 24

func newLoad(most int64, questions int) *load {
	most = max(2, cmp.Or(most, DefaultLoad))
	return &load{
		most: most, all: semaphore.NewWeighted(most), owners: map[string]*semaphore.Weighted{},
		questions: cmp.Or(questions, perProcessor*runtime.GOMAXPROCS(0)), of: map[string]int{},
	}
}

// enter lets a question in, unless too many are under way: in all, or of an
// owner who is not alone, who gets two thirds.
func (l *load) enter(ctx context.Context, owner string) (leave func(), err error) {
	own := max(1, l.questions*2/3)
	if ctx.Value(aloneKey{}) != nil {
		own = l.questions
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under >= l.questions || l.of[owner] >= own {
		return nil, &fault.Error{
			Code: fault.RateLimited, Subject: "questions", Reason: "there are more about documents at once than this server answers in good time",
			Next: "wait as long as Retry-After says", RetryAfter: time.Second,
		}
	}
	l.under++
	l.of[owner]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.under--
		if l.of[owner]--; l.of[owner] == 0 {
			delete(l.of, owner)
		}
	}, nil
}

// lightest is what no question waits for, in bytes.
const lightest = 64 << 10

// begin waits until the documents of a question have their room; end gives it
// back. What is larger than all the room there is, is worked on alone.
func (l *load) begin(ctx context.Context, owner string, req injection.Request) (end func(), err error) {
	n := weightOf(req)
	if n <= lightest {
		return func() {}, nil
	}
	leave, err := l.enter(ctx, owner)
	if err != nil {
		return nil, err
	}
	held := []func(){leave}
	end = func() {
		for _, release := range held {
			release()
		}
	}
	for _, s := range l.rooms(ctx, owner, n) {
		if err := s.room.Acquire(ctx, s.n); err != nil {
			end()
			return nil, context.Cause(ctx)
		}
		held = append(held, func() { s.room.Release(s.n) })
	}
	return end, nil
}

// admit is begin for the turns of an owner.
func (l *load) admit(owner string) func(context.Context, injection.Request) (func(), error) {
	return func(ctx context.Context, req injection.Request) (func(), error) { return l.begin(ctx, owner, req) }
}

// share is a part of a room.
type share struct {
	room *semaphore.Weighted
	n    int64
}

// rooms are those to pass, in this order: the owner's half, and that of all.
// An owner who is alone has the whole.
func (l *load) rooms(ctx context.Context, owner string, n int64) []share {
	all := share{l.all, min(n, l.most)}
	if ctx.Value(aloneKey{}) != nil {
		return []share{all}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	own, ok := l.owners[owner]
	if !ok {
		own = semaphore.NewWeighted(l.most / 2)
		l.owners[owner] = own
	}
	return []share{{own, min(n, l.most/2)}, all}
}

// weightOf is how many bytes of documents a question weighs. A dry run embeds
// and searches nothing: it reads, at most.
func weightOf(req injection.Request) (n int64) {
	for _, list := range [][]injection.File{req.Files, req.Earlier} {
		for _, f := range list {
			n += max(f.Size, int64(len(f.Data)))
		}
	}
	if req.Options.DryRun {
		n /= 8
	}
	return n
}

type aloneKey struct{}

// Alone marks the requests of a service where nobody needs a key: there is one
// owner, whom nobody must be protected from.
func Alone(ctx context.Context) context.Context { return context.WithValue(ctx, aloneKey{}, true) }

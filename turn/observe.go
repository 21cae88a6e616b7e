package turn

import (
	"time"

	"inlay/injection"
	"inlay/intent"
	"inlay/route"
)

// Observer is told what turns came to, in numbers and codes.
type Observer interface {
	// Split is told what an analyzer moved out of a message.
	Split(analyzer string, r intent.Result)
	// Decided is told what was decided over the files of a turn.
	Decided(r injection.Result)
	// Routed is told where a turn went.
	Routed(o route.Outcome)
	// Spent is told what a turn that the router saw came to, once its answer is there.
	Spent(r Routed)
	// Stage is told how long a part of a turn took.
	Stage(name string, took time.Duration)
}

type nobody struct{}

func (nobody) Split(string, intent.Result) {}
func (nobody) Decided(injection.Result)    {}
func (nobody) Routed(route.Outcome)        {}
func (nobody) Spent(Routed)                {}
func (nobody) Stage(string, time.Duration) {}

func (e *Engine) observe() Observer {
	if e.Observe == nil {
		return nobody{}
	}
	return e.Observe
}

package session

import (
	"time"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/route"
)

// Observer is told what happened, in numbers and codes.
type Observer interface {
	FailureObserver
	TurnObserver
	Stage(name string, took time.Duration)
	Evaluated(state string) // how an evaluation ended
}

// FailureObserver is told what failed.
type FailureObserver interface {
	ParseFailed(code fault.Code)
	UpstreamFailed(upstream string, code fault.Code)
}

// TurnObserver is told how a turn was laid out: what intent moved out of the
// question, what was decided about its files, where it was routed.
type TurnObserver interface {
	Split(analyzer string, r intent.Result)
	Decided(r injection.Result)
	Routed(o route.Outcome)
}

type nobody struct{}

func (nobody) ParseFailed(fault.Code)            {}
func (nobody) Decided(injection.Result)          {}
func (nobody) Stage(string, time.Duration)       {}
func (nobody) UpstreamFailed(string, fault.Code) {}
func (nobody) Evaluated(string)                  {}
func (nobody) Split(string, intent.Result)       {}
func (nobody) Routed(route.Outcome)              {}

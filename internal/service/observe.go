package service

import (
	"time"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/route"
	"inlay/turn"
)

// Observer is told what happened, in numbers and codes.
type Observer interface {
	FailureObserver
	turn.Observer
	Evaluated(state string) // how an evaluation ended
}

// FailureObserver is told what failed.
type FailureObserver interface {
	ParseFailed(code fault.Code)
	UpstreamFailed(upstream string, code fault.Code)
}

type nobody struct{}

func (nobody) ParseFailed(fault.Code)            {}
func (nobody) Decided(injection.Result)          {}
func (nobody) Stage(string, time.Duration)       {}
func (nobody) UpstreamFailed(string, fault.Code) {}
func (nobody) Evaluated(string)                  {}
func (nobody) Split(string, intent.Result)       {}
func (nobody) Routed(route.Outcome)              {}
func (nobody) Spent(turn.Routed)                 {}

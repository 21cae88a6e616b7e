package session

import (
	"time"

	"inlay/fault"
	"inlay/injection"
)

// Observer is told what happened, in numbers and codes.
type Observer interface {
	ParseFailed(code fault.Code)
	Decided(r injection.Result)
	Stage(name string, took time.Duration)
	UpstreamFailed(upstream string, code fault.Code)
	Evaluated(state string) // how an evaluation ended
}

type nobody struct{}

func (nobody) ParseFailed(fault.Code)            {}
func (nobody) Decided(injection.Result)          {}
func (nobody) Stage(string, time.Duration)       {}
func (nobody) UpstreamFailed(string, fault.Code) {}
func (nobody) Evaluated(string)                  {}

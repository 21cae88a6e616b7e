// Package injection is the `files` preprocessor: it measures the window,
// decides whether attached files are laid into the prompt whole, searched for
// passages, or left out, does it, makes sure that the result fits, and says
// why.
//
// [Injector.Inject] is the whole job; [Decide] is the decision alone, a pure
// function.
package injection

import (
	"fmt"
	"math"
	"strconv"

	"inlay/tokens"
)

// Strategy is how files reach the prompt.
type Strategy string

// The seed's three strategies.
const (
	InjectFull Strategy = "inject-full-content"
	Retrieval  Strategy = "retrieval"
	None       Strategy = "none"
)

// ReasonCode is a stable name for why a strategy was chosen.
type ReasonCode string

// The reasons.
const (
	Fits                  ReasonCode = "fits"
	ExceedsBudget         ReasonCode = "exceeds_budget"
	NoWindowLeft          ReasonCode = "no_window_left"
	NoFiles               ReasonCode = "no_files"
	AlreadyInContext      ReasonCode = "already_in_context"
	FollowUp              ReasonCode = "follow_up"
	Override              ReasonCode = "override"
	NothingAboveThreshold ReasonCode = "nothing_above_threshold"
	OverflowAfterBuilding ReasonCode = "overflow_after_building"
	Mixed                 ReasonCode = "mixed"
)

// DefaultTargetContextUse is the share of the free window that files and
// question may take.
const DefaultTargetContextUse = 0.7

// Decision is a strategy with the numbers that led to it.
type Decision struct {
	Strategy         Strategy     `json:"strategy"`
	ReasonCode       ReasonCode   `json:"reason_code"`
	Reason           string       `json:"reason"`
	Window           Measured     `json:"window"`
	Files            tokens.Count `json:"files"`     // F
	Prompt           tokens.Count `json:"prompt"`    // P
	Available        int          `json:"available"` // what F + P may take
	TargetContextUse float64      `json:"target_context_use"`
}

// Measured is a context window in the seed's numbers (INJ-3).
type Measured struct {
	Length          tokens.Count `json:"length"`           // model_context_length
	InContext       tokens.Count `json:"in_context"`       // total_tokens_in_context
	Remaining       int          `json:"remaining"`        // model_remaining_context_length, may be negative
	OccupiedPercent float64      `json:"occupied_percent"` // context_occupied_percent
}

// Measure puts a window into the seed's numbers.
func Measure(w tokens.Window) Measured {
	return Measured{Length: w.Length, InContext: w.Used, Remaining: w.Remaining(), OccupiedPercent: w.OccupiedPercent()}
}

// Available is the number of tokens that files and question may take (INJ-4):
//
//	floor(remaining * (share * (1 - occupied_percent / 100)))
//
// in float64, every step rounded so that no platform fuses two of them. It is 0
// when nothing remains; without that, two negative factors would make room.
func Available(w tokens.Window, share float64) int {
	remaining := w.Remaining()
	if remaining <= 0 {
		return 0
	}
	fraction := float64(w.OccupiedPercent() / 100)
	use := float64(share * float64(1-fraction))
	return int(math.Floor(float64(float64(remaining) * use)))
}

// Decide chooses between whole files and retrieval by INJ-4: retrieval if
// files + prompt > available, else inject-full-content. Estimates enter with
// their margin. A lower bound (tokens.AtLeast) must already exceed the budget
// if the full count would. share outside (0, 1] means the default 0.7.
func Decide(w tokens.Window, files, prompt tokens.Count, share float64) Decision {
	if !(share > 0 && share <= 1) {
		share = DefaultTargetContextUse
	}
	d := Decision{Window: Measure(w), Files: files, Prompt: prompt, Available: Available(w, share), TargetContextUse: share}
	need := files.Budgeted() + prompt.Budgeted()
	switch {
	case need <= d.Available:
		d.Strategy, d.ReasonCode = InjectFull, Fits
	case w.Remaining() <= 0:
		d.Strategy, d.ReasonCode = Retrieval, NoWindowLeft
	default:
		d.Strategy, d.ReasonCode = Retrieval, ExceedsBudget
	}
	d.Reason = d.explain(newFiles)
	return d
}

// What a decision is about, for its sentence.
const (
	newFiles     = "new files"
	earlierFiles = "files of earlier turns"
)

// explain says in one sentence how the numbers led to the strategy. files is
// what was decided over.
func (d Decision) explain(files string) string {
	if d.ReasonCode == NoWindowLeft {
		return fmt.Sprintf("The history alone takes %s tokens of a window of %d, so no file can be injected whole.", spell(d.Window.InContext), d.Window.Length.N)
	}
	verdict := "so the " + files + " are injected whole"
	if d.Strategy == Retrieval {
		verdict = "so passages are retrieved"
	}
	return fmt.Sprintf("The %s have %s tokens and the question %s; %d tokens are available (%d remaining x %g x %.4g %% free), %s.",
		files, spell(d.Files), spell(d.Prompt), d.Available, d.Window.Remaining, d.TargetContextUse, 100-d.Window.OccupiedPercent, verdict)
}

// spell writes a count as honestly as it was made.
func spell(c tokens.Count) string {
	switch c.Method {
	case tokens.AtLeast:
		return fmt.Sprintf("at least %d", c.N)
	case tokens.Estimated:
		if c.Budgeted() == c.N {
			return fmt.Sprintf("about %d", c.N)
		}
		return fmt.Sprintf("about %d (at most %d)", c.N, c.Budgeted())
	default:
		return strconv.Itoa(c.N)
	}
}

package tokens

// Window is a model's context window and what it already contains.
type Window struct {
	Length Count // the model's context length
	Used   Count // tokens of the history, template included, without the new message
}

// Remaining is Length minus Used; negative when the history alone overflows.
func (w Window) Remaining() int { return w.Length.N - w.Used.Budgeted() }

// OccupiedPercent is 100 * used / length, computed in the seed's order
// (used / length, then * 100). It is 0 for an unknown length.
func (w Window) OccupiedPercent() float64 {
	if w.Length.N <= 0 {
		return 0
	}
	fraction := float64(w.Used.Budgeted()) / float64(w.Length.N)
	return float64(fraction * 100)
}

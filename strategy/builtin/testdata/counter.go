package counter

// Counter counts.
type Counter struct{ n int }

// Add adds from any goroutine.
func (c *Counter) Add(d int) { c.n += d }

// Package lazy makes what a package needs when it is first used: a command or a
// worker that reads one page pays for no rule of other packages.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns what compiles expr when it is first called, and gives the same
// expression from then on. It panics there if expr is none.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

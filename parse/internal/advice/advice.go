// Package advice words the advice for files that break a limit.
package advice

import "fmt"

// Raise is the next step of a file that is over the limit of the given name:
// how to set it higher, to about the given value.
func Raise(name string, value any) string {
	return fmt.Sprintf("split the document, or raise the limit: --parse-limits %s=%v", name, value)
}

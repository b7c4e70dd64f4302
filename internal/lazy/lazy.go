// Package lazy makes what a process may never need when it is first asked for: a program that is
// started for one command, or to listen on a port, does not wait for sixty regular expressions.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a regular expression that is compiled at the first call. A pattern that does not
// compile panics there. Safe for concurrent use.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

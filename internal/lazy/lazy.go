// Package lazy makes what most starts of a program do not need when it is first used.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns what compiles an expression at its first call. It panics there if the expression
// is wrong.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

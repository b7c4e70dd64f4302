// Package guard keeps a panic from ending the process. Guard every goroutine in which a tool, a
// store, a model or another injected part may panic.
//
//	go func() {
//		defer guard.Log(log, "a title could not be made", "thread", id)
//		…
//	}()
//
// Both functions must be deferred directly: called inside another deferred function they recover
// nothing. runtime.Goexit, which a test's Fatal calls, is not a panic.
package guard

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Panic is a panic as an error. Its text includes the stack and is for a log. It does not wrap the
// value, even if that is an error: a panic is a bug and must not be mistaken for an expected error.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Error recovers a panic of the function that defers it, and sets *err to it.
func Error(err *error) {
	if v := recover(); v != nil {
		*err = &Panic{v, debug.Stack()}
	}
}

// Log recovers a panic of the function that defers it, and logs it.
func Log(log *slog.Logger, message string, args ...any) {
	if v := recover(); v != nil {
		log.Error(message, append(args, "error", &Panic{v, debug.Stack()})...)
	}
}

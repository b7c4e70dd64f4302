// Package guard keeps a panic from ending the process: whoever starts a goroutine in which a tool,
// a store, a model or another part that was passed in may panic, guards it.
//
//	go func() {
//		defer guard.Log(log, "a title could not be made", "thread", id)
//		…
//	}()
//
// Both functions have to be deferred themselves: inside another deferred function they recover
// nothing. What ends its goroutine with runtime.Goexit, as a test's Fatal does, is no panic.
package guard

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Panic is a panic as an error. Its text is for a log: it holds the stack. What was panicked with
// is not wrapped, though it be an error: a panic is a defect, and must not be taken for a thread
// that does not exist or a client that has gone.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Error puts a panic of the function that defers it into *err, in the place of what was there.
func Error(err *error) {
	if v := recover(); v != nil {
		*err = &Panic{v, debug.Stack()}
	}
}

// Log logs a panic of the function that defers it.
func Log(log *slog.Logger, message string, args ...any) {
	if v := recover(); v != nil {
		log.Error(message, append(args, "error", &Panic{v, debug.Stack()})...)
	}
}

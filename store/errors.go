package store

import "errors"

// Errors a Store returns, to be tested with errors.Is.
var (
	ErrNotFound  = errors.New("not found")           // no such row, or it belongs to somebody else: callers cannot tell which
	ErrConflict  = errors.New("conflict")            // the id is taken, or the run has ended
	ErrFull      = errors.New("store is full")       // no space left; reads go on, and writes work again once there is space
	ErrBadCursor = errors.New("malformed cursor")    // the cursor is none this store has given out
	ErrInvalid   = errors.New("cannot be stored")    // a value no store can keep; the error names the field
	ErrFenced    = errors.New("fenced off")          // a later writer has taken the run over
	ErrGone      = errors.New("events were purged")  // what comes after that position is not all there any more
	ErrReplaced  = errors.New("files were replaced") // they were deleted, or others are in their place: what is written now would be lost
	ErrClosed    = errors.New("the store is closed") // Close has been called
)

package store

import "errors"

// Errors a Store returns, to be tested with errors.Is.
var (
	// no such row, or it belongs to somebody else: callers cannot tell which
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict") // the id is taken, or the run has ended
	// no space left; reads go on, and writes work again once there is space
	ErrFull      = errors.New("store is full")
	ErrBadCursor = errors.New("malformed cursor") // the cursor is none this store has given out
	// a value no store can keep; the error names the field
	ErrInvalid = errors.New("cannot be stored")
	ErrFenced  = errors.New("fenced off") // a later writer has taken the run over
	// what comes after that position is not all there any more
	ErrGone = errors.New("events were purged")
	// they were deleted, or others are in their place: what is written now would be lost
	ErrReplaced = errors.New("files were replaced")
	ErrClosed   = errors.New("the store is closed") // Close has been called
)

package store

import "errors"

// Errors of a Store. Test for them with errors.Is.
var (
	// it does not exist, or belongs to another owner: callers cannot tell which
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict") // the id is taken, or the run has ended
	// no space left; reads still work, and writes work again once there is space
	ErrFull = errors.New("store is full")
	// as many as there may be, such as MaxShares
	ErrTooMany = errors.New("too many")
	// a search took too long, or had to wait too long for others
	ErrBusy      = errors.New("the search took too long")
	ErrBadCursor = errors.New("malformed cursor") // not a cursor of this store
	// a value that cannot be stored; the error names the field
	ErrInvalid = errors.New("cannot be stored")
	ErrFenced  = errors.New("fenced off") // a later writer has taken over the run
	// some of the events after that position have been purged
	ErrGone = errors.New("events were purged")
	// the database's files were deleted or replaced: further writes would be lost
	ErrReplaced = errors.New("files were replaced")
	ErrClosed   = errors.New("the store is closed") // Close has been called
)

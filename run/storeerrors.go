package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// replaced tells the operator what to do. The log names the file.
const replaced = "the store cannot be written: its database file was deleted or replaced while the server was running; restart it"

// unavailable returns the error for a failed store; message says what it failed at.
func unavailable(message string, err error) error {
	switch {
	case errors.Is(err, store.ErrInvalid):
		return &Error{Code: CodeInvalid, Message: err.Error(), Err: err}
	case errors.Is(err, store.ErrReplaced):
		return &Error{Code: CodeStore, Message: replaced, Err: err, Logged: true}
	}
	return &Error{Code: CodeStore, Message: message, Err: err}
}

// noneOr returns none for what the store has not, and otherwise what unavailable returns.
func noneOr(none error, message string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return none
	}
	return unavailable(message, err)
}

func unreadable(err error) error { return unavailable("the thread could not be read", err) }

// StoreError returns what a caller is told of an error of the store: an *Error, or an
// *agui.FieldError for a cursor that is none. An error that says nothing to a caller is returned
// with what was being done.
func StoreError(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case errors.Is(err, store.ErrReplaced):
		return unavailable("", err)
	case errors.Is(err, store.ErrFull):
		return unavailable("the store is full", err)
	case errors.Is(err, store.ErrBusy):
		return &Error{
			Code: CodeSearch, Message: "the search took too long: try again in a moment, or search for more words",
			Retry: 2 * time.Second, Err: err,
		}
	case errors.Is(err, store.ErrNotFound):
		return &Error{Code: CodeNotFound, Message: "there is no such thread"}
	case errors.Is(err, store.ErrBadCursor):
		return &agui.FieldError{Path: "cursor", Reason: "must be the next of an earlier page"}
	}
	return err
}

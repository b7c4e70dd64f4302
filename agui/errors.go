package agui

import (
	"errors"

	"github.com/pageside/pageside/internal/jsonx"
)

// FieldError names the invalid field of a document and the reason. Its Path is such as
// messages[3].toolCalls[0].function.name; "" means the document itself.
type FieldError = jsonx.FieldError

func fieldError(path, reason string) error { return &FieldError{Path: path, Reason: reason} }

// under prefixes the path of an error with a parent field.
func under(parent string, err error) error {
	if e, ok := errors.AsType[*FieldError](err); ok {
		return &FieldError{Path: jsonx.Join(parent, e.Path), Reason: e.Reason}
	}
	return err
}

// validate is jsonx.Validate with a FieldError.
func validate(data []byte, limits jsonx.Limits) error { return inField(jsonx.Validate(data, limits)) }

// checkPatch is jsonx.CheckPatch with a FieldError.
func checkPatch(patch []byte) error { return inField(jsonx.CheckPatch(patch)) }

// inField leaves out at which byte an error is: its reader has no text in front of them.
func inField(err error) error {
	if e, ok := errors.AsType[*jsonx.Error](err); ok {
		return &e.FieldError
	}
	return err
}

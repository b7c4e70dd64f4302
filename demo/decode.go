package demo

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/pageside/pageside/internal/strict"
)

// maxBody is the largest request body that is read, in bytes.
const maxBody = 64 << 10

// decode reads a request's body: unknown, repeated and case-folded names, wrong types and invalid
// UTF-8 are refused by name.
func decode(body io.Reader, into any) error {
	raw, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err != nil {
		return badField("body", "could not be read")
	}
	if len(raw) > maxBody {
		return &requestError{http.StatusRequestEntityTooLarge, "too_large", "the body is larger than 64 KiB", map[string]string{"field": "body"}}
	}
	if e, ok := errors.AsType[*strict.Error](strict.Decode(raw, into)); ok {
		if e.Field == "" {
			e.Field = "body"
		}
		return badField(e.Field, "%s", e.Reason)
	}
	return nil
}

// clip shortens text to n bytes or a little less.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

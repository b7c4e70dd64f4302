package jsonx

import "strconv"

// FieldError names the invalid field of a document, a request or a configuration, and the reason.
type FieldError struct {
	Path   string // such as messages[3].toolCalls[0].function.name; "" means the document itself
	Reason string // such as "must be a string, got a number"
}

// Error implements error.
func (e *FieldError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// Checks are fields, each with what checks it.
type Checks []struct {
	Path string
	Do   func() error
}

// First returns a *FieldError for the first check that fails, or nil.
func (checks Checks) First() error {
	for _, c := range checks {
		if err := c.Do(); err != nil {
			return &FieldError{c.Path, err.Error()}
		}
	}
	return nil
}

// Join prefixes a path with its parent: Join("messages[3]", "content") is messages[3].content and
// Join("messages", "[3].content") is messages[3].content.
func Join(parent, path string) string {
	switch {
	case parent == "":
		return path
	case path == "" || path[0] == '[':
		return parent + path
	}
	return parent + "." + path
}

// Index returns the path of an array's element within the array.
func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// KeyPath returns the path of an object's member within the object: the key itself, or quoted and
// in brackets if it is not a plain name.
func KeyPath[S ~string | ~[]byte](key S) string {
	plain := len(key) > 0 && len(key) <= 64
	for i := 0; plain && i < len(key); i++ {
		c := key[i]
		plain = c == '_' || c == '$' || c == '-' || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	if !plain {
		return "[" + quoted(string(key)) + "]"
	}
	return string(key)
}

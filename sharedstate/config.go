// Package sharedstate is the state that a page and its agent share: what it may be (Config), and
// the document of a run, which is patched in one place. What a tool's arguments are to become in it
// is a Prediction. Package agent tells clients of changes, package run merges what clients send.
package sharedstate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// Config says what the state may be. The zero value takes any state and shows it to the model.
type Config struct {
	Schema  *tool.Schema    // what a state must match; nil takes any
	Initial json.RawMessage // the state of a new thread; nil is none
	Model   Access          // what the model may do; "" means Read
	// size as JSON; 0 means DefaultBytes
	MaxBytes int
	// arguments of tools that grow into the state while the model writes them
	Predict []Prediction
}

// Access says what a model may do with the shared state.
type Access string

// What a model may do with the shared state.
const (
	None  Access = "none"  // it does not see it
	Read  Access = "read"  // it sees it
	Write Access = "write" // it sees it, and changes it with the tool update_state
)

// Bounds on a state and on one change of it.
const (
	DefaultBytes = 64 << 10
	maxDepth     = 32
	maxOps       = 1000
)

// ErrTooLarge is wrapped by errors about a state of too many bytes.
var ErrTooLarge = errors.New("the state is too large")

// Check returns an error that names the first field that cannot work. tools are the server's;
// ofPage reports whether the page may declare a tool.
func (c *Config) Check(tools *tool.Registry, ofPage func(name string) bool) error {
	switch c.Model {
	case "", None, Read, Write:
	default:
		return fmt.Errorf("model: %q is none of none, read and write", c.Model)
	}
	if c.Initial != nil {
		if err := cmp.Or(c.Fits(c.Initial), c.Validate(c.Initial)); err != nil {
			return fmt.Errorf("initial: %w", err)
		}
	}
	for i, p := range c.Predict {
		if err := p.check(tools, ofPage); err != nil {
			return fmt.Errorf("predict[%d].%w", i, err)
		}
	}
	return nil
}

// Fits returns an error if a state is too large or too deep. It does not look at the schema.
func (c *Config) Fits(state json.RawMessage) error {
	limit := c.MaxBytes
	if limit == 0 {
		limit = DefaultBytes
	}
	if len(state) > limit {
		return fmt.Errorf("%w: %d bytes, of at most %d", ErrTooLarge, len(state), limit)
	}
	if d := jsonx.Depth(state); d > maxDepth {
		return fmt.Errorf("the state nests %d levels deep, at most %d are allowed", d, maxDepth)
	}
	return nil
}

// Validate returns an error that names the path if a state does not match the schema.
func (c *Config) Validate(state json.RawMessage) error { return c.Schema.Validate(state) }

// Shows reports whether the model is shown a state.
func (c *Config) Shows(state json.RawMessage) bool { return c.Model != None && !IsEmpty(state) }

// IsEmpty reports whether a state says nothing: clients that do not use it send {} or null.
func IsEmpty(state json.RawMessage) bool {
	return len(state) == 0 || jsonx.Equal(state, json.RawMessage("{}")) || jsonx.Equal(state, json.RawMessage("null"))
}

package sharedstate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
)

// Document is the state during a run. One goroutine changes it, any may read it.
type Document struct {
	config *Config

	mu  sync.Mutex
	doc jsonx.Document
}

// NewDocument returns the document of a run that begins with a state; nil is none.
func NewDocument(c *Config, state json.RawMessage) *Document {
	d := &Document{config: c}
	if state != nil {
		d.doc = jsonx.NewDocument(state)
	}
	return d
}

// Raw returns the state as it is now, nil if there is none.
func (d *Document) Raw() json.RawMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.doc.Raw()
}

// Set makes what Patched returned the state.
func (d *Document) Set(next jsonx.Document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doc = next
}

// Patched returns the state with a patch applied, and changes nothing. The error says what does not
// fit.
func (d *Document) Patched(patch json.RawMessage) (next jsonx.Document, err error) {
	if err := checkPatch(patch); err != nil {
		return next, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	next = d.doc
	if next.IsZero() {
		next = jsonx.NewDocument(json.RawMessage("{}"))
	}
	next, err = next.Patch(patch)
	if e, ok := errors.AsType[*jsonx.Error](err); ok {
		return next, &e.FieldError
	}
	if err != nil {
		return next, err
	}
	state := next.Raw()
	return next, cmp.Or(d.config.Fits(state), d.config.Validate(state))
}

// checkPatch refuses what is no patch, and patches of too many operations.
func checkPatch(patch json.RawMessage) error {
	if _, err := agui.MarshalEvent(&agui.StateDelta{Delta: patch}); err != nil {
		if field, ok := errors.AsType[*agui.FieldError](err); ok {
			return field
		}
		return err
	}
	var ops []json.RawMessage
	if err := json.Unmarshal(patch, &ops); err != nil || len(ops) > maxOps {
		return fmt.Errorf("a patch may have %d operations, not %d", maxOps, len(ops))
	}
	return nil
}

package run

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// TestStoreErrors: what a caller is told of each error of the store, whatever was being done.
func TestStoreErrors(t *testing.T) {
	for _, each := range []struct {
		err     error
		code    refusal.Code
		message string
		retry   time.Duration
		logged  bool
	}{
		{store.ErrNotFound, refusal.NotFound, "there is no such thread", 0, false},
		{store.ErrBusy, refusal.Search, "the search took too long: try again in a moment, or search for more words", 2 * time.Second, false},
		{store.ErrFull, refusal.Store, "the store is full", 0, false},
		{store.ErrReplaced, refusal.Store, replaced, 0, true},
	} {
		e, ok := errors.AsType[*refusal.Error](StoreError("do it", fmt.Errorf("below: %w", each.err)))
		if !ok || e.Code != each.code || e.Message != each.message || e.Retry != each.retry || e.Logged != each.logged {
			t.Errorf("%v: %+v", each.err, e)
		}
	}
	if e, ok := errors.AsType[*agui.FieldError](StoreError("do it", store.ErrBadCursor)); !ok || e.Path != "cursor" {
		t.Errorf("a bad cursor: %v", e)
	}
	if err := StoreError("do it", store.ErrClosed); refusal.CodeOf(err) != "" || !errors.Is(err, store.ErrClosed) || !strings.HasPrefix(err.Error(), "do it: ") {
		t.Errorf("what a caller is not told: %v", err)
	}
	must.Be(t, StoreError("do it", nil), nil, "no error")
	if e, ok := errors.AsType[*refusal.Error](unavailable("it failed", store.ErrReplaced)); !ok || e.Message != replaced || !e.Logged {
		t.Errorf("a store without its files: %+v", e)
	}
}

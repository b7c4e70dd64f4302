package storetest

import (
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
)

func action(key string) store.Action {
	return store.Action{Key: key, Fingerprint: "sha256:f", CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), ExpiresAt: later}
}

// testActions: a key stands for one action until it expires.
func testActions(t *testing.T, s store.Store) {
	first, err := s.BeginAction(t.Context(), ada, action("k"), "")
	if first != nil || err != nil {
		t.Fatalf("a new key gives %+v, %v", first, err)
	}
	wantEarlier(t, s, action("k"))
	result := []byte(`{ "text": "done", "n": 1.0 }`)
	must(t, s.EndAction(t.Context(), ada, "k", result))
	result[0] = 'x' // the store must not notice
	ended := action("k")
	ended.Result = []byte(`{ "text": "done", "n": 1.0 }`)
	wantEarlier(t, s, ended)

	wantErr(t, "the end of no action", s.EndAction(t.Context(), ada, "k9", []byte("{}")), store.ErrNotFound)
	wantErr(t, "an end without JSON", s.EndAction(t.Context(), ada, "k", []byte("{")), store.ErrInvalid)
	for name, change := range map[string]func(*store.Action){
		"no key":    func(a *store.Action) { a.Key = "" },
		"no text":   func(a *store.Action) { a.Fingerprint = "\xff" },
		"no expiry": func(a *store.Action) { a.ExpiresAt = time.Time{} },
	} {
		bad := action("k2")
		change(&bad)
		_, err := s.BeginAction(t.Context(), ada, bad, "")
		wantErr(t, name, err, store.ErrInvalid)
	}
	over := action("k3")
	over.ExpiresAt = time.Now().Add(-time.Millisecond)
	for range 2 {
		if again, err := s.BeginAction(t.Context(), ada, over, ""); again != nil || err != nil {
			t.Errorf("an expired key gives %+v, %v", again, err)
		}
	}
}

func wantEarlier(t *testing.T, s store.Store, want store.Action) {
	t.Helper()
	other := action(want.Key)
	other.Fingerprint, other.CreatedAt = "sha256:other", time.Time{}
	got, err := s.BeginAction(t.Context(), ada, other, "")
	if err != nil || !reflect.DeepEqual(got, &want) {
		t.Errorf("the earlier action is %+v, %v, want %+v", got, err, want)
	}
}

// testActionApprovals: an approval permits one action with its fingerprint, once.
func testActionApprovals(t *testing.T, s store.Store) {
	offer := func(id string, change func(*store.ActionApproval)) error {
		a := store.ActionApproval{ID: id, Fingerprint: "sha256:f", ExpiresAt: later}
		change(&a)
		return s.OfferApproval(t.Context(), ada, a)
	}
	same := func(*store.ActionApproval) {}
	must(t, offer("p1", same))
	wantErr(t, "the same id again", offer("p1", same), store.ErrConflict)
	must(t, offer("over", func(a *store.ActionApproval) { a.ExpiresAt = time.Now().Add(-time.Millisecond) }))
	wantErr(t, "no id", offer("", same), store.ErrInvalid)
	wantErr(t, "no expiry", offer("p2", func(a *store.ActionApproval) { a.ExpiresAt = time.Time{} }), store.ErrInvalid)

	other := action("k1")
	other.Fingerprint = "sha256:other"
	for name, try := range map[string]func() error{
		"no approval":        func() error { _, err := s.BeginAction(t.Context(), ada, action("k1"), "p9"); return err },
		"an expired one":     func() error { _, err := s.BeginAction(t.Context(), ada, action("k1"), "over"); return err },
		"for something else": func() error { _, err := s.BeginAction(t.Context(), ada, other, "p1"); return err },
		"somebody else's":    func() error { _, err := s.BeginAction(t.Context(), bob, action("k1"), "p1"); return err },
	} {
		wantErr(t, name, try(), store.ErrNotFound)
	}
	if earlier, err := s.BeginAction(t.Context(), ada, action("k1"), "p1"); earlier != nil || err != nil {
		t.Fatalf("approved, it gives %+v, %v", earlier, err)
	}
	if earlier, err := s.BeginAction(t.Context(), ada, action("k1"), "p1"); earlier == nil || err != nil {
		t.Errorf("the same click again gives %+v, %v", earlier, err)
	}
	_, err := s.BeginAction(t.Context(), ada, action("k2"), "p1")
	wantErr(t, "the approval again", err, store.ErrNotFound)
}

// testConcurrentActions: of many requests with one key, one begins it.
func testConcurrentActions(t *testing.T, s store.Store) {
	var mu sync.Mutex
	var all sync.WaitGroup
	begun := 0
	for range 20 {
		all.Go(func() {
			earlier, err := s.BeginAction(t.Context(), ada, action("k"), "")
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("it fails with %v", err)
			}
			if err == nil && earlier == nil {
				begun++
			}
		})
	}
	all.Wait()
	if begun != 1 {
		t.Errorf("it began %d times", begun)
	}
}

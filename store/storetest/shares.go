package storetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// share returns a share of the thread t1, with the secret's hash of its own id.
func share(id string) store.Share {
	return store.Share{
		ID: id, ThreadID: "t1", TokenHash: "hash of " + id, Title: "Walrus", Messages: json.RawMessage(`[{"id": "m1"}, "\u0000"]`),
		CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), ExpiresAt: later,
	}
}

// listed is a share as a list shows it.
func listed(s store.Share) store.Share {
	s.TokenHash, s.Messages = "", nil
	return s
}

func shareThread(t *testing.T, s store.Store, o store.Owner) {
	t.Helper()
	must(t, s.BeginRun(t.Context(), o, run("r1", "t1"), []agui.Message{user("m1", "hello")}))
	must(t, s.EndRun(t.Context(), o, finished("r1"), nil, store.Batch{}))
}

// testShares: a share is listed and revoked by its owner, and opened by its hash in its tenant.
func testShares(t *testing.T, s store.Store) {
	shareThread(t, s, ada)
	shareThread(t, s, bob)
	wantShares(t, s)
	first, second := share("s1"), share("s2")
	second.CreatedAt = second.CreatedAt.Add(time.Second)
	must(t, s.PutShare(t.Context(), ada, second))
	must(t, s.PutShare(t.Context(), ada, first))
	wantShares(t, s, first, second)
	wantOpened(t, s, "acme", first, ada)
	wantNotOpened(t, s, "other", first)
	wantNotOpened(t, s, "", first)
	wantNotOpened(t, s, "acme", share("s9"))

	for what, change := range map[string]func(*store.Share){
		"no id": func(s *store.Share) { s.ID = "" }, "no hash": func(s *store.Share) { s.TokenHash = "" }, "no list": func(s *store.Share) { s.Messages = json.RawMessage(`{}`) },
		"no JSON": func(s *store.Share) { s.Messages = json.RawMessage(`[`) }, "no expiry": func(s *store.Share) { s.ExpiresAt = time.Time{} },
	} {
		bad := share("s3")
		change(&bad)
		wantErr(t, what, s.PutShare(t.Context(), ada, bad), store.ErrInvalid)
	}
	nowhere := share("s3")
	nowhere.ThreadID = "t9"
	wantErr(t, "no thread", s.PutShare(t.Context(), ada, nowhere), store.ErrNotFound)
	wantErr(t, "a taken id", s.PutShare(t.Context(), ada, store.Share{ID: "s1", ThreadID: "t1", TokenHash: "other", Messages: first.Messages, ExpiresAt: later}), store.ErrConflict)
	wantErr(t, "a taken hash", s.PutShare(t.Context(), bob, first), store.ErrConflict)

	wantErr(t, "revoked by somebody else", s.DeleteShare(t.Context(), bob, "t1", "s1"), store.ErrNotFound)
	must(t, s.DeleteShare(t.Context(), ada, "t1", "s1"))
	wantErr(t, "revoked again", s.DeleteShare(t.Context(), ada, "t1", "s1"), store.ErrNotFound)
	wantNotOpened(t, s, "acme", first)
	wantShares(t, s, second)
}

// testSharesExpire: an expired share is not there, makes room for others, and is purged.
func testSharesExpire(t *testing.T, s store.Store) {
	shareThread(t, s, ada)
	old := share("old")
	old.ExpiresAt = time.Date(2020, 1, 3, 0, 0, 0, 0, time.UTC)
	must(t, s.PutShare(t.Context(), ada, old))
	wantShares(t, s)
	wantNotOpened(t, s, "acme", old)
	wantErr(t, "revoked after its end", s.DeleteShare(t.Context(), ada, "t1", "old"), store.ErrNotFound)
	wantPurged(t, s, old.ExpiresAt, 0)
	wantPurged(t, s, old.ExpiresAt.Add(time.Millisecond), 1)

	must(t, s.PutShare(t.Context(), ada, old))
	for i := range store.MaxShares {
		must(t, s.PutShare(t.Context(), ada, share(fmt.Sprint("s", i))))
	}
	wantErr(t, "one too many", s.PutShare(t.Context(), ada, share("more")), store.ErrTooMany)
	wantPurged(t, s, time.Now(), 0)
	must(t, s.DeleteShare(t.Context(), ada, "t1", "s0"))
	must(t, s.PutShare(t.Context(), ada, share("more")))
}

// testSharesGo: a share goes with its thread.
func testSharesGo(t *testing.T, s store.Store) {
	shareThread(t, s, ada)
	must(t, s.PutShare(t.Context(), ada, share("s1")))
	_, err := s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(true)})
	must(t, err)
	wantNotOpened(t, s, "acme", share("s1"))
	_, err = s.Shares(t.Context(), ada, "t1")
	wantErr(t, "of a deleted thread", err, store.ErrNotFound)
	wantErr(t, "of a deleted thread", s.PutShare(t.Context(), ada, share("s2")), store.ErrNotFound)
	wantErr(t, "of a deleted thread", s.DeleteShare(t.Context(), ada, "t1", "s1"), store.ErrNotFound)
	_, err = s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(false)})
	must(t, err)
	wantOpened(t, s, "acme", share("s1"), ada)

	_, err = s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(true)})
	must(t, err)
	_, err = s.Purge(t.Context(), time.Now().Add(time.Hour))
	must(t, err)
	shareThread(t, s, ada)
	wantNotOpened(t, s, "acme", share("s1"))
	must(t, s.PutShare(t.Context(), ada, share("s1")))
	must(t, s.Forget(t.Context(), ada))
	wantNotOpened(t, s, "acme", share("s1"))
	shareThread(t, s, ada)
	wantShares(t, s)
}

func wantShares(t *testing.T, s store.Store, want ...store.Share) {
	t.Helper()
	for i := range want {
		want[i] = listed(want[i])
	}
	if got, err := s.Shares(t.Context(), ada, "t1"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the shares are %+v (%v), want %+v", got, err, want)
	}
}

func wantOpened(t *testing.T, s store.Store, tenant string, of store.Share, by store.Owner) {
	t.Helper()
	if got, err := s.OpenShare(t.Context(), tenant, of.TokenHash); err != nil || !reflect.DeepEqual(got, store.OwnedShare{Owner: by, Share: of}) {
		t.Errorf("the share is %+v (%v), want %+v", got, err, of)
	}
}

func wantNotOpened(t *testing.T, s store.Store, tenant string, of store.Share) {
	t.Helper()
	if got, err := s.OpenShare(t.Context(), tenant, of.TokenHash); !reflect.DeepEqual(got, store.OwnedShare{}) {
		t.Errorf("the share %s is opened in %q: %+v", of.ID, tenant, got)
	} else {
		wantErr(t, "open "+of.ID, err, store.ErrNotFound)
	}
}

func wantPurged(t *testing.T, s store.Store, before time.Time, want int) {
	t.Helper()
	if n, err := s.PurgeShares(t.Context(), before); err != nil || n != want {
		t.Errorf("%d shares are purged (%v), want %d", n, err, want)
	}
}

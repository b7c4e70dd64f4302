package storetest

import (
	"reflect"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
)

// later is when the allowances of these tests expire.
var later = store.FromMillis(time.Now().Add(time.Hour).UnixMilli())

// allowance returns an allowance that was given in a run.
func allowance(id, runID string) store.Allowance {
	return store.Allowance{
		ID: id, RunID: runID, Agent: "default", Tool: "create", Definition: "sha256:d", Args: []byte(`{ "n": 1.0 }`), ArgsHash: "sha256:a",
		OpenArgs:  []string{"title"},
		CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), ExpiresAt: later,
	}
}

func testAllowances(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t")
	wantAllowances(t, s, ada, "t")
	first, second := allowance("a2", "r1"), allowance("a1", "r1")
	second.CreatedAt, second.Args = first.CreatedAt.Add(time.Millisecond), nil
	must(t, s.GiveAllowance(t.Context(), ada, second))
	must(t, s.GiveAllowance(t.Context(), ada, first))
	first.Args[0] = 'x' // the store must not notice
	first = allowance("a2", "r1")
	first.ThreadID, second.ThreadID = "t", "t"
	wantAllowances(t, s, ada, "t", first, second)

	wantErr(t, "the same id again", s.GiveAllowance(t.Context(), ada, allowance("a1", "r1")), store.ErrConflict)
	wantErr(t, "no run", s.GiveAllowance(t.Context(), ada, allowance("a3", "r9")), store.ErrNotFound)
	for name, change := range map[string]func(*store.Allowance){
		"no id":     func(a *store.Allowance) { a.ID = "" },
		"no text":   func(a *store.Allowance) { a.Tool = "\xff" },
		"no JSON":   func(a *store.Allowance) { a.Args = []byte("{") },
		"no expiry": func(a *store.Allowance) { a.ExpiresAt = time.Time{} },
	} {
		bad := allowance("a3", "r1")
		change(&bad)
		wantErr(t, name, s.GiveAllowance(t.Context(), ada, bad), store.ErrInvalid)
	}
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
	wantErr(t, "a run that has ended", s.GiveAllowance(t.Context(), ada, allowance("a3", "r1")), store.ErrConflict)
	wantAllowances(t, s, ada, "t", first, second)

	wantErr(t, "none of that id", s.RevokeAllowance(t.Context(), ada, "t", "a9"), store.ErrNotFound)
	must(t, s.RevokeAllowance(t.Context(), ada, "t", "a2"))
	wantErr(t, "revoked before", s.RevokeAllowance(t.Context(), ada, "t", "a2"), store.ErrNotFound)
	wantAllowances(t, s, ada, "t", second)
	_, err := s.Allowances(t.Context(), ada, "t9")
	wantErr(t, "no thread", err, store.ErrNotFound)
}

// testAllowancesFound: agent, tool and definition count, and nothing else does.
func testAllowancesFound(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t")
	begin(t, s, ada, "r2", "other")
	over := allowance("a1", "r1")
	over.ExpiresAt = time.Now().Add(-time.Millisecond)
	want := []store.Allowance{allowance("a2", "r1"), allowance("a3", "r1")}
	for _, a := range append([]store.Allowance{allowance("a4", "r2")}, want...) {
		must(t, s.GiveAllowance(t.Context(), ada, a))
	}
	for i, change := range []func(*store.Allowance){
		func(a *store.Allowance) { a.Agent = "x" },
		func(a *store.Allowance) { a.Tool = "x" },
		func(a *store.Allowance) { a.Definition = "x" },
	} {
		other := allowance("b"+string(rune('0'+i)), "r1")
		change(&other)
		must(t, s.GiveAllowance(t.Context(), ada, other))
		wantMatching(t, s, "t", other, other)
	}
	// with no other that is given after it, and would remove it
	must(t, s.GiveAllowance(t.Context(), ada, over))
	wantMatching(t, s, "t", allowance("", ""), want...)
	must(t, s.RevokeAllowance(t.Context(), ada, "t", "a2"))
	wantMatching(t, s, "t", allowance("", ""), want[1])
	wantMatching(t, s, "t", store.Allowance{})
	_, err := s.FindAllowances(t.Context(), ada, "t9", want[0])
	wantErr(t, "no thread", err, store.ErrNotFound)
	_, err = s.FindAllowances(t.Context(), bob, "t", want[0])
	wantErr(t, "somebody else's thread", err, store.ErrNotFound)
	deleteThread(t, s, "t", true)
	_, err = s.FindAllowances(t.Context(), ada, "t", want[0])
	wantErr(t, "a deleted thread", err, store.ErrNotFound)
}

// wantMatching checks which allowances are found. They come without their arguments.
func wantMatching(t *testing.T, s store.Store, thread string, like store.Allowance, want ...store.Allowance) {
	t.Helper()
	got, err := s.FindAllowances(t.Context(), ada, thread, like)
	for i := range want {
		want[i].ThreadID, want[i].Args = thread, nil
	}
	if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("found are %+v, %v, want %+v", got, err, want)
	}
}

// testUserAllowances: those of a user hold on every thread, and outlive the one they were given on.
func testUserAllowances(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t")
	begin(t, s, ada, "r2", "other")
	own, wide, over := allowance("a1", "r1"), allowance("a1", "r1"), allowance("a2", "r1")
	wide.UserWide, wide.OpenArgs, over.UserWide = true, []string{"title", "n"}, true
	over.ExpiresAt = time.Now().Add(-time.Millisecond)
	for _, a := range []store.Allowance{own, wide, over} {
		must(t, s.GiveAllowance(t.Context(), ada, a))
	}
	wantErr(t, "the same id again", s.GiveAllowance(t.Context(), ada, wide), store.ErrConflict)
	bad := wide
	bad.ID, bad.OpenArgs = "a3", []string{"\xff"}
	wantErr(t, "no text", s.GiveAllowance(t.Context(), ada, bad), store.ErrInvalid)
	wide.ThreadID, own.ThreadID = "t", "t"
	wantAllowances(t, s, ada, "t", own)
	wantAllowances(t, s, ada, "other")
	wantUserAllowances(t, s, wide)
	found := func(thread string, want ...store.Allowance) {
		t.Helper()
		got, err := s.FindAllowances(t.Context(), ada, thread, own)
		for i := range want {
			want[i].Args = nil
		}
		if err != nil || len(got) != len(want) || len(want) == 1 && !reflect.DeepEqual(got, want) {
			t.Errorf("found on %s are %+v, %v, want %+v", thread, got, err, want)
		}
	}
	found("t", own, wide)
	found("other", wide)
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
	deleteThread(t, s, "t", true)
	if n, err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil || len(n) != 1 {
		t.Fatalf("purged %v, %v", n, err)
	}
	found("other", wide)
	wantErr(t, "none of that id", s.RevokeAllowance(t.Context(), ada, "", "a2"), store.ErrNotFound)
	must(t, s.RevokeAllowance(t.Context(), ada, "", "a1"))
	wantUserAllowances(t, s)
	found("other")
}

func wantUserAllowances(t *testing.T, s store.Store, want ...store.Allowance) {
	t.Helper()
	got, err := s.UserAllowances(t.Context(), ada)
	if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("user-wide allowances are %+v, %v, want %+v", got, err, want)
	}
}

// testAllowancesExpire: an expired allowance does not exist, and its id is free when the next one
// is given.
func testAllowancesExpire(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t")
	begin(t, s, ada, "r2", "other")
	over, elsewhere := allowance("a1", "r1"), allowance("a1", "r2")
	over.ExpiresAt = time.Now().Add(-time.Millisecond)
	must(t, s.GiveAllowance(t.Context(), ada, over))
	must(t, s.GiveAllowance(t.Context(), ada, elsewhere))
	wantAllowances(t, s, ada, "t")
	wantErr(t, "revoke", s.RevokeAllowance(t.Context(), ada, "t", "a1"), store.ErrNotFound)
	must(t, s.GiveAllowance(t.Context(), ada, allowance("a1", "r1")))
	again := allowance("a1", "r1")
	again.ThreadID, elsewhere.ThreadID = "t", "other"
	wantAllowances(t, s, ada, "t", again)
	wantAllowances(t, s, ada, "other", elsewhere)
}

// testAllowancesGo: allowances go with a deleted thread, and come back when it is restored.
func testAllowancesGo(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t", "")
	begin(t, s, ada, "r2", "t")
	must(t, s.GiveAllowance(t.Context(), ada, allowance("a1", "r2")))
	deleteThread(t, s, "t", true)
	wantErr(t, "revoke on a deleted thread", s.RevokeAllowance(t.Context(), ada, "t", "a1"), store.ErrNotFound)
	// its live run goes on until it ends
	must(t, s.GiveAllowance(t.Context(), ada, allowance("a2", "r2")))
	deleteThread(t, s, "t", false)
	first, second := allowance("a1", "r2"), allowance("a2", "r2")
	first.ThreadID, second.ThreadID = "t", "t"
	wantAllowances(t, s, ada, "t", first, second)
	must(t, s.EndRun(t.Context(), ada, finished("r2"), nil, store.Batch{}))
	deleteThread(t, s, "t", true)
	if n, err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil || len(n) != 1 {
		t.Fatalf("purged %v, %v", n, err)
	}
	begin(t, s, ada, "r2", "t")
	wantAllowances(t, s, ada, "t")
}

func wantAllowances(t *testing.T, s store.Store, o store.Owner, thread string, want ...store.Allowance) {
	t.Helper()
	got, err := s.Allowances(t.Context(), o, thread)
	if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("allowances of %s are %+v, %v, want %+v", thread, got, err, want)
	}
}

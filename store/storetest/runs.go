package storetest

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
)

func testBegin(t *testing.T, s store.Store) {
	before := time.Now().Truncate(time.Millisecond)
	begin(t, s, ada, "r1", "t1", user("m1", "hello"), user("m2", "again"))
	wantTranscript(t, s, ada, "t1", "m1=hello", "m2=again")

	thread, err := s.Thread(t.Context(), ada, "t1")
	must(t, err)
	if thread.ID != "t1" || thread.Agent != "default" || thread.Title != "" || thread.Archived {
		t.Errorf("thread is %+v", thread)
	}
	if thread.CreatedAt.Before(before) || thread.CreatedAt.Location() != time.UTC || !thread.UpdatedAt.Equal(thread.CreatedAt) {
		t.Errorf("thread was made %v, changed %v; the test began %v", thread.CreatedAt, thread.UpdatedAt, before)
	}

	r, err := s.Run(t.Context(), ada, "r1")
	must(t, err)
	if r.Status != store.RunLive || r.ThreadID != "t1" || r.Agent != "default" || r.Fingerprint != "f:r1" || !r.EndedAt.IsZero() || r.CreatedAt.Before(before) {
		t.Errorf("run is %+v", r)
	}

	begin(t, s, ada, "r2", "t2")
	wantTranscript(t, s, ada, "t2")
	_, err = s.Transcript(t.Context(), ada, "t3", "")
	wantErr(t, "transcript of no thread", err, store.ErrNotFound)
}

func testRunConflict(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("m1", "a"))
	wantErr(t, "same thread", s.BeginRun(t.Context(), ada, run("r1", "t1"), nil), store.ErrConflict)
	wantErr(t, "another thread", s.BeginRun(t.Context(), ada, run("r1", "t2"), many("x", 2)), store.ErrConflict)
	_, err := s.Thread(t.Context(), ada, "t2")
	wantErr(t, "thread of a refused run", err, store.ErrNotFound)
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
	wantErr(t, "ended run", s.BeginRun(t.Context(), ada, run("r1", "t1"), nil), store.ErrConflict)
}

func testBeginKnown(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("m1", "one"), user("m2", "two"))
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
	was, err := s.Thread(t.Context(), ada, "t1")
	must(t, err)

	tick() // a change would show in the time
	begin(t, s, ada, "r2", "t1", user("m2", "forged"), user("m1", "forged"))
	wantTranscript(t, s, ada, "t1", "m1=one", "m2=two")
	now, err := s.Thread(t.Context(), ada, "t1")
	must(t, err)
	was.Head = "r2"
	if now != was {
		t.Errorf("a run that brought nothing new changed the thread from %+v to %+v", was, now)
	}

	begin(t, s, ada, "r3", "t1", user("m1", "forged"), user("m3", "three"), user("m3", "forged"), user("m4", "four"))
	wantTranscript(t, s, ada, "t1", "m1=one", "m2=two", "m3=three", "m4=four")
	if now, err = s.Thread(t.Context(), ada, "t1"); err != nil || !now.UpdatedAt.After(was.UpdatedAt) {
		t.Errorf("new messages left the thread at %v, %v", now.UpdatedAt, err)
	}
}

func testEnd(t *testing.T, s store.Store) {
	began := time.Date(2020, 1, 2, 3, 4, 5, 678_999_999, time.FixedZone("", 3600))
	first := run("r1", "t1")
	first.CreatedAt = began
	must(t, s.BeginRun(t.Context(), ada, first, many("q", 1)))
	end := store.Run{
		ID: "r1", Status: store.RunCancelled, Pending: []string{"c1", "c2"}, Error: "model_error",
		Usage: []byte(`[{"n":1.50}]`), EndedAt: began.Add(time.Hour),
	}
	wantErr(t, "an end on another thread", s.EndRun(t.Context(), ada, store.Run{ID: "r1", ThreadID: "t2", Status: store.RunFailed}, nil, store.Batch{}), store.ErrNotFound)
	must(t, s.EndRun(t.Context(), ada, end, many("a", 2), store.Batch{}))
	wantTranscript(t, s, ada, "t1", "q00000=text", "a00000=text", "a00001=text")

	got, err := s.Run(t.Context(), ada, "r1")
	must(t, err)
	want := end
	want.ThreadID, want.Agent, want.Fingerprint, want.ParentRunID, want.Epoch = "t1", "default", "f:r1", store.RootRun, 1
	want.CreatedAt = began.Truncate(time.Millisecond).UTC()
	want.EndedAt = want.CreatedAt.Add(time.Hour)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("run is %+v, want %+v", got, want)
	}

	wantErr(t, "a second end", s.EndRun(t.Context(), ada, finished("r1"), many("z", 1), store.Batch{}), store.ErrConflict)
	wantErr(t, "the end of no run", s.EndRun(t.Context(), ada, finished("r2"), many("z", 1), store.Batch{}), store.ErrNotFound)
	wantErr(t, "an end that is none", s.EndRun(t.Context(), ada, store.Run{ID: "r1", Status: store.RunLive}, nil, store.Batch{}), store.ErrInvalid)
	if again, _ := s.Run(t.Context(), ada, "r1"); !reflect.DeepEqual(again, want) {
		t.Errorf("a refused end changed the run to %+v", again)
	}
	wantTranscript(t, s, ada, "t1", "q00000=text", "a00000=text", "a00001=text")
}

func testLastRun(t *testing.T, s store.Store) {
	_, err := s.LastRun(t.Context(), ada, "t1")
	wantErr(t, "last run of no thread", err, store.ErrNotFound)
	late := time.Now()
	for i, id := range []string{"r5", "r1", "r9"} {
		r := run(id, "t1")
		r.CreatedAt = late.Add(-time.Duration(i) * time.Hour) // the clock runs backwards
		must(t, s.BeginRun(t.Context(), ada, r, many(id, 2)))
		begin(t, s, ada, "elsewhere"+id, "t2")
		last, err := s.LastRun(t.Context(), ada, "t1")
		must(t, err)
		if last.ID != id {
			t.Errorf("last run is %s, want %s", last.ID, id)
		}
	}
}

func testLiveRuns(t *testing.T, s store.Store) {
	for _, o := range []store.Owner{ada, bob, other} {
		begin(t, s, o, "live", "t1")
		begin(t, s, o, "done", "t2")
		must(t, s.EndRun(t.Context(), o, finished("done"), nil, store.Batch{}))
	}
	live, err := s.LiveRuns(t.Context())
	must(t, err)
	owners := map[store.Owner]bool{}
	for _, r := range live {
		owners[r.Owner] = true
		if r.Run.ID != "live" || r.Run.ThreadID != "t1" || r.Run.Status != store.RunLive {
			t.Errorf("live run of %v is %+v", r.Owner, r.Run)
		}
	}
	if len(live) != 3 || len(owners) != 3 {
		t.Errorf("live runs are %+v", live)
	}
	for _, r := range live {
		must(t, s.EndRun(t.Context(), r.Owner, store.Run{ID: r.Run.ID, ThreadID: r.Run.ThreadID, Status: store.RunFailed}, nil, store.Batch{}))
	}
	if live, err = s.LiveRuns(t.Context()); err != nil || len(live) != 0 {
		t.Errorf("after all have ended: %+v, %v", live, err)
	}
}

func testRunFields(t *testing.T, s store.Store) {
	for i, usage := range []string{"", `null`, `{}`, `[ {"a":1.0,"b":1e400,"c":null,"é":"\u0000\ud800"} ]`, "{\n\t\"x\": 12345678901234567890123 }"} {
		id := string(rune('a' + i))
		first := run(id, "t")
		first.Agent, first.ParentRunID, first.Fingerprint = "ag'ent\n", store.RootRun, "😀\u2028"
		must(t, s.BeginRun(t.Context(), ada, first, nil))
		end := store.Run{ID: id, Status: store.RunFailed, Error: "<&>\\\"", Pending: []string{"", "c<&>", "é\u2028"}}
		if usage != "" {
			end.Usage = []byte(usage)
		}
		must(t, s.EndRun(t.Context(), ada, end, nil, store.Batch{}))
		got, err := s.Run(t.Context(), ada, id)
		must(t, err)
		if got.Agent != first.Agent || got.ParentRunID != first.ParentRunID || got.Fingerprint != first.Fingerprint ||
			got.Error != end.Error || !reflect.DeepEqual(got.Pending, end.Pending) || !bytes.Equal(got.Usage, end.Usage) || (got.Usage == nil) != (usage == "") {
			t.Errorf("run came back as %+v, want %+v", got, end)
		}
	}
	begin(t, s, ada, "none", "t")
	must(t, s.EndRun(t.Context(), ada, store.Run{ID: "none", Status: store.RunFinished, Pending: []string{}}, nil, store.Batch{}))
	if got, err := s.Run(t.Context(), ada, "none"); err != nil || got.Pending != nil {
		t.Errorf("no pending calls came back as %#v, %v", got.Pending, err)
	}
}

// testRecentRuns: runs come by when they changed, and say whether they wait.
func testRecentRuns(t *testing.T, s store.Store) {
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }
	start := func(id, thread, parent string, second int) {
		r := run(id, thread)
		r.CreatedAt, r.ParentRunID = at(second), parent
		must(t, s.BeginRun(t.Context(), ada, r, nil))
	}
	end := func(r store.Run, second int) {
		r.EndedAt = at(second)
		must(t, s.EndRun(t.Context(), ada, r, nil, store.Batch{}))
	}
	start("a", "t1", "", 1)
	start("b", "t2", "", 2)
	start("c", "t3", "", 3)
	asks, calls, failed := finished("a"), finished("b"), finished("c")
	asks.Interrupts, calls.Pending, failed.Status = []byte(`[{}]`), []string{"call"}, store.RunFailed
	end(asks, 9)
	end(calls, 5)
	end(failed, 4)
	start("d", "t2", "b", 7)
	start("e", "t2", "b", 8) // from the same run
	begin(t, s, bob, "x", "t1")
	a := store.RunSummary{ID: "a", ThreadID: "t1", Status: store.RunFinished, Waits: true, ChangedAt: at(9)}
	b := store.RunSummary{ID: "b", ThreadID: "t2", Status: store.RunFinished, Waits: true, Passed: true, ChangedAt: at(7)}
	c := store.RunSummary{ID: "c", ThreadID: "t3", Status: store.RunFailed, ChangedAt: at(4)}
	d := store.RunSummary{ID: "d", ThreadID: "t2", Status: store.RunLive, ChangedAt: at(7)}
	e := store.RunSummary{ID: "e", ThreadID: "t2", Status: store.RunLive, ChangedAt: at(8)}
	want := func(q store.RunQuery, want ...store.RunSummary) {
		t.Helper()
		if got, err := s.RecentRuns(t.Context(), ada, q); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v finds\n%+v (%v), want\n%+v", q, got, err, want)
		}
	}
	want(store.RunQuery{Limit: 9}, a, e, d, b, c)
	want(store.RunQuery{Limit: 2}, a, e)
	want(store.RunQuery{Limit: 9, Since: at(8)}, a, e)
	want(store.RunQuery{Limit: 9, ThreadID: "t2"}, e, d, b)
	want(store.RunQuery{Limit: 9, Agent: "default", ThreadID: "t3"}, c)
	want(store.RunQuery{Limit: 9, Agent: "another"})
	_, err := s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(true)})
	must(t, err)
	want(store.RunQuery{Limit: 9}, e, d, b, c)
}

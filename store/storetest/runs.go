package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

var ofRuns = []promise{
	{"a run begins on a new thread", func(t *testing.T, s Store) {
		before := time.Now().Truncate(time.Millisecond)
		begin(t, s, ada, "r1", "t1", user("m1", "hello"), user("m2", "again"))
		wantTranscript(t, s, "t1", "m1=hello", "m2=again")

		thread := get(s.Thread(ctx, ada, "t1"))
		at := thread.CreatedAt
		if at.Before(before) || at.Location() != time.UTC {
			t.Errorf("thread was made %v; the test began %v", at, before)
		}
		new := store.Thread{ID: "t1", Agent: "default", Head: "r1", CreatedAt: at, UpdatedAt: at}
		want(t, "thread", new)(thread, nil)
		r := with(run("r1", "t1"), func(r *store.Run) {
			r.Status, r.ParentRunID, r.Epoch, r.CreatedAt = store.RunLive, store.RootRun, 1, at
		})
		want(t, "run", r)(s.Run(ctx, ada, "r1"))

		begin(t, s, ada, "r2", "t2")
		wantTranscript(t, s, "t2")
	}},
	{"a run id is taken once", func(t *testing.T, s Store) {
		again := func(thread string) error { return s.BeginRun(ctx, ada, run("r1", thread), many("x", 2)) }
		begin(t, s, ada, "r1", "t1", user("m1", "a"))
		wantErr(t, "same thread", again("t1"), store.ErrConflict)
		wantErr(t, "another thread", again("t2"), store.ErrConflict)
		wantErr(t, "thread of a refused run", errOf(s.Thread(ctx, ada, "t2")), store.ErrNotFound)
		end(t, s, ada, "r1")
		wantErr(t, "ended run", again("t1"), store.ErrConflict)
	}},
	{"a run brings only what is new", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t1", user("m1", "one"), user("m2", "two"), user("m1", "twice"))
		wantTranscript(t, s, "t1", "m1=one", "m2=two")
		end(t, s, ada, "r1")
		thread := get(s.Thread(ctx, ada, "t1"))
		tick() // a change would show in the time
		begin(t, s, ada, "r2", "t1", user("m2", "forged"), user("m1", "forged"))
		wantTranscript(t, s, "t1", "m1=one", "m2=two")
		thread.Head = "r2"
		want(t, "thread that got nothing new", thread)(s.Thread(ctx, ada, "t1"))

		begin(t, s, ada, "r3", "t1",
			user("m1", "forged"), user("m3", "three"), user("m3", "forged"), user("m4", "four"))
		wantTranscript(t, s, "t1", "m1=one", "m2=two", "m3=three", "m4=four")
		if now := get(s.Thread(ctx, ada, "t1")); !now.UpdatedAt.After(thread.UpdatedAt) {
			t.Errorf("new messages left the thread at %v", now.UpdatedAt)
		}
	}},
	{"a run ends once", testEnd},
	{"a run that has ended takes no more writes", func(t *testing.T, s Store) {
		fill(t, s, ada)
		end(t, s, ada, "r1")
		before := everything(t, s, ada)
		for _, c := range calls(ctx, s, ada) {
			if c.about == theRun {
				wantErr(t, c.method, c.do(), store.ErrConflict)
			}
		}
		want(t, "what is stored", before)(everything(t, s, ada), nil)
	}},
	{"the last run is the one begun last", func(t *testing.T, s Store) {
		now := time.Now()
		for i, id := range []string{"r5", "r1", "r9"} {
			// the clock runs backwards
			r := with(run(id, "t1"), func(r *store.Run) { r.CreatedAt = now.Add(-time.Duration(i) * time.Hour) })
			must(t, s.BeginRun(ctx, ada, r, many(id, 2)))
			begin(t, s, ada, "elsewhere"+id, "t2")
			if last := get(s.LastRun(ctx, ada, "t1")); last.ID != id {
				t.Errorf("last run is %s, want %s", last.ID, id)
			}
		}
	}},
	{"recent runs come newest first", testRecentRuns},
	{"live runs are found whoever owns them", func(t *testing.T, s Store) {
		for _, o := range []store.Owner{ada, bob, other} {
			begin(t, s, o, "live", "t1")
			begin(t, s, o, "done", "t2")
			end(t, s, o, "done")
		}
		owners := map[store.Owner]bool{}
		for _, r := range get(s.LiveRuns(ctx)) {
			owners[r.Owner] = true
			want(t, "live run", get(s.Run(ctx, r.Owner, "live")))(r.Run, nil)
			failed := store.Run{ID: r.Run.ID, ThreadID: r.Run.ThreadID, Status: store.RunFailed}
			must(t, s.EndRun(ctx, r.Owner, failed, nil, noEvents))
		}
		want(t, "owners of live runs", map[store.Owner]bool{ada: true, bob: true, other: true})(owners, nil)
		want(t, "live runs that are left", []store.OwnedRun{})(s.LiveRuns(ctx))
	}},
	{"run fields come back as they were", testRunFields},
	{"what cannot be kept is refused by name", testInvalid},
	{"the store keeps no reference", func(t *testing.T, s Store) {
		content := []byte(`"mine"`)
		messages := []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.RawContent(content)}}
		begin(t, s, ada, "r1", "t1", messages...)
		copy(content, `"your"`)
		messages[0].ID = "x"
		got := get(s.Transcript(ctx, ada, "t1", ""))
		got[0].ID, got[0].Content = "y", agui.TextContent("ours")
		wantTranscript(t, s, "t1", "m=mine")

		ended := store.Run{ID: "r1", Status: store.RunFinished, Pending: []string{"c"}, Usage: []byte(`[1]`)}
		must(t, s.EndRun(ctx, ada, ended, nil, noEvents))
		spoil := func(r store.Run) { r.Pending[0], r.Usage[1] = "x", '2' }
		spoil(ended)
		spoil(get(s.Run(ctx, ada, "r1")))
		if r := get(s.Run(ctx, ada, "r1")); r.Pending[0] != "c" || string(r.Usage) != `[1]` {
			t.Errorf("run is %+v", r)
		}
	}},
	{"input is kept until the end", func(t *testing.T, s Store) {
		const input, interrupts = `{ "context": [1.0, null] }`, `[ {"id": "i1"} ]`
		r := with(run("r1", "t"), func(r *store.Run) { r.Input = []byte(input) })
		must(t, s.BeginRun(ctx, ada, r, nil))
		r.Input[2] = 'x'
		if live := get(s.LiveRuns(ctx)); len(live) != 1 || string(live[0].Run.Input) != input {
			t.Errorf("live runs are %+v", live)
		}
		ended := with(finished("r1"), func(r *store.Run) { r.Interrupts, r.LastSeq = []byte(interrupts), 7 })
		must(t, s.EndRun(ctx, ada, ended, nil, noEvents))
		ended.Interrupts[0] = 'x'
		r = get(s.Run(ctx, ada, "r1"))
		if r.Input != nil || string(r.Interrupts) != interrupts || r.LastSeq != 7 {
			t.Errorf("run is %+v", r)
		}
	}},
}

func testEnd(t *testing.T, s Store) {
	began := time.Date(2020, 1, 2, 3, 4, 5, 678_999_999, time.FixedZone("", 3600))
	must(t, s.BeginRun(ctx, ada, with(run("r1", "t1"), func(r *store.Run) { r.CreatedAt = began }), many("q", 1)))
	ended := store.Run{
		ID: "r1", Status: store.RunCancelled, Pending: []string{"c1", "c2"}, Error: "model_error",
		Usage: []byte(`[{"n":1.50}]`), EndedAt: began.Add(time.Hour),
	}
	elsewhere := store.Run{ID: "r1", ThreadID: "t2", Status: store.RunFailed}
	wantErr(t, "an end on another thread", s.EndRun(ctx, ada, elsewhere, nil, noEvents), store.ErrNotFound)
	must(t, s.EndRun(ctx, ada, ended, many("a", 2), noEvents))

	stored := with(ended, func(r *store.Run) {
		r.ThreadID, r.Agent, r.Fingerprint, r.ParentRunID, r.Epoch = "t1", "default", "f:r1", store.RootRun, 1
		r.CreatedAt = began.Truncate(time.Millisecond).UTC()
		r.EndedAt = r.CreatedAt.Add(time.Hour)
	})
	want(t, "run", stored)(s.Run(ctx, ada, "r1"))
	none := store.Run{ID: "r1", Status: store.RunLive}
	wantErr(t, "an end that is none", s.EndRun(ctx, ada, none, nil, noEvents), store.ErrInvalid)
	wantErr(t, "a second end", s.EndRun(ctx, ada, finished("r1"), many("z", 1), noEvents), store.ErrConflict)
	want(t, "run after refused ends", stored)(s.Run(ctx, ada, "r1"))
	wantTranscript(t, s, "t1", "q00000=text", "a00000=text", "a00001=text")
}

// testRecentRuns: runs come by when they changed, and say whether they wait.
func testRecentRuns(t *testing.T, s Store) {
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }
	start := func(id, thread, parent string, second int) {
		r := with(runFrom(parent, id, thread), func(r *store.Run) { r.CreatedAt = at(second) })
		must(t, s.BeginRun(ctx, ada, r, nil))
	}
	start("a", "t1", "", 1)
	start("b", "t2", "", 2)
	start("c", "t3", "", 3)
	for _, r := range []store.Run{
		{ID: "a", Status: store.RunFinished, Interrupts: []byte(`[{}]`), EndedAt: at(9)},
		{ID: "b", Status: store.RunFinished, Pending: []string{"call"}, EndedAt: at(5)},
		{ID: "c", Status: store.RunFailed, EndedAt: at(4)},
	} {
		must(t, s.EndRun(ctx, ada, r, nil, noEvents))
	}
	start("d", "t2", "b", 7)
	start("e", "t2", "b", 8) // from the same run
	begin(t, s, bob, "x", "t1")

	ended, failed, live := store.RunFinished, store.RunFailed, store.RunLive
	a := store.RunSummary{ID: "a", ThreadID: "t1", Status: ended, Waits: true, ChangedAt: at(9)}
	b := store.RunSummary{ID: "b", ThreadID: "t2", Status: ended, Waits: true, Passed: true, ChangedAt: at(7)}
	c := store.RunSummary{ID: "c", ThreadID: "t3", Status: failed, ChangedAt: at(4)}
	d := store.RunSummary{ID: "d", ThreadID: "t2", Status: live, ChangedAt: at(7)}
	e := store.RunSummary{ID: "e", ThreadID: "t2", Status: live, ChangedAt: at(8)}
	wantRecent := func(q store.RunQuery, runs ...store.RunSummary) {
		t.Helper()
		want(t, fmt.Sprintf("runs of %+v", q), runs)(s.RecentRuns(ctx, ada, q))
	}
	wantRecent(store.RunQuery{Limit: 9}, a, e, d, b, c)
	wantRecent(store.RunQuery{Limit: 2}, a, e)
	wantRecent(store.RunQuery{Limit: 9, Since: at(8)}, a, e)
	wantRecent(store.RunQuery{Limit: 9, ThreadID: "t2"}, e, d, b)
	wantRecent(store.RunQuery{Limit: 9, Agent: "default", ThreadID: "t3"}, c)
	wantRecent(store.RunQuery{Limit: 9, Agent: "another"})
	setDeleted(t, s, "t1", true)
	wantRecent(store.RunQuery{Limit: 9}, e, d, b, c)
}

func testRunFields(t *testing.T, s Store) {
	for i, usage := range []string{
		"", `null`, `{}`, `[ {"a":1.0,"b":1e400,"c":null,"é":"\u0000\ud800"} ]`,
		"{\n\t\"x\": 12345678901234567890123 }",
	} {
		r := runFrom(store.RootRun, fmt.Sprint("r", i), "t")
		r.Agent, r.Fingerprint = "ag'ent\n", "😀\u2028"
		must(t, s.BeginRun(ctx, ada, r, nil))
		r.Status, r.Error, r.Pending = store.RunFailed, "<&>\\\"", []string{"", "c<&>", "é\u2028"}
		if usage != "" {
			r.Usage = []byte(usage)
		}
		must(t, s.EndRun(ctx, ada, r, nil, noEvents))
		got := get(s.Run(ctx, ada, r.ID))
		r.Epoch, r.CreatedAt, r.EndedAt = 1, got.CreatedAt, got.EndedAt
		want(t, "run", r)(got, nil)
	}
	begin(t, s, ada, "none", "t")
	must(t, s.EndRun(ctx, ada, with(finished("none"), func(r *store.Run) { r.Pending = []string{} }), nil, noEvents))
	if got := get(s.Run(ctx, ada, "none")); got.Pending != nil {
		t.Errorf("no pending calls came back as %#v", got.Pending)
	}
}

func testInvalid(t *testing.T, s Store) {
	id := func(of string) string { return strings.Repeat(of, store.MaxID/len(of)) }
	begin(t, s, ada, id("é"), id("t"), user(id("m"), "")) // as long as an id may be
	long := id("x") + "x"
	content := func(json string) agui.Message {
		return agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.RawContent([]byte(json))}
	}
	r, m := run("r", "t"), user("m", "")
	for _, c := range []struct {
		field string
		owner store.Owner
		run   store.Run
		msg   agui.Message
	}{
		{"subject", store.Owner{Tenant: "acme"}, r, m},
		{"subject", store.Owner{Subject: "a\x00"}, r, m},
		{"tenant", store.Owner{Tenant: long, Subject: "a"}, r, m},
		{"run id", ada, run("", "t"), m},
		{"run id", ada, run("r\xff", "t"), m},
		{"run id", ada, run(long, "t"), m},
		{"", ada, run(store.RootRun, "t"), m},
		{"thread id", ada, run("r", ""), m},
		{"thread id", ada, run("r", "t\x00"), m},
		{"thread id", ada, run("r", long), m},
		{"agent", ada, store.Run{ID: "r", ThreadID: "t", Agent: "\x00"}, m},
		{"input", ada, with(r, func(r *store.Run) { r.Input = []byte(`{`) }), m},
		{"state", ada, with(r, func(r *store.Run) { r.State = []byte(`{`) }), m},
		{"messages[0]", ada, r, user("", "")},
		{"messages[0]", ada, r, user(long, "")},
		{"messages[0]", ada, r, agui.Message{ID: "m", Role: "nobody"}},
		{"messages[0]", ada, r, content(`"open`)},
		{"messages[0]", ada, r, content(`"\u0000"`)},
		{"messages[0]", ada, r, content(`"\ud800"`)},
		{"messages[0]", ada, r, content("\"\xff\"")},
		{"messages[0]", ada, r, agui.Message{ID: "m", Role: agui.RoleUser, Metadata: []byte(`{"a":1,"a":2}`)}},
	} {
		err := s.BeginRun(ctx, c.owner, c.run, []agui.Message{c.msg})
		wantErr(t, "bad "+c.field, err, store.ErrInvalid)
		if err != nil && !strings.Contains(err.Error(), c.field) {
			t.Errorf("the error does not name %s: %v", c.field, err)
		}
	}
	begin(t, s, ada, "r", "t")
	open := []byte(`{`)
	for _, r := range []store.Run{{Usage: open}, {State: open}, {Interrupts: open}, {Pending: []string{"\xff"}}} {
		r.ID, r.Status = "r", store.RunFailed
		wantErr(t, fmt.Sprintf("the end %+v", r), s.EndRun(ctx, ada, r, nil, noEvents), store.ErrInvalid)
	}
	wantErr(t, "title", setTitle(s, "t", "\x00"), store.ErrInvalid)
	for _, id := range []string{"", "\x00", "\xff", long} {
		wantErr(t, fmt.Sprintf("thread %.9q", id), errOf(s.Thread(ctx, ada, id)), store.ErrNotFound)
		wantErr(t, fmt.Sprintf("run %.9q", id), errOf(s.Run(ctx, ada, id)), store.ErrNotFound)
	}
}

var ofTaint = []promise{
	{"taint stays with the branch", func(t *testing.T, s Store) {
		one := func(o store.Owner, id, parent string, tainted bool) {
			r := with(runFrom(parent, id, "t"), func(r *store.Run) { r.Tainted = tainted })
			must(t, s.BeginRun(ctx, o, r, []agui.Message{user(id+"q", "?")}))
			end(t, s, o, id)
		}
		one(ada, "r1", "", false)
		one(ada, "r2", "", true)
		one(ada, "r3", "", false)   // goes on from the head
		one(ada, "r4", "r2", false) // and from a run that is named
		one(ada, "r5", "r4", false) // over several
		one(ada, "clean", "r1", false)
		one(ada, "clean2", "", false)
		one(ada, "root", store.RootRun, false)
		wantTainted(t, s, ada, "r2", "r3", "r4", "r5")
		// once the head was moved, a new run continues it
		must(t, update(s, "t", store.ThreadChange{Head: new("r5")}))
		one(ada, "moved", "", false)
		wantTainted(t, s, ada, "r2", "r3", "r4", "r5", "moved")
		// another owner's ids are not the same, even if they are equal
		one(bob, "r2", "", false)
		one(bob, "r9", "r2", false)
		wantTainted(t, s, bob)
	}},
	{"a live run is tainted", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t", "")
		begin(t, s, ada, "r2", "t")
		begin(t, s, bob, "r2", "t")
		wantTainted(t, s, ada)
		must(t, s.TaintRun(ctx, ada, "r2"))
		must(t, s.TaintRun(ctx, ada, "r2")) // which changes nothing
		wantTainted(t, s, ada, "r2")
		wantTainted(t, s, bob)
		get(s.TakeOver(ctx, ada, "r2"))
		wantTainted(t, s, ada, "r2")
		end(t, s, ada, "r2") // which says nothing of it
		wholeRun(t, s, "r3", "t", "")
		wholeRun(t, s, "r4", "t", "r1")
		wantTainted(t, s, ada, "r2", "r3")
	}},
}

// wantTainted checks which runs of the thread t are tainted, however they are read.
func wantTainted(t *testing.T, s store.Store, o store.Owner, tainted ...string) {
	t.Helper()
	read := get(s.Runs(ctx, o, "t"))
	for _, r := range read {
		read = append(read, get(s.Run(ctx, o, r.ID)))
	}
	for _, r := range get(s.LiveRuns(ctx)) {
		if r.Owner == o {
			read = append(read, r.Run)
		}
	}
	for _, r := range append(read, get(s.LastRun(ctx, o, "t"))) {
		if is := slices.Contains(tainted, r.ID); r.Tainted != is {
			t.Errorf("run %s is tainted: %t, want %t", r.ID, r.Tainted, is)
		}
	}
}

var ofState = []promise{{"the shared state stays with the run", func(t *testing.T, s Store) {
	const first, second = `{ "a": 1.0, "b": null }`, `{"a":2}`
	start := func(o store.Owner, id, state string) {
		r := with(run(id, "t"), func(r *store.Run) { r.State = []byte(state) })
		must(t, s.BeginRun(ctx, o, r, []agui.Message{user(id+"q", "?")}))
		r.State[2] = 'x' // the store must not notice
	}
	wantState := func(o store.Owner, id, start, state string) {
		t.Helper()
		if r := get(s.Run(ctx, o, id)); string(r.StartState) != start || string(r.State) != state {
			t.Errorf("run %s began with %s and has %s, want %s and %s", id, r.StartState, r.State, start, state)
		}
	}
	start(ada, "r1", first)
	wantState(ada, "r1", first, first)
	if live := get(s.LiveRuns(ctx)); len(live) != 1 || string(live[0].Run.StartState) != first {
		t.Errorf("live runs are %+v", live)
	}
	ended := with(finished("r1"), func(r *store.Run) { r.State = []byte(second) })
	must(t, s.EndRun(ctx, ada, ended, nil, noEvents))
	ended.State[2] = 'x'
	wantState(ada, "r1", first, second)

	start(ada, "r2", second)
	end(t, s, ada, "r2")
	wantState(ada, "r2", second, second) // as it was
	wholeRun(t, s, "r3", "t", "r1")      // without a state
	wantState(ada, "r3", "", "")
	wantState(ada, "r1", first, second)
	if last := get(s.LastRun(ctx, ada, "t")); last.State != nil {
		t.Errorf("the last run is %+v", last)
	}
	if by := get(s.MessageRun(ctx, ada, "t", "r2q")); string(by.State) != second {
		t.Errorf("the run of a message is %+v", by)
	}
	for _, r := range get(s.Runs(ctx, ada, "t")) {
		if r.StartState != nil || r.State != nil {
			t.Errorf("the list of runs has the state of %s", r.ID)
		}
	}
	for _, o := range []store.Owner{bob, other} {
		theirs := `"of ` + o.Tenant + "/" + o.Subject + `"`
		start(o, "r1", theirs)
		wantState(o, "r1", theirs, theirs)
	}
	wantState(ada, "r1", first, second)
}}}

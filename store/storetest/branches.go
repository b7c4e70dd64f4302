package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// wholeRun begins and ends a run that continues parent, with a question and an answer.
func wholeRun(t *testing.T, s store.Store, id, thread, parent string) {
	t.Helper()
	r := run(id, thread)
	r.ParentRunID = parent
	must(t, s.BeginRun(t.Context(), ada, r, []agui.Message{user(id+"q", "?")}))
	must(t, s.EndRun(t.Context(), ada, finished(id), []agui.Message{user(id+"a", "!")}, store.Batch{}))
}

// wantBranch checks which runs' messages are on the branch that ends with a run, and that pages
// agree if that is the head.
func wantBranch(t *testing.T, s store.Store, thread, at string, want ...string) {
	t.Helper()
	messages, err := s.Transcript(t.Context(), ada, thread, at)
	must(t, err)
	if got := runsOf(messages); !slices.Equal(got, want) {
		t.Errorf("transcript of %s at %q is of the runs %q, want %q", thread, at, got, want)
	}
	if at != "" {
		return
	}
	var all []agui.Message
	for before, more := int64(0), true; more; {
		page, err := s.Messages(t.Context(), ada, thread, before, 3)
		must(t, err)
		var items []agui.Message
		for _, m := range page.Items {
			items = append(items, m.Message)
		}
		all = append(items, all...)
		more = page.Next != ""
		before, err = store.ParseBefore(page.Next)
		must(t, err)
	}
	if got := runsOf(all); !slices.Equal(got, want) {
		t.Errorf("pages of %s are of the runs %q, want %q", thread, got, want)
	}
}

// runsOf returns the runs whose questions and answers the messages are.
func runsOf(messages []agui.Message) (runs []string) {
	for i := 0; i+1 < len(messages); i += 2 {
		q, a := messages[i].ID, messages[i+1].ID
		if q[:len(q)-1] == a[:len(a)-1] && strings.HasSuffix(q, "q") {
			runs = append(runs, q[:len(q)-1])
		} else {
			runs = append(runs, q+"+"+a)
		}
	}
	if len(messages)%2 == 1 {
		runs = append(runs, messages[len(messages)-1].ID)
	}
	return runs
}

func testBranches(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t", "")
	wholeRun(t, s, "r2", "t", "")
	wholeRun(t, s, "r3", "t", "r2")
	wantBranch(t, s, "t", "", "r1", "r2", "r3")
	wantBranch(t, s, "t", "r2", "r1", "r2")

	wholeRun(t, s, "r2b", "t", "r1") // edits what r2 asked
	wantBranch(t, s, "t", "", "r1", "r2b")
	wantBranch(t, s, "t", "r3", "r1", "r2", "r3")
	wholeRun(t, s, "r3b", "t", "")
	wantBranch(t, s, "t", "", "r1", "r2b", "r3b")
	wholeRun(t, s, "r0", "t", store.RootRun) // edits the first question
	wantBranch(t, s, "t", "", "r0")
	wantBranch(t, s, "t", "r3b", "r1", "r2b", "r3b")
	wantBranch(t, s, "t", store.RootRun)
	wholeRun(t, s, "r4", "t", "r3")
	wantBranch(t, s, "t", "", "r1", "r2", "r3", "r4")

	// run ids are a user's: another's run of the same id leads nowhere
	must(t, s.BeginRun(t.Context(), bob, run("r0", "t"), nil))
	must(t, s.EndRun(t.Context(), bob, finished("r0"), nil, store.Batch{}))
	theirs := run("r1", "t")
	theirs.ParentRunID = "r0"
	must(t, s.BeginRun(t.Context(), bob, theirs, nil))
	wantBranch(t, s, "t", "", "r1", "r2", "r3", "r4")
	wantBranch(t, s, "t", "r2", "r1", "r2")

	_, err := s.Transcript(t.Context(), ada, "t", "r9")
	wantErr(t, "the branch of no run", err, store.ErrNotFound)
	wholeRun(t, s, "x", "t2", "")
	_, err = s.Transcript(t.Context(), ada, "t", "x")
	wantErr(t, "the branch of another thread's run", err, store.ErrNotFound)
	wantRuns(t, s, "t", "r1<-", "r2<r1", "r3<r2", "r2b<r1", "r3b<r2b", "r0<-", "r4<r3")
	if last, err := s.LastRun(t.Context(), ada, "t"); err != nil || last.ID != "r4" {
		t.Errorf("last run is %s, %v", last.ID, err)
	}
}

// wantRuns checks the runs of a thread, each written as run<parent.
func wantRuns(t *testing.T, s store.Store, thread string, want ...string) {
	t.Helper()
	runs, err := s.Runs(t.Context(), ada, thread)
	must(t, err)
	var got []string
	for _, r := range runs {
		got = append(got, r.ID+"<"+r.ParentRunID)
		if r.FirstUser == nil || r.FirstUser.ID != r.ID+"q" || r.FirstUser.Preview != "?" {
			t.Errorf("first user message of %s is %+v", r.ID, r.FirstUser)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("runs of %s are %q, want %q", thread, got, want)
	}
}

func testParents(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t1", "")
	wholeRun(t, s, "x1", "t2", store.RootRun)
	begin(t, s, ada, "live", "t1", user("lq", "?"))
	for what, parent := range map[string]string{"no run": "r9", "another thread's run": "x1", "a live run": "live"} {
		r := run("r2", "t1")
		r.ParentRunID = parent
		wantErr(t, what, s.BeginRun(t.Context(), ada, r, many("m", 1)), store.ErrConflict)
		r = run("r2", "t3")
		r.ParentRunID = parent
		wantErr(t, what+" on a new thread", s.BeginRun(t.Context(), ada, r, many("m", 1)), store.ErrConflict)
	}
	_, err := s.Thread(t.Context(), ada, "t3")
	wantErr(t, "the thread of a refused run", err, store.ErrNotFound)
	thread, err := s.Thread(t.Context(), ada, "t1")
	if err != nil || thread.Head != "live" {
		t.Errorf("head is %q, %v", thread.Head, err)
	}
	r := run(store.RootRun, "t4")
	wantErr(t, "a run with the name of the root", s.BeginRun(t.Context(), ada, r, nil), store.ErrInvalid)
}

func testMoveHead(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t", "")
	wholeRun(t, s, "r2", "t", "")
	wholeRun(t, s, "x", "t2", "")
	was, err := s.Thread(t.Context(), ada, "t")
	must(t, err)
	tick()
	for head, want := range map[string]error{"r1": nil, "r9": store.ErrConflict, "x": store.ErrConflict, store.RootRun: store.ErrConflict, "": store.ErrConflict} {
		thread, err := s.UpdateThread(t.Context(), ada, "t", store.ThreadChange{Head: &head})
		wantErr(t, "head "+head, err, want)
		if want == nil && (thread.Head != head || !thread.UpdatedAt.Equal(was.UpdatedAt)) {
			t.Errorf("thread is %+v", thread)
		}
	}
	wantBranch(t, s, "t", "", "r1")
	wholeRun(t, s, "r3", "t", "")
	wantBranch(t, s, "t", "", "r1", "r3")
	wantBranch(t, s, "t", "r2", "r1", "r2")
	begin(t, s, ada, "live", "t", user("liveq", "?"))
	head, title := "r2", "title"
	_, err = s.UpdateThread(t.Context(), ada, "t", store.ThreadChange{Head: &head, Title: &title})
	wantErr(t, "a head while a run is live", err, store.ErrConflict)
	if thread, err := s.Thread(t.Context(), ada, "t"); err != nil || thread.Title != "" || thread.Head != "live" {
		t.Errorf("thread is %+v, %v", thread, err)
	}
	must(t, setTitle(s, t.Context(), ada, "t", title)) // that may change at any time
}

// testKnownOnOtherBranch: message ids are the thread's, so a message stays on the branch that had
// it first.
func testKnownOnOtherBranch(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t", "")
	wholeRun(t, s, "r2", "t", "")
	r := run("r3", "t")
	r.ParentRunID = "r1"
	must(t, s.BeginRun(t.Context(), ada, r, []agui.Message{user("r2q", "forged"), user("r3q", "?")}))
	must(t, s.EndRun(t.Context(), ada, finished("r3"), []agui.Message{user("r3a", "!"), user("r1a", "better")}, store.Batch{}))
	wantTranscript(t, s, ada, "t", "r1q=?", "r1a=better", "r3q=?", "r3a=!")
	wantBranch(t, s, "t", "r2", "r1", "r2")
	runs, err := s.Runs(t.Context(), ada, "t")
	must(t, err)
	if first := runs[2].FirstUser; first == nil || first.ID != "r3q" {
		t.Errorf("the first message that r3 brought is %+v", first)
	}
	for id, want := range map[string]string{"r2q": "r2", "r3q": "r3", "r1a": "r1"} {
		if r, err := s.MessageRun(t.Context(), ada, "t", id); err != nil || r.ID != want {
			t.Errorf("message %s is of run %s, %v, want %s", id, r.ID, err, want)
		}
	}
	if has, err := s.HasMessages(t.Context(), ada, "t", []string{"r2q", "nothing", "", "r3a", "r1a"}); err != nil || !maps.Equal(has, map[string]bool{"r2q": true, "r3a": true, "r1a": true}) {
		t.Errorf("the thread has %v, %v", has, err)
	}
	for _, c := range []struct{ thread, message string }{{"t", "nothing"}, {"t9", "r1q"}, {"t", ""}} {
		_, err := s.MessageRun(t.Context(), ada, c.thread, c.message)
		wantErr(t, "run of no message", err, store.ErrNotFound)
	}
}

// testHasMessages: of a thread that began with a long history, also where many are looked for.
func testHasMessages(t *testing.T, s store.Store) {
	var brought []agui.Message
	var ids []string
	for i := range 40 {
		id := fmt.Sprintf("m%d \"%d\"\n", i, i)
		brought, ids = append(brought, user(id, "?")), append(ids, id)
	}
	must(t, s.BeginRun(t.Context(), ada, run("r1", "t"), brought))
	must(t, s.EndRun(t.Context(), ada, finished("r1"), []agui.Message{user("a", "!")}, store.Batch{}))
	for _, id := range append(ids, "a") {
		if r, err := s.MessageRun(t.Context(), ada, "t", id); err != nil || r.ID != "r1" {
			t.Errorf("message %q is of run %s, %v", id, r.ID, err)
		}
	}
	for _, asked := range [][]string{ids[:1], ids[39:], ids} {
		has, err := s.HasMessages(t.Context(), ada, "t", append([]string{"m", "m1", "a"}, asked...))
		if err != nil || len(has) != len(asked)+1 || !has["a"] || slices.ContainsFunc(asked, func(id string) bool { return !has[id] }) {
			t.Errorf("of %q it has %v, %v", asked, has, err)
		}
	}
}

func testFirstUser(t *testing.T, s store.Store) {
	long := strings.Repeat("Why é ", 60)
	reply := agui.Message{ID: "tool", Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("user")}
	parts := agui.Message{ID: "parts", Role: agui.RoleUser, Content: agui.PartsContent([]agui.ContentPart{{Type: "text", Text: " two\n\nlines "}})}
	for _, c := range []struct {
		brought []agui.Message
		want    store.UserMessage
	}{
		{nil, store.UserMessage{}},
		{[]agui.Message{reply}, store.UserMessage{}},
		{[]agui.Message{{ID: "tool2", Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("user")}, user("long", long), user("n", "x")}, store.UserMessage{ID: "long", Preview: store.Preview(user("", long))}},
		{[]agui.Message{user("long", "known"), parts}, store.UserMessage{ID: "parts", Preview: "two lines"}},
		{[]agui.Message{user("long", "known")}, store.UserMessage{}},
	} {
		id := string(rune('a' + len(all(t, s))))
		begin(t, s, ada, id, "t", c.brought...)
		runs := all(t, s)
		got := cmp.Or(runs[len(runs)-1].FirstUser, &store.UserMessage{})
		if *got != c.want || len([]rune(got.Preview)) > 120 {
			t.Errorf("first user message of %d is %+v, want %+v", len(runs), *got, c.want)
		}
	}
}

// all returns the runs of the thread t, none if it does not exist.
func all(t *testing.T, s store.Store) []store.Run {
	runs, err := s.Runs(t.Context(), ada, "t")
	if err != nil {
		wantErr(t, "runs", err, store.ErrNotFound)
	}
	return runs
}

package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

var ofBranches = []promise{
	{"a thread has branches", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t", "")
		wholeRun(t, s, "r2", "t", "")
		wholeRun(t, s, "r3", "t", "r2")
		wantBranch(t, s, "", "r1", "r2", "r3")
		wantBranch(t, s, "r2", "r1", "r2")

		wholeRun(t, s, "r2b", "t", "r1") // edits what r2 asked
		wantBranch(t, s, "", "r1", "r2b")
		wantBranch(t, s, "r3", "r1", "r2", "r3")
		wholeRun(t, s, "r3b", "t", "")
		wantBranch(t, s, "", "r1", "r2b", "r3b")
		wholeRun(t, s, "r0", "t", store.RootRun) // edits the first question
		wantBranch(t, s, "", "r0")
		wantBranch(t, s, "r3b", "r1", "r2b", "r3b")
		wantBranch(t, s, store.RootRun)
		wholeRun(t, s, "r4", "t", "r3")

		// run ids are a user's: another's run of the same id leads nowhere
		begin(t, s, bob, "r0", "t")
		end(t, s, bob, "r0")
		must(t, s.BeginRun(ctx, bob, runFrom("r0", "r1", "t"), nil))
		wantBranch(t, s, "", "r1", "r2", "r3", "r4")
		wantBranch(t, s, "r2", "r1", "r2")

		wholeRun(t, s, "x", "t2", "")
		wantErr(t, "the branch of no run", errOf(s.Transcript(ctx, ada, "t", "r9")), store.ErrNotFound)
		wantErr(t, "the branch of another thread's run", errOf(s.Transcript(ctx, ada, "t", "x")), store.ErrNotFound)
		var runs []string
		for _, r := range get(s.Runs(ctx, ada, "t")) {
			runs = append(runs, r.ID+"<"+r.ParentRunID)
			want(t, "first user message of "+r.ID, &store.UserMessage{ID: r.ID + "q", Preview: "?"})(r.FirstUser, nil)
		}
		want(t, "runs", []string{"r1<-", "r2<r1", "r3<r2", "r2b<r1", "r3b<r2b", "r0<-", "r4<r3"})(runs, nil)
	}},
	{"a run goes on from one that has ended", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t1", "")
		wholeRun(t, s, "x1", "t2", store.RootRun)
		begin(t, s, ada, "live", "t1", user("lq", "?"))
		for what, parent := range map[string]string{"no run": "r9", "another thread's": "x1", "a live run": "live"} {
			for _, thread := range []string{"t1", "t3"} {
				err := s.BeginRun(ctx, ada, runFrom(parent, "r2", thread), many("m", 1))
				wantErr(t, what+" on "+thread, err, store.ErrConflict)
			}
		}
		wantErr(t, "the thread of a refused run", errOf(s.Thread(ctx, ada, "t3")), store.ErrNotFound)
		if thread := get(s.Thread(ctx, ada, "t1")); thread.Head != "live" {
			t.Errorf("head is %q", thread.Head)
		}
	}},
	{"another branch can be shown", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t", "")
		wholeRun(t, s, "r2", "t", "")
		wholeRun(t, s, "x", "t2", "")
		thread := get(s.Thread(ctx, ada, "t"))
		tick()
		for _, head := range []string{"r9", "x", store.RootRun, ""} {
			wantErr(t, "head "+head, update(s, "t", store.ThreadChange{Head: &head}), store.ErrConflict)
		}
		thread.Head = "r1"
		want(t, "thread", thread)(s.UpdateThread(ctx, ada, "t", store.ThreadChange{Head: new("r1")}))
		wantBranch(t, s, "", "r1")
		wholeRun(t, s, "r3", "t", "")
		wantBranch(t, s, "", "r1", "r3")
		wantBranch(t, s, "r2", "r1", "r2")
		begin(t, s, ada, "live", "t", user("liveq", "?"))
		thread = get(s.Thread(ctx, ada, "t"))
		err := update(s, "t", store.ThreadChange{Head: new("r2"), Title: new("title")})
		wantErr(t, "a head while a run is live", err, store.ErrConflict)
		want(t, "thread", thread)(s.Thread(ctx, ada, "t"))
		must(t, setTitle(s, "t", "title")) // that may change at any time
	}},
	{"a message stays on its branch", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t", "")
		wholeRun(t, s, "r2", "t", "")
		must(t, s.BeginRun(ctx, ada, runFrom("r1", "r3", "t"), []agui.Message{user("r2q", "forged"), user("r3q", "?")}))
		end(t, s, ada, "r3", user("r3a", "!"), user("r1a", "better"))
		wantTranscript(t, s, "t", "r1q=?", "r1a=better", "r3q=?", "r3a=!")
		want(t, "the other branch", []string{"r1q=?", "r1a=better", "r2q=?", "r2a=!"})(transcript(s, ada, "t", "r2"))
		if first := get(s.Runs(ctx, ada, "t"))[2].FirstUser; first == nil || first.ID != "r3q" {
			t.Errorf("the first message that r3 brought is %+v", first)
		}
		for id, run := range map[string]string{"r2q": "r2", "r3q": "r3", "r1a": "r1"} {
			if r := get(s.MessageRun(ctx, ada, "t", id)); r.ID != run {
				t.Errorf("message %s is of run %s, want %s", id, r.ID, run)
			}
		}
		want(t, "messages it has", map[string]bool{"r2q": true, "r3a": true, "r1a": true})(
			s.HasMessages(ctx, ada, "t", []string{"r2q", "nothing", "", "r3a", "r1a"}))
		for _, c := range []struct{ thread, message string }{{"t", "nothing"}, {"t9", "r1q"}, {"t", ""}} {
			wantErr(t, "run of no message", errOf(s.MessageRun(ctx, ada, c.thread, c.message)), store.ErrNotFound)
		}
	}},
	// of a thread that began with a long history, also where many are looked for
	{"messages are found by their ids", func(t *testing.T, s Store) {
		var brought []agui.Message
		var ids []string
		for i := range 40 {
			id := fmt.Sprintf("m%d \"%d\"\n", i, i)
			brought, ids = append(brought, user(id, "?")), append(ids, id)
		}
		begin(t, s, ada, "r1", "t", brought...)
		end(t, s, ada, "r1", user("a", "!"))
		for _, id := range append(ids, "a") {
			if r := get(s.MessageRun(ctx, ada, "t", id)); r.ID != "r1" {
				t.Errorf("message %q is of run %s", id, r.ID)
			}
		}
		for _, asked := range [][]string{ids[:1], ids[39:], ids} {
			has := map[string]bool{"a": true}
			for _, id := range asked {
				has[id] = true
			}
			want(t, "messages it has", has)(s.HasMessages(ctx, ada, "t", append([]string{"m", "m1", "a"}, asked...)))
		}
	}},
	{"runs say what they were asked", func(t *testing.T, s Store) {
		long := strings.Repeat("Why é ", 60)
		asked := &store.UserMessage{ID: "long", Preview: store.Preview(user("", long))}
		reply := func(id string) agui.Message {
			return agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("user")}
		}
		parts := user("parts", "")
		parts.Content = agui.PartsContent([]agui.ContentPart{{Type: "text", Text: " two\n\nlines "}})
		for i, c := range []struct {
			brought []agui.Message
			want    *store.UserMessage
		}{
			{nil, nil},
			{[]agui.Message{reply("tool")}, nil},
			{[]agui.Message{reply("tool2"), user("long", long), user("n", "x")}, asked},
			{[]agui.Message{user("long", "known"), parts}, &store.UserMessage{ID: "parts", Preview: "two lines"}},
			{[]agui.Message{user("long", "known")}, nil},
		} {
			begin(t, s, ada, fmt.Sprint("r", i), "t", c.brought...)
			want(t, "first user message", c.want)(get(s.Runs(ctx, ada, "t"))[i].FirstUser, nil)
		}
	}},
}

// wantBranch checks which runs' messages are on the branch of the thread t that ends with a run,
// each with a question and an answer, and that pages agree if that is the head.
func wantBranch(t *testing.T, s store.Store, at string, runs ...string) {
	t.Helper()
	var messages, ids []string
	for _, r := range runs {
		messages, ids = append(messages, r+"q=?", r+"a=!"), append(ids, r+"q", r+"a")
	}
	want(t, "transcript at "+at, messages)(transcript(s, ada, "t", at))
	if at != "" {
		return
	}
	var paged []string
	for _, m := range pages(t, s, "t", 3) {
		paged = append(paged, m.Message.ID)
	}
	want(t, "pages", ids)(paged, nil)
}

package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

func testUpdateThread(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("m", "text"))
	was, err := s.Thread(t.Context(), ada, "t1")
	must(t, err)
	tick()
	yes, no, title := true, false, "title"
	same, err := s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{})
	if err != nil || same != was {
		t.Errorf("no change: %+v, %v, was %+v", same, err, was)
	}
	want := was
	want.Archived, want.Title = true, title
	for _, change := range []store.ThreadChange{{Archived: &yes, Title: &title}, {Archived: &yes}} {
		got, err := s.UpdateThread(t.Context(), ada, "t1", change)
		if stored, readErr := s.Thread(t.Context(), ada, "t1"); err != nil || readErr != nil || got != want || stored != want {
			t.Errorf("thread is %+v, stored %+v, %v, want %+v", got, stored, err, want)
		}
	}
	wantListed(t, s, store.ThreadQuery{})
	wantListed(t, s, store.ThreadQuery{Archived: true}, "t1")
	if _, err = s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Archived: &no}); err != nil {
		t.Error(err)
	}
	wantListed(t, s, store.ThreadQuery{}, "t1")
	_, err = s.UpdateThread(t.Context(), ada, "t9", store.ThreadChange{Archived: &no})
	wantErr(t, "no thread", err, store.ErrNotFound)
	bad := "\xff"
	_, err = s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Title: &bad, Archived: &yes})
	wantErr(t, "a title that is no text", err, store.ErrInvalid)
	wantListed(t, s, store.ThreadQuery{}, "t1")
}

// wantListed checks which threads of ada a query selects, by pages of two.
func wantListed(t *testing.T, s store.Store, q store.ThreadQuery, want ...string) {
	t.Helper()
	var got []string
	for q.Limit = 2; ; {
		page, err := s.Threads(t.Context(), ada, q)
		must(t, err)
		got = append(got, threadIDs(page.Items)...)
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if !reflect.DeepEqual(got, append([]string(nil), want...)) {
		t.Errorf("threads of %+v are %q, want %q", q, got, want)
	}
}

// deleteThread deletes a thread or restores it.
func deleteThread(t *testing.T, s store.Store, id string, deleted bool) store.Thread {
	t.Helper()
	thread, err := s.UpdateThread(t.Context(), ada, id, store.ThreadChange{Deleted: &deleted})
	must(t, err)
	return thread
}

func testDeletedThread(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t1", "")
	begin(t, s, ada, "live", "t1", user("lq", "Rosenkohl"))
	must(t, appended(s, ada, events("live", 1, 1, "a")))
	wholeRun(t, s, "x", "t2", "")
	thread := deleteThread(t, s, "t1", true)
	if thread.DeletedAt.IsZero() || thread.DeletedAt.Before(thread.CreatedAt) {
		t.Errorf("thread is %+v", thread)
	}
	tick()
	if again := deleteThread(t, s, "t1", true); again != thread {
		t.Errorf("deleted again it is %+v, was %+v", again, thread)
	}
	wantListed(t, s, store.ThreadQuery{}, "t2")
	wantListed(t, s, store.ThreadQuery{Text: "Rosenkohl"})
	wantListed(t, s, store.ThreadQuery{Deleted: true}, "t1")
	wantListed(t, s, store.ThreadQuery{Deleted: true, Text: "Rosenkohl"}, "t1")
	if stored, err := s.Thread(t.Context(), ada, "t1"); err != nil || stored != thread {
		t.Errorf("thread is %+v, %v", stored, err)
	}
	for what, err := range hidden(t, s) {
		wantErr(t, what, err, store.ErrNotFound)
	}
	wantErr(t, "a new run", s.BeginRun(t.Context(), ada, run("r2", "t1"), nil), store.ErrConflict)

	// Its live run goes on until it ends.
	must(t, appended(s, ada, events("live", 1, 2, "b")))
	must(t, s.SaveMessages(t.Context(), ada, "t1", "live", []agui.Message{user("la", "!")}))
	must(t, s.PlanCalls(t.Context(), ada, "live", []journal.ToolCall{{ID: "c"}}, true))
	must(t, s.EndRun(t.Context(), ada, finished("live"), nil, events("live", 1, 3, "c")))

	if back := deleteThread(t, s, "t1", false); !back.DeletedAt.IsZero() {
		t.Errorf("thread is %+v", back)
	}
	wantTranscript(t, s, ada, "t1", "r1q=?", "r1a=!", "lq=Rosenkohl", "la=!")
	wantLog(t, s, ada, "live", 0, "1/1=a", "2/1=b", "3/1=c")
	wholeRun(t, s, "r2", "t1", "")
}

// hidden calls every method that must know nothing of ada's thread t1 and its live run while the
// thread is deleted.
func hidden(t *testing.T, s store.Store) map[string]error {
	ctx, errs := t.Context(), map[string]error{}
	_, errs["run"] = s.Run(ctx, ada, "live")
	_, errs["runs"] = s.Runs(ctx, ada, "t1")
	_, errs["last run"] = s.LastRun(ctx, ada, "t1")
	_, errs["transcript"] = s.Transcript(ctx, ada, "t1", "")
	_, errs["messages"] = s.Messages(ctx, ada, "t1", 0, 0)
	_, errs["has messages"] = s.HasMessages(ctx, ada, "t1", []string{"lq"})
	_, errs["message run"] = s.MessageRun(ctx, ada, "t1", "lq")
	_, errs["events"] = logOf(ctx, s, ada, "live", 0)
	_, errs["tool calls"] = s.ToolCalls(ctx, ada, "live")
	_, errs["tool call"] = s.ToolCall(ctx, ada, "t1", "c")
	_, errs["allowances"] = s.Allowances(ctx, ada, "t1")
	errs["feedback"] = s.SetFeedback(ctx, ada, "t1", store.Feedback{MessageID: "lq", Rating: 1})
	errs["metadata"] = s.SetMessageMetadata(ctx, ada, "t1", "lq", func(agui.Message) (json.RawMessage, error) { return nil, nil })
	return errs
}

func testPurge(t *testing.T, s store.Store) {
	for i := range 30 {
		id := fmt.Sprint("t", i)
		wholeRun(t, s, "r"+id, id, "")
		if i%3 == 0 {
			deleteThread(t, s, id, true)
		}
	}
	begin(t, s, ada, "live", "busy", user("m", ""))
	must(t, appended(s, ada, events("live", 1, 1, "a")))
	must(t, s.PlanCalls(t.Context(), ada, "live", []journal.ToolCall{{ID: "c"}}, true))
	must(t, s.SetFeedback(t.Context(), ada, "busy", store.Feedback{MessageID: "m", Rating: 1}))
	deleteThread(t, s, "busy", true)
	if n, err := s.Purge(t.Context(), time.Now().Add(-time.Hour)); err != nil || len(n) != 0 {
		t.Errorf("purged %v, %v", n, err)
	}
	if n, err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil || len(n) != 10 || n[0].Owner != ada || !strings.HasPrefix(n[0].ID, "t") {
		t.Errorf("purged %v, %v", n, err)
	}
	_, err := s.Thread(t.Context(), ada, "t0")
	wantErr(t, "a purged thread", err, store.ErrNotFound)
	must(t, s.EndRun(t.Context(), ada, finished("live"), nil, events("live", 1, 2, "b")))
	begin(t, s, ada, "beside", "t1")
	must(t, appended(s, ada, events("beside", 1, 1, "mine")))
	if n, err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil || len(n) != 1 || n[0] != (store.ThreadKey{Owner: ada, ID: "busy"}) {
		t.Errorf("purged %v, %v", n, err)
	}
	wantLog(t, s, ada, "beside", 0, "1/1=mine")
	wholeRun(t, s, "rt0", "t0", "") // its ids are free again
	wantTranscript(t, s, ada, "t0", "rt0q=?", "rt0a=!")
	begin(t, s, ada, "live", "busy")
	wantLog(t, s, ada, "live", 0)
	wantCalls(t, s, "live")
}

func testFeedback(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t", "")
	thread, err := s.Thread(t.Context(), ada, "t")
	must(t, err)
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, f := range []store.Feedback{
		{MessageID: "r1a", Rating: -1, At: at}, {MessageID: "r1a", Rating: -1, Reason: "incomplete", At: at}, {MessageID: "r1a", Rating: -1, Reason: "incorrect", Comment: "no", At: at}, {MessageID: "r1a", Rating: 1, Comment: "é\n", At: at.Add(time.Hour)}, {MessageID: "r1a", Comment: "so so", At: at},
	} {
		must(t, s.SetFeedback(t.Context(), ada, "t", f))
		if got := feedbackOf(t, s); !reflect.DeepEqual(got, []*store.Feedback{nil, &f}) {
			t.Errorf("feedback is %+v, want %+v", got, f)
		}
	}
	must(t, s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "r1a"}))
	must(t, s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "r1q"}))
	if got := feedbackOf(t, s); got[0] != nil || got[1] != nil {
		t.Errorf("feedback that was taken back is %+v", got)
	}
	wantErr(t, "no message", s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "m", Rating: 1}), store.ErrNotFound)
	wantErr(t, "no thread", s.SetFeedback(t.Context(), ada, "t9", store.Feedback{MessageID: "r1a", Rating: 1}), store.ErrNotFound)
	wantErr(t, "rating 2", s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "r1a", Rating: 2}), store.ErrInvalid)
	wantErr(t, "reason of a good rating", s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "r1a", Rating: 1, Reason: "incorrect"}), store.ErrInvalid)
	wantErr(t, "reason", s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "r1a", Rating: -1, Reason: "\xff"}), store.ErrInvalid)
	wantErr(t, "comment", s.SetFeedback(t.Context(), ada, "t", store.Feedback{MessageID: "r1a", Comment: "\xff"}), store.ErrInvalid)
	if now, err := s.Thread(t.Context(), ada, "t"); err != nil || now != thread {
		t.Errorf("thread changed to %+v, %v", now, err)
	}
}

func feedbackOf(t *testing.T, s store.Store) (all []*store.Feedback) {
	t.Helper()
	page, err := s.Messages(t.Context(), ada, "t", 0, 0)
	must(t, err)
	for _, m := range page.Items {
		all = append(all, m.Feedback)
	}
	return all
}

func testMetadata(t *testing.T, s store.Store) {
	brought := []agui.Message{user("q", "?"), {ID: "card", Role: agui.RoleActivity, ActivityType: "chart", Activity: []byte(`{"a":1.0}`), Metadata: []byte(`{"n":1}`)}}
	begin(t, s, ada, "r1", "t", brought...)
	thread, err := s.Thread(t.Context(), ada, "t")
	must(t, err)
	set := func(to string) error {
		return s.SetMessageMetadata(t.Context(), ada, "t", "card", func(m agui.Message) (json.RawMessage, error) {
			if m.ID != "card" || string(m.Activity) != `{"a":1.0}` {
				t.Errorf("message is %+v", m)
			}
			return json.RawMessage(to), nil
		})
	}
	for i, to := range []string{`{"n":1.50,"é":null}`, ``, `{"pageside":{"status":"accepted"}}`} {
		if i == 2 {
			must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
		}
		must(t, set(to))
		if brought[1].Metadata = nil; to != "" {
			brought[1].Metadata = json.RawMessage(to)
		}
		messages, err := s.Transcript(t.Context(), ada, "t", "")
		must(t, err)
		compareBodies(t, encode(t, messages), encode(t, brought))
	}
	wantErr(t, "no object", set(`[1]`), store.ErrInvalid)
	wantErr(t, "a key twice", set(`{"a":1,"a":2}`), store.ErrInvalid)
	boom := errors.New("boom")
	fail := func(agui.Message) (json.RawMessage, error) { return nil, boom }
	wantErr(t, "a change that fails", s.SetMessageMetadata(t.Context(), ada, "t", "card", fail), boom)
	wantErr(t, "no message", s.SetMessageMetadata(t.Context(), ada, "t", "m", fail), store.ErrNotFound)
	wantErr(t, "no thread", s.SetMessageMetadata(t.Context(), ada, "t9", "card", fail), store.ErrNotFound)
	messages, err := s.Transcript(t.Context(), ada, "t", "")
	must(t, err)
	compareBodies(t, encode(t, messages), encode(t, brought))
	thread.Head = "r1"
	if now, err := s.Thread(t.Context(), ada, "t"); err != nil || now != thread {
		t.Errorf("thread changed to %+v, %v", now, err)
	}
}

func testInstructions(t *testing.T, s store.Store) {
	in := store.Instructions{Kind: "stream", ID: "42", Text: "Be brief.\né"}
	_, err := s.Instructions(t.Context(), ada, "stream", "42")
	wantErr(t, "none", err, store.ErrNotFound)
	must(t, s.PutInstructions(t.Context(), ada, in))
	for _, o := range []store.Owner{ada, bob} { // they are the tenant's
		got, err := s.Instructions(t.Context(), o, "stream", "42")
		if err != nil || got.Text != in.Text || got.Kind != "stream" || got.ID != "42" || got.UpdatedBy != "ada" || time.Since(got.UpdatedAt) > time.Minute {
			t.Errorf("instructions are %+v, %v", got, err)
		}
	}
	_, err = s.Instructions(t.Context(), other, "stream", "42")
	wantErr(t, "another tenant's", err, store.ErrNotFound)
	_, err = s.Instructions(t.Context(), ada, "report", "42")
	wantErr(t, "another kind's", err, store.ErrNotFound)
	in.Text = "Be long."
	must(t, s.PutInstructions(t.Context(), bob, in))
	if got, err := s.Instructions(t.Context(), ada, "stream", "42"); err != nil || got.Text != in.Text || got.UpdatedBy != "bob" {
		t.Errorf("instructions are %+v, %v", got, err)
	}
	in.Text = ""
	must(t, s.PutInstructions(t.Context(), other, in))
	must(t, s.PutInstructions(t.Context(), ada, in))
	must(t, s.PutInstructions(t.Context(), ada, in))
	_, err = s.Instructions(t.Context(), ada, "stream", "42")
	wantErr(t, "deleted", err, store.ErrNotFound)
	for _, bad := range []store.Instructions{{ID: "1", Text: "x"}, {Kind: "k", Text: "x"}, {Kind: "k", ID: "1", Text: "\xff"}} {
		wantErr(t, "bad instructions", s.PutInstructions(t.Context(), ada, bad), store.ErrInvalid)
	}
	wantErr(t, "nobody", s.PutInstructions(t.Context(), store.Owner{}, in), store.ErrInvalid)
}

package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// ctx is the context of all calls that are not about one that ends.
var ctx = context.Background()

var (
	ada   = store.Owner{Tenant: "acme", Subject: "ada"}
	bob   = store.Owner{Tenant: "acme", Subject: "bob"}
	other = store.Owner{Tenant: "other", Subject: "ada"}
)

var (
	in2020 = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	// later is when what these tests store expires.
	later = store.FromMillis(time.Now().Add(time.Hour).UnixMilli())
)

// just returns a time that has just passed.
func just() time.Time { return time.Now().Add(-time.Millisecond) }

// with returns a value with a change.
func with[T any](v T, change func(*T)) T {
	change(&v)
	return v
}

// user returns a message of a user.
func user(id, text string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)}
}

// many returns n messages with ids that begin with prefix.
func many(prefix string, n int) []agui.Message {
	messages := make([]agui.Message, n)
	for i := range messages {
		messages[i] = user(fmt.Sprintf("%s%05d", prefix, i), "text")
	}
	return messages
}

func run(id, thread string) store.Run {
	return store.Run{ID: id, ThreadID: thread, Agent: "default", Fingerprint: "f:" + id}
}

// runFrom returns a run that continues parent.
func runFrom(parent, id, thread string) store.Run {
	r := run(id, thread)
	r.ParentRunID = parent
	return r
}

func finished(id string) store.Run { return store.Run{ID: id, Status: store.RunFinished} }

// noEvents is the first or last batch of a run that brings none.
var noEvents store.Batch

// begin begins a run of an owner.
func begin(t *testing.T, s store.Store, o store.Owner, id, thread string, messages ...agui.Message) {
	t.Helper()
	must.Do(t, s.BeginRun(ctx, o, run(id, thread), messages, noEvents))
}

// end ends a run of an owner, with its last messages.
func end(t *testing.T, s store.Store, o store.Owner, id string, messages ...agui.Message) {
	t.Helper()
	must.Do(t, s.EndRun(ctx, o, finished(id), messages, noEvents))
}

// wholeRun begins and ends a run of ada's that continues parent, with a question and an answer.
func wholeRun(t *testing.T, s store.Store, id, thread, parent string) {
	t.Helper()
	must.Do(t, s.BeginRun(ctx, ada, runFrom(parent, id, thread), []agui.Message{user(id+"q", "?")}, noEvents))
	end(t, s, ada, id, user(id+"a", "!"))
}

// setTitle changes the title of a thread of ada's.
func setTitle(s store.Store, thread, title string) error {
	return must.Err(s.UpdateThread(ctx, ada, thread, store.ThreadChange{Title: &title}))
}

// setDeleted deletes a thread of ada's or restores it.
func setDeleted(t *testing.T, s store.Store, thread string, deleted bool) store.Thread {
	t.Helper()
	return must.Get(s.UpdateThread(ctx, ada, thread, store.ThreadChange{Deleted: &deleted}))(t)
}

// wantPurged removes all deleted threads without a live run, which must be those of ada's.
func wantPurged(t *testing.T, s store.Store, threads ...string) {
	t.Helper()
	var ids []string
	for _, key := range must.Get(s.Purge(ctx, time.Now().Add(time.Hour)))(t) {
		if key.Owner != ada {
			t.Errorf("a thread of %v is purged", key.Owner)
		}
		ids = append(ids, key.ID)
	}
	slices.Sort(ids)
	want(t, "purged threads", threads)(ids, nil)
}

// want takes what a call returns, and fails the test if that is an error or another value:
//
//	want(t, "purged runs", 1)(s.PurgeEvents(ctx, now))
func want[T any](t *testing.T, what string, want T) func(T, error) {
	t.Helper()
	return func(got T, err error) {
		t.Helper()
		if err != nil || !same(got, want) {
			t.Errorf("%s: got\n%+v (%v), want\n%+v", what, got, err, want)
		}
	}
}

// same compares values; all empty lists are the same.
func same(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	return reflect.DeepEqual(a, b) || v.Kind() == reflect.Slice && v.Len()+w.Len() == 0
}

// transcript returns the messages of the branch that ends with a run, each as id=text.
func transcript(s store.Store, o store.Owner, thread, at string) ([]string, error) {
	messages, err := s.Transcript(ctx, o, thread, at)
	var brief []string
	for _, m := range messages {
		brief = append(brief, m.ID+"="+m.Content.Text())
	}
	return brief, err
}

// tick waits until the clock of a store, which counts milliseconds, shows another time.
func tick() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() <= start; {
		time.Sleep(100 * time.Microsecond)
	}
}

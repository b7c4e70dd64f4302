package sqlstore

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// TestKeptThreads: what is kept of a thread is never older than a change of it, nor newer than the
// reader, and has its limit.
func TestKeptThreads(t *testing.T) {
	a, b := threadKey{id: "a"}, threadKey{id: "b"}
	at := func(last int64) *threadRows { return &threadRows{last: last, size: 1} }
	for _, c := range []struct {
		name string
		do   func(k *keptThreads)
		want int64 // the seq as of which a is known to a reader at 5; 0 if it is not
	}{
		{"kept", func(k *keptThreads) { k.keep(a, at(3), k.moment()) }, 3},
		{"grown since", func(k *keptThreads) { k.keep(a, at(3), k.moment()); k.keep(a, at(5), k.moment()) }, 5},
		{"read late by an old reader", func(k *keptThreads) { k.keep(a, at(4), k.moment()); k.keep(a, at(3), k.moment()) }, 4},
		{"newer than the reader", func(k *keptThreads) { k.keep(a, at(6), k.moment()) }, 0},
		{"changed", func(k *keptThreads) { k.keep(a, at(3), k.moment()); k.drop(a); k.settle() }, 0},
		{"read while it is changed", func(k *keptThreads) { k.drop(a); k.keep(a, at(3), k.moment()) }, 0},
		{"read before it was changed", func(k *keptThreads) { m := k.moment(); k.drop(a); k.settle(); k.keep(a, at(3), m) }, 0},
		{"read after it was changed", func(k *keptThreads) { k.drop(a); k.settle(); k.keep(a, at(3), k.moment()) }, 3},
		{"another one is changed", func(k *keptThreads) { k.keep(a, at(3), k.moment()); k.drop(b); k.settle() }, 3},
		{"too long", func(k *keptThreads) { k.keep(a, &threadRows{last: 3, size: maxKeptThread + 1}, k.moment()) }, 0},
		{"others are read", func(k *keptThreads) {
			k.keep(a, at(3), k.moment())
			for i := range 3 {
				k.keep(threadKey{id: fmt.Sprint(i)}, &threadRows{size: maxKeptThread}, k.moment())
			}
		}, 0},
		{"it grows often", func(k *keptThreads) {
			for i := range int64(5) {
				k.keep(a, &threadRows{last: i + 1, size: maxKeptThread}, k.moment())
			}
		}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKeptThreads()
			c.do(k)
			got := int64(0)
			if known := k.get(a, 5); known != nil {
				got = known.last
			}
			must.Be(t, got, c.want, "known as of")
		})
	}
}

// TestKeptThreadsAreTrue: a thread that was read is read again as it is now.
func TestKeptThreadsAreTrue(t *testing.T) {
	s := must.Get(OpenTemp(t.Context()))(t)
	defer s.Close()
	me := store.Owner{Subject: "me"}
	say := func(id, text string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)}
	}
	var long []agui.Message
	for i := range longHistory {
		long = append(long, say(fmt.Sprint("m", i), "old"))
	}
	step := func(what string, do error, want ...string) {
		t.Helper()
		if do != nil {
			t.Fatalf("%s: %v", what, do)
		}
		for range 2 {
			messages, err := s.Transcript(t.Context(), me, "t", "")
			var got []string
			for i := range messages {
				got = append(got, messages[i].ID+messages[i].Content.Text())
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, %v, want %v", what, got, err, want)
			}
		}
	}
	old := []string{"m0old", "m1old", "m2old", "m3old", "m4old", "m5old", "m6old", "m7old"}
	step("begun", s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, long, store.Batch{}), old...)
	end := store.Run{ID: "r", Status: store.RunFinished}
	old[2] = "m2new"
	step("a message of the history replaced", s.EndRun(t.Context(), me, end, []agui.Message{say("m2", "new")}, store.Batch{}), old...)
	step("a turn more", s.BeginRun(t.Context(), me, store.Run{ID: "r2", ThreadID: "t"}, []agui.Message{say("n", "n")}, store.Batch{}), append(old, "nn")...)
	must.Do(t, s.Forget(t.Context(), me))
	var fresh []agui.Message
	var want []string
	for i := range 2 * longHistory { // more than the old thread ever had
		fresh, want = append(fresh, say(fmt.Sprint("x", i), "x")), append(want, fmt.Sprint("x", i, "x"))
	}
	step("forgotten and begun again", s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, fresh, store.Batch{}), want...)
}

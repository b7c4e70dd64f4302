package run

import (
	"context"
	"testing"
	"time"

	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// seen reads frames as a client does that knows what came already: by the number of the last event
// of the run it is in.
type seen struct {
	last eventlog.ID
	ids  map[string]bool
}

// take reports an id that came before, or a frame that would be taken for one that did.
func (s *seen) take(t *testing.T, stream string) {
	t.Helper()
	for rest := []byte(stream); len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		id := frameID(frame)
		p := must.Get(eventlog.ParseID(id))(t)
		if s.ids[id] {
			t.Errorf("the id %s came before", id)
		}
		if p.Run == s.last.Run && p.Seq > 0 && p.Seq <= s.last.Seq {
			t.Errorf("%s is taken for one that came before %s", id, s.last)
		}
		if s.ids == nil {
			s.ids = map[string]bool{}
		}
		s.ids[id], s.last = true, p
	}
}

// Whoever asks twice to see a thread, under one run id, sees it twice.
func TestShowingsHaveIdsOfTheirOwn(t *testing.T) {
	st := temp.Store(t)
	var client seen
	f := newFixture(t, st, nil)
	in := f.input("t1", "")
	in.RunID = "show"
	events(t, f.start(f.input("t1", "hello")), false)
	first := f.start(in)
	stream := readAll(t, first.Read(false))
	client.take(t, stream)
	behind := func(id string) string {
		return readAll(t, f.follow(t, FollowRequest{RunID: in.RunID, After: id}))
	}
	must.Be(t, behind(lastID(stream)), "", "behind the end")
	begin, rest := nextFrame([]byte(stream))
	must.Be(t, behind(frameID(begin)), string(rest), "behind the beginning")
	f.Drain(t.Context())
	g := newFixture(t, st, nil) // which has not heard of the first showing
	g.n = f.n
	events(t, g.start(g.input("t1", "hello")), false)
	client.last = eventlog.ID{} // it asks anew
	client.take(t, readAll(t, g.start(in).Read(false)))
	g.Drain(context.Background())
}

// A stream that shows in place of a run how it ended, and then what the thread holds, shows both.
func TestTwoSnapshotsInOneStream(t *testing.T) {
	st := temp.Store(t)
	f := newFixture(t, st, nil)
	old := f.start(f.input("t1", "hello"))
	events(t, old, false)
	events(t, f.start(f.input("t1", "hello")), false)
	f.Drain(t.Context())
	must.Get(st.PurgeEvents(t.Context(), time.Now().Add(time.Hour)))(t)
	g := newFixture(t, st, nil)
	defer g.Drain(context.Background())
	client := seen{last: eventlog.ID{Run: old.ID, Epoch: 1, Seq: 2}}
	stream := readAll(t, g.follow(t, FollowRequest{ThreadID: "t1", After: client.last.String()}))
	const shown = "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED"
	must.Be(t, typesOf(decode(t, stream)), shown+" "+shown, "the stream")
	client.take(t, stream)
	last := lastID(readAll(t, g.follow(t, FollowRequest{RunID: old.ID})))
	must.Be(t, readAll(t, g.follow(t, FollowRequest{RunID: old.ID, After: last})), "", "behind the snapshot")
}

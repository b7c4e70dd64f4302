package run

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/test/must"
)

// readEvents reads a stream to its end, decoded, and returns it as frames.
func readEvents(t *testing.T, reader *Reader) string {
	t.Helper()
	defer reader.Close()
	var out []byte
	for {
		events, done := reader.Events()
		for _, e := range events {
			data := must.Get(agui.MarshalEvent(e.Event))(t)
			out = fmt.Appendf(out, "id: %s\ndata: %s\n\n", e.ID, data)
		}
		switch {
		case done && reader.Err() != nil:
			t.Fatal(reader.Err())
		case done:
			return string(out)
		case len(events) == 0:
			<-reader.Wake()
		}
	}
}

// TestEndedRunsAreKeptInOneForm: what readers wanted instead of the frames is dropped when the run
// is kept for later.
func TestEndedRunsAreKeptInOneForm(t *testing.T) {
	r := &Run{m: &Manager{}, log: eventlog.New(1<<20, 0)}
	r.log.Publish(append(testFrame(1, 10), testFrame(2, 10)...), 2, true)
	first := func() *agui.Custom {
		reader := r.Read(false)
		defer reader.Close()
		events, _ := reader.Events()
		return events[0].Event.(*agui.Custom)
	}
	before := first()
	if first() != before {
		t.Error("each reader has decoded the events for itself")
	}
	cache := newRunCache(1 << 20)
	if cache.keep(r); first() == before {
		t.Error("an ended run is kept in two forms")
	}
}

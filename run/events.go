package run

import (
	"fmt"

	"github.com/pageside/pageside/agui"
)

// Event is one event of a stream. All readers share it: it must not be changed.
type Event struct {
	ID string // <runId>:<epoch>.<seq>, as in Last-Event-ID
	agui.Event
}

// events returns a piece as events, as the client sees them.
func (r *Reader) events(p piece) (events []Event, err error) {
	switch {
	case p.all != nil:
		events = p.all
	case p.isLogged():
		of := func(f *forms) *form[Event] { return &f.events }
		events, err = formed(p.live.run.log, p.frames, p.seq, p.live.at, of, appendEvents)
	default:
		events, _, err = appendEvents(nil, nil, p.frames)
	}
	if r.legacy {
		events = downgradeEvents(events)
	}
	return events, err
}

// downgradeEvents returns the events for a 0.x client.
func downgradeEvents(events []Event) (old []Event) {
	for _, e := range events {
		for _, as := range agui.Downgrade(e.Event) {
			old = append(old, Event{e.ID, as})
		}
	}
	return old
}

// appendEvents appends the events of frames, as a client sees them, and the end of each to ends.
func appendEvents(dst []Event, ends []int, frames []byte) ([]Event, []int, error) {
	for rest := frames; len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		frame = withoutNotes(frame)
		id := frameID(frame)
		e, err := agui.UnmarshalEvent(frameData(frame))
		if err != nil {
			return dst, ends, fmt.Errorf("event %s: %w", id, err)
		}
		dst = append(dst, Event{id, e})
		ends = append(ends, len(dst))
	}
	return dst, ends, nil
}

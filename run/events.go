package run

import (
	"fmt"
	"sync"

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
		events, err = p.live.run.log.events(p.frames, p.seq, p.live.at)
	default:
		events, err = appendEvents(nil, p.frames)
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

// appendEvents decodes frames as a client sees them, and appends their events.
func appendEvents(dst []Event, frames []byte) ([]Event, error) {
	for rest := frames; len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		frame = withoutNotes(frame)
		id := frameID(frame)
		e, err := agui.UnmarshalEvent(frameData(frame))
		if err != nil {
			return dst, fmt.Errorf("event %s: %w", id, err)
		}
		dst = append(dst, Event{id, e})
	}
	return dst, nil
}

// decoded are the events of a block. They are decoded as readers ask for them, once for all of
// them, and dropped with the block.
type decoded struct {
	mu     sync.Mutex
	events []Event // those that were returned never change
	taken  int     // bytes of the block's frames that are decoded
}

// between returns the events from number i up to, not including, number j. frames are the block's
// up to there.
func (d *decoded) between(frames []byte, i, j int64) ([]Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(frames) > d.taken {
		events, err := appendEvents(d.events, frames[d.taken:])
		if err != nil {
			return nil, err
		}
		d.events, d.taken = events, len(frames)
	}
	return d.events[i:j:j], nil
}

// events returns frames decoded: those that after has returned for an event number, with the
// position to.
func (l *eventLog) events(frames []byte, seq int64, to position) ([]Event, error) {
	forms, all, first := l.formsAt(to)
	if forms == nil { // dropped in the meantime
		return appendEvents(nil, frames)
	}
	return forms.decoded.between(all, seq+1-first, to.seq+1-first)
}

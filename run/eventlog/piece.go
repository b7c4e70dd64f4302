package eventlog

import (
	"fmt"

	"github.com/pageside/pageside/agui"
)

// Event is one event of a stream. All readers share it: it must not be changed.
type Event struct {
	ID string // <runId>:<epoch>.<seq>, as in Last-Event-ID
	agui.Event
}

// Piece is a part of a stream.
type Piece struct {
	Frames []byte
	All    []Event // the same, if they are known: of a snapshot
	// what Log.After has returned these frames, the number of the event before them, and the
	// position after them; nil if the frames are from elsewhere
	Log    *Log
	Before int64
	After  Position
}

// isLogged reports whether the frames are of the log in memory.
func (p Piece) isLogged() bool { return p.Log != nil && p.After.block > 0 }

// Shown returns the piece as a client sees it: without notes, and in its framing and its version of
// the protocol.
func (p Piece) Shown(binary, legacy bool) (out []byte, err error) {
	switch {
	case binary && legacy:
		out, _, err = appendBinary(nil, nil, downgradeFrames(withoutNotes(p.Frames), true))
		return out, err
	case binary && p.isLogged():
		return p.Log.binary(p.Frames, p.Before, p.After)
	case binary:
		out, _, err = appendBinary(make([]byte, 0, len(p.Frames)), nil, p.Frames)
		return out, err
	}
	out = withoutNotes(p.Frames)
	if legacy {
		out = downgradeFrames(out, false)
	}
	return out, nil
}

// Events returns the piece as events, as a client of a version of the protocol sees them.
func (p Piece) Events(legacy bool) (events []Event, err error) {
	switch {
	case p.All != nil:
		events = p.All
	case p.isLogged():
		of := func(f *forms) *form[Event] { return &f.events }
		events, err = formed(p.Log, p.Frames, p.Before, p.After, of, appendEvents)
	default:
		events, _, err = appendEvents(nil, nil, p.Frames)
	}
	if legacy {
		events = downgradeEvents(events)
	}
	return events, err
}

// appendBinary appends the frames, as a client sees them, in the binary framing, and the end of
// each to ends.
func appendBinary(dst []byte, ends []int, frames []byte) ([]byte, []int, error) {
	for rest := frames; len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		frame = withoutNotes(frame)
		id := frameID(frame)
		var err error
		if dst, err = agui.AppendProto(dst, id, frameData(frame)); err != nil {
			return dst, ends, fmt.Errorf("event %s: %w", id, err)
		}
		ends = append(ends, len(dst))
	}
	return dst, ends, nil
}

// binary returns frames in the binary framing: those that after has returned for an event number,
// with the position to.
func (l *Log) binary(frames []byte, seq int64, to Position) ([]byte, error) {
	return formed(l, frames, seq, to, func(f *forms) *form[byte] { return &f.binary }, appendBinary)
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

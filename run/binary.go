package run

import (
	"fmt"

	"github.com/pageside/pageside/agui"
)

// Binary makes the reader return AG-UI's binary framing: see agui.AppendProto. Call it before Next.
// alone means that the client takes nothing else. It reports false, and changes nothing, for a 0.x
// client that takes Server-Sent Events as well: they have all events, of which its decoder knows
// little more than half (see agui.DowngradeProto).
func (r *Reader) Binary(alone bool) bool {
	r.binary = alone || !r.legacy
	return r.binary
}

// MediaType is that of what Next returns: text/event-stream, or agui.ProtoMediaType.
func (r *Reader) MediaType() string {
	if r.binary {
		return agui.ProtoMediaType
	}
	return "text/event-stream"
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
func (l *eventLog) binary(frames []byte, seq int64, to position) ([]byte, error) {
	return formed(l, frames, seq, to, func(f *forms) *form[byte] { return &f.binary }, appendBinary)
}

// shown returns a piece as the client sees it: without notes, and in its framing or its version of
// the protocol.
func (r *Reader) shown(p piece) (out []byte, err error) {
	switch {
	case r.binary && r.legacy:
		out, _, err = appendBinary(nil, nil, downgradeFrames(withoutNotes(p.frames), true))
		return out, err
	case r.binary && p.isLogged():
		return p.live.run.log.binary(p.frames, p.seq, p.live.at)
	case r.binary:
		out, _, err = appendBinary(make([]byte, 0, len(p.frames)), nil, p.frames)
		return out, err
	}
	out = withoutNotes(p.frames)
	if r.legacy {
		out = downgradeFrames(out, false)
	}
	return out, nil
}

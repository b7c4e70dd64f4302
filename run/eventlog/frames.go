package eventlog

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
)

// A frame is one server-sent event: its id, one line of JSON, and an empty line. JSON on one line
// has no line break, so the first empty line ends the frame.

const (
	idField   = "id: "
	dataField = "\ndata: "
	frameEnd  = "\n\n"
)

// ID is an event's id: <runId>:<epoch>.<seq>.
type ID struct {
	Run   string
	Epoch int
	Seq   int64
}

func (p ID) String() string { return fmt.Sprintf("%s:%d.%d", p.Run, p.Epoch, p.Seq) }

// ParseID parses a Last-Event-ID. An empty one gives the zero value: the beginning.
func ParseID(s string) (ID, error) {
	if s == "" {
		return ID{}, nil
	}
	malformed := fmt.Errorf("%.80q is no event id of this server: <runId>:<epoch>.<seq>", s)
	colon := strings.LastIndexByte(s, ':')
	if colon < 1 {
		return ID{}, malformed
	}
	epoch, seq, ok := strings.Cut(s[colon+1:], ".")
	e, err1 := strconv.ParseUint(epoch, 10, 31)
	n, err2 := strconv.ParseUint(seq, 10, 63)
	if !ok || err1 != nil || err2 != nil {
		return ID{}, malformed
	}
	return ID{s[:colon], int(e), int64(n)}, nil
}

// AppendFrame appends an event as a frame. prefix is what Prefix returns for its run and epoch.
func AppendFrame(dst []byte, prefix []byte, seq int64, e agui.Event) ([]byte, error) {
	out := append(dst, prefix...)
	out = strconv.AppendInt(out, seq, 10)
	out = append(out, dataField...)
	out, err := agui.AppendEvent(out, e)
	if err != nil {
		return dst, err
	}
	return append(out, frameEnd...), nil
}

// Prefix returns the prefix of the frames of one writer of a run.
func Prefix(runID string, epoch int) []byte {
	return fmt.Appendf(nil, "%s%s:%d.", idField, runID, epoch)
}

// nextFrame splits off the first frame.
func nextFrame(frames []byte) (frame, rest []byte) {
	if i := bytes.Index(frames, []byte(frameEnd)); i >= 0 {
		return frames[:i+len(frameEnd)], frames[i+len(frameEnd):]
	}
	return frames, nil
}

// Frames splits frames into events: each one's id and its JSON.
func Frames(frames []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for len(frames) > 0 {
			var frame []byte
			if frame, frames = nextFrame(frames); !yield(frameID(frame), frameData(frame)) {
				return
			}
		}
	}
}

// Skip returns what follows the first n frames.
func Skip(frames []byte, n int64) []byte {
	for ; n > 0; n-- {
		_, frames = nextFrame(frames)
	}
	return frames
}

// frameID and frameData return the two fields of a frame.
func frameID(frame []byte) string {
	id, _, _ := bytes.Cut(frame, []byte(dataField))
	return string(bytes.TrimPrefix(id, []byte(idField)))
}

func frameData(frame []byte) []byte {
	_, data, _ := bytes.Cut(frame, []byte(dataField))
	return bytes.TrimSuffix(data, []byte(frameEnd))
}

// noteMark is in the frame of each note, and in hardly any other.
var noteMark = []byte(`"activityType":"` + agui.NoteType + `"`)

// withoutNotes returns the frames for a client, which is not shown the server's notes. An empty
// event has the number of each, so that a client sees that it has missed nothing.
func withoutNotes(frames []byte) []byte {
	if !bytes.Contains(frames, noteMark) {
		return frames
	}
	var out []byte
	for rest := frames; len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		if isNoteFrame(frame) {
			id, _, _ := bytes.Cut(frame, []byte(dataField))
			out = append(append(append(append(out, id...), dataField...), emptyNote...), frameEnd...)
			continue
		}
		out = append(out, frame...)
	}
	return out
}

const emptyNote = `{"type":"CUSTOM","name":"` + agui.NoteType + `","value":null}`

func isNoteFrame(frame []byte) bool {
	if !bytes.Contains(frame, noteMark) {
		return false
	}
	e, err := agui.UnmarshalEvent(frameData(frame))
	shown, ok := e.(*agui.ActivitySnapshot)
	return err == nil && ok && shown.ActivityType == agui.NoteType
}

// newerTypes are the event types that agui.Downgrade may change: they may hold what 0.x clients do
// not know.
var newerTypes = [][]byte{
	[]byte(agui.TypeRunStarted), []byte(agui.TypeRunFinished), []byte(agui.TypeToolCallResult),
	[]byte(agui.TypeMessagesSnapshot), []byte("SUBAGENT_"),
}

// downgradeFrames returns the frames for a 0.x client, which may read them in the binary framing:
// the same bytes, except for events the client would not know.
func downgradeFrames(frames []byte, binary bool) []byte {
	var out []byte
	changed := false
	for rest, done := frames, 0; len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		old, differs := downgradeFrame(frame, binary)
		if differs && !changed {
			changed = true
			out = append(out, frames[:done]...)
		}
		if changed {
			out = append(out, old...)
		}
		done += len(frame)
	}
	if changed {
		return out
	}
	return frames
}

func downgradeFrame(frame []byte, binary bool) (old []byte, differs bool) {
	downgrade := agui.Downgrade
	if binary {
		downgrade = agui.DowngradeProto
	} else if !mayBeNewer(frame) {
		return frame, false
	}
	e, err := agui.UnmarshalEvent(frameData(frame))
	if err != nil {
		return frame, false // best effort
	}
	list := downgrade(e)
	if len(list) == 1 && list[0] == e {
		return frame, false
	}
	id, _, _ := bytes.Cut(frame, []byte(dataField))
	for _, e := range list {
		old = append(append(old, id...), dataField...)
		if old, err = agui.AppendEvent(old, e); err != nil {
			return frame, false
		}
		old = append(old, frameEnd...)
	}
	return old, true
}

// mayBeNewer checks the event's type, which comes first in every event of this server.
func mayBeNewer(frame []byte) bool {
	_, data, _ := bytes.Cut(frame, []byte(dataField+`{"type":"`))
	for _, t := range newerTypes {
		if bytes.HasPrefix(data, t) {
			return true
		}
	}
	return false
}

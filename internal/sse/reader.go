package sse

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// MaxFrame is the usual limit of a frame in bytes: 1 MiB.
const MaxFrame = 1 << 20

// ErrTooLong is returned for a line, or a frame's joined data, beyond the reader's limit.
var ErrTooLong = errors.New("sse: frame is too long")

const (
	firstBuffer   = 4 << 10  // doubled while one line needs more
	keptBuffer    = 64 << 10 // a larger one is dropped after its line
	maxEmptyReads = 100      // as in bufio: a source with so many empty reads is broken
	byteOrderMark = "\xef\xbb\xbf"
)

// Frame is one event. Its bytes are valid until the reader's next Next or Ready.
type Frame struct {
	Event []byte // the event field; may be empty
	ID    []byte // this frame's own id field; may be empty
	Data  []byte // the data lines joined by "\n"
}

// Reader reads frames. Lines may end in LF, CRLF or CR. It skips comments, frames without data,
// unknown fields and a byte order mark, and drops a frame cut off by the end of the stream, as the
// specification requires. Not safe for concurrent use.
type Reader struct {
	src io.Reader
	max int
	err error // from src; returned once buf holds no further frame

	buf     []byte
	pos     int  // where the line being read starts
	scanned int  // buf[pos:scanned] holds no line end
	lf      int  // buf[scanned:lf] holds no LF: keeps CR-only streams linear
	skipLF  bool // the last line ended in CR: an LF right after it belongs to that end
	begun   bool // the byte order mark was looked for

	// The current frame. A single data line stays in buf, pinned by offsets; it is copied only when
	// a second one joins it or a read has to move the buffer.
	event, id, data []byte
	hasData, pinned bool
	from, to        int
	ready           bool // complete and not yet returned
	delivered       bool // returned: the next line begins a new frame

	failure []byte // the last line that says error
}

// Failure returns the text of the last line "error: …", which the end of the stream may have cut
// off. The format has no such field: servers that fail in the middle of a stream write it in place
// of an event.
func (r *Reader) Failure() string {
	if cut, found := bytes.CutPrefix(r.buf[r.pos:], []byte("error:")); found {
		return string(bytes.TrimSpace(cut))
	}
	return string(r.failure)
}

// NewReader returns a reader of src whose lines, and frames' data, are at most limit bytes long.
func NewReader(src io.Reader, limit int) *Reader {
	return &Reader{src: src, max: limit}
}

// Next returns the next frame. It only reads if no complete one is in memory. The error is io.EOF
// at the end of the stream, io.ErrUnexpectedEOF if that cut off a frame, ErrTooLong, or the
// source's own; it is final.
func (r *Reader) Next() (Frame, error) {
	for !r.Ready() {
		if r.err != nil {
			return Frame{}, r.final()
		}
		r.fill()
	}
	r.ready, r.delivered = false, true
	data := r.data
	if r.pinned {
		data = r.buf[r.from:r.to]
	}
	return Frame{Event: r.event, ID: r.id, Data: data}, nil
}

// Ready reports whether Next would return a frame without reading from the source.
func (r *Reader) Ready() bool {
	if r.ready {
		return true
	}
	if r.delivered {
		r.reset()
	}
	for {
		from, to, ok := r.line()
		switch {
		case !ok:
			return false
		case from < to:
			r.field(from, to)
		case r.hasData:
			r.ready = true
			return true
		default:
			r.reset()
		}
	}
}

// reset clears the current frame.
func (r *Reader) reset() {
	r.event, r.id, r.data = r.event[:0], r.id[:0], r.data[:0]
	if cap(r.data) > keptBuffer {
		r.data = nil
	}
	r.hasData, r.pinned, r.ready, r.delivered = false, false, false, false
}

// line takes the next complete line from buf and returns its bounds without the line end.
func (r *Reader) line() (from, to int, ok bool) {
	if !r.begin() {
		return 0, 0, false
	}
	end := r.lineEnd()
	if end-r.pos > r.max {
		r.fail(ErrTooLong)
		return 0, 0, false
	}
	if end == len(r.buf) {
		return 0, 0, false
	}
	from = r.pos
	r.skipLF = r.buf[end] == '\r'
	r.pos, r.scanned = end+1, end+1
	return from, end, true
}

// lineEnd returns the end of the current line, or len(buf) if it is not there yet.
func (r *Reader) lineEnd() int {
	r.lf = max(r.lf, r.scanned)
	if r.lf < len(r.buf) && r.buf[r.lf] != '\n' {
		if i := bytes.IndexByte(r.buf[r.lf:], '\n'); i >= 0 {
			r.lf += i
		} else {
			r.lf = len(r.buf)
		}
	}
	if i := bytes.IndexByte(r.buf[r.scanned:r.lf], '\r'); i >= 0 {
		r.scanned += i
	} else {
		r.scanned = r.lf
	}
	return r.scanned
}

// begin skips what may precede a line: the byte order mark, and the LF of a CRLF whose CR ended the
// last line. It returns false if it needs more data.
func (r *Reader) begin() bool {
	rest := r.buf[r.pos:]
	if len(rest) == 0 {
		return false
	}
	skip := 0
	if !r.begun {
		if len(rest) < len(byteOrderMark) && bytes.HasPrefix([]byte(byteOrderMark), rest) {
			return false
		}
		r.begun = true
		if bytes.HasPrefix(rest, []byte(byteOrderMark)) {
			skip = len(byteOrderMark)
		}
	}
	if r.skipLF && rest[0] == '\n' {
		skip = 1
	}
	r.skipLF = false
	r.pos += skip
	r.scanned = max(r.scanned, r.pos)
	return true
}

// field handles one line that is not empty.
func (r *Reader) field(from, to int) {
	line := r.buf[from:to]
	name, value := line, line[len(line):]
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		name, value = line[:colon], line[colon+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		r.dataLine(value, to)
	case "event":
		r.event = append(r.event[:0], value...)
	case "error":
		r.failure = append(r.failure[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = append(r.id[:0], value...)
		}
	}
}

func (r *Reader) dataLine(value []byte, end int) {
	if !r.hasData {
		r.hasData, r.pinned = true, true
		r.from, r.to = end-len(value), end
		return
	}
	r.unpin()
	if len(r.data)+1+len(value) > r.max {
		r.fail(ErrTooLong)
		return
	}
	r.data = append(append(r.data, '\n'), value...)
}

// unpin copies the pinned data line out of buf.
func (r *Reader) unpin() {
	if r.pinned {
		r.data = append(r.data[:0], r.buf[r.from:r.to]...)
		r.pinned = false
	}
}

// fail ends the stream and drops what is buffered.
func (r *Reader) fail(err error) {
	r.reset()
	r.err = err
	r.buf, r.pos, r.scanned, r.lf = nil, 0, 0, 0
}

// fill reads once from the source, after moving the unread bytes to the front of a buffer with
// room.
func (r *Reader) fill() {
	r.unpin()
	r.compact()
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if r.err = err; n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// compact drops consumed bytes and doubles the buffer if one line fills it.
func (r *Reader) compact() {
	rest := r.buf[r.pos:]
	switch {
	case cap(r.buf) > keptBuffer && len(rest) < firstBuffer:
		r.buf = append(make([]byte, 0, firstBuffer), rest...)
	case r.pos > 0:
		r.buf = r.buf[:copy(r.buf, rest)]
	}
	r.scanned -= r.pos
	r.lf -= r.pos
	r.pos = 0
	if len(r.buf) == cap(r.buf) {
		r.buf = slices.Grow(r.buf, max(firstBuffer, len(r.buf)))
	}
}

// final returns the error after the last frame: an end of the stream inside a frame is unexpected.
func (r *Reader) final() error {
	if r.err == io.EOF && (r.hasData || (r.pos < len(r.buf) && r.buf[r.pos] != ':')) {
		return io.ErrUnexpectedEOF
	}
	return r.err
}

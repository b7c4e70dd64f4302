package accesslog

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// MaxLine is the longest line Read takes, in bytes; longer ones are bad lines.
const MaxLine = 64 << 10

// BadLine is a line that could not be read.
type BadLine struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
	Text   string `json:"text"` // its beginning
}

// Read yields the events of a log, plain or gzipped, in the order of its lines. A line that cannot
// be read yields a *BadLineError and reading goes on; any other error ends the sequence. Empty
// lines are skipped.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		buffered := bufio.NewReaderSize(r, MaxLine)
		source, err := decompress(buffered)
		if err != nil {
			yield(Event{}, err)
			return
		}
		readLines(source, yield)
	}
}

// BadLineError reports a line that is no event.
type BadLineError struct{ BadLine }

func (e *BadLineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

func decompress(r *bufio.Reader) (*bufio.Reader, error) {
	magic, _ := r.Peek(2)
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return r, nil
	}
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read gzip: %w", err)
	}
	return bufio.NewReaderSize(unzipped, MaxLine), nil
}

func readLines(r *bufio.Reader, yield func(Event, error) bool) {
	for number := int64(1); ; number++ {
		line, tooLong, err := readLine(r)
		if line != "" || tooLong {
			if !yield(readEvent(line, number, tooLong)) {
				return
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Event{}, fmt.Errorf("read line %d: %w", number, err))
			return
		}
	}
}

func readEvent(line string, number int64, tooLong bool) (Event, error) {
	if tooLong {
		return Event{}, &BadLineError{BadLine{number, fmt.Sprintf("longer than %d bytes", MaxLine), clip(line)}}
	}
	e, err := ParseLine(line)
	if err != nil {
		return Event{}, &BadLineError{BadLine{number, err.Error(), clip(line)}}
	}
	e.Line = number
	return e, nil
}

// readLine returns the next line without its end, as valid UTF-8. Of a line longer than MaxLine it
// returns the beginning.
func readLine(r *bufio.Reader) (line string, tooLong bool, err error) {
	chunk, err := r.ReadSlice('\n')
	text := strings.ToValidUTF8(strings.TrimRight(string(chunk), "\r\n"), "\uFFFD")
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = r.ReadSlice('\n')
	}
	return text, tooLong, err
}

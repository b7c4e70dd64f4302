package accesslog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/pageside/pageside/demo/tempdb"
)

// MaxLine is the maximum length of a line in bytes; longer ones are invalid.
const MaxLine = 64 << 10

// BadLine is an invalid line.
type BadLine struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
	Text   string `json:"text"` // its beginning
}

// Read yields the events of a log, plain or gzipped, in order. An invalid line yields a
// *BadLineError and reading continues; any other error ends the sequence. Empty lines are skipped.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		source, err := tempdb.Unzip(r, MaxLine)
		if err != nil {
			yield(Event{}, err)
			return
		}
		readLines(source, yield)
	}
}

// BadLineError reports an invalid line.
type BadLineError struct{ BadLine }

func (e *BadLineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

func readLines(r *bufio.Reader, yield func(Event, error) bool) {
	for number := int64(1); ; number++ {
		line, tooLong, err := readLine(r)
		e, wrong := ParseLine(line)
		if e.Line = number; tooLong {
			wrong = fmt.Errorf("longer than %d bytes", MaxLine)
		}
		if wrong != nil {
			wrong = &BadLineError{BadLine{number, wrong.Error(), clip(line)}}
		}
		if (line != "" || tooLong) && !yield(e, wrong) || errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Event{}, fmt.Errorf("read line %d: %w", number, err))
			return
		}
	}
}

// readLine returns the next line without its end, as valid UTF-8. A line longer than MaxLine is
// cut.
func readLine(r *bufio.Reader) (line string, tooLong bool, err error) {
	chunk, err := r.ReadSlice('\n')
	text := strings.ToValidUTF8(strings.TrimRight(string(chunk), "\r\n"), "\uFFFD")
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = r.ReadSlice('\n')
	}
	return text, tooLong, err
}

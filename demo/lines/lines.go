// Package lines reads files of entries, plain or gzipped, and counts those that cannot be read.
//
//	for line, err := range lines.Read(file, 64<<10) {
//		…
//		stats.Skip(line.Number, "it is no entry")
//	}
package lines

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Stats says what was loaded of a file.
type Stats struct {
	Count    int       // entries
	Bad      int       // entries that could not be read
	BadLines []BadLine // the first ten of them
}

// BadLine is an entry that could not be read, by its first line.
type BadLine struct {
	Line   int64
	Reason string
}

const maxReported = 10

// Skip counts an entry that could not be read.
func (s *Stats) Skip(line int64, reason string) {
	if s.Bad++; s.Bad <= maxReported {
		s.BadLines = append(s.BadLines, BadLine{line, reason})
	}
}

// Line is a line of a text without its end. One longer than wanted is cut, and TooLong.
type Line struct {
	Number  int64
	Text    string
	TooLong bool
}

// Read yields the lines of a text that are not empty, plain or gzipped, as valid UTF-8. An error
// ends them.
func Read(r io.Reader, most int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		text, err := Unzip(r, most)
		if err != nil {
			yield(Line{}, err)
			return
		}
		for number := int64(1); ; number++ {
			line, err := readLine(text)
			line.Number = number
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{}, fmt.Errorf("read line %d: %w", number, err))
				return
			}
			if (line.Text != "" || line.TooLong) && !yield(line, nil) || err != nil {
				return
			}
		}
	}
}

func readLine(r *bufio.Reader) (line Line, err error) {
	chunk, err := r.ReadSlice('\n')
	line.Text = strings.ToValidUTF8(strings.TrimRight(string(chunk), "\r\n"), "\uFFFD")
	for errors.Is(err, bufio.ErrBufferFull) {
		line.TooLong = true
		_, err = r.ReadSlice('\n')
	}
	return line, err
}

// Unzip returns a buffered reader for a file that may be gzipped or begin with a byte order mark.
func Unzip(r io.Reader, size int) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(r, size)
	if magic, _ := text.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		text = bufio.NewReaderSize(unzipped, size)
	}
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark))
	}
	return text, nil
}

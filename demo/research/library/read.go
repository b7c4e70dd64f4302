package library

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/tempdb"
)

// maxEntry is how many bytes a line of JSON may have.
const maxEntry = 4 << 20

// entry is an article or a trial with the line it begins at.
type entry[T any] struct {
	line  int64
	value T
}

// badEntry is yielded for an entry that cannot be read; reading continues.
type badEntry struct {
	line   int64
	reason string
}

func (e *badEntry) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

// reader yields the records of a file; a *badEntry is yielded for one that cannot be read.
type reader[T any] func(io.Reader) iter.Seq2[entry[T], error]

// readJSON reads JSON lines.
func readJSON[T any](r io.Reader) iter.Seq2[entry[T], error] {
	return func(yield func(entry[T], error) bool) {
		text, err := tempdb.Unzip(r, 64<<10)
		if err != nil {
			yield(entry[T]{}, err)
			return
		}
		lines := bufio.NewScanner(text)
		lines.Buffer(nil, maxEntry)
		n := int64(0)
		for lines.Scan() {
			n++
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			e := entry[T]{line: n}
			var err error
			if wrong := json.Unmarshal(line, &e.value); wrong != nil {
				err = &badEntry{n, "it is no record in JSON: " + wrong.Error()}
			}
			if !yield(e, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(entry[T]{}, fmt.Errorf("read line %d: %w", n+1, err))
		}
	}
}

// readTrials reads the CSV of ClinicalTrials.gov.
func readTrials(r io.Reader) iter.Seq2[entry[Trial], error] {
	return func(yield func(entry[Trial], error) bool) {
		rows, header, err := openCSV(r)
		if err != nil {
			yield(entry[Trial]{}, err)
			return
		}
		for {
			row, err := rows.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			e, wrong := trialOfRow(rows, header, row, err)
			if !yield(e, wrong) {
				return
			}
			if _, bad := wrong.(*badEntry); wrong != nil && !bad {
				return
			}
		}
	}
}

// openCSV reads the header, in which the number and the title of a study must be.
func openCSV(r io.Reader) (*csv.Reader, []string, error) {
	text, err := tempdb.Unzip(r, 64<<10)
	if err != nil {
		return nil, nil, err
	}
	rows := csv.NewReader(text)
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return rows, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the header: %w", err)
	}
	for _, name := range []string{"NCT Number", "Study Title"} {
		if !slices.Contains(header, name) {
			return nil, nil, fmt.Errorf("there is no column %q in its first line: is it such an export?", name)
		}
	}
	return rows, header, nil
}

func trialOfRow(rows *csv.Reader, header, row []string, err error) (entry[Trial], error) {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return entry[Trial]{}, &badEntry{int64(wrong.StartLine), wrong.Err.Error()}
	}
	if err != nil {
		return entry[Trial]{}, fmt.Errorf("read a row: %w", err)
	}
	line, _ := rows.FieldPos(0)
	if len(row) != len(header) {
		return entry[Trial]{}, &badEntry{int64(line), fmt.Sprintf("it has %d fields, the header %d", len(row), len(header))}
	}
	record := map[string]string{}
	for i, name := range header {
		record[name] = strings.TrimSpace(strings.ToValidUTF8(row[i], "\uFFFD"))
	}
	return entry[Trial]{int64(line), trialOfRecord(record)}, nil
}

package library

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/lines"
)

// maxEntry is how many bytes a line of JSON may have.
const maxEntry = 4 << 20

// The generated library says of itself that it is made up. Its PMIDs and NCT numbers are above
// those that were ever given, and its journals do not exist.
//
//go:embed generated
var generated embed.FS

// record is an article or a trial.
type record[T any] interface {
	*T
	check() string // why it is none; it puts in order what it has
	key() string   // names it, as no other is named
}

// load returns the records of a file, or the generated ones of a kind where there is no file.
func load[T any, R record[T]](s *Source, file, kind string, read reader[T]) (list []T, err error) {
	open := func() (fs.File, error) { return os.Open(file) }
	if s.Label = filepath.Base(file); file == "" {
		s.Label, s.Generated, read = "Generated "+kind, true, readJSON[T]
		open = func() (fs.File, error) { return generated.Open("generated/" + kind + ".jsonl.gz") }
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen := map[string]bool{}
	err = read(f, func(line int64, value *T, reason string) {
		record := R(value)
		if reason == "" {
			reason = record.check()
		}
		if reason == "" && seen[record.key()] {
			reason = record.key() + " is there twice"
		}
		if reason != "" {
			s.Skip(line, reason)
			return
		}
		seen[record.key()] = true
		s.Count++
		list = append(list, *value)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Label, err)
	}
	return list, s.empty()
}

// empty is the error of a source that has nothing.
func (s *Source) empty() error {
	switch {
	case s.Count > 0:
		return nil
	case s.Bad > 0:
		return fmt.Errorf("%s: nothing in it could be read; line %d: %s", s.Label, s.BadLines[0].Line, s.BadLines[0].Reason)
	}
	return fmt.Errorf("%s is empty", s.Label)
}

// reader hands the records of a file to take, with the line that each begins at and, where it could
// not be read, the reason.
type reader[T any] func(r io.Reader, take func(line int64, record *T, reason string)) error

// readJSON reads JSON lines.
func readJSON[T any](r io.Reader, take func(int64, *T, string)) error {
	for line, err := range lines.Read(r, maxEntry) {
		if err == nil && line.TooLong {
			err = fmt.Errorf("read line %d: it is longer than %d bytes", line.Number, maxEntry)
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(line.Text) == "" {
			continue
		}
		record, reason := new(T), ""
		if wrong := json.Unmarshal([]byte(line.Text), record); wrong != nil {
			reason = "it is no record in JSON: " + wrong.Error()
		}
		take(line.Number, record, reason)
	}
	return nil
}

// readTrials reads the CSV of ClinicalTrials.gov.
func readTrials(r io.Reader, take func(int64, *Trial, string)) error {
	rows, header, err := openCSV(r)
	if err != nil {
		return err
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		wrong, malformed := errors.AsType[*csv.ParseError](err)
		switch {
		case malformed:
			take(int64(wrong.StartLine), nil, wrong.Err.Error())
		case err != nil:
			return fmt.Errorf("read a row: %w", err)
		default:
			line, _ := rows.FieldPos(0)
			trial, reason := trialOfRow(header, row)
			take(int64(line), trial, reason)
		}
	}
}

// openCSV reads the header, in which the number and the title of a study must be.
func openCSV(r io.Reader) (*csv.Reader, []string, error) {
	text, err := lines.Unzip(r, 64<<10)
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

func trialOfRow(header, row []string) (trial *Trial, reason string) {
	if len(row) != len(header) {
		return nil, fmt.Sprintf("it has %d fields, the header %d", len(row), len(header))
	}
	record := map[string]string{}
	for i, name := range header {
		record[name] = strings.TrimSpace(strings.ToValidUTF8(row[i], "\uFFFD"))
	}
	return trialOfRecord(record), ""
}

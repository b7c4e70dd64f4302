package library

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/tempdb"
)

// maxEntry is how many bytes a line of JSON may have.
const maxEntry = 4 << 20

// reader hands the records of a file to take, with the line that each begins at and, where it could
// not be read, the reason.
type reader[T any] func(r io.Reader, take func(line int64, record *T, reason string) error) error

// readJSON reads JSON lines.
func readJSON[T any](r io.Reader, take func(int64, *T, string) error) error {
	for line, err := range tempdb.Lines(r, maxEntry) {
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
		if err := take(line.Number, record, reason); err != nil {
			return err
		}
	}
	return nil
}

// readTrials reads the CSV of ClinicalTrials.gov.
func readTrials(r io.Reader, take func(int64, *Trial, string) error) error {
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
			err = take(int64(wrong.StartLine), nil, wrong.Err.Error())
		case err != nil:
			return fmt.Errorf("read a row: %w", err)
		default:
			line, _ := rows.FieldPos(0)
			trial, reason := trialOfRow(header, row)
			err = take(int64(line), trial, reason)
		}
		if err != nil {
			return err
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

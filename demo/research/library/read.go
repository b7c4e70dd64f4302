package library

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"strings"
)

// maxEntry is how many bytes one entry may have: a line of JSON lines, a row, or an element. A
// longer one ends the reading, whatever the size of the file. It is variable for tests.
var maxEntry = 4 << 20

// bounded reads an entry at a time: next begins a new one. What is read ahead counts for the entry
// before.
type bounded struct {
	r    io.Reader
	left int
}

func newBounded(r io.Reader) *bounded { return &bounded{r: r, left: maxEntry} }

func (b *bounded) next() { b.left = maxEntry }

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong()
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func errTooLong() error { return fmt.Errorf("an entry has more than %d KiB", maxEntry>>10) }

// open returns the file's text, unzipped where it is gzipped, without a byte order mark, and its
// first character that is no blank.
func open(f *os.File) (*bufio.Reader, byte, error) {
	r := bufio.NewReaderSize(f, 64<<10)
	if magic, _ := r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(r)
		if err != nil {
			return nil, 0, fmt.Errorf("read gzip: %w", err)
		}
		r = bufio.NewReaderSize(unzipped, 64<<10)
	}
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	start, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	trimmed := bytes.TrimSpace(start)
	if len(trimmed) == 0 {
		return r, 0, nil
	}
	return r, trimmed[0], nil
}

// readArticles reads JSON lines, PubMed's CSV or its XML.
func readArticles(f *os.File) iter.Seq2[numbered[Article], error] {
	return func(yield func(numbered[Article], error) bool) {
		r, first, err := open(f)
		switch {
		case err != nil:
			yield(numbered[Article]{}, err)
		case first == 0:
		case first == '{':
			readJSONLines(r, yield)
		case first == '<':
			readXML(r, yield)
		default:
			readCSV(r, []string{"PMID", "Title"}, yield, articleOfRecord)
		}
	}
}

// readTrials reads the CSV of ClinicalTrials.gov.
func readTrials(f *os.File) iter.Seq2[numbered[Trial], error] {
	return func(yield func(numbered[Trial], error) bool) {
		r, first, err := open(f)
		switch {
		case err != nil:
			yield(numbered[Trial]{}, err)
		case first != 0:
			readCSV(r, []string{"NCT Number", "Study Title"}, yield, trialOfRecord)
		}
	}
}

func readJSONLines(r *bufio.Reader, yield func(numbered[Article], error) bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEntry)
	number := int64(1)
	for ; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		n := numbered[Article]{line: number}
		var err error
		if jsonErr := json.Unmarshal(line, &n.value); jsonErr != nil {
			err = &badEntry{number, "it is no article in JSON: " + jsonErr.Error()}
		}
		if !yield(n, err) {
			return
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = errTooLong()
	}
	if err != nil {
		yield(numbered[Article]{}, fmt.Errorf("read line %d: %w", number, err))
	}
}

// record is a row of a CSV file by the names of its columns.
type record map[string]string

// readCSV reads rows with a header, in which the needed columns must be.
func readCSV[T any](r io.Reader, needed []string, yield func(numbered[T], error) bool, convert func(record) T) {
	from := newBounded(r)
	rows := csv.NewReader(from)
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err != nil {
		yield(numbered[T]{}, fmt.Errorf("read the header: %w", err))
		return
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(strings.ToValidUTF8(name, "\uFFFD"))
	}
	for _, name := range needed {
		switch countOf(header, name) {
		case 0:
			yield(numbered[T]{}, fmt.Errorf("there is no column %q in its first line: is it such an export?", name))
			return
		case 1:
		default:
			yield(numbered[T]{}, fmt.Errorf("its first line has the column %q more than once", name))
			return
		}
	}
	for {
		from.next()
		at := rows.InputOffset()
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			err = fmt.Errorf("read the row at byte %d: %w", at, err)
		}
		n, entryErr := rowOf(rows, header, row, err, convert)
		if !yield(n, entryErr) {
			return
		}
		if _, bad := entryErr.(*badEntry); entryErr != nil && !bad {
			return
		}
	}
}

func rowOf[T any](rows *csv.Reader, header, row []string, err error, convert func(record) T) (numbered[T], error) {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return numbered[T]{}, &badEntry{int64(wrong.StartLine), wrong.Err.Error()}
	}
	if err != nil {
		return numbered[T]{}, err
	}
	line, _ := rows.FieldPos(0)
	if len(row) != len(header) {
		return numbered[T]{}, &badEntry{int64(line), fmt.Sprintf("it has %d fields, the header %d", len(row), len(header))}
	}
	by := record{}
	for i, name := range header {
		if _, twice := by[name]; twice {
			continue // the first of a name counts
		}
		by[name] = strings.TrimSpace(strings.ToValidUTF8(row[i], "\uFFFD"))
	}
	return numbered[T]{int64(line), convert(by)}, nil
}

func countOf(list []string, name string) (n int) {
	for _, s := range list {
		if s == name {
			n++
		}
	}
	return n
}

// citationDate finds "2025 Mar 23" in a citation such as "Nat Commun. 2025 Mar 23;16(1):2846."
var citationDate = regexp.MustCompile(`\b((?:19|20)\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?: (\d{1,2}))?\b`)

func articleOfRecord(r record) Article {
	a := Article{PMID: r["PMID"], Title: r["Title"], Journal: r["Journal/Book"], Date: r["Publication Year"], Abstract: r["Abstract"]}
	if m := citationDate.FindStringSubmatch(r["Citation"]); m != nil {
		a.Date = dateOf(m[1], m[2], m[3])
	}
	for author := range strings.SplitSeq(strings.TrimSuffix(r["Authors"], "."), ",") {
		if author = strings.TrimSpace(author); author != "" {
			a.Authors = append(a.Authors, author)
		}
	}
	return a
}

var months = map[string]string{"jan": "01", "feb": "02", "mar": "03", "apr": "04", "may": "05", "jun": "06", "jul": "07", "aug": "08", "sep": "09", "oct": "10", "nov": "11", "dec": "12"}

// dateOf puts a date together as far as it is known. A month is a number or a name.
func dateOf(year, month, day string) string {
	date := strings.TrimSpace(year)
	month, day = strings.TrimSpace(month), strings.TrimSpace(day)
	if len(month) >= 3 {
		month = months[strings.ToLower(month[:3])]
	}
	for _, part := range []string{month, day} {
		if part == "" {
			break
		}
		if len(part) == 1 {
			part = "0" + part
		}
		date += "-" + part
	}
	return date
}

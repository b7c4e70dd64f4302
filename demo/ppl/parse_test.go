package ppl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/test/must"
)

// TestColumnNames: without an alias a column is named by what was written, in normal spacing.
func TestColumnNames(t *testing.T) {
	for _, row := range demotest.Rows(t, "testdata/columns.txt") {
		query, want := row[0], row[1]
		plan, err := compileText(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var names []string
		for _, c := range plan.Columns {
			names = append(names, c.Name)
		}
		must.Be(t, strings.Join(names, ", "), want, "%s", query)
	}
}

func compileText(query string) (*Plan, error) {
	q, err := Parse(query)
	if err != nil {
		return nil, err
	}
	return q.Compile(logSchema)
}

func schemaOf(columns ...Column) *Schema {
	s := &Schema{Source: "t", ID: "_id"}
	for _, c := range columns {
		s.Fields = append(s.Fields, Field{Column: c})
	}
	return s
}

var logSchema = schemaOf(Column{"timestamp", Time}, Column{"status", Int}, Column{"bytes", Int}, Column{"path", String}, Column{"user", String})

// point is where an error points: line:column+length.
func point(e *refuse.Error) string {
	return fmt.Sprintf("%d:%d+%d", e.Details["line"], e.Details["column"], e.Details["length"])
}

// refused is the error of a query that cannot be read; nil is none, or another.
func refused(err error) *refuse.Error {
	e, _ := errors.AsType[*refuse.Error](err)
	return e
}

func TestErrors(t *testing.T) {
	for _, row := range demotest.Rows(t, "testdata/errors.txt") {
		query, at, words := strings.ReplaceAll(row[0], `\n`, "\n"), row[1], row[2]
		_, err := compileText(query)
		e := refused(err)
		if e == nil {
			t.Errorf("%s: error %v", query, err)
			continue
		}
		if point(e) != at || !strings.Contains(e.Message, words) {
			t.Errorf("%s: at %s: %s", query, point(e), e.Message)
		}
		if len(row) > 3 && !slices.Contains(e.Details["expected"].([]string), row[3]) {
			t.Errorf("%s: expected %q", query, e.Details["expected"])
		}
	}
}

func TestCaps(t *testing.T) {
	for _, test := range []struct{ name, query, words string }{
		{"length", "source=t | where path = '" + strings.Repeat("x", MaxQuery) + "'", "at most 8192"},
		{"UTF-8", "source=t | where path = '\xff'", "UTF-8"},
		{"parentheses", "source=t | where " + strings.Repeat("(", 4000), "nested"},
		{"nots", "source=t | where " + strings.Repeat("not ", 2000), "nested"},
		{"commands", "source=t" + strings.Repeat(" | head 1", 40), "at most 32 commands"},
		{"values", "source=t | where status in (" + strings.Repeat("1,", 1500) + "1)", "at most 1000 values"},
		{"operators", "source=t | eval x = status" + strings.Repeat("+status", 300), "at most 200 operators"},
		{"calls", "source=t | eval x = " + strings.Repeat("abs(", 100), "nested"},
		{"signs", "source=t | eval x = " + strings.Repeat("-", 4000) + "status", "nested"},
		{"fields", "source=t | sort " + strings.Repeat("status,", 100) + "status", "at most 64"},
	} {
		_, err := compileText(test.query)
		if refused(err) == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestNarrows(t *testing.T) {
	p, err := compileText("source=t | where status = 1 | sort status | where not bytes = 2 | head 3 | where path = 'c'")
	if err != nil || !p.Narrows("status") || !p.Narrows("bytes") || p.Narrows("path") {
		t.Errorf("%v %v", p, err)
	}
}

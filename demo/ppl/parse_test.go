package ppl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestColumnNames: without an alias a column is named by what was written, in normal spacing.
func TestColumnNames(t *testing.T) {
	for query, want := range map[string]string{
		" SEARCH Source = `t` | fields + path, status":                         "path, status",
		"source=t | fields - path, user":                                       "timestamp, status, bytes",
		"source=t | stats count, dc(path) as n, SUM( bytes ) by user":          "count(), n, sum(bytes), user",
		"source=t | stats count() by span(timestamp , 1h), span(status,100)":   "count(), span(timestamp,1h), span(status,100)",
		"source=t | stats count(eval(status>= 400 and path = 'it''s'))":        "count(eval(status >= 400 and path = 'it''s'))",
		"source=t | stats avg( bytes/1024 ) | sort - avg(bytes / 1024)":        "avg(bytes / 1024)",
		"source=t | stats count() by path | sort - count() | fields count()":   "count()",
		"source=t | eval kb = bytes / 1024, path = length(path) | fields path": "path",
		"source=t | top 3 path, user":                                          "path, user, count",
		"source=t | timechart span=1h avg(bytes) as size by user":              "timestamp, user, size",
	} {
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

var logSchema = &Schema{Source: "t", ID: "_id", Fields: []Field{{"timestamp", Time}, {"status", Int}, {"bytes", Int}, {"path", String}, {"user", String}}}

// point is where an error points: line:column+length.
func point(e *Error) string { return fmt.Sprintf("%d:%d+%d", e.Line, e.Column, e.Length) }

func TestErrors(t *testing.T) {
	for _, test := range []struct{ query, at, words, expected string }{
		{"", "1:1+0", "expected source=… at the start of the query, found the end of the query", "source=…"},
		{"select * from t", "1:1+6", `found "select"`, "source=…"},
		{"source t", "1:8+1", "expected = after source", "="},
		{"source=", "1:8+0", "expected the table's name here", ""},
		{"source=x", "1:8+1", `unknown source "x"; did you mean t?`, "t"},
		{"source=t where a = 1", "1:10+5", `expected | before the next command`, "|"},
		{"source=t |", "1:11+0", `expected a command after "|"`, "where"},
		{"source=t | wher status = 1", "1:12+4", "did you mean where?", "where"},
		{"source=t | join x", "1:12+4", `the command "join" is not supported; supported are: where, eval,`, "where"},
		{"source=t | where", "1:17+0", "a field or a value", ""},
		{"source=t | where status", "1:18+6", "status is a value, not a condition: compare it, as in status = …", "="},
		{"source=t | where status = ", "1:27+0", "a field or a value", ""},
		{"source=t | where status = abc", "1:27+3", `unknown field "abc"`, ""},
		{"source=t | where status in (abc)", "1:29+3", "strings stand in quotes", "a string in quotes"},
		{"source=t | where status = null", "1:27+4", "isnull(field)", "isnull(field)"},
		{"source=t | where status not 5", "1:29+1", "expected in or like or between after not", "in"},
		{"source=t | where (status = 1", "1:29+0", "expected ) to close the parenthesis", ")"},
		{"source=t | where status = 1)", "1:28+1", `expected |`, "|"},
		{"source=t | where soundex(path) = 3", "1:18+7", `the function "soundex" is not supported; supported are: abs,`, "round"},
		{"source=t | where lenght(path) > 3", "1:18+6", "did you mean length?", "length"},
		{"source=t | where path = 'abc", "1:25+1", "the string that begins here has no closing '", "'"},
		{"source=t | where path = `abc", "1:25+1", "the name that begins here", "`"},
		{"source=t | where path like status", "1:28+6", "expected a pattern", ""},
		{"source=t | where status like '4%'", "1:18+6", "like needs a string; status is a number", ""},
		{"source=t | where path like 'a\\'", "1:28+4", "middle of an escape", ""},
		{"source=t | where path = 5", "1:25+1", "path is a string: write its value in quotes, '5'", "'5'"},
		{"source=t | where status = 'abc'", "1:27+5", "status is a number; 'abc' is none", "a number"},
		{"source=t | where timestamp > 5", "1:30+1", "timestamp is a time", ""},
		{"source=t | where timestamp > 'noon'", "1:30+6", "'noon' is no time", ""},
		{"source=t | where status = path", "1:25+1", "status is a number and path a string", ""},
		{"source=t | where 1 = 1", "1:20+1", "one side of a comparison must be a field", ""},
		{"source=t | where status = 99999999999999999999", "1:27+20", "too large", ""},
		{"source=t | where status = - 'x'", "1:29+3", "- needs a number; x is a string", ""},
		{"source=t | where status = 4 # x", "1:29+1", `expected | before the next command, found "#"`, "|"},
		{"source=t | where statsu = 4", "1:18+6", "did you mean status?", "status"},
		{"source=t | where Status = 4", "1:18+6", "did you mean status?", "status"},
		{"source=t\n | where\n  nope = 1", "3:3+4", `unknown field "nope"; there are: timestamp, status, bytes, path, user`, "timestamp"},
		{"source=t | where path = 'äöü' and statsu = 1", "1:35+6", "status", "status"},
		{"source=t | stats", "1:17+0", "an aggregation such as count()", ""},
		{"source=t | stats mode(bytes)", "1:18+4", `the aggregation "mode" is not supported`, "sum"},
		{"source=t | stats sum()", "1:22+1", "expected a field here", ""},
		{"source=t | stats sum(path)", "1:22+4", "sum needs a number; path is a string", ""},
		{"source=t | stats count() as n, sum(bytes) as n", "1:46+1", `two columns of stats would be called "n"`, ""},
		{"source=t | stats count() as status by status", "1:39+6", `two columns`, ""},
		{"source=t | stats count() by span(timestamp, 1)", "1:45+1", "needs a unit", "ms"},
		{"source=t | stats count() by span(timestamp, 1M)", "1:46+1", `unknown unit "M"`, "ms"},
		{"source=t | stats count() by span(status, 1h)", "1:42+1", "takes no unit", ""},
		{"source=t | stats count() by span(path, 1)", "1:40+1", "path is a string", ""},
		{"source=t | stats count() by span(status, 0)", "1:42+1", "whole number", ""},
		{"source=t | stats count() | where status = 1", "1:34+6", `unknown field "status"; there are: count()`, "count()"},
		{"source=t | fields path | where status = 1", "1:32+6", `the field "status" was removed by an earlier fields command`, "path"},
		{"source=t | fields path, path", "1:25+4", "named twice", ""},
		{"source=t | fields path | fields - path", "1:35+4", "at least one", ""},
		{"source=t | sort", "1:16+0", "expected a field", ""},
		{"source=t | sort - nope", "1:19+4", "unknown field", ""},
		{"source=t | head x", "1:17+1", `expected | before the next command, found "x"`, "|"},
		{"source=t | head 1.5", "1:17+3", "whole number", ""},
		{"source=t | eval", "1:16+0", "expected a field here", ""},
		{"source=t | eval x", "1:18+0", "expected = after the field's name", "="},
		{"source=t | eval x = status > 4", "1:28+1", "a condition is no value here", "count(eval(condition))"},
		{"source=t | eval x = path + 1", "1:21+4", "+ needs a number; path is a string", ""},
		{"source=t | eval x = round(path)", "1:27+4", "round needs a number; path is a string", ""},
		{"source=t | eval x = length(path, path)", "1:21+6", "length takes 1 values at most, not 2", ""},
		{"source=t | dedup path", "1:12+5", `the command "dedup" is not supported; supported are: where, eval, fields, stats, sort, head, top, timechart`, "top"},
		{"source=t | stats median(bytes)", "1:18+6", "supported are: count, distinct_count, dc, sum, avg, min, max", "avg"},
		{"source=t | eval x = hour(status)", "1:26+6", "hour needs a time", ""},
		{"source=t | where status + 1", "1:25+1", "the result of + is a value, not a condition", "="},
		{"source=t | where (status = 1) = 2", "1:26+1", "a condition is no value here", ""},
		{"source=t | where (status = 1) + 2 = 3", "1:26+1", "a condition is no value", ""},
		{"source=t | top", "1:15+0", "expected a field", ""},
		{"source=t | timechart span=1x count()", "1:28+1", `unknown unit "x"`, "h"},
		{"source=t | timechart span=1 count()", "1:27+1", "needs a unit", "ms"},
		{"source=t | where `` = 1", "1:18+2", "must not be empty", ""},
	} {
		_, err := compileText(test.query)
		e := AsError(err)
		if e == nil {
			t.Errorf("%s: error %v", test.query, err)
			continue
		}
		if point(e) != test.at || !strings.Contains(e.Message, test.words) {
			t.Errorf("%s: at %s: %s", test.query, point(e), e.Message)
		}
		if test.expected != "" && !slices.Contains(e.Expected, test.expected) {
			t.Errorf("%s: expected %q", test.query, e.Expected)
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
		if AsError(err) == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestErrorIsTyped(t *testing.T) {
	_, err := compileText("source=t | nope")
	wrapped := fmt.Errorf("run: %w", err)
	if AsError(wrapped) == nil || AsError(errors.New("other")) != nil {
		t.Error("AsError must find the *Error in a chain, and nothing else")
	}
}

func TestNarrows(t *testing.T) {
	p, err := compileText("source=t | where status = 1 | sort status | where not bytes = 2 | head 3 | where path = 'c'")
	if err != nil || !p.Narrows("status") || !p.Narrows("bytes") || p.Narrows("path") {
		t.Errorf("%v %v", p, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"source=t", "source=t | where status = 1 and (path != 'x' or not bytes in (1, 2.5, '3')) or path like '%x_'",
		"source=t | where bytes between 1 and 2 or isnull(`a b`)", "source=t | top 3 path, user | timechart span=1h count(eval(n > 1)) by user",
		"source=t | stats count() as n, dc(path), sum(bytes) by span(timestamp, 1h) as h, user | sort - n, h asc | head 5 | fields - n",
		"source=t | eval a = (bytes + 1) * -status / 2, d = round(a, 2) | where length(path) = 3",
		"search source=t|where a==-1.5e-3|sort - count()", "source=t | where a = 'it''s' | fields `x``y`", "source=\u00a0t | where \"é\" = a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := compileText(text)
		if err != nil {
			if e := AsError(err); e == nil || e.Line < 1 || e.Column < 1 || e.Length < 0 || e.Message == "" {
				t.Fatalf("%q: bad error %#v", text, err)
			}
		}
	})
}

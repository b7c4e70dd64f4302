package ppl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNormalForm(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"source=t", "source=t"},
		{" SEARCH Source = `my table` ", "source=`my table`"},
		{"index=t|WHERE a==1", "source=t | where a = 1"},
		{"source=t | where a <> 'it''s' and \"b\" = b", "source=t | where a != 'it''s' and 'b' = b"},
		{"source=t | where (((a = 1)))", "source=t | where a = 1"},
		{"source=t | where a = 1 or b = 2 and not c = 3 xor d = -4", "source=t | where a = 1 or b = 2 and not c = 3 xor d = -4"},
		{"source=t | where (a = 1 or b = 2) and not (c = 3 and d = 4)", "source=t | where (a = 1 or b = 2) and not (c = 3 and d = 4)"},
		{"source=t | where not not a = 1", "source=t | where not not a = 1"},
		{"source=t | where a in (1, 2.50,'x') or a not IN (3)", "source=t | where a in (1, 2.5, 'x') or a not in (3)"},
		{"source=t | where LIKE(p, '/a%') and p not like '%_\\%'", "source=t | where p like '/a%' and p not like '%_\\%'"},
		{"source=t | where a between 1 and 2 and b not between '3' and '4'", "source=t | where a between 1 and 2 and b not between '3' and '4'"},
		{"source=t | where isnull(a) or isNotNull(`b c`) or d is null or e IS NOT NULL", "source=t | where isnull(a) or isnotnull(`b c`) or isnull(d) or isnotnull(e)"},
		{"source=t | where timestamp >= TIMESTAMP('2015-05-17')", "source=t | where timestamp >= timestamp('2015-05-17')"},
		{"source=t | where `and` = 1e3 and b < .5", "source=t | where `and` = 1000.0 and b < 0.5"},
		{"source=t | stats count, dc(a) as n, SUM(b) by c, span(timestamp , 1h) as hour", "source=t | stats count(), distinct_count(a) as n, sum(b) by c, span(timestamp,1h) as hour"},
		{"source=t | stats count() by a | sort - count(), +a | fields a, count()", "source=t | stats count() by a | sort - `count()`, a | fields a, `count()`"},
		{"source=t | stats count() by span(b, 10) | sort span(b, 10) desc", "source=t | stats count() by span(b,10) | sort - `span(b,10)`"},
		{"source=t | sort a desc, b asc, -c", "source=t | sort - a, b, - c"},
		{"source=t | head | head 5 from 2 | head 0", "source=t | head 10 | head 5 from 2 | head 0"},
		{"source=t | fields + a, b | fields - b", "source=t | fields a, b | fields - b"},
		{"source=t\n| where a = 1\n| head 3", "source=t | where a = 1 | head 3"},
		{"source=t | where @timestamp = '2015' and a.b = 1", "source=t | where @timestamp = '2015' and a.b = 1"},
		{"source=t | eval x=(a+1)*2-b/-3 % 4, y = -x", "source=t | eval x = (a + 1) * 2 - b / -3 % 4, y = 0 - x"},
		{"source=t | eval x = a - (b - c) - d", "source=t | eval x = a - (b - c) - d"},
		{"source=t | where (a + 1) * 2 > 3 and (b = 1)", "source=t | where (a + 1) * 2 > 3 and b = 1"},
		{"source=t | where SUBSTR(a, 1,2) = 'x' or not isempty(a)", "source=t | where substring(a, 1, 2) = 'x' or not (isnull(a) or a = '')"},
		{"source=t | eval x = if(a > 1, 'b', 'c'), y = case(a = 1, 2, a = 2, 3 else 4)", "source=t | eval x = if(a > 1, 'b', 'c'), y = case(a = 1, 2, a = 2, 3 else 4)"},
		{"source=t | eval x = cast(a AS integer)", "source=t | eval x = cast(a as int)"},
		{"source=t | dedup 2 a, b consecutive=true keepempty=TRUE", "source=t | dedup 2 a, b keepempty=true consecutive=true"},
		{"source=t | rename a AS b, c as `by`", "source=t | rename a as b, c as `by`"},
		{"source=t | top a | rare 3 countfield='n' showcount=false a, b by c", "source=t | top 10 a | rare 3 countfield='n' showcount=false a, b by c"},
		{"source=t | parse a '(?<b>x)' | regex a != 'y'", "source=t | parse a '(?<b>x)' | where not regexp_match(a, 'y')"},
		{"source=t | fillnull with 0 in a, b | fillnull using a = 'x' | fillnull with 1", "source=t | fillnull with 0 in a, b | fillnull using a = 'x' | fillnull with 1"},
		{"source=t | timechart count() | timechart span=1h limit=3 useother=false avg(a) as m by b", "source=t | timechart span=1m count() | timechart span=1h limit=3 useother=false avg(a) as m by b"},
		{"source=t | stats p95(a), median(a*2), count(eval(a > 1 and b = 2)) as n", "source=t | stats percentile(a, 95), median(a * 2), count(eval(a > 1 and b = 2)) as n"},
		{"source=t | sort 5 - a, b d | reverse", "source=t | sort 5 - a, - b | reverse"},
		{"source=t | where a = -9223372036854775808", "source=t | where a = -9223372036854775808"},
	} {
		q, err := Parse(test.query)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		if got := q.String(); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.query, got, test.want)
		}
	}
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
		{"source=t | join x", "1:12+4", `the command "join" is not supported; supported are: where, stats,`, "where"},
		{"source=t | where", "1:17+0", "a field or a value", ""},
		{"source=t | where status", "1:24+0", "after the field status", "="},
		{"source=t | where status = ", "1:27+0", "a field or a value", ""},
		{"source=t | where status = abc", "1:27+3", `unknown field "abc"`, ""},
		{"source=t | where status in (abc)", "1:29+3", "strings stand in quotes", "a string in quotes"},
		{"source=t | where status = null", "1:27+4", "isnull(field)", "isnull(field)"},
		{"source=t | where status not 5", "1:29+1", "expected in or like or between after not", "in"},
		{"source=t | where (status = 1", "1:29+0", "expected ) to close the parenthesis", ")"},
		{"source=t | where status = 1)", "1:28+1", `expected |`, "|"},
		{"source=t | where soundex(path) = 3", "1:18+7", `the function "soundex" is not supported; there are: abs,`, "upper"},
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
		{"source=t | where status = timestamp('2015-05-17')", "1:27+23", "timestamp(…) only compares with a time", ""},
		{"source=t | where status = path", "1:25+1", "status is a number and path a string", ""},
		{"source=t | where 1 = 1", "1:20+1", "one side of a comparison must be a field", ""},
		{"source=t | where status = 99999999999999999999", "1:27+20", "too large", ""},
		{"source=t | where status = - 'x'", "1:29+3", "expected a number after the sign", ""},
		{"source=t | where status = 4 # x", "1:29+1", `expected | before the next command, found "#"`, "|"},
		{"source=t | where statsu = 4", "1:18+6", "did you mean status?", "status"},
		{"source=t | where Status = 4", "1:18+6", "did you mean status?", "status"},
		{"source=t\n | where\n  nope = 1", "3:3+4", `unknown field "nope"; there are: timestamp, status, bytes, path, user`, "timestamp"},
		{"source=t | where path = 'äöü' and statsu = 1", "1:35+6", "status", "status"},
		{"source=t | stats", "1:17+0", "an aggregation such as count()", ""},
		{"source=t | stats mode(bytes)", "1:18+4", `the aggregation "mode" is not supported`, "median"},
		{"source=t | stats sum()", "1:22+1", "expected a field here", ""},
		{"source=t | stats sum(path)", "1:22+4", "sum needs a number; path is a string", ""},
		{"source=t | stats count() as n, sum(bytes) as n", "1:32+3", `two columns of stats would be called "n"`, ""},
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
		{"source=t | head 5 from", "1:23+0", "expected a number as head's offset", ""},
		{"source=t | head 1.5", "1:17+3", "whole number", ""},
		{"source=t | eval", "1:16+0", "expected a field here", ""},
		{"source=t | eval x", "1:18+0", "expected = after the field's name", "="},
		{"source=t | eval x = status > 4", "1:21+10", "a condition is no value here", "if(condition, 1, 0)"},
		{"source=t | eval x = path + 1", "1:21+4", "+ needs numbers; path is a string; concat", ""},
		{"source=t | eval x = timestamp - 1", "1:21+9", "unix_timestamp", ""},
		{"source=t | eval x = upper(status)", "1:27+6", "upper needs a string; status is a number; cast(", ""},
		{"source=t | eval x = upper(path, path)", "1:21+5", "upper takes 1 argument, not 2", ""},
		{"source=t | eval x = substring(path)", "1:21+9", "substring takes at least 2 arguments, not 1", ""},
		{"source=t | eval x = coalesce(status, path)", "1:38+4", "must have one type; status is a number and path a string", ""},
		{"source=t | eval x = if(status, 1, 0)", "1:30+1", "after the field status", "="},
		{"source=t | eval x = cast(path as blob)", "1:34+4", "cast needs a type", "int"},
		{"source=t | eval x = hour(status)", "1:26+6", "hour needs a time", ""},
		{"source=t | where status + 1", "1:28+0", "after the value", "="},
		{"source=t | where (status = 1) = 2", "1:31+1", "expected |", ""},
		{"source=t | where (status = 1) + 2 = 3", "1:18+12", "a condition is no value", ""},
		{"source=t | dedup", "1:17+0", "expected a field", ""},
		{"source=t | dedup 0 path", "1:18+1", "at least 1", ""},
		{"source=t | dedup path keepempty=maybe", "1:33+5", "expected true or false", "true"},
		{"source=t | rename path", "1:23+0", "expected as", "as"},
		{"source=t | rename nope as x", "1:19+4", "unknown field", ""},
		{"source=t | rename path as x | where path = 'a'", "1:37+4", `unknown field "path"`, ""},
		{"source=t | top", "1:15+0", "expected a field", ""},
		{"source=t | parse path '('", "1:23+3", "cannot be read: missing closing )", ""},
		{"source=t | parse path 'a+'", "1:23+4", "names no group", "(?<name>…)"},
		{"source=t | parse status '(?<a>.)'", "1:18+6", "parse needs a string", ""},
		{"source=t | regex path = 'a{2000}'", "1:25+9", "cannot be read", ""},
		{"source=t | fillnull path", "1:21+4", "expected with or using after fillnull", "with"},
		{"source=t | fillnull with 0 in path", "1:26+1", "one type", ""},
		{"source=t | timechart span=1x count()", "1:28+1", `unknown unit "x"`, "h"},
		{"source=t | timechart span=1 count()", "1:27+1", "needs a unit", "ms"},
		{"source=t | stats count() | timechart count()", "1:28+9", "there is no time here", ""},
		{"source=t | stats percentile(bytes, 101)", "1:36+3", "from 0 to 100", ""},
		{"source=t | stats median(path)", "1:25+4", "median needs a number", ""},
		{"source=t | stats count() | stats latest(`count()`)", "1:34+6", "needs the time", ""},
		{"source=t | where `` = 1", "1:18+2", "must not be empty", ""},
	} {
		q, err := Parse(test.query)
		if err == nil {
			_, err = Compile(q, logSchema)
		}
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
		{"values", "source=t | where a in (" + strings.Repeat("1,", 1500) + "1)", "at most 1000 values"},
		{"operators", "source=t | eval x = a" + strings.Repeat("+a", 300), "at most 200 operators"},
		{"calls", "source=t | eval x = " + strings.Repeat("upper(", 100), "nested"},
		{"signs", "source=t | eval x = " + strings.Repeat("-", 4000) + "a", "sign"},
		{"fields", "source=t | sort " + strings.Repeat("a,", 100) + "a", "at most 64"},
	} {
		_, err := Parse(test.query)
		if AsError(err) == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestErrorIsTyped(t *testing.T) {
	_, err := Parse("source=t | nope")
	wrapped := fmt.Errorf("run: %w", err)
	if AsError(wrapped) == nil || AsError(errors.New("other")) != nil {
		t.Error("AsError must find the *Error in a chain, and nothing else")
	}
}

func TestFilters(t *testing.T) {
	q, err := Parse("source=t | where a = 1 | sort a | fields a | where b = 2 | head 3 | where c = 3")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range q.Filters() {
		got = append(got, FormatExpr(e))
	}
	if !slices.Equal(got, []string{"a = 1", "b = 2"}) {
		t.Errorf("filters = %q", got)
	}
	if !Mentions(q.Filters()[0], "a") || Mentions(q.Filters()[0], "b") {
		t.Error("Mentions")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"source=t", "source=t | where a = 1 and (b != 'x' or not c in (1, 2.5, '3')) xor d like '%x_'",
		"source=t | where a between timestamp('2015-05-17') and '2015-05-18' or isnull(`a b`)",
		"source=t | stats count() as n, dc(a), sum(b) by span(timestamp, 1h) as h, c | sort - n, h asc | head 5 from 1 | fields - n",
		"source=t | eval a = (b + 1) * -c / 2, d = if(a > 1, upper('x'), concat(e, 'y')) | where substring(d, 2) like '%x' | fillnull with 0",
		"source=t | dedup 2 a keepempty=true | rename a as b | top 3 b by c | rare a | parse a '(?<x>.+)' | timechart span=1h limit=2 p95(a) by b",
		"source=t | where regexp_match(path, '^/a') and coalesce(status, 1) in (2) | stats count(eval(status >= 400)) as n, latest(path) by span(timestamp, 1d) | reverse",
		"search index=t|where a==-1.5e-3|sort - count()", "source=t | where a = 'it''s' | fields `x``y`", "source=\u00a0t | where \"é\" = a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			if e := AsError(err); e == nil || e.Line < 1 || e.Column < 1 || e.Length < 0 || e.Message == "" {
				t.Fatalf("%q: bad error %#v", text, err)
			}
			return
		}
		printed := q.String()
		again, err := Parse(printed)
		if err != nil && len(printed) <= MaxQuery {
			t.Fatalf("%q prints as %q, which does not parse: %v", text, printed, err)
		}
		if err == nil && again.String() != printed {
			t.Fatalf("%q prints as %q and then as %q", text, printed, again)
		}
		if _, err := Compile(q, logSchema); err != nil && AsError(err) == nil {
			t.Fatalf("%q: %v is no *Error", text, err)
		}
	})
}

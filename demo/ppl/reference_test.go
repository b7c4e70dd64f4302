package ppl

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// accounts is the table that the public PPL reference has its examples on.
var accounts = &Schema{Source: "accounts", ID: "_id", Fields: []Field{
	{"account_number", Int}, {"firstname", String}, {"lastname", String}, {"gender", String}, {"age", Int}, {"balance", Int},
	{"address", String}, {"employer", String}, {"email", String}, {"state", String}}}

const accountsTable = `CREATE TABLE accounts (_id INTEGER PRIMARY KEY, account_number INTEGER, firstname TEXT, lastname TEXT, gender TEXT, age INTEGER,
	balance INTEGER, address TEXT, employer TEXT, email TEXT, state TEXT);
INSERT INTO accounts VALUES
	(1, 1, 'Amber', 'Duke', 'M', 32, 39225, '880 Holmes Lane', 'Pyrami', 'amberduke@pyrami.com', 'IL'),
	(2, 6, 'Hattie', 'Bond', 'M', 36, 5686, '671 Bristol Street', 'Netagy', 'hattiebond@netagy.com', 'TN'),
	(3, 13, 'Nanette', 'Bates', 'F', 28, 32838, '789 Madison Street', 'Quility', NULL, 'VA'),
	(4, 18, 'Dale', 'Adams', 'M', 33, 4180, '467 Hutchinson Court', NULL, 'daleadams@boink.com', 'MD')`

// events are requests of two servers, five minutes apart.
var events = &Schema{Source: "events", ID: "_id", Fields: []Field{{"at", Time}, {"host", String}, {"packets", Int}}}

func referenceTables(t *testing.T) *sql.DB {
	db := openTable(t)
	if _, err := db.Exec(accountsTable + "; CREATE TABLE events (_id INTEGER PRIMARY KEY, at INTEGER, host TEXT, packets INTEGER)"); err != nil {
		t.Fatal(err)
	}
	start, _ := ParseTime("2023-01-01 10:00:00")
	for i := range 8 {
		host := []string{"server1", "server2"}[i%2]
		if _, err := db.Exec("INSERT INTO events VALUES (?, ?, ?, ?)", i+1, start.Add(time.Duration(i)*5*time.Minute).UnixMilli(), host, 60-30*(i%2)); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestReferenceExamples runs examples of the public PPL reference with the results that it prints.
func TestReferenceExamples(t *testing.T) {
	db := referenceTables(t)
	for _, test := range []struct{ query, want string }{
		{"source=accounts | dedup gender | fields account_number, gender", "1 M, 13 F"},
		{"source=accounts | dedup 2 gender | fields account_number, gender", "1 M, 6 M, 13 F"},
		{"source=accounts | dedup email keepempty=true | fields account_number, email", "1 amberduke@pyrami.com, 6 hattiebond@netagy.com, 13 null, 18 daleadams@boink.com"},
		{"source=accounts | dedup email | fields account_number, email", "1 amberduke@pyrami.com, 6 hattiebond@netagy.com, 18 daleadams@boink.com"},
		{"source=accounts | dedup gender consecutive=true | fields account_number, gender", "1 M, 13 F, 18 M"},
		{"source=accounts | eval doubleAge = age * 2 | fields age, doubleAge", "32 64, 36 72, 28 56, 33 66"},
		{"source=accounts | eval age = age + 1 | fields age", "33, 37, 29, 34"},
		{"source=accounts | eval doubleAge = age * 2, ddAge = doubleAge * 2 | fields age, doubleAge, ddAge", "32 64 128, 36 72 144, 28 56 112, 33 66 132"},
		{"source=accounts | rename account_number as an | fields an", "1, 6, 13, 18"},
		{"source=accounts | rename account_number as an, employer as emp | fields an, emp", "1 Pyrami, 6 Netagy, 13 Quility, 18 null"},
		{"source=accounts | rename firstname as age | fields age", "Amber, Hattie, Nanette, Dale"},
		{"source=accounts | top showcount=false gender", "M, F"},
		{"source=accounts | top 1 showcount=false gender", "M"},
		{"source=accounts | top 1 showcount=false age by gender", "F 28, M 32"},
		{"source=accounts | top gender", "M 3, F 1"},
		{"source=accounts | rare gender", "F 1, M 3"},
		{"source=accounts | rare age by gender", "F 28 1, M 32 1, M 33 1, M 36 1"},
		{"source=accounts | parse email '.+@(?<host>.+)' | fields email, host", "amberduke@pyrami.com pyrami.com, hattiebond@netagy.com netagy.com, null , daleadams@boink.com boink.com"},
		{`source=accounts | parse address '\d+ (?<address>.+)' | fields address`, "Holmes Lane, Bristol Street, Madison Street, Hutchinson Court"},
		{`source=accounts | parse address '(?<streetNumber>\d+) (?<street>.+)' | eval n = cast(streetNumber as int) | where n > 500 | sort n | fields streetNumber, street`,
			"671 Bristol Street, 789 Madison Street, 880 Holmes Lane"},
		{"source=accounts | fields email, employer | fillnull with '<not found>' in email",
			"amberduke@pyrami.com Pyrami, hattiebond@netagy.com Netagy, <not found> Quility, daleadams@boink.com null"},
		{"source=accounts | fields email, employer | fillnull using email = '<not found>', employer = '<no employer>'",
			"amberduke@pyrami.com Pyrami, hattiebond@netagy.com Netagy, <not found> Quility, daleadams@boink.com <no employer>"},
		{`source=accounts | regex lastname="^[A-Z][a-z]+$" | fields account_number, lastname`, "1 Duke, 6 Bond, 13 Bates, 18 Adams"},
		{`source=accounts | regex email="@pyrami\.com$" | fields account_number`, "1"},
		{`source=accounts | regex state="va" | fields account_number`, ""},
		{"source=accounts | where account_number=1 or gender=\"F\" | fields account_number, gender", "1 M, 13 F"},
		{"source=accounts | stats avg(age)", "32.25"},
		{"source=accounts | stats avg(age) by gender", "28 F, 33.666666666666664 M"},
		{"source=accounts | stats avg(age), sum(age), count() by gender", "28 28 1 F, 33.666666666666664 101 3 M"},
		{"source=accounts | stats max(age)", "36"},
		{"source=accounts | stats max(age), min(age) by gender", "28 28 F, 36 32 M"},
		{"source=accounts | stats count() as cnt by span(age, 10) as age_span, gender", "1 20 F, 3 30 M"},
		{"source=accounts | sort age | fields account_number, age", "13 28, 1 32, 18 33, 6 36"},
		{"source=accounts | sort - age | fields account_number, age", "6 36, 18 33, 1 32, 13 28"},
		{"source=accounts | sort + gender, - age | fields account_number, gender, age", "13 F 28, 6 M 36, 18 M 33, 1 M 32"},
		{"source=accounts | sort employer | fields employer", "null, Netagy, Pyrami, Quility"},
		{"source=accounts | fields account_number, firstname, lastname | fields - account_number", "Amber Duke, Hattie Bond, Nanette Bates, Dale Adams"},
		{"source=accounts | fields firstname, age | head 2 from 1", "Hattie 36, Nanette 28"},
		{"source=accounts | reverse | fields account_number", "18, 13, 6, 1"},
		{"source=accounts | where isnull(employer) | fields account_number", "18"},
		{"source=accounts | eval result = ifnull(employer, 'default') | fields result", "Pyrami, Netagy, Quility, default"},
		{"source=accounts | eval result = nullif(employer, 'Pyrami') | fields result", "null, Netagy, Quility, null"},
		{"source=accounts | eval result = if(age > 30 AND balance > 10000, firstname, lastname) | fields result", "Amber, Bond, Bates, Adams"},
		{"source=accounts | eval result = case(age > 35, firstname, age < 30, lastname else employer) | fields result", "Pyrami, Hattie, Bates, null"},
		{"source=events | timechart span=1h count() by host", "2023-01-01 10:00:00 server1 4, 2023-01-01 10:00:00 server2 4"},
		{"source=events | timechart span=30m sum(packets) by host", "2023-01-01 10:00:00 server1 180, 2023-01-01 10:00:00 server2 90, " +
			"2023-01-01 10:30:00 server1 60, 2023-01-01 10:30:00 server2 30"},
		{"source=events | timechart span=1h limit=1 count() by host", "2023-01-01 10:00:00 OTHER 4, 2023-01-01 10:00:00 server1 4"},
		{"source=events | timechart span=1h limit=1 useother=false count() by host", "2023-01-01 10:00:00 server1 4"},
		{"source=events | timechart span=1d avg(packets)", "2023-01-01 00:00:00 45"},
	} {
		schema := accounts
		if strings.HasPrefix(test.query, "source=events") {
			schema = events
		}
		if got := tableText(t, db, schema, test.query); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.query, got, test.want)
		}
	}
}

// tableText is a query's result: cells with spaces, rows with commas between them.
func tableText(t *testing.T, db *sql.DB, schema *Schema, query string) string {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		return err.Error()
	}
	plan, err := Compile(q, schema)
	if err != nil {
		return err.Error()
	}
	statement, err := plan.Select(Page{})
	if err != nil {
		return err.Error()
	}
	result, err := Run(t.Context(), db, statement)
	if err != nil {
		return err.Error()
	}
	rows := make([]string, len(result.Rows))
	for i, row := range result.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = cellText(result.Columns[j].Type, v)
		}
		rows[i] = strings.Join(cells, " ")
	}
	return strings.Join(rows, ", ")
}

func cellText(t Type, v any) string {
	if v == nil {
		return "null"
	}
	if t == Time {
		return time.UnixMilli(v.(int64)).UTC().Format("2006-01-02 15:04:05")
	}
	return fmt.Sprint(v)
}

// TestFunctions has a value for each function; the ones of the reference's function pages among
// them.
func TestFunctions(t *testing.T) {
	db := referenceTables(t)
	tested := strings.Builder{}
	for _, test := range []struct{ value, want string }{
		{"upper('äbc')", "ÄBC"}, {"lower('ABC')", "abc"}, {"length('äöü')", "3"}, {"trim('  a b ')", "a b"}, {"ltrim('  a ')", "a "}, {"rtrim(' a ')", " a"},
		{"reverse('abc')", "cba"}, {"substring('helloworld', 5)", "oworld"}, {"substring('helloworld', 5, 3)", "owo"}, {"substr('äbc', -2)", "bc"},
		{"substring('abc', 0)", ""}, {"substring('abc', 9, 2)", ""}, {"left('helloworld', 3)", "hel"}, {"right('helloworld', 5)", "world"}, {"right('ab', 9)", "ab"},
		{"concat('hello', 'whole', 'world')", "hellowholeworld"}, {"concat_ws(',', 'hello', 'world')", "hello,world"}, {"concat('a', nullif('b', 'b'))", "null"},
		{"replace('helloworld', 'world', 'universe')", "hellouniverse"}, {"locate('world', 'helloworld')", "6"}, {"position('x', 'abc')", "0"},
		{"abs(-58)", "58"}, {"abs(-1.5)", "1.5"}, {"ceil(2.75)", "3"}, {"ceiling(-2.5)", "-2"}, {"floor(-50.00005)", "-51"}, {"floor(7)", "7"}, {"round(12.34)", "12"},
		{"round(12.34, 1)", "12.3"}, {"round(12.34, -1)", "10"}, {"round(2.5)", "3"}, {"round(15, -1)", "20"}, {"sqrt(4)", "2"}, {"sqrt(-4)", "null"}, {"pow(3, 2)", "9"},
		{"power(2, -1)", "0.5"}, {"mod(3, 2)", "1"}, {"mod(3.1, 0)", "null"}, {"exp(0)", "1"}, {"ln(1)", "0"}, {"log10(100)", "2"}, {"log10(0)", "null"}, {"sign(-2.5)", "-1"},
		{"7 / 2", "3.5"}, {"7 / 0", "null"}, {"-7 % 3", "-1"}, {"7.5 % 2", "1.5"}, {"2 + 3 * 4", "14"}, {"(2 + 3) * 4", "20"}, {"1 - 2 - 3", "-4"}, {"-(2 + 1)", "-3"},
		{"year(timestamp('2020-08-26 13:14:15'))", "2020"}, {"quarter(timestamp('2020-08-26'))", "3"}, {"month('2020-08-26')", "8"}, {"day('2020-08-26')", "26"},
		{"hour('2020-08-26 01:02:03')", "1"}, {"minute('2020-08-26 01:02:03')", "2"}, {"second('2020-08-26 01:02:03')", "3"}, {"dayofweek('2020-08-26')", "4"},
		{"dayofyear('2020-08-26')", "239"}, {"dayname('2020-08-26')", "Wednesday"}, {"monthname('2020-08-26')", "August"}, {"date('2020-08-26 13:00:00')", "2020-08-26 00:00:00"},
		{"date_format('1998-01-31 13:14:15.012345', '%T.%f')", "13:14:15.012000"}, {"date_format('1998-01-31 13:14:15', '%Y-%b-%e %r%%')", "1998-Jan-31 r%"},
		{"unix_timestamp('1996-11-15 17:05:42')", "8.48077542e+08"}, {"from_unixtime(1220249547)", "2008-09-01 06:12:27"}, {"from_unixtime(1e30)", "null"},
		{"cast('10' as int)", "10"}, {"cast('x' as int)", "null"}, {"cast(1.9 as int)", "1"}, {"cast(10 as string)", "10"}, {"cast('1.5' as double)", "1.5"}, {"cast('9' as double)", "9"},
		{"cast('2012-08-07 08:07:06' as timestamp)", "2012-08-07 08:07:06"}, {"cast(timestamp('2012-08-07 08:07:06') as string)", "2012-08-07 08:07:06"}, {"cast(age as double)", "32"},
		{"coalesce(nullif(1, 1), 2.5)", "2.5"}, {"if(like('abc', 'A%'), 'yes', 'no')", "yes"}, {"if(regexp_match('abc', '^b'), 1, 0)", "0"}, {"if(isempty(trim(' ')), 1, 0)", "1"}, {"if(isempty(firstname), 1, 0)", "0"},
		{"if(ispresent(age) and isnotnull(age) and not isnull(age), 1, 0)", "1"}, {"case(age = 1, 'a', age = 32, 'b')", "b"}, {"ifnull(age, 0)", "32"},
	} {
		tested.WriteString(test.value + " ")
		if got := tableText(t, db, accounts, "source=accounts | head 1 | eval x = "+test.value+" | fields x"); got != test.want {
			t.Errorf("%s = %s, want %s", test.value, got, test.want)
		}
	}
	for name := range functions {
		if !strings.Contains(tested.String(), name+"(") {
			t.Errorf("%s has no test", name)
		}
	}
	for aggregation, want := range map[string]string{"median(age)": "32.5", "percentile(age, 0)": "28", "p100(age)": "36", "percentile(age, 25)": "31", "stddev_pop(age)": "2.8613807855648994",
		"stddev_samp(age)": "3.304037933599835", "var_pop(age)": "8.1875", "var_samp(age)": "10.916666666666666", "first(employer)": "Pyrami", "last(employer)": "Quility",
		"list(gender)": "M, M, F, M", "values(gender)": "F, M", "count(eval(age > 30))": "3", "sum(age * 2)": "258", "dc(gender)": "2", "max(length(firstname))": "7"} {
		if got := tableText(t, db, accounts, "source=accounts | stats "+aggregation); got != want {
			t.Errorf("%s = %s, want %s", aggregation, got, want)
		}
	}
	if got := tableText(t, db, events, "source=events | sort - packets | stats earliest(host), latest(packets) by span(at, 1d)"); got != "server1 30 2023-01-01 00:00:00" {
		t.Error(got)
	}
}

// Package ppl is a useful subset of the Piped Processing Language: it parses queries and runs them
// on SQLite.
//
//	q, err := ppl.Parse("source=access_log | where status >= 500 | stats count() as errors by path | sort - errors | head 5")
//	plan, err := ppl.Compile(q, schema)
//	result, err := ppl.Run(ctx, db, plan.Select(ppl.Page{Limit: 20}))
//
// # Language
//
// A query is a source and commands, separated by "|". Keywords are case-insensitive, names are not.
//
//	source=TABLE
//	where  EXPR
//	eval   FIELD = VALUE, …
//	stats  AGG [as NAME], … [by FIELD | span(FIELD, 1h) [as NAME], …]
//	sort   [N] [+|-] FIELD, …      also: sort FIELD desc
//	head   [N] [from M]            N is 10 where it is not given
//	fields [+|-] FIELD, …          "-" removes, else only these, in this order
//	dedup  [N] FIELD, … [keepempty=true] [consecutive=true]
//	rename FIELD as NAME, …
//	top    [N] [countfield='n'] [showcount=false] FIELD, … [by FIELD, …]       and rare
//	parse  FIELD 'regex with (?<name>groups)'
//	regex  FIELD = 'regex'         or !=
//	fillnull with VALUE [in FIELD, …]                                          or using FIELD = VALUE, …
//	timechart [timefield=F] [span=1h] [limit=10] [useother=false] AGG [by FIELD]
//	reverse
//
// EXPR compares values with = != < <= > >= (also == and <>), in (…), like '…%', between A and B, is
// null, regexp_match(V, 'regex'), combined with and, or, xor, not and parentheses. not binds
// tightest, then and, then xor, then or. VALUE is a field, a literal, arithmetic (+ - * / %), a
// function (FunctionNames), if(…), case(…) or cast(…). AGG is an aggregation of a field or a value,
// or count(eval(EXPR)). docs/reference/ppl.md has all of it. Strings stand in '…' or "…", a quote
// inside is doubled and a backslash is an ordinary character; names that are not plain words stand
// in `…`. Times are strings in UTC, '2015-05-17 10:00:00' or ISO 8601, or timestamp('…'). Units of
// span are ms, s, m, h, d and w (weeks start on Monday).
//
// # Semantics
//
// Logic has three values as in SQL: a comparison with null is unknown, not unknown is unknown, and
// where keeps only what is true. Strings compare by bytes; like ignores the case of ASCII letters,
// % is any text, _ one character, and \ takes the meaning from the next one. Numbers are 64-bit
// integers or floats; sum of integers is an integer, avg always a float. Aggregates skip nulls;
// sum, avg, min and max of nothing are null. Nulls group together. Without "by" there is always one
// row. Nulls sort first, with "-" last. Every result has a total order: sorting is stable, unsorted
// rows come in the table's order and unsorted groups by their keys, so that pages never overlap.
//
// Functions and aggregations that SQLite does not have are Go functions, registered with the driver
// under names that begin with "ppl_".
//
// Each literal travels as a bound parameter and no name from a query ever becomes part of the SQL.
// Reading rows from tables is all a query can do. How long it may run is up to the caller's
// context.
package ppl

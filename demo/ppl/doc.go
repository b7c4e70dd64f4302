// Package ppl is a useful subset of the Piped Processing Language: it parses queries and runs them on SQLite.
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
//	stats  AGG [as NAME], … [by FIELD | span(FIELD, 1h) [as NAME], …]
//	sort   [+|-] FIELD, …          also: sort FIELD desc
//	head   [N] [from M]            N is 10 where it is not given
//	fields [+|-] FIELD, …          "-" removes, else only these, in this order
//
// EXPR compares with = != < <= > >= (also == and <>), in (…), not in (…), like '…%', not like, between A and B, not between,
// isnull(F), isnotnull(F) (also F is null, F is not null), combined with and, or, xor, not and parentheses. not binds tightest, then and,
// then xor, then or. AGG is count(), count(F), distinct_count(F) (also dc), sum(F), avg(F), min(F) or max(F). Strings stand in '…' or "…", a quote inside is
// doubled and a backslash is an ordinary character; names that are not plain words stand in `…`.
// Times are strings in UTC, '2015-05-17 10:00:00' or ISO 8601, or timestamp('…'). Units of span are ms, s, m, h, d and w (weeks start on Monday).
//
// # Semantics
//
// Logic has three values as in SQL: a comparison with null is unknown, not unknown is unknown, and where keeps only what is true.
// Strings compare by bytes; like ignores the case of ASCII letters, % is any text, _ one character, and \ takes the meaning from the next one.
// Numbers are 64-bit integers or floats; sum of integers is an integer, avg always a float. Aggregates skip nulls; sum, avg,
// min and max of nothing are null. Nulls group together. Without "by" there is always one row. Nulls sort first, with "-" last.
// Every result has a total order: sorting is stable, unsorted rows come in the table's order and unsorted groups by their keys, so that pages never overlap.
//
// Each literal travels as a bound parameter and no name from a query ever becomes part of the SQL.
// Reading rows from tables is all a query can do. How long it may run is up to the caller's context.
package ppl

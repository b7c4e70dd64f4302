// Package ppl is a small subset of the Piped Processing Language: it parses queries and runs them
// on SQLite.
//
//	q, err := ppl.Parse("source=access_log | where status >= 500 | stats count() by path")
//	plan, err := ppl.Compile(q, schema)
//	statement, err := plan.Select(ppl.Page{Limit: 20})
//	result, err := ppl.Run(ctx, db, statement)
//
// docs/reference/ppl.md describes the language. Logic has three values as in SQL, and where keeps
// only what is true; aggregates skip nulls; nulls sort first, with "-" last. Every result has a
// total order: sorting is stable, unsorted rows come in the table's order and unsorted groups by
// their keys, so that pages never overlap.
//
// Each literal travels as a bound parameter and no name from a query ever becomes part of the SQL.
// Reading rows is all a query can do. How long it may run is up to the caller's context.
package ppl

// Package ppl is a small subset of the Piped Processing Language: it turns queries into SQL for
// SQLite.
//
//	q, err := ppl.Parse("source=access_log | where status >= 500 | stats count() by path")
//	plan, err := q.Compile(schema)
//	result, err := plan.Run(ctx, db, ppl.Page{Limit: 20})
//
// docs/reference/ppl.md describes the language. Logic has three values as in SQL, and where only
// keeps true rows; aggregates skip nulls; nulls sort first, or last with "-". Every result has a
// total order: sorting is stable, unsorted rows are in table order and unsorted groups in key
// order, so pages never overlap.
//
// Literals are bound parameters, and no name from a query becomes part of the SQL. A query can only
// read rows. The caller's context limits its time.
//
// A query is compiled while it is read: each command makes a SELECT from the one before
// (relation.go), each expression a piece of SQL with its type (expr.go).
package ppl

package ppl_test

import (
	"errors"
	"fmt"

	"github.com/pageside/pageside/demo/ppl"
)

func ExampleParse() {
	q, _ := ppl.Parse("SOURCE = access_log | where status<>200 and (path like '/blog/%') | stats count() as hits by path | sort -hits | head 5")
	fmt.Println(q)

	_, err := ppl.Parse("source=access_log | wher status = 404")
	if e, ok := errors.AsType[*ppl.Error](err); ok {
		fmt.Printf("%d:%d %s\n", e.Line, e.Column, e.Message)
	}
	// Output:
	// source=access_log | where status != 200 and path like '/blog/%' | stats count() as hits by path | sort - hits | head 5
	// 1:21 the command "wher" is not supported; supported are: where, stats, sort, head, fields, eval, dedup, rename, top, rare, parse, regex, fillnull, timechart, reverse; did you mean where?
}

func ExampleCompile() {
	schema := &ppl.Schema{Source: "access_log", ID: "_id", Fields: []ppl.Field{{Name: "status", Type: ppl.Int}, {Name: "path", Type: ppl.String}}}
	q, _ := ppl.Parse("source=access_log | where status = 404 | fields path")
	plan, _ := ppl.Compile(q, schema)
	statement, _ := plan.Select(ppl.Page{Limit: 20})
	fmt.Println(statement.SQL)
	fmt.Println(statement.Args)
	// Output:
	// SELECT "path" AS c2 FROM "access_log" WHERE ("status" = ?) ORDER BY "_id" LIMIT ? OFFSET ?
	// [404 20 0]
}

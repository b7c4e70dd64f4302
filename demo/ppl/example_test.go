package ppl_test

import (
	"errors"
	"fmt"

	"github.com/pageside/pageside/demo/ppl"
)

func ExampleQuery_Compile() {
	q, _ := ppl.Parse("source=access_log | wher status = 404")
	_, err := q.Compile(&ppl.Schema{Source: "access_log"})
	if e, ok := errors.AsType[*ppl.Error](err); ok {
		fmt.Printf("%d:%d %s\n", e.Line, e.Column, e.Message)
	}
	// Output:
	// 1:21 the command "wher" is not supported; supported are: where, eval, fields, stats, sort, head, top, timechart; did you mean where?
}

func ExamplePlan_Select() {
	schema := &ppl.Schema{Source: "access_log", ID: "_id", Fields: []ppl.Field{{Name: "status", Type: ppl.Int}, {Name: "path", Type: ppl.String}}}
	q, _ := ppl.Parse("source=access_log | where status = 404 | fields path")
	plan, _ := q.Compile(schema)
	statement, _ := plan.Select(ppl.Page{Limit: 20})
	fmt.Println(statement.SQL)
	fmt.Println(statement.Args)
	// Output:
	// SELECT c2 FROM (SELECT * FROM (SELECT "_id" AS c0, "status" AS c1, "path" AS c2 FROM "access_log") WHERE (c1 = ?)) ORDER BY c0 LIMIT ? OFFSET ?
	// [404 20 0]
}

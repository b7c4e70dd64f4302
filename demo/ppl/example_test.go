package ppl_test

import (
	"fmt"

	"github.com/pageside/pageside/demo/ppl"
)

func ExampleQuery_Compile() {
	q, _ := ppl.Parse("source=access_log | wher status = 404")
	_, err := q.Compile(&ppl.Schema{Source: "access_log"})
	fmt.Println(err)
	// Output:
	// query: line 1, column 21: the command "wher" is not supported; supported are: where, eval, fields, stats, sort, head, top, timechart; did you mean where?
}

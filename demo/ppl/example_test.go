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

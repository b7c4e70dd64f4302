package sse_test

import (
	"fmt"
	"strings"

	"github.com/pageside/pageside/internal/sse"
)

func ExampleReader() {
	frames := sse.NewReader(strings.NewReader("data: one\n\n: a comment\n\ndata: two\n\n"), sse.MaxFrame)
	for {
		frame, err := frames.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s, more in memory: %v\n", frame.Data, frames.Ready())
	}
	// Output:
	// one, more in memory: true
	// two, more in memory: false
	// EOF
}

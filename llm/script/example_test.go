package script_test

import (
	"context"
	"fmt"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
)

func Example() {
	model, err := script.Parse("hello.yaml", []byte(`
rules:
  - match: 'add (?P<a>\d+) and (?P<b>\d+)'
    steps:
      - text: "{{ .Match.a }} and {{ .Match.b }} make {{ add .Match.a .Match.b }}."
  - fallback: true
    steps: [{text: I can only add.}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	question := llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "Please add 2 and 40."}}}
	for part, err := range model.Stream(context.Background(), &llm.Request{Messages: []llm.Message{question}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(part.Delta)
	}
	// Output: 2 and 40 make 42.
}

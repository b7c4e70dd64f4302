package llm_test

import (
	"fmt"

	"github.com/pageside/pageside/llm"
)

func ExampleBalance() {
	err := llm.Balance([]llm.Message{
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "Add 1 and 2."}}},
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "call_1", Name: "add", Args: `{"a":1,"b":2}`}}},
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "Never mind."}}},
	})
	fmt.Println(err)
	// Output: llm: messages[2] (user): tool call "call_1" has no result
}

package openai_test

import (
	"fmt"

	"github.com/pageside/pageside/llm/openai"
)

func ExampleResolve() {
	env := map[string]string{"OLLAMA_HOST": "0.0.0.0:11500"}
	model, err := openai.Resolve("ollama/llama3.2", func(name string) string { return env[name] })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Info().Name())

	_, err = openai.Resolve("openai/gpt-5-mini", func(string) string { return "" })
	fmt.Println(err)
	// Output:
	// ollama/llama3.2
	// model "openai/gpt-5-mini": OPENAI_API_KEY is not set
}

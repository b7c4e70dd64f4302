// Package openai speaks OpenAI's two APIs: Chat Completions, which Ollama, vLLM, llama.cpp,
// OpenRouter and many others speak too, and Responses, by which reasoning models keep what they
// thought from step to step (Config.Responses).
//
//	model := openai.New(openai.Config{APIKey: key, Model: "gpt-5-mini"})
//	local := openai.New(openai.Config{Provider: "ollama", BaseURL: ollamaURL, Model: "llama3.2"})
//
// or, from a name as configuration writes it, with keys and addresses from the environment:
//
//	model, err := openai.Resolve("openrouter/qwen/qwen3-coder", os.Getenv)
//
// An answer is read by chat.go or responses.go; requests are written by request.go and
// responses_request.go.
//
// Responses stores nothing at the provider. The encrypted items that hold a model's thoughts are
// kept as opaque values and sent back byte for byte before what they led to, but only to the host
// they came from. A provider may refuse some optional features: summaries of thoughts if the
// organisation is not verified, or thoughts encrypted for another account. The request is then
// repeated without them.
//
// It reads all known dialects of Chat Completions: several tool calls interleaved by index, or all
// with index 0 or none; ids that change or are missing; reasoning under three names; usage in
// various places; errors inside a good stream; an answer in one piece from a server that cannot
// stream. A malformed answer is an *llm.Error, never a panic. No tool call is complete before the
// provider has said that the answer is.
//
// Package agent retries calls, runs tools and checks their arguments.
package openai

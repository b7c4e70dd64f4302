// Package anthropic speaks Anthropic's Messages API.
//
//	model := anthropic.New(anthropic.Config{APIKey: key, Model: "claude-sonnet-4-6"})
//
// or, from a name as configuration writes it, with the key from the environment:
//
//	model, err := anthropic.Resolve("anthropic/claude-sonnet-4-6", os.Getenv)
//
// Thinking is streamed as reasoning. Its signature comes as one Opaque part at the end of its block
// and goes back with the text, byte for byte and in the same order, as the API requires when tools
// are used. The stable parts of a request carry cache breakpoints: the tools, the system blocks
// that ask for it, and the last two messages.
//
// A malformed answer is an *llm.Error, never a panic. No tool call is complete before the provider
// has said why the model stopped.
//
// Package agent retries calls, runs tools and checks their arguments.
package anthropic

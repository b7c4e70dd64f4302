// Package anthropic speaks Anthropic's Messages API.
//
//	model := anthropic.New(anthropic.Config{APIKey: key, Model: "claude-sonnet-4-6"})
//
// or, from a name as configuration writes it, with the key from the environment:
//
//	model, err := anthropic.Resolve("anthropic/claude-sonnet-4-6", os.Getenv)
//
// Thinking is streamed as reasoning. Its signature comes as one Opaque part at the end of its block
// and is sent back with the text, byte for byte and in the same order, as the API demands while
// tools are used. The parts of a request that stay the same from call to call carry cache
// breakpoints: the tools, the system blocks that ask for it, the last two messages.
//
// A malformed answer is an *llm.Error, never a panic. No tool call counts as complete before the
// provider has said why the model stopped.
//
// Retrying, executing tools and checking their arguments are package agent's business.
package anthropic

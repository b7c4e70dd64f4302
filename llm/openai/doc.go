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
// Responses is used without storing anything at the provider: the items in which a model's thoughts
// come, encrypted, are kept as opaque values and go back byte for byte before what they led to, to
// the host they came from alone. What a provider refuses and nobody needs (summaries of thoughts
// where the organisation is not verified, thoughts that another account has encrypted) is left out
// and the request made again.
//
// It takes the dialects of Chat Completions as they come: several tool calls interleaved by index,
// or all with index 0, or without any; ids that change or are missing; reasoning under three names;
// usage here or there; errors inside a stream that began well; an answer in one piece from a server
// that cannot stream. What it cannot make sense of is an *llm.Error, never a panic, and no tool
// call counts as complete before the provider said that the answer is.
//
// Retrying, executing tools and checking their arguments are package agent's business.
package openai

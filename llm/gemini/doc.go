// Package gemini speaks the Gemini API's generateContent, streaming.
//
//	model := gemini.New(gemini.Config{APIKey: key, Model: "gemini-2.5-flash"})
//
// or, from a name as configuration writes it, with the key from the environment:
//
//	model, err := gemini.Resolve("gemini/gemini-2.5-flash", os.Getenv)
//
// Thoughts are streamed as reasoning. The thought signatures that come with calls, texts and
// thoughts are emitted as Opaque parts and sent back with what they came with, byte for byte: the
// newer models refuse a step whose calls have lost theirs. Calls the API gives no id get one that
// is unique in the thread and is not sent back. Schemas are cut to the keywords the API knows.
//
// A malformed answer is an *llm.Error, never a panic. No tool call counts as complete before the
// provider has said why the model stopped.
//
// Retrying, executing tools and checking their arguments are package agent's business.
package gemini

package httpmodel

// TooLong reports whether a provider's words, in lower case, say that a request is longer than the
// model can take.
func TooLong(words string) bool { return ContainsAny(words, overflow) }

// overflow are the words of the providers, and of the servers and gateways that speak their
// formats. Few have a code of their own.
var overflow = []string{
	"available context size", "context length is only", "context window", "context_length_exceeded",
	"exceed context limit", "exceed_context_size",
	"exceeds the context", "exceeds the maximum number of tokens", "input is too long",
	"input length and `max_tokens` exceed", "input token count",
	"input tokens exceed", "max input tokens", "maximum context length", "maximum number of input tokens",
	"maximum prompt length",
	"number of input tokens exceeds", "prompt is too long", "prompt too long", "reduce the length of the",
	"request payload size exceeds", "request_too_large",
	"too many input tokens", "too many tokens", "too many total text bytes", "too_many_prompt_tokens",
	"total length of all messages",
}

// MayBeTooLong reports whether words speak of something that is too long. That may be the request,
// or anything in it: it is worth one try with a shorter one.
func MayBeTooLong(words string) bool {
	return ContainsAny(words, []string{"token", "length", "long"}) && ContainsAny(words, []string{
		"exceed", "too ", "too_", "maximum",
	})
}

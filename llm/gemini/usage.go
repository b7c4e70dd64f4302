package gemini

import (
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// readUsage returns the counts, nil where there are none: usage never fails an answer. The API
// counts cached tokens as part of the prompt, and thoughts and the results of its own tools beside
// what they belong to.
func readUsage(raw []byte) *llm.Usage {
	prompt := httpmodel.Count(jsonx.Find(raw, "promptTokenCount"))
	if prompt == nil {
		return nil
	}
	u := &llm.Usage{
		Input:     sum(prompt, httpmodel.Count(jsonx.Find(raw, "toolUsePromptTokenCount"))),
		Reasoning: httpmodel.Count(jsonx.Find(raw, "thoughtsTokenCount")),
		CacheRead: httpmodel.Count(jsonx.Find(raw, "cachedContentTokenCount")),
	}
	u.Output = sum(httpmodel.Count(jsonx.Find(raw, "candidatesTokenCount")), u.Reasoning)
	return u
}

// sum adds what is known.
func sum(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}

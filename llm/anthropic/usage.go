package anthropic

import (
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// usage counts tokens as the API does: the input counts only what neither came from the cache nor
// went into it.
type usage struct{ input, output, thinking, cached, written *int64 }

// read takes in what an event reports: each count is of the whole answer so far. Usage never fails
// an answer.
func (u *usage) read(raw []byte) {
	for _, c := range []struct {
		raw   []byte
		field string
		to    **int64
	}{
		{raw, "input_tokens", &u.input}, {raw, "output_tokens", &u.output},
		{raw, "cache_read_input_tokens", &u.cached}, {raw, "cache_creation_input_tokens", &u.written},
		{jsonx.Find(raw, "output_tokens_details"), "thinking_tokens", &u.thinking},
	} {
		if n := httpmodel.Count(jsonx.Find(c.raw, c.field)); n != nil {
			*c.to = n
		}
	}
}

// total returns the counts with the input as a total, nil where nothing was reported.
func (u *usage) total() *llm.Usage {
	if u.input == nil && u.output == nil {
		return nil
	}
	t := &llm.Usage{Input: u.input, Output: u.output, Reasoning: u.thinking, CacheRead: u.cached, CacheWrite: u.written}
	if u.input != nil {
		sum := *u.input
		for _, part := range []*int64{u.cached, u.written} {
			if part != nil {
				sum += *part
			}
		}
		t.Input = &sum
	}
	return t
}

package openai

import (
	"encoding/json"

	"github.com/pageside/pageside/llm"
)

// usageJSON counts tokens as the servers report them. A count that is not reported is nil.
type usageJSON struct {
	Prompt        *float64 `json:"prompt_tokens"`
	Completion    *float64 `json:"completion_tokens"`
	Total         *float64 `json:"total_tokens"`
	CacheHit      *float64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails struct {
		Cached     *float64 `json:"cached_tokens"`
		CacheWrite *float64 `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning *float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// readUsage returns the counts, nil where there are none or they make no sense: usage never fails
// an answer.
func readUsage(raw []byte) *llm.Usage {
	var in usageJSON
	if isNull(raw) || json.Unmarshal(raw, &in) != nil || (in.Prompt == nil && in.Completion == nil) {
		return nil
	}
	u := &llm.Usage{
		Input: count(in.Prompt), Output: count(in.Completion), Total: count(in.Total),
		Reasoning: count(in.CompletionDetails.Reasoning),
		CacheRead: count(in.PromptDetails.Cached), CacheWrite: count(in.PromptDetails.CacheWrite),
	}
	if u.CacheRead == nil {
		u.CacheRead = count(in.CacheHit)
	}
	addHiddenReasoning(u)
	addHiddenCache(u)
	return u
}

// addHiddenReasoning makes Output a total for servers, xAI's among them, that count reasoning
// beside the completion: their total tells.
func addHiddenReasoning(u *llm.Usage) {
	if u.Input == nil || u.Output == nil || u.Total == nil || u.Reasoning == nil || *u.Reasoning == 0 {
		return
	}
	if *u.Input+*u.Output+*u.Reasoning == *u.Total {
		*u.Output += *u.Reasoning
	}
}

// addHiddenCache makes Input a total for servers that count cached tokens beside the prompt: a part
// cannot exceed its whole.
func addHiddenCache(u *llm.Usage) {
	if u.Input != nil && u.CacheRead != nil && *u.CacheRead > *u.Input {
		*u.Input += *u.CacheRead
	}
}

func count(f *float64) *int64 {
	if f == nil || *f < 0 || *f > 1e15 {
		return nil
	}
	return new(int64(*f))
}

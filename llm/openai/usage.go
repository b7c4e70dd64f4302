package openai

import (
	"cmp"
	"encoding/json"

	"github.com/pageside/pageside/llm"
)

// usageJSON counts tokens as the servers report them: Chat Completions has a prompt and a
// completion, Responses an input and an output. A count that is not reported is nil.
type usageJSON struct {
	Prompt            *float64     `json:"prompt_tokens"`
	Completion        *float64     `json:"completion_tokens"`
	Input             *float64     `json:"input_tokens"`
	Output            *float64     `json:"output_tokens"`
	Total             *float64     `json:"total_tokens"`
	CacheHit          *float64     `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails     tokenDetails `json:"prompt_tokens_details"`
	CompletionDetails tokenDetails `json:"completion_tokens_details"`
	InputDetails      tokenDetails `json:"input_tokens_details"`
	OutputDetails     tokenDetails `json:"output_tokens_details"`
}

type tokenDetails struct {
	Cached     *float64 `json:"cached_tokens"`
	CacheWrite *float64 `json:"cache_write_tokens"` // OpenRouter
	Reasoning  *float64 `json:"reasoning_tokens"`
}

// readUsage returns the counts, nil where there are none or they make no sense: usage never fails
// an answer.
func readUsage(raw []byte) *llm.Usage {
	var in usageJSON
	if isNull(raw) || json.Unmarshal(raw, &in) != nil {
		return nil
	}
	input, output := cmp.Or(in.Prompt, in.Input), cmp.Or(in.Completion, in.Output)
	if input == nil && output == nil {
		return nil
	}
	u := &llm.Usage{
		Input: count(input), Output: count(output), Total: count(in.Total),
		Reasoning:  count(cmp.Or(in.CompletionDetails.Reasoning, in.OutputDetails.Reasoning)),
		CacheRead:  cmp.Or(count(cmp.Or(in.PromptDetails.Cached, in.InputDetails.Cached)), count(in.CacheHit)),
		CacheWrite: count(cmp.Or(in.PromptDetails.CacheWrite, in.InputDetails.CacheWrite)),
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

package gemini

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// chunk is one event of a stream, or a whole answer.
type chunk struct {
	Candidates httpmodel.List[httpmodel.Object[candidate]] `json:"candidates"`
	Usage      httpmodel.Object[usage]                     `json:"usageMetadata"`
	Feedback   httpmodel.Object[struct {
		Blocked httpmodel.Piece `json:"blockReason"`
	}] `json:"promptFeedback"`
	Error jsontext.Value `json:"error"`
}

type candidate struct {
	Content httpmodel.Object[struct {
		Parts httpmodel.List[httpmodel.Object[part]] `json:"parts"`
	}] `json:"content"`
	Finish httpmodel.Piece `json:"finishReason"`
}

// part is a piece of text or thought, or a call.
type part struct {
	Text      httpmodel.Piece        `json:"text"`
	Thought   httpmodel.Flag         `json:"thought"`
	Signature httpmodel.Piece        `json:"thoughtSignature"`
	Call      httpmodel.Object[call] `json:"functionCall"`
}

type call struct {
	ID   httpmodel.Piece `json:"id"`
	Name httpmodel.Piece `json:"name"`
	Args jsontext.Value  `json:"args"`
	// of calls whose arguments come in pieces, as a request can ask for: none of ours does
	Pieces    jsontext.Value `json:"partialArgs"`
	Continues httpmodel.Flag `json:"willContinue"`
}

// usage counts tokens as the API does: cached ones are part of the prompt, and thoughts and the
// results of its own tools stand beside what they belong to.
type usage struct {
	Prompt   httpmodel.Tokens `json:"promptTokenCount"`
	OfTools  httpmodel.Tokens `json:"toolUsePromptTokenCount"`
	Answer   httpmodel.Tokens `json:"candidatesTokenCount"`
	Thoughts httpmodel.Tokens `json:"thoughtsTokenCount"`
	Cached   httpmodel.Tokens `json:"cachedContentTokenCount"`
	Total    httpmodel.Tokens `json:"totalTokenCount"`
}

// counts returns the counts, nil where there are none.
func (u *usage) counts() *llm.Usage {
	c := llm.Usage{
		Input: httpmodel.Sum(u.Prompt.N, u.OfTools.N), Output: httpmodel.Sum(u.Answer.N, u.Thoughts.N),
		Total: u.Total.N, Reasoning: u.Thoughts.N, CacheRead: u.Cached.N,
	}
	if c == (llm.Usage{}) {
		return nil
	}
	return &c
}

// counted puts together the last counts that hold the prompt, and those since then.
func counted(all, more *llm.Usage) *llm.Usage {
	if all == nil || more == nil {
		return cmp.Or(all, more)
	}
	return &llm.Usage{
		Input: all.Input, Output: cmp.Or(more.Output, all.Output), Total: cmp.Or(more.Total, all.Total),
		Reasoning: cmp.Or(more.Reasoning, all.Reasoning), CacheRead: cmp.Or(more.CacheRead, all.CacheRead),
	}
}

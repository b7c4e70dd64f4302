package anthropic

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// event is one event of a stream. Events and fields that are not known are left alone, as the API
// asks of its clients.
type event struct {
	Type    httpmodel.Piece           `json:"type"`
	Index   httpmodel.Number          `json:"index"`
	Message httpmodel.Object[message] `json:"message"`
	Content httpmodel.Object[content] `json:"content_block"`
	Delta   httpmodel.Object[delta]   `json:"delta"`
	Usage   httpmodel.Object[usage]   `json:"usage"`
	Error   jsontext.Value            `json:"error"`
}

// message is an answer, or what is known of it when it begins.
type message struct {
	Type       httpmodel.Piece                           `json:"type"`
	Content    httpmodel.List[httpmodel.Object[content]] `json:"content"`
	StopReason httpmodel.Piece                           `json:"stop_reason"`
	Usage      httpmodel.Object[usage]                   `json:"usage"`
}

// content is a content block as it begins; which fields it has depends on its type.
type content struct {
	Type      httpmodel.Piece `json:"type"`
	Text      httpmodel.Piece `json:"text"`
	Thinking  httpmodel.Piece `json:"thinking"`
	Signature httpmodel.Piece `json:"signature"`
	Data      httpmodel.Piece `json:"data"`
	ID        httpmodel.Piece `json:"id"`
	Name      httpmodel.Piece `json:"name"`
	Input     jsontext.Value  `json:"input"`
}

// delta is what an event adds to a content block, or to the answer.
type delta struct {
	Type       httpmodel.Piece `json:"type"`
	Text       httpmodel.Piece `json:"text"`
	Thinking   httpmodel.Piece `json:"thinking"`
	Arguments  httpmodel.Piece `json:"partial_json"`
	Signature  httpmodel.Piece `json:"signature"`
	StopReason httpmodel.Piece `json:"stop_reason"`
}

// usage counts tokens as the API does: the input counts only what neither came from the cache nor
// went into it.
type usage struct {
	Input   httpmodel.Tokens `json:"input_tokens"`
	Output  httpmodel.Tokens `json:"output_tokens"`
	Cached  httpmodel.Tokens `json:"cache_read_input_tokens"`
	Written httpmodel.Tokens `json:"cache_creation_input_tokens"`
	Details httpmodel.Object[struct {
		Thinking httpmodel.Tokens `json:"thinking_tokens"`
	}] `json:"output_tokens_details"`
}

// add takes in what an event reports: each count is of the whole answer so far.
func (u *usage) add(reported *usage) {
	u.Input.Take(reported.Input)
	u.Output.Take(reported.Output)
	u.Cached.Take(reported.Cached)
	u.Written.Take(reported.Written)
	if reported.Details.Or().Thinking.N != nil {
		u.Details = reported.Details
	}
}

// total returns the counts with the input as a total, nil where nothing was reported.
func (u *usage) total() *llm.Usage {
	if u.Input.N == nil && u.Output.N == nil {
		return nil
	}
	t := &llm.Usage{
		Input: u.Input.N, Output: u.Output.N, Reasoning: u.Details.Or().Thinking.N,
		CacheRead: u.Cached.N, CacheWrite: u.Written.N,
	}
	if t.Input != nil {
		t.Input = httpmodel.Sum(t.Input, t.CacheRead, t.CacheWrite)
	}
	return t
}

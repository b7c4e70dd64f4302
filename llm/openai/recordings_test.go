package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

// recordings returns Chat Completions streams: our own, and those of many servers where they were
// recorded.
func recordings(t *testing.T) []llmtest.Recording {
	t.Helper()
	return llmtest.Recordings(t, "chat", func(root string) (all []llmtest.Recording) {
		for _, pattern := range []string{"TestOpenAICommon", "TestOpenAICompatibleCommon"} {
			all = append(all, llmtest.Cassettes(t, root, "cassettes", pattern, "*", "*.yaml")...)
		}
		for _, lines := range llmtest.Chunks(t, root, "chunks", "openai", "azure-model-router.1.chunks.txt") {
			all = append(all, llmtest.Recording{Name: "azure", Body: llmtest.SSE(append(lines, "[DONE]")...)})
		}
		return all
	})
}

type plainChunk struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Delta        struct {
			Content   string
			Reasoning string
			Thought   string `json:"reasoning_content"`
			ToolCalls []struct {
				Index    int
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	Error json.RawMessage
	Usage *struct {
		In      int64 `json:"prompt_tokens"`
		Out     int64 `json:"completion_tokens"`
		Total   int64 `json:"total_tokens"`
		Details struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
}

func readPlain(t *testing.T, body string) llmtest.Plain {
	t.Helper()
	p := llmtest.Unread()
	if p.Finished = strings.Index(body, `"finish_reason":"`); p.Finished < 0 {
		p.Finished = strings.Index(body, `"finish_reason": "`)
	}
	finish := ""
	byIndex := map[int]int{}
	for c := range llmtest.Documents[plainChunk](t, body) {
		p.Failed = p.Failed || c.Error != nil
		for _, ch := range c.Choices {
			p.Text += ch.Delta.Content
			p.Reasoning += ch.Delta.Reasoning + ch.Delta.Thought
			if ch.FinishReason != "" {
				finish = ch.FinishReason
			}
			for _, tc := range ch.Delta.ToolCalls {
				if _, ok := byIndex[tc.Index]; !ok {
					byIndex[tc.Index] = len(p.Calls)
					p.Calls = append(p.Calls, llmtest.Call{ID: tc.ID, Name: tc.Function.Name, Ended: true})
				}
				p.Calls[byIndex[tc.Index]].Args += tc.Function.Arguments
			}
		}
		if u := c.Usage; u != nil {
			p.Input, p.Output = u.In, u.Total-u.In // the total is what every server agrees on
			if u.Details.Cached != nil {
				p.CacheRead = *u.Details.Cached
			}
		}
	}
	p.Finish = map[string]llm.Finish{"stop": llm.FinishStop, "tool_calls": llm.FinishTools, "length": llm.FinishLength, "content_filter": llm.FinishFilter}[finish]
	return p
}

func TestRecordings(t *testing.T) { vendor.Recordings(t, 0, 5) }

func TestRecordingsCutAnywhere(t *testing.T) { vendor.CutAnywhere(t) }

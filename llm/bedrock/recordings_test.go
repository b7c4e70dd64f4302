package bedrock_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// recorded returns streams: our own, and recorded ones where there are some. They are kept as the
// documents in their frames.
func recorded(t *testing.T) []llmtest.Recording {
	t.Helper()
	all := llmtest.Recordings(t, "streams", func(root string) (all []llmtest.Recording) {
		for name, events := range llmtest.Chunks(t, root, "chunks", "amazon-bedrock", "*.txt") {
			all = append(all, llmtest.Recording{Name: name, Body: strings.Join(events, "\n")})
		}
		return all
	})
	for i, rec := range all {
		all[i].Body = frames(strings.Split(strings.TrimSpace(rec.Body), "\n")...)
	}
	return all
}

func readPlain(t *testing.T, body string) llmtest.Plain {
	t.Helper()
	p, signature, stop := llmtest.Unread(), "", ""
	p.Finished = strings.Index(body, "messageStop")
	at := map[int]int{}
	for _, line := range events(t, body) {
		e := must.JSON[struct {
			Start *struct {
				Index int `json:"contentBlockIndex"`
				Start struct {
					ToolUse *struct{ ToolUseID, Name string }
				}
			} `json:"contentBlockStart"`
			Delta *struct {
				Index int `json:"contentBlockIndex"`
				Delta struct {
					Text    string
					ToolUse struct{ Input string }
					R       struct{ Text, Signature string } `json:"reasoningContent"`
				}
			} `json:"contentBlockDelta"`
			Stop *struct{ StopReason string } `json:"messageStop"`
			Meta *struct {
				Usage struct {
					InputTokens, OutputTokens int64
					CacheReadInputTokens      *int64
				}
			} `json:"metadata"`
			Exception json.RawMessage `json:"modelStreamErrorException"`
		}](t, line)
		switch {
		case e.Start != nil && e.Start.Start.ToolUse != nil:
			at[e.Start.Index] = len(p.Calls)
			p.Calls = append(p.Calls, llmtest.Call{ID: e.Start.Start.ToolUse.ToolUseID, Name: e.Start.Start.ToolUse.Name, Ended: true})
		case e.Delta != nil:
			d := e.Delta.Delta
			p.Text, p.Reasoning, signature = p.Text+d.Text, p.Reasoning+d.R.Text, signature+d.R.Signature
			if d.ToolUse.Input != "" {
				p.Calls[at[e.Delta.Index]].Args += d.ToolUse.Input
			}
		case e.Stop != nil:
			stop = e.Stop.StopReason
		case e.Meta != nil:
			p.Input, p.Output = e.Meta.Usage.InputTokens, e.Meta.Usage.OutputTokens
			if cached := e.Meta.Usage.CacheReadInputTokens; cached != nil {
				p.Input, p.CacheRead = p.Input+*cached, *cached
			}
		case e.Exception != nil:
			p.Failed = true
		}
	}
	if signature != "" {
		p.Opaques = []string{"bedrock:anthropic:signature:" + signature}
	}
	p.Finish = map[string]llm.Finish{"end_turn": llm.FinishStop, "tool_use": llm.FinishTools, "max_tokens": llm.FinishLength, "content_filtered": llm.FinishFilter}[stop]
	return p
}

func TestRecordings(t *testing.T) { vendor.Recordings(t, 1, 5) }

func TestRecordingsCutAnywhere(t *testing.T) { vendor.CutAnywhere(t) }

// TestLeaveAnywhere: a reader that leaves a stream leaves nothing behind, wherever that is.
func TestLeaveAnywhere(t *testing.T) {
	for _, rec := range recorded(t) {
		t.Run(rec.Name, func(t *testing.T) {
			if len(events(t, rec.Body)) < 50 {
				llmtest.LeaveAnywhere(t, rec.Body, func(all llmtest.Transport) llm.Model { return model(all) })
			}
		})
	}
}

package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

// recordings returns Messages streams: our own, and recorded ones where there are some.
func recordings(t *testing.T) []llmtest.Recording {
	t.Helper()
	return llmtest.Recordings(t, "streams", func(root string) (all []llmtest.Recording) {
		for _, pattern := range []string{"TestAnthropicCommon/*", "TestGoogleCommon/*claude*"} {
			all = append(all, llmtest.Cassettes(t, root, "cassettes", pattern, "*.yaml")...)
		}
		for name, lines := range llmtest.Chunks(t, root, "chunks", "anthropic", "*.txt") {
			for i, answer := range answers(lines) {
				all = append(all, llmtest.Recording{Name: fmt.Sprintf("%s/%d", name, i), Body: llmtest.SSE(answer...)})
			}
		}
		return all
	})
}

// answers splits the chunks of a file, some of which hold the answers of several steps. The
// recorder left out some ends.
func answers(lines []string) (all [][]string) {
	over := true
	for _, line := range lines {
		if over && strings.Contains(line, `"type":"message_start"`) {
			all = append(all, nil)
			over = false
		}
		if strings.Contains(line, `"type":"message_delta"`) || line == stopped {
			over = true
		}
		all[len(all)-1] = append(all[len(all)-1], line)
	}
	for i, a := range all {
		if a[len(a)-1] != stopped {
			all[i] = append(a, stopped)
		}
	}
	return all
}

type plainBlock struct {
	Type, Text, Thinking, Signature, Data, ID, Name string
	Input                                           json.RawMessage
}

type plainEvent struct {
	Type    string
	Index   int
	Message struct {
		Content []plainBlock
		Stop    string `json:"stop_reason"`
		Usage   map[string]any
	}
	Block plainBlock `json:"content_block"`
	Delta struct {
		Type, Text, Thinking, Signature string
		Partial                         string `json:"partial_json"`
		Stop                            string `json:"stop_reason"`
	}
	Usage map[string]any
}

func readPlain(t *testing.T, body string) llmtest.Plain {
	t.Helper()
	p := llmtest.Unread()
	p.Opaques = []string{}
	p.Finished = max(strings.LastIndex(body, `"message_delta"`), strings.LastIndex(body, `"stop_reason":"tool_use"`))
	finish, counts := "", map[string]int64{}
	kinds, calls, signatures := map[int]string{}, map[int]int{}, map[int]string{}
	for e := range llmtest.Documents[plainEvent](t, body) {
		for _, usage := range []map[string]any{e.Message.Usage, e.Usage} {
			for name, n := range usage {
				if n, ok := n.(float64); ok {
					counts[name] = int64(n)
				}
			}
		}
		switch e.Type {
		case "message_start":
			clear(kinds)
			finish = e.Message.Stop
			for _, b := range e.Message.Content {
				p.Calls = append(p.Calls, llmtest.Call{ID: b.ID, Name: b.Name, Args: string(b.Input), Ended: true})
			}
		case "content_block_start":
			kinds[e.Index] = e.Block.Type
			signatures[e.Index] = e.Block.Signature
			switch e.Block.Type {
			case "text":
				p.Text += e.Block.Text
			case "tool_use":
				calls[e.Index] = len(p.Calls)
				p.Calls = append(p.Calls, llmtest.Call{ID: e.Block.ID, Name: e.Block.Name})
				if len(e.Block.Input) > len("{}") {
					p.Calls[calls[e.Index]].Args = string(e.Block.Input)
				}
			case "redacted_thinking":
				p.Opaques = append(p.Opaques, "anthropic:redacted:"+e.Block.Data)
			}
		case "content_block_delta":
			p.Reasoning += e.Delta.Thinking
			signatures[e.Index] += e.Delta.Signature
			if kinds[e.Index] == "text" {
				p.Text += e.Delta.Text
			}
			if kinds[e.Index] == "tool_use" {
				p.Calls[calls[e.Index]].Args += e.Delta.Partial
			}
		case "content_block_stop":
			if kinds[e.Index] == "thinking" && signatures[e.Index] != "" {
				p.Opaques = append(p.Opaques, "anthropic:thinking:"+signatures[e.Index])
			}
			if kinds[e.Index] == "tool_use" {
				c := &p.Calls[calls[e.Index]]
				c.Ended = true
				if c.Args == "" {
					c.Args = "{}"
				}
			}
		case "message_delta":
			finish = e.Delta.Stop
		case "error":
			p.Failed = true
		}
	}
	p.Mute = finish == "refusal" || strings.Contains(body, "server_tool_use")
	p.Finish = map[string]llm.Finish{"end_turn": llm.FinishStop, "tool_use": llm.FinishTools, "max_tokens": llm.FinishLength, "refusal": llm.FinishFilter}[finish]
	number := func(name string) int64 {
		if n, ok := counts[name]; ok {
			return n
		}
		return -1
	}
	p.Output, p.CacheRead, p.CacheWrite = number("output_tokens"), number("cache_read_input_tokens"), number("cache_creation_input_tokens")
	p.Input = number("input_tokens") + max(0, p.CacheRead) + max(0, p.CacheWrite)
	return p
}

func TestRecordings(t *testing.T) { vendor.Recordings(t, 4, 5) }

func TestRecordingsCutAnywhere(t *testing.T) { vendor.CutAnywhere(t) }

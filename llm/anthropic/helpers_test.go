package anthropic_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
)

var vendor = llmtest.Vendor{
	New: func(s llmtest.Setup) llm.Model {
		return anthropic.New(anthropic.Config{
			Model: cmp.Or(s.With["model"], "claude-sonnet-4-6"), APIKey: key, BaseURL: s.URL, HTTPClient: s.Client, Limits: s.Limits,
		})
	},
	Key:      key,
	Said:     llmtest.SSE(started, start(0, textStart), delta(0, textDelta("a"))),
	More:     llmtest.SSE(delta(0, textDelta("a"))),
	Finished: llmtest.SSE(finish("end_turn")),
	Called:   llmtest.SSE(started, start(0, toolStart("call_1", "f")), stop(0), finish("tool_use"), stopped),
	Over:     llmtest.SSE(stop(0), finish("end_turn"), stopped),
	Recorded: recordings,
	Read:     readPlain,
	Waits:    llmtest.Waits{Headers: httpmodel.Patience, First: httpmodel.Patience, Silence: httpmodel.MaxSilence, Idle: time.Minute},
}

const key = "sk-ant-secret-0123456789"

// Events as the API writes them.
const (
	started = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}`
	stopped = `{"type":"message_stop"}`
	ping    = `{"type":"ping"}`
)

func start(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{%s}}`, index, block)
}

func delta(index int, fields string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{%s}}`, index, fields)
}

func stop(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func finish(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":9}}`
}

const textStart = `"type":"text","text":""`

func textDelta(text string) string {
	return `"type":"text_delta","text":` + string(jsonx.AppendString(nil, text))
}

func toolStart(id, name string) string {
	return `"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}`
}

func argsDelta(json string) string {
	return `"type":"input_json_delta","partial_json":` + string(jsonx.AppendString(nil, json))
}

// play feeds a body to the adapter in one piece.
func play(t testing.TB, body string) llmtest.Answer {
	t.Helper()
	return vendor.Play(t, strings.NewReader(body))
}

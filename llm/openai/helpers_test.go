package openai_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
)

var vendor = llmtest.Vendor{
	New: func(s llmtest.Setup) llm.Model {
		cfg := configOf(s)
		if s.URL != "" {
			cfg.BaseURL = s.URL + "/v1"
		}
		return openai.New(cfg)
	},
	Key:      key,
	Said:     llmtest.SSE(delta(`"content":"a"`)),
	More:     llmtest.SSE(delta(`"content":"a"`)),
	Finished: llmtest.SSE(finish("stop")),
	Called:   llmtest.SSE(piece(`{"index":0,"id":"call_1","function":{"name":"f"}}`), finish("tool_calls")),
	Over:     llmtest.SSE(finish("stop"), "[DONE]"),
	Recorded: recordings,
	Read:     readPlain,
	Waits:    llmtest.Waits{Headers: httpmodel.Patience, First: httpmodel.Patience, Silence: httpmodel.MaxSilence, Idle: 30 * time.Second},
}

// configOf reads what a request says of its model: its name, provider and address, and what it can.
func configOf(s llmtest.Setup) openai.Config {
	can := llm.Profile{}
	for ability, into := range map[string]**bool{"reasons": &can.Reasoning, "images": &can.Images, "stricttools": &can.StrictTools} {
		if _, ok := s.With[ability]; ok {
			*into = new(true)
		}
	}
	return openai.Config{
		Model: cmp.Or(s.With["model"], "test"), Provider: s.With["provider"], BaseURL: s.With["address"], Abilities: can,
		APIKey: key, HTTPClient: s.Client, Limits: s.Limits,
	}
}

const key = "sk-secret-0123456789"

// delta is a chunk with this delta.
func delta(fields string) string {
	return `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

// piece is a chunk with pieces of tool calls.
func piece(calls string) string { return delta(`"tool_calls":[` + calls + `]`) }

func finish(reason string) string {
	return `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// play feeds a body to the adapter in one piece.
func play(t testing.TB, body string) llmtest.Answer {
	t.Helper()
	return vendor.Play(t, strings.NewReader(body))
}

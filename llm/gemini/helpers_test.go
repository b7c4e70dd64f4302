package gemini_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
)

var vendor = llmtest.Vendor{
	New: func(s llmtest.Setup) llm.Model {
		return gemini.New(gemini.Config{
			Model: cmp.Or(s.With["model"], "gemini-2.5-pro"), APIKey: key, BaseURL: s.URL, HTTPClient: s.Client, Limits: s.Limits,
		})
	},
	Key:      key,
	Said:     llmtest.SSE(chunk(text("a"))),
	More:     llmtest.SSE(chunk(text("a"))),
	Finished: llmtest.SSE(finish("STOP")),
	Called:   llmtest.SSE(chunk(`{"functionCall":{"name":"f","args":{},"id":"call_1"}}`), finish("STOP")),
	Over:     llmtest.SSE(finish("STOP")),
	Recorded: wholeCalls,
	Read:     readPlain,
	Waits:    llmtest.Waits{Headers: httpmodel.Patience, First: httpmodel.Patience, Silence: httpmodel.MaxSilence, Idle: time.Minute},
}

const key = "AIzaSySecret0123456789"

// chunk is a chunk with these parts.
func chunk(parts string) string {
	return `{"candidates": [{"content": {"parts": [` + parts + `],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 11,"candidatesTokenCount": 12,"totalTokenCount": 23},"modelVersion": "gemini-2.5-pro"}`
}

func finish(reason string) string {
	return `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"` + reason + `","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":12,"thoughtsTokenCount":3,"cachedContentTokenCount":4}}`
}

func text(s string) string { return `{"text": ` + string(jsonx.AppendString(nil, s)) + `}` }

func called(name, args string) string {
	return `{"functionCall": {"name": "` + name + `","args": ` + args + `}}`
}

// play feeds a body to the adapter in one piece.
func play(t testing.TB, body string) llmtest.Answer {
	t.Helper()
	return vendor.Play(t, strings.NewReader(body))
}

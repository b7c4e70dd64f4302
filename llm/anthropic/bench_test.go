package anthropic_test

import (
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

func BenchmarkToken(b *testing.B) {
	vendor.BenchToken(b, llmtest.SSE(started, start(0, textStart)), llmtest.SSE(delta(0, textDelta("~some token text here"))))
}

func BenchmarkRequest(b *testing.B) { vendor.BenchRequest(b) }

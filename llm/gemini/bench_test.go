package gemini_test

import (
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

func BenchmarkToken(b *testing.B) {
	vendor.BenchToken(b, "", llmtest.SSE(chunk(text("~some token text here"))))
}

func BenchmarkRequest(b *testing.B) { vendor.BenchRequest(b) }

package gemini_test

import (
	"net/http"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

func TestStreamFaults(t *testing.T) { vendor.Faults(t, nil) }

// A reader that has left is not told of what is wrong with the rest of the chunk.
func TestLeaveABrokenChunk(t *testing.T) {
	for _, wrong := range []string{`{"text":{"a":1}}`, `{"thoughtSignature":7}`, `{"functionCall":{"name":7}}`} {
		llmtest.LeaveAnywhere(t, llmtest.SSE(chunk(text("a")+","+wrong)), func(all llmtest.Transport) llm.Model {
			return vendor.Model(&http.Client{Transport: all})
		})
	}
}

func TestPauseFollowsEveryRead(t *testing.T) {
	vendor.Pauses(t, "a b | c | usage .", llmtest.SSE(chunk(text("a")), chunk(text("b"))), llmtest.SSE(chunk(text("c"))), llmtest.SSE(`{}`), llmtest.SSE(finish("STOP")))
}

package anthropic_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

func TestStreamFaults(t *testing.T) {
	vendor.Faults(t, map[string]llmtest.Fault{
		"deep inside": {llmtest.SSE(`{"type":"content_block_delta","x":` + strings.Repeat(`{"a":`, 20000) + `1`), llm.KindProtocol, ""},
	})
}

func TestPauseFollowsEveryRead(t *testing.T) {
	vendor.Pauses(t, "a b | c | usage .", llmtest.SSE(started), llmtest.SSE(start(0, textStart), delta(0, textDelta("a")), delta(0, textDelta("b"))), llmtest.SSE(delta(0, textDelta("c"))), llmtest.SSE(ping), llmtest.SSE(stop(0), finish("end_turn"), stopped))
}

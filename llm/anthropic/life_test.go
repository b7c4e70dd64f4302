package anthropic_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm/llmtest"
)

func TestLife(t *testing.T) { vendor.Life(t) }

func TestTimeouts(t *testing.T) {
	pings := func(n int) []string { return slices.Repeat([]string{llmtest.SSE(ping)}, n) }
	vendor.Timeouts(t, map[string]llmtest.Timeout{
		"pings before content": {llmtest.Stall(true, time.Second, append([]string{llmtest.SSE(started)}, pings(500)...)...), "nothing said by the provider within 10m0s", 10 * time.Minute, ""},
		"pings for ever":       {llmtest.Stall(true, 10*time.Second, append([]string{vendor.Said}, pings(99)...)...), "no further word from the provider within 10m0s", 620 * time.Second, "a"},
	})
}

// While a model thinks, or writes a long argument, nothing may come but pings.
func TestPingsKeepALongWaitAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		steps := append([]string{llmtest.SSE(started, start(0, toolStart("a", "f")))}, slices.Repeat([]string{llmtest.SSE(ping)}, 14)...)
		steps = append(steps, llmtest.SSE(delta(0, argsDelta("{}")), stop(0), finish("tool_use"), stopped))
		_, client := llmtest.Serve(t, llmtest.Stall(true, 20*time.Second, steps...))
		a := llmtest.Ask(t, t.Context(), vendor.New(llmtest.Setup{URL: "http://model", Client: client}), llmtest.Hello)
		if a.Err != nil || len(a.Calls) != 1 || !a.Calls[0].Ended {
			t.Errorf("%+v", a)
		}
	})
}

func TestFloods(t *testing.T) {
	thousand := strings.Repeat("a", 1000)
	thinking := llmtest.SSE(started, start(0, `"type":"thinking","thinking":""`))
	vendor.Floods(t, map[string]llmtest.Flood{
		"much text":        {nil, vendor.Said, llmtest.Endless(llmtest.SSE(delta(0, textDelta(thousand)))), llmtest.TooLong},
		"much thought":     {nil, thinking, llmtest.Endless(llmtest.SSE(delta(0, `"type":"thinking_delta","thinking":"`+thousand+`"`))), llmtest.TooLong},
		"much signature":   {nil, thinking, llmtest.Endless(llmtest.SSE(delta(0, `"type":"signature_delta","signature":"`+thousand+`"`))), llmtest.TooLong},
		"long argument":    {nil, llmtest.SSE(started, start(0, toolStart("a", "f"))), llmtest.Endless(llmtest.SSE(delta(0, argsDelta(thousand)))), llmtest.TooLong},
		"redacted":         {nil, "", llmtest.Endless(llmtest.SSE(start(0, `"type":"redacted_thinking","data":"`+thousand+`"`))), llmtest.TooLong},
		"blocks":           {nil, "", llmtest.Numbered(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`), llmtest.TooManyParts},
		"calls":            {nil, "", llmtest.Numbered(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","name":"f"}}`), llmtest.TooManyCalls},
		"calls, stopped":   {nil, "", llmtest.Endless(llmtest.SSE(start(0, toolStart("a", "f")), stop(0))), llmtest.TooManyCalls},
		"messages":         {nil, "", llmtest.Endless(llmtest.SSE(started)), llmtest.TooMuch},
		"calls, restarted": {nil, "", llmtest.Endless(llmtest.SSE(started, start(0, toolStart("a", "f")))), llmtest.TooManyCalls},
		"pings":            {nil, "", llmtest.Endless(llmtest.SSE(ping)), llmtest.TooMuch},
	})
}

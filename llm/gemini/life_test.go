package gemini_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/llm/llmtest"
)

func TestLife(t *testing.T) { vendor.Life(t) }

func TestTimeouts(t *testing.T) {
	vendor.Timeouts(t, map[string]llmtest.Timeout{
		"drips empty ones": {llmtest.Stall(true, time.Second, slices.Repeat([]string{llmtest.SSE(chunk(text("")))}, 500)...), "nothing said by the provider within 10m0s", 10 * time.Minute, ""},
	})
}

func TestFloods(t *testing.T) {
	thousand := strings.Repeat("a", 1000)
	vendor.Floods(t, map[string]llmtest.Flood{
		"much text":      {nil, "", llmtest.Endless(llmtest.SSE(chunk(text(thousand)))), llmtest.TooLong},
		"much thought":   {nil, "", llmtest.Endless(llmtest.SSE(chunk(`{"thought":true,"text":"` + thousand + `"}`))), llmtest.TooLong},
		"much signature": {nil, "", llmtest.Endless(llmtest.SSE(chunk(`{"text":"","thoughtSignature":"` + thousand + `"}`))), llmtest.TooLong},
		"long argument":  {nil, "", llmtest.Endless(llmtest.SSE(chunk(called("f", `{"a":"`+strings.Repeat(thousand, 100)+`"}`)))), llmtest.TooLong},
		"calls":          {nil, "", llmtest.Endless(llmtest.SSE(chunk(called("f", `{}`)))), llmtest.TooManyCalls},
		"calls of one":   {nil, "", strings.NewReader(llmtest.SSE(chunk(strings.Repeat(called("f", `{}`)+",", 9999) + called("f", `{}`)))), llmtest.TooManyCalls},
		"empty chunks":   {nil, "", llmtest.Endless(llmtest.SSE(`{"candidates":[]}`)), llmtest.TooMuch},
		"usage":          {nil, "", llmtest.Endless(llmtest.SSE(chunk(text("")))), llmtest.TooMuch},
	})
}

package gemini_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
)

func TestLife(t *testing.T) { vendor.Life(t) }

func TestTimeouts(t *testing.T) {
	vendor.Timeouts(t, llmtest.Waits{Headers: httpmodel.Patience, First: httpmodel.Patience, Silence: httpmodel.MaxSilence, Idle: time.Minute}, map[string]llmtest.Timeout{
		"drips empty ones": {llmtest.Stall(true, time.Second, slices.Repeat([]string{llmtest.SSE(chunk(text("")))}, 500)...), "nothing said by the provider within 10m0s", 10 * time.Minute, ""},
	})
}

func TestFloods(t *testing.T) {
	thousand := strings.Repeat("a", 1000)
	vendor.Floods(t, map[string]llmtest.Flood{
		"much text":      {nil, "", llmtest.Endless(llmtest.SSE(chunk(text(thousand)))), llm.KindOutputLimit},
		"much thought":   {nil, "", llmtest.Endless(llmtest.SSE(chunk(`{"thought":true,"text":"` + thousand + `"}`))), llm.KindOutputLimit},
		"much signature": {nil, "", llmtest.Endless(llmtest.SSE(chunk(`{"text":"","thoughtSignature":"` + thousand + `"}`))), llm.KindOutputLimit},
		"long argument":  {nil, "", llmtest.Endless(llmtest.SSE(chunk(called("f", `{"a":"`+thousand+`"}`)))), llm.KindOutputLimit},
		"calls":          {nil, "", llmtest.Endless(llmtest.SSE(chunk(called("f", `{}`)))), llm.KindOutputLimit},
		"calls of one":   {nil, "", strings.NewReader(llmtest.SSE(chunk(strings.Repeat(called("f", `{}`)+",", 9999) + called("f", `{}`)))), llm.KindOutputLimit},
		"empty chunks":   {nil, "", llmtest.Endless(llmtest.SSE(`{"candidates":[]}`)), llm.KindOutputLimit},
		"usage":          {nil, "", llmtest.Endless(llmtest.SSE(chunk(text("")))), llm.KindOutputLimit},
	})
}

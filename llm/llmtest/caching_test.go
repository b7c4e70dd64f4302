package llmtest_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

// TestStrictCachePoints: the mock refuses what Bedrock and Anthropic refuse of cache points.
func TestStrictCachePoints(t *testing.T) {
	const point, mark = `{"cachePoint":{"type":"default"}}`, `"cache_control":{"type":"ephemeral"}`
	converse := func(content string) string {
		return `{"messages":[{"role":"user","content":[` + content + `]}]}`
	}
	doc := func(format string) string {
		return `{"document":{"format":"` + format + `","name":"a","source":{"bytes":"JVBERi0xLjQK"}}}`
	}
	said := `{"text":"a"},`
	anthropic := func(blocks ...string) string {
		return `{"model":"m","stream":true,"max_tokens":1,"messages":[{"role":"user","content":[` + strings.Join(blocks, ",") + `]}]}`
	}
	marked := `{"type":"text","text":"a",` + mark + `}`
	for name, tc := range map[string]struct {
		dialect llmtest.Dialect
		body    string
		refused string
	}{
		"four":             {llmtest.Bedrock, converse(strings.TrimSuffix(strings.Repeat(said+point+",", 4), ",")), ""},
		"five":             {llmtest.Bedrock, converse(strings.TrimSuffix(strings.Repeat(said+point+",", 5), ",")), "exceeds the limit"},
		"first":            {llmtest.Bedrock, converse(point + "," + strings.TrimSuffix(said, ",")), "nothing available"},
		"twice":            {llmtest.Bedrock, converse(said + point + "," + point), "nothing available"},
		"behind a PDF":     {llmtest.Bedrock, converse(said + doc("pdf") + "," + point), ""},
		"behind a text":    {llmtest.Bedrock, converse(said + doc("docx") + "," + point), "Field required"},
		"behind a thought": {llmtest.Bedrock, converse(said + `{"reasoningContent":{}},` + point), "after reasoning"},
		"another kind":     {llmtest.Bedrock, converse(said + `{"cachePoint":{"type":"x"}}`), "none of"},
		"four breakpoints": {llmtest.Anthropic, anthropic(marked, marked, marked, marked), ""},
		"five breakpoints": {llmtest.Anthropic, anthropic(marked, marked, marked, marked, marked), "maximum of 4"},
		"in a thought":     {llmtest.Anthropic, anthropic(`{"type":"thinking","thinking":"a",` + mark + `}`), "not permitted"},
	} {
		err := llmtest.Check(tc.dialect, []byte(tc.body))
		if (err == nil) != (tc.refused == "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

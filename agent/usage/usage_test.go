package usage

import (
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// A total is the models' own word, for all calls or not at all.
func TestTotalsAreReported(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	silent, saying := usage{Input: n(10), Output: n(1)}, usage{Input: n(10), Output: n(1), Total: n(12)}
	for name, tc := range map[string]struct {
		calls []usage
		want  string
	}{
		"by all calls":     {[]usage{saying, saying}, `[{"inputTokens":20,"outputTokens":2,"totalTokens":24}]`},
		"by none":          {[]usage{silent, silent}, `[{"inputTokens":20,"outputTokens":2}]`},
		"by the first":     {[]usage{saying, silent}, `[{"inputTokens":20,"outputTokens":2}]`},
		"not by the first": {[]usage{silent, saying, saying}, `[{"inputTokens":30,"outputTokens":3}]`},
	} {
		var together usage
		var spent Spending
		for _, call := range tc.calls {
			together.add(call)
			total, _ := call.total(llm.Info{})
			spent.Add(Spending{Usage: []agui.TokenUsage{total}})
		}
		total, _ := together.total(llm.Info{})
		for _, got := range [][]agui.TokenUsage{{total}, spent.Usage} {
			if got, _ := agui.MarshalUsage(got); string(got) != tc.want {
				t.Errorf("%s: %s, want %s", name, got, tc.want)
			}
		}
	}
}

// Estimates follow what providers count, and are used before the first count of a run.
func TestEstimatesLearn(t *testing.T) {
	var e Estimates
	must.Be(t, e.Tokens(4000), 1000, "tokens before the first count")
	e.Learn(3000, 1000)
	must.Be(t, e.Tokens(3000), 1000, "tokens after it")
	e.Learn(10, 1_000_000)
	e.Learn(100, 25)
	if got := e.Tokens(3000); got != 1000 {
		t.Errorf("%d tokens: absurd and short prompts teach nothing", got)
	}
}

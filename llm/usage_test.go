package llm_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/llm"
	_ "github.com/pageside/pageside/test/chance"
)

// TestUsageAddsUpOrReplaces as each report declares, count by count.
func TestUsageAddsUpOrReplaces(t *testing.T) {
	part := func(how llm.Counting, input, output int64) *llm.Part {
		u := &llm.Usage{Input: &input}
		if output > 0 {
			u.Output = &output
		}
		return &llm.Part{Kind: llm.UsagePart, Usage: u, Counting: how}
	}
	var u llm.Usage
	for _, step := range []struct {
		part          *llm.Part
		input, output int64
	}{
		{part(llm.CountsTotal, 10, 1), 10, 1},
		{part(llm.CountsTotal, 10, 3), 10, 3},
		{part(llm.CountsDelta, 0, 4), 10, 7},
		{part(llm.CountsDelta, 5, 0), 15, 7},
		{&llm.Part{Kind: llm.UsagePart}, 15, 7},
		{part(llm.CountsTotal, 12, 0), 12, 7},
	} {
		if u.Take(step.part); *u.Input != step.input || *u.Output != step.output {
			t.Errorf("after %+v: %d and %d, want %d and %d", step.part, *u.Input, *u.Output, step.input, step.output)
		}
	}
	if u.Reasoning != nil || u.CacheRead != nil {
		t.Error("what nobody reported is known")
	}
}

// TestUsageIsNotTheReportersMemory: a model may use one Usage for all its reports.
func TestUsageIsNotTheReportersMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deltas := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 8).Draw(t, "deltas")
		var added, replaced llm.Usage
		var sum int64
		count := new(int64)
		for _, d := range deltas {
			sum += d
			*count = d
			added.Take(&llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Output: count}, Counting: llm.CountsDelta})
			*count = sum
			replaced.Take(&llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Output: count}})
		}
		*count = -1
		if *added.Output != sum || *replaced.Output != sum {
			t.Fatalf("%d added, %d replaced, want %d", *added.Output, *replaced.Output, sum)
		}
	})
}

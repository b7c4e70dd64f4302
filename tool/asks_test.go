package tool_test

import (
	"testing"

	"github.com/pageside/pageside/tool"
)

// TestAsks: the table, for each effect, approval and taint.
func TestAsks(t *testing.T) {
	asks := map[tool.Effect]struct{ clean, tainted bool }{
		tool.Read: {false, false}, tool.Page: {false, false},
		"": {false, true}, tool.Idempotent: {false, true}, tool.Write: {false, true},
		tool.Exfil: {true, true}, tool.Destructive: {true, true}, "unheard of": {true, true},
	}
	for effect, want := range asks {
		for approval, forced := range map[tool.Approval]*bool{tool.ApprovalPolicy: nil, tool.ApprovalAlways: new(true), tool.ApprovalNever: new(false)} {
			for tainted, want := range map[bool]bool{false: want.clean, true: want.tainted} {
				if forced != nil {
					want = *forced
				}
				made := &tool.Tool{Effect: effect, Policy: tool.Policy{Approval: approval}}
				if made.Asks(tainted) != want {
					t.Errorf("effect %q, approval %q, tainted %v: asks %v", effect, approval, tainted, !want)
				}
			}
		}
	}
}

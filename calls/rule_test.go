package calls_test

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// effects are all of them, whether they ask on a clean and on a tainted branch, and whether the
// user may allow such calls for good.
var effects = map[tool.Effect]struct{ clean, tainted, allowable bool }{
	tool.Read:        {false, false, true},
	tool.Page:        {false, false, true},
	"":               {false, true, false},
	tool.Idempotent:  {false, true, true},
	tool.Write:       {false, true, true},
	tool.Exfil:       {true, true, false},
	tool.Destructive: {true, true, false},
	"unheard of":     {true, true, false},
}

// rules are what a policy can answer.
var rules = []policy.Answer{{}, {Decision: policy.Allow}, {Decision: policy.Ask}, {Decision: policy.Ask, Allowances: true}, {Decision: policy.Deny}}

// TestVerdict: the whole table, each row worked out here in other words.
func TestVerdict(t *testing.T) {
	for _, c := range every() {
		want := effects[c.Effect].clean
		if c.Tainted && !c.IgnoreTaint {
			want = effects[c.Effect].tainted
		}
		allowable := effects[c.Effect].allowable && c.Approval == tool.ApprovalPolicy
		switch c.Approval {
		case tool.ApprovalAlways:
			want = true
		case tool.ApprovalNever:
			want = false
		}
		if c.Judged {
			want, allowable = false, true
		}
		if c.Permission.Decision == policy.Ask {
			want, allowable = true, allowable && c.Permission.Allowances
		}
		verdict := calls.Runs
		switch {
		case c.Permission.Decision == policy.Deny:
			verdict = calls.Refused
		case want && (c.Agreed == "" || c.Agreed == calls.ByAllowance && !allowable):
			verdict = calls.Asks
		}
		must.Be(t, c.Verdict(), verdict, "%s", told(c))
		if c.Allowable() != allowable {
			t.Errorf("%s: allowable is %v", told(c), c.Allowable())
		}
	}
}

// every returns all cases that there are.
func every() (all []calls.Case) {
	bits := []bool{false, true}
	for effect := range effects {
		for _, approval := range []tool.Approval{tool.ApprovalPolicy, tool.ApprovalNever, tool.ApprovalAlways} {
			for _, permission := range rules {
				for _, agreed := range []calls.Agreement{"", calls.ByAllowance, calls.ByPerson} {
					for i := range 8 {
						all = append(all, calls.Case{Effect: effect, Approval: approval, Permission: permission, Agreed: agreed,
							Tainted: bits[i&1], IgnoreTaint: bits[i>>1&1], Judged: bits[i>>2&1]})
					}
				}
			}
		}
	}
	return all
}

func told(c calls.Case) string { return fmt.Sprintf("%+v", c) }

package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// TestApprovalIsForADefinition: what the user approves is the tool that was shown. After a restart
// with another one of that name the user is asked about that, under another id, and it runs once
// that is approved.
func TestApprovalIsForADefinition(t *testing.T) {
	withStores(t, func(t *testing.T, st store.Store) {
		for i, payload := range []string{`{"approved":true}`, `{"approved":true,"args":{"n":2}}`, `{"approved":true,"always":true}`} {
			thread := fmt.Sprint("t", i)
			o := newOffice(t, st, nil)
			o.n = 1000 * i
			shown := o.wantAsked("at first", o.ask(thread, "create", `{}`))
			o = o.restarted(func(tools []*tool.Tool) []*tool.Tool {
				tools[0].Effect, tools[0].Target, tools[0].Policy.Approval = tool.Destructive, "elsewhere", tool.ApprovalAlways
				return tools
			})
			asked := o.wantAsked("the changed tool", o.resume(thread, "", answerTo(shown, payload)))
			o.wantRan("the changed tool, with " + payload)
			if got := string(asked.Metadata); asked.ID == shown.ID || !strings.Contains(got, `"effect":"destructive"`) || strings.Contains(got, "allowance") {
				t.Errorf("what is asked is %q (before: %q) with %s", asked.ID, shown.ID, got)
			}
			o.resume(thread, "", answerTo(asked, `{"approved":true}`))
			o.wantRan("approved as it is now", `create{}`)
		}
	})
}

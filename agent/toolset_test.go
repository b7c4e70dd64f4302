package agent

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// TestKnownOffers: what one run does with its offer does not reach the next run's, though the tool
// is read once; a tool that differs in anything is another.
func TestKnownOffers(t *testing.T) {
	declared := agui.Tool{Name: "set_filter", Description: "Sets the filter.", Parameters: json.RawMessage(`{"type":"object"}`)}
	first := offerOf(t, declared)
	first.withheld = true
	first.page.Effect, first.page.Policy.Approval = tool.Destructive, tool.ApprovalAlways
	if again := offerOf(t, declared); again.withheld || again.page.Effect != "" || again.page.Policy.Approval != "" {
		t.Errorf("the next run's offer is %+v, its tool %+v", again, again.page)
	}
	marked := declared
	marked.Metadata = json.RawMessage(`{"pageside":{"effect":"write"}}`)
	if o := offerOf(t, marked); o.page.Effect != tool.Write {
		t.Errorf("the effect of a tool that declares one is %q", o.page.Effect)
	}
	split := declared
	split.Name, split.Description = "set_filterSets", " the filter."
	if o := offerOf(t, split); o.decl.Name != split.Name {
		t.Errorf("the tool %q is offered as %q", split.Name, o.decl.Name)
	}
}

func offerOf(t *testing.T, declared agui.Tool) *offer {
	t.Helper()
	return must.Get(frontendOffer(0, &declared))(t)
}

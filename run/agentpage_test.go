package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// TestPageOfAnAgent: a client that names no page is at the agent's, with the tools there; one that
// names a page is at that.
func TestPageOfAnAgent(t *testing.T) {
	model := answers("one", "two", "three", "four")
	a := agentWith(t, model)
	nothing := func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{Text: "ok"}, nil }
	order, invoice := tool.New("order", "Orders.", nothing), tool.New("invoice", "Bills.", nothing)
	order.Effect, invoice.Effect = tool.Read, tool.Read
	tools, err := tool.NewRegistry(order, invoice)
	if err != nil {
		t.Fatal(err)
	}
	a.Pages, err = page.NewRegistry(tools, nil, page.Page{Name: "orders", Tabs: []page.Tab{{Name: "open", Tools: []string{"order"}}}}, page.Page{Name: "bills", Tools: []string{"invoice"}})
	if err != nil {
		t.Fatal(err)
	}
	a.Page = page.Place{Page: "orders", Tab: "open"}
	f := managerWith(t, temp.Store(t), a, nil)
	for _, c := range []struct {
		name, want string
		change     func(*agui.RunAgentInput)
	}{
		{"a stock client", "order", nil},
		{"the SDK, outside of any page", "order", forwarded(`{"scope":{"stream":"42"}}`)},
		{"the SDK at a page", "invoice", forwarded(`{"page":"bills"}`)},
		{"a page as a context item", "invoice", func(in *agui.RunAgentInput) {
			in.Context = []agui.ContextItem{{Description: "page", Value: `{"page":"bills"}`}}
		}},
	} {
		in := f.input("t-"+strings.ReplaceAll(c.name, " ", "-"), "hello")
		in.Tools = nil
		if c.change != nil {
			c.change(in)
		}
		events(t, f.start(in), false)
		asked := model.asked[len(model.asked)-1]
		offered := slices.Collect(func(yield func(string) bool) {
			for _, d := range asked.Tools {
				if d.Name == "order" || d.Name == "invoice" {
					yield(d.Name)
				}
			}
		})
		if got := strings.Join(offered, " "); got != c.want {
			t.Errorf("%s is offered %q, want %q", c.name, got, c.want)
		}
	}
}

package run

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/agui"
)

// TestWhereIs: a client that cannot send forwardedProps says where the user is with a context item.
func TestWhereIs(t *testing.T) {
	item := func(value string) []agui.ContextItem { return []agui.ContextItem{{Description: "page", Value: value}} }
	for _, tt := range []struct {
		name, props string
		context     []agui.ContextItem
		want        string
	}{
		{"nothing", "", nil, ""},
		{"forwardedProps", `{"pageside":{"page":"orders","tab":"open"}}`, nil, "orders/open"},
		{"a context item", "", item(`{"page":"orders","tab":"open"}`), "orders/open"},
		{"forwardedProps win", `{"pageside":{"page":"orders"}}`, item(`{"page":"reports"}`), "orders"},
		{"an item that is only called so", "", item("the third page"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := &agui.RunAgentInput{Context: tt.context}
			if tt.props != "" {
				in.ForwardedProps = json.RawMessage(tt.props)
			}
			at, err := whereIs(in)
			if err != nil || at.Place.String() != tt.want {
				t.Errorf("place is %q, %v, want %q", at.Place.String(), err, tt.want)
			}
		})
	}
	if _, err := whereIs(&agui.RunAgentInput{ForwardedProps: json.RawMessage(`{"pageside":{"page":7}}`)}); err == nil {
		t.Error("a place that is a number is taken")
	}
}

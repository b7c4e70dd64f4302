package egress

import "testing"

// TestNoProxy: a proxy would connect without the guard, so that of the environment is not used.
func TestNoProxy(t *testing.T) {
	g, err := New(Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if g.transport().Proxy != nil {
		t.Error("the guarded client asks a proxy")
	}
}

package egress

import "github.com/pageside/pageside/test/must"
import "testing"

// TestNoProxy: a proxy would connect without the guard, so that of the environment is not used.
func TestNoProxy(t *testing.T) {
	g := must.Get(New(Policy{}))(t)
	if g.transport().Proxy != nil {
		t.Error("the guarded client asks a proxy")
	}
}

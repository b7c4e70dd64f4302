package conformance

import (
	"context"
	"sync"

	"github.com/pageside/pageside/tool"
)

// gates hold runs until a test releases their thread, so that no test depends on how fast a run is.
type gates struct {
	mu   sync.Mutex
	open map[string]chan struct{} // thread → closed once it is released
}

func (g *gates) of(thread string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[thread] == nil {
		g.open[thread] = make(chan struct{})
	}
	return g.open[thread]
}

func (g *gates) release(thread string) {
	gate := g.of(thread)
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

// gateTools returns a tool that waits for a sign in its thread, and one that gives it to a thread.
func gateTools() []*tool.Tool {
	g := &gates{open: map[string]chan struct{}{}}
	hold := tool.New("hold", "Waits for a sign.", func(ctx context.Context, call *tool.Call, _ struct{}) (tool.Result, error) {
		select {
		case <-g.of(call.ThreadID):
			return tool.Result{Text: "released"}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	hold.Policy.Timeout = patience
	// not on the thread itself, where it would wait for the run that waits for it
	release := tool.New("release", "Gives the sign.", func(_ context.Context, _ *tool.Call, in struct {
		Thread string `json:"thread"`
	}) (tool.Result, error) {
		g.release(in.Thread)
		return tool.Result{Text: "released"}, nil
	})
	release.Policy.Approval = tool.ApprovalNever // tests give the sign, on any thread
	return []*tool.Tool{hold, release}
}

package agent

import (
	"encoding/json"
	"sync"

	"github.com/pageside/pageside/tool"
)

// Host lets the tool of a suggested action reach its run, as a call of the model's does: it reads
// and changes the state that the page and the agent share, and emits events of its own. state is
// the one that the run begins with. After end nothing changes any more. Safe for concurrent use if
// out is.
func (a *Agent) Host(runID string, state json.RawMessage, out Output) (host tool.Host, end func()) {
	h := &actionHost{}
	shared := newSharedState(a, &Input{RunID: runID, State: state}, &emitter{out: out})
	return &stateHost{shared, h.do}, h.end
}

// actionHost does what a handler wants until the action is over.
type actionHost struct {
	mu   sync.Mutex
	over bool
}

func (h *actionHost) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}

func (h *actionHost) do(do func() (*tool.Error, error)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return errCallOver
	}
	refused, err := do()
	switch {
	case err != nil: // the run cannot continue
		return errCallOver
	case refused != nil:
		return refused
	}
	return nil
}

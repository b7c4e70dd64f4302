package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pageside/pageside/agui"
)

// Guest answers in place of the loop: an agent that somebody else has written, in Go or behind an
// address. What it emits is judged before it is sent: see GuestOutput.
type Guest func(ctx context.Context, turn GuestTurn, out GuestOutput) (GuestOutcome, error)

// GuestTurn is what changes between the turns of a guest in one run.
type GuestTurn struct {
	Messages   []agui.Message
	Tools      []agui.Tool // of the page that the user may use
	State      json.RawMessage
	Interrupts []agui.Interrupt // its own open ones
	Resume     []agui.ResumeEntry
}

// GuestOutcome is how a guest ended its turn.
type GuestOutcome struct {
	Interrupts []agui.Interrupt
	Result     json.RawMessage
	Usage      []agui.TokenUsage
}

// GuestOutput takes what a guest has to say. It completes what is obviously missing, keeps what the
// guest may not change, and holds calls of the page's tools until they are decided. An error is
// final: the run ends with it. Safe for concurrent use.
type GuestOutput interface {
	Emit(events ...agui.Event) error
}

// guestRun is one run of a guest.
type guestRun struct {
	*run
	guest   Guest
	watched *watchedOutput
	usage   []agui.TokenUsage
	result  json.RawMessage

	mu     sync.Mutex
	step   *step // holds the calls of the page's tools
	ids    *guestIDs
	chunks chunks
	failed error // why nothing more is taken
}

// wrong returns the failure of a guest that breaks a rule.
func (g *guestRun) wrong(format string, args ...any) error {
	return &Failure{
		Code: CodeAgentEvent, Message: fmt.Sprintf("the agent %q ", g.agent.ID) + fmt.Sprintf(format, args...),
	}
}

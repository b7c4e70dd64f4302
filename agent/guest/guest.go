// Package guest is about agents that are not ours, written in Go or behind an address: what one is
// given for a run, what it may say, and what a thread takes of it. The rules here are pure; which
// of the page's calls wait for a person, and what is sent, is package agent's.
package guest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/page"
)

// Agent answers a run in place of the loop.
type Agent func(ctx context.Context, in Input, out Output) (Outcome, error)

// Input is what an agent is given for a run.
type Input struct {
	ThreadID, RunID string
	// ParentRunID is the run of the thread that this one continues; "" for the first.
	ParentRunID string
	Principal   auth.Principal // the user
	// Messages is the thread, with what the request has added. Activities are in it, the server's
	// own notes are not. Calls of the page's tools have their results.
	Messages []agui.Message
	// Tools are the page's that the user may use. The page runs a call of them once the run is
	// over, and its result comes with a later run.
	Tools   []agui.Tool
	Context []agui.ContextItem // what the page shows
	Place   page.Place         // where the user is
	State   json.RawMessage    // shared with the page; nil if there is none
	// Instructions are those that users have stored for the place's scope. ClientInstructions are
	// what the page says about itself: guidance that grants nothing.
	Instructions, ClientInstructions []string
	ForwardedProps                   json.RawMessage // as the client sent them

	// Interrupts are the agent's own that are open, and Resume the answers, one for each: resolved
	// with a payload that matches its schema, or cancelled, also if it has expired or the user has
	// sent a message instead.
	Interrupts []agui.Interrupt
	Resume     []agui.ResumeEntry
}

// Output takes what an agent has to say.
type Output interface {
	// Emit takes events over, in the order that AG-UI asks for. *_CHUNK events may be among them,
	// but not RUN_STARTED, RUN_FINISHED and RUN_ERROR: the manager sends those. Missing STARTs of
	// texts and missing ENDs are added. After an event that cannot be repaired, Emit returns only
	// errors, and the run ends with the first of them. Safe for concurrent use.
	Emit(events ...agui.Event) error
}

// Outcome is how an agent ended a run without an error.
type Outcome struct {
	// Interrupts make the run wait for a person. They are in the agent's own form: Reason, Message
	// and Metadata are shown as they are, marked with the agent's name, but for the reason
	// tool_call, which is the server's: it becomes agent:tool_call. The answers come with a later
	// run's Resume.
	Interrupts []agui.Interrupt
	Result     json.RawMessage   // of RUN_FINISHED; any JSON, or nil
	Usage      []agui.TokenUsage // counts to the quotas of the day
}

// Shown returns what a guest is shown of a thread: all but the server's notes, and what the server
// says of itself in metadata.
func Shown(thread []agui.Message) []agui.Message {
	shown := make([]agui.Message, 0, len(thread))
	for i := range thread {
		if thread[i].IsNote() {
			continue
		}
		m := thread[i]
		m.Metadata = agui.ClientMetadata(m.Metadata)
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Metadata = agui.ClientMetadata(m.ToolCalls[j].Metadata)
		}
		shown = append(shown, m)
	}
	return shown
}

// Check returns an error for an event that nobody could read: a *guard.Panic for one that is nil,
// or of a type whose encoding panics.
func Check(e agui.Event) (err error) {
	defer guard.Error(&err)
	_, err = agui.MarshalEvent(e)
	return err
}

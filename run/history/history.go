// Package history decides what a client's list of messages means for a thread. It is pure: it is
// given the thread, and says where a run continues it and what the run adds.
//
// A request is read in two steps. Find follows the request, or the end of the client's list, to the
// branch that the run continues (branch.go, view.go). Branch.Merge picks what is new of the list
// (merge.go): clients send their whole history, a window of it or only what is new, with ids or
// without (unnamed.go). The rest of the package says what the messages of a thread amount to: what
// waits (waiting.go), whether a question has its answer (answers.go), and what clients are shown
// (visible.go).
//
// What a thread has that the given messages do not show is looked up through Reads, and only where
// the answer depends on it. Errors of this package are *refusal.Error; those of Reads are passed
// on.
package history

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/page"
)

// Request is what a client asks of a thread.
type Request struct {
	Input *agui.RunAgentInput
	Place page.Forwarded
	RunID string // of the run that it starts
	// Most is how many bytes it may bring, without the messages that the thread has already; 0 is
	// no limit.
	Most int
	// Backend reports whether a tool runs on the server; nil means that none does.
	Backend func(tool string) bool
	// Suggested reports whether a text was suggested to the user outside of the thread; may be nil.
	Suggested func(text string) bool
	// Relayed means that another model may have written what the request says.
	Relayed bool
	// NewID returns a random id with a prefix for its kind.
	NewID func(prefix string) string
}

// Merged is what a request adds to the server's thread.
type Merged struct {
	Messages []agui.Message        // new ones, in order, to be stored
	Answered []agui.ToolCallResult // results made by the server for calls the user skipped
	Pending  []string              // frontend calls that still wait for the client
	Resume   []agui.ResumeEntry    // answers to open interrupts
	Ignored  []string              // what the client may not send, for the log
	Doubled  []string              // second answers to what has one, for the log
	Cut      []string              // results of which only the beginning is kept, for the log
	Told     []string              // the client's system and developer messages
	Copied   map[string]bool       // ids of copies of earlier messages
	Answer   bool                  // the agent has something to answer
	Snapshot bool                  // the client only asks for the thread
	// PassedOver means that a new message leaves all open interrupts unanswered.
	PassedOver bool

	asks  bool // the client's last message is the user's
	newID func(prefix string) string
}

// Merge picks what a request adds to the branch that it continues.
func (b *Branch) Merge(req *Request) (Merged, error) {
	h := b.past(req)
	m, err := merge(h)
	if err == nil {
		err = CheckSize(req.Most, h.Input, m.Messages)
	}
	if err != nil {
		return m, err
	}
	b.carry(&m)
	if err := m.goOn(b.Messages, req.Place.Continues); err != nil {
		return m, err
	}
	if req.Place.Withdraw {
		m.withdraw(b.Interrupts)
	}
	if err := m.checkAnswers(b.Interrupts); err != nil {
		return m, err
	}
	m.markSuggested(b.Messages, req.Suggested)
	m.answerInWords(b.Interrupts, req.Relayed)
	m.PassedOver = len(Drawn(b.Interrupts)) > 0 && len(m.Resume) == 0 && m.goesOn()
	return m, nil
}

// Resumed returns what a run is to do that is taken up again: its messages are in the thread. in is
// what is kept of its request, and open what waits for a person.
func Resumed(in *agui.RunAgentInput, open []calls.Interrupt) Merged {
	m := Merged{Told: instructions(in.Messages)}
	m.takeResume(open, in.Resume)
	return m
}

// Silent returns the ids of the messages that the run's stream does not show: all except results
// made by the server.
func (m *Merged) Silent() map[string]bool {
	silent := IDs(m.Messages)
	for i := range m.Answered {
		delete(silent, m.Answered[i].MessageID)
	}
	return silent
}

// goesOn reports whether the client goes on with the conversation.
func (m *Merged) goesOn() bool {
	return slices.ContainsFunc(m.Messages, func(msg agui.Message) bool { return msg.IsFromClient() })
}

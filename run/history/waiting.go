package history

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
)

// callSet holds the ids of tool calls without a result, in order. The zero value is empty. An id
// may be reused once it has a result: some models count their calls from zero in each step.
type callSet struct {
	order []string       // including answered ones
	open  map[string]int // id → its index in order
}

// OpenCalls returns the ids of the calls in a thread's messages that have no result, in order.
func OpenCalls(messages []agui.Message) []string {
	open := openCalls(messages)
	return open.ids()
}

func openCalls(messages []agui.Message) callSet {
	var c callSet
	for i := range messages {
		c.add(&messages[i])
		if messages[i].Role == agui.RoleTool {
			c.remove(messages[i].ToolCallID)
		}
	}
	return c
}

// add adds the calls of a message.
func (c *callSet) add(msg *agui.Message) {
	for i := range msg.ToolCalls {
		id := msg.ToolCalls[i].ID
		if c.has(id) {
			continue
		}
		if c.open == nil {
			c.open = make(map[string]int)
		}
		c.open[id] = len(c.order)
		c.order = append(c.order, id)
	}
}

func (c *callSet) has(id string) bool {
	_, open := c.open[id]
	return open
}

func (c *callSet) remove(id string) { delete(c.open, id) }

// ids returns the open ids in order.
func (c *callSet) ids() []string {
	var ids []string
	for i, id := range c.order {
		if at, open := c.open[id]; open && at == i {
			ids = append(ids, id)
		}
	}
	return ids
}

// waiting is what a thread waits for.
type waiting struct {
	open     callSet         // calls without a result
	withheld map[string]bool // calls of tools of the page that the client does not know of
}

func waitingIn(messages []agui.Message) waiting {
	w := waiting{openCalls(messages), map[string]bool{}}
	for _, c := range agui.Withheld(messages) {
		w.withheld[c.ID] = true
	}
	return w
}

// asks reports whether an interrupt is open: its call has no result and, if it calls a frontend
// tool, has not been handed to the client.
func (w waiting) asks(i calls.Interrupt) bool {
	if i.Own {
		return true // until its agent goes on: see StillAsked
	}
	if i.Frontend {
		return w.withheld[i.ToolCallID]
	}
	return w.open.has(i.ToolCallID)
}

func (w waiting) remove(id string) {
	delete(w.withheld, id)
	w.open.remove(id)
}

// Open returns those of a run's interrupts that are open in the thread.
func Open(interrupts []calls.Interrupt, messages []agui.Message) []calls.Interrupt {
	if len(interrupts) == 0 {
		return nil
	}
	w := waitingIn(messages)
	return slices.DeleteFunc(slices.Clone(interrupts), func(i calls.Interrupt) bool { return !w.asks(i) })
}

// StillOpen returns the interrupts, of several lists, and the frontend calls that still wait at the
// end of a run.
func StillOpen(messages []agui.Message, lists ...[]calls.Interrupt) (interrupts []calls.Interrupt, pending []string) {
	w := waitingIn(messages)
	for _, i := range slices.Concat(lists...) {
		if w.asks(i) {
			interrupts = append(interrupts, i)
			w.remove(i.ToolCallID)
		}
	}
	return interrupts, w.open.ids()
}

// StillAsked returns those of the interrupts of earlier runs that may still be open at the end of a
// run which was given answers. A guest reports its open interrupts anew. If it failed, the
// unanswered ones stay open.
func StillAsked(earlier []calls.Interrupt, resume []agui.ResumeEntry, failed bool) (open []calls.Interrupt) {
	for _, i := range earlier {
		if !i.Own || failed && !HasAnswer(resume, i.ID) {
			open = append(open, i)
		}
	}
	return open
}

// Outcome says what a thread waits for, whose open interrupts are given: nil if for nothing.
func Outcome(messages []agui.Message, open []calls.Interrupt) *agui.Outcome {
	if asked := Drawn(open); len(asked) > 0 {
		return &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: asked}
	}
	if pending := OpenCalls(messages); len(pending) > 0 {
		return &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: pending}
	}
	return nil
}

// HasAnswer reports whether one of the entries answers an interrupt.
func HasAnswer(resume []agui.ResumeEntry, interruptID string) bool {
	return slices.ContainsFunc(resume, func(r agui.ResumeEntry) bool { return r.InterruptID == interruptID })
}

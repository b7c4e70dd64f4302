package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/calls"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// branch is what a run continues. The runs of a thread form a tree; the path to its head is the
// shown branch.
type branch struct {
	history
	head   string // the thread's head, "" if it has none
	parent string // the run to continue; "" means the head
	taint  bool   // the parent is tainted
	state  json.RawMessage
	// messages to store again, because only part of the run that brought them is continued
	copies []agui.Message
	// the copies are more than the user's words, and their run is tainted
	copiedTaint bool
	// the message to answer again, unless the client sends a replacement
	again *agui.Message
	goOn  bool // the copies end with results that are to be answered again
	// the new id of the client's last message, which is an edited version of one of the thread; ""
	// if it is not
	edited string
	most   int // Request.Most
}

// branch reads the branch that the run continues: the thread's head, or what the request names. It
// reads the head only once, since it may move: taint, messages and interrupts must be those of the
// same branch.
func (m *Manager) branch(ctx context.Context, x *execution) (*branch, error) {
	r := x.run
	b := &branch{most: x.most}
	thread, err := m.cfg.Store.Thread(ctx, r.owner, r.ThreadID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		b.isNew = true
		return b, nil
	case err != nil:
		return nil, unavailable("the thread could not be looked up", err)
	case !thread.DeletedAt.IsZero():
		return nil, &Error{
			Code: CodeNotFound, Field: "threadId", Message: fmt.Sprintf("thread %q was deleted", r.ThreadID),
		}
	}
	b.head = thread.Head
	if err := m.fork(ctx, x, b); err != nil {
		return nil, err
	}
	if b.messages, err = m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, b.from()); err != nil {
		return nil, unavailable("the thread could not be read", err)
	}
	if err := m.followView(ctx, x, b); err != nil {
		return nil, err
	}
	last, err := m.lastRun(ctx, r.owner, b.from())
	if err != nil {
		return nil, err
	}
	b.taint, b.state = last.Tainted || b.copiedTaint, last.State
	if b.interrupts, err = interruptsOf(last, b.messages); err != nil {
		return nil, err
	}
	b.retry = unanswered(b.messages)
	b.elsewhere, err = m.elsewhere(ctx, x, b)
	return b, err
}

// elsewhere returns which of the client's messages only another branch of the thread has.
func (m *Manager) elsewhere(ctx context.Context, x *execution, b *branch) (map[string]bool, error) {
	known := idsOf(b.messages)
	var ids []string
	for i := range x.input.Messages {
		if id := x.input.Messages[i].ID; !known[id] {
			ids = append(ids, id)
		}
	}
	return m.hasMessages(ctx, x.run, ids...)
}

// hasMessages returns which of the ids are messages of the run's thread, on any branch.
func (m *Manager) hasMessages(ctx context.Context, r *Run, ids ...string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	has, err := m.cfg.Store.HasMessages(ctx, r.owner, r.ThreadID, ids)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, unavailable("the thread could not be read", err)
	}
	return has, nil
}

// from returns the run to continue, or store.RootRun if there is none.
func (b *branch) from() string { return cmp.Or(b.parent, b.head, store.RootRun) }

// fork determines whether and where the run leaves the shown branch.
func (m *Manager) fork(ctx context.Context, x *execution, b *branch) error {
	r := x.run
	if x.place.Replaces != "" {
		return m.replace(ctx, r, x.place.Replaces, b)
	}
	if id := x.input.ParentRunID; id != "" && id != b.head {
		id, err := m.newest(ctx, r.owner, id)
		if err != nil || id == b.head {
			return err
		}
		switch parent, err := m.cfg.Store.Run(ctx, r.owner, id); {
		// a run of another server, or one that left no trace: continue the head
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return unavailable("the parent run could not be looked up", err)
		case parent.ThreadID == r.ThreadID:
			return m.leave(ctx, x, id, b)
		}
	}
	return nil
}

// leave continues a run that is not the head. Only a user message may leave the shown branch. An
// answer that names an earlier run is a duplicate or late; on a branch of its own its call would
// run a second time.
func (m *Manager) leave(ctx context.Context, x *execution, parent string, b *branch) error {
	if !isQuestion(x.input.Messages) {
		shown, err := m.leadsTo(ctx, x.run, parent, b.head)
		if shown || err != nil {
			return err
		}
	}
	b.parent = parent
	return nil
}

// isQuestion reports whether the client's last message is the user's.
func isQuestion(messages []agui.Message) bool {
	last := lastOf(messages)
	return last != nil && last.Role == agui.RoleUser
}

// leadsTo reports whether run from is on the path to run to.
func (m *Manager) leadsTo(ctx context.Context, r *Run, from, to string) (bool, error) {
	rows, err := m.cfg.Store.Runs(ctx, r.owner, r.ThreadID)
	if err != nil {
		return false, unavailable("the thread's runs could not be read", err)
	}
	parents := make(map[string]string, len(rows))
	for i := range rows {
		parents[rows[i].ID] = rows[i].ParentRunID
	}
	for at := to; at != ""; at = parents[at] {
		if at == from {
			return true, nil
		}
	}
	return false, nil
}

// replace continues the thread from just before the user message that the request replaces.
func (m *Manager) replace(ctx context.Context, r *Run, messageID string, b *branch) error {
	const field = "forwardedProps.pageside.replaces"
	by, err := m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, messageID)
	if errors.Is(err, store.ErrNotFound) {
		return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf("the thread has no message %q", messageID)}
	}
	if err != nil {
		return unavailable("the thread could not be read", err)
	}
	b.parent = cmp.Or(by.ParentRunID, store.RootRun)
	with, err := m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, by.ID)
	if err != nil {
		return unavailable("the thread could not be read", err)
	}
	before, err := m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, b.parent)
	if err != nil {
		return unavailable("the thread could not be read", err)
	}
	own := without(with, before)
	at := slices.IndexFunc(own, func(msg agui.Message) bool { return msg.ID == messageID })
	if at < 0 || own[at].Role != agui.RoleUser {
		return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf("message %q is not a user's", messageID)}
	}
	b.copy(own[:at]) // a run that brought a whole history is continued in its middle
	again := own[at]
	again.ID = newID("msg")
	b.again = &again
	return nil
}

// copy has messages stored again with the new run, under ids of their own.
func (b *branch) copy(messages []agui.Message) {
	for _, msg := range messages {
		if msg.Role != agui.RoleActivity {
			msg.ID = newID("msg")
			b.copies = append(b.copies, msg)
		}
	}
}

// merge merges the request into the branch.
func (b *branch) merge(in *agui.RunAgentInput) (merged, error) {
	h := b.history
	if len(b.copies) > 0 {
		h.messages = slices.Concat(b.messages, b.copies)
	}
	if b.edited != "" {
		edited := *in
		edited.Messages = slices.Clone(in.Messages)
		lastOf(edited.Messages).ID = b.edited
		in = &edited
	}
	m, err := merge(h, in)
	if err == nil {
		err = checkNew(b.most, in, m.messages)
	}
	if err == nil {
		b.carry(&m)
	}
	return m, err
}

// without returns the messages that are not among others.
func without(messages, others []agui.Message) []agui.Message {
	known := idsOf(others)
	return slices.DeleteFunc(slices.Clone(messages), func(m agui.Message) bool { return known[m.ID] })
}

func idsOf(messages []agui.Message) map[string]bool {
	ids := make(map[string]bool, len(messages))
	for i := range messages {
		ids[messages[i].ID] = true
	}
	return ids
}

// carry adds the messages that the branch needs again.
func (b *branch) carry(m *merged) {
	if b.again != nil && !m.goesOn() {
		m.messages = append(m.messages, *b.again)
		m.answer, m.snapshot = true, false
	}
	if b.goOn {
		m.answer, m.snapshot = true, false
	}
	m.copied = idsOf(b.copies)
	m.messages = slices.Concat(b.copies, m.messages)
}

// openInterrupts returns the interrupts of a run that are open in the thread.
func (m *Manager) openInterrupts(
	ctx context.Context, o store.Owner, runID string, messages []agui.Message,
) ([]calls.Interrupt, error) {
	row, err := m.lastRun(ctx, o, runID)
	if err != nil {
		return nil, err
	}
	return interruptsOf(row, messages)
}

// lastRun returns the last run of a branch, or the zero value if it has none.
func (m *Manager) lastRun(ctx context.Context, o store.Owner, runID string) (store.Run, error) {
	if runID == "" || runID == store.RootRun {
		return store.Run{}, nil
	}
	row, err := m.cfg.Store.Run(ctx, o, runID)
	if err != nil {
		return store.Run{}, unavailable("the thread's last run could not be read", err)
	}
	return row, nil
}

// interruptsOf returns the interrupts of a run that are open in the thread.
func interruptsOf(row store.Run, messages []agui.Message) ([]calls.Interrupt, error) {
	if row.Interrupts == nil {
		return nil, nil
	}
	var all []calls.Interrupt
	if err := json.Unmarshal(row.Interrupts, &all); err != nil {
		return nil, fmt.Errorf("read the interrupts of run %s: %w", row.ID, err)
	}
	w := waitingIn(messages)
	return slices.DeleteFunc(all, func(i calls.Interrupt) bool { return !w.asks(i) }), nil
}

// unanswered reports whether the last user message has no answer; then sending it again is a retry.
// A payload is an answer too, unless the text next to it was cut off.
func unanswered(stored []agui.Message) bool {
	payload, broken := false, false
	for i := len(stored) - 1; i >= 0; i-- {
		msg := &stored[i]
		switch msg.Role {
		case agui.RoleUser, agui.RoleTool:
			return broken || !payload
		case agui.RoleActivity:
			payload = payload || isAnswer(msg)
		case agui.RoleAssistant:
			if !failed(msg) {
				return false
			}
			broken = true
		}
	}
	return false
}

package run

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store"
)

// Clients of AG-UI hold their messages themselves and send them with each run. When the user asks
// for another answer, edits a question or goes back, the client changes its list, and nothing else
// tells the server: the end of the list is where the user is. If that is not the end of the shown
// branch, the run continues from there (ADR 39). This holds for lists that begin with the thread's
// first message; in a list that is a window of the thread, or only what is new, missing messages
// mean nothing.

// maxLookups is how many messages at the end of a client's list are looked for outside of the shown
// branch.
const maxLookups = 16

// view is where a client's list ends in the thread.
type view struct {
	sent   []agui.Message // the list, without instructions
	last   int            // index in sent of the last message that the thread has
	thread []agui.Message // the branch with that message
	at     int            // its index there
	leaf   string         // the run that the branch ends with
	shown  bool           // it is the shown branch
	goesOn bool           // the client says something behind that message
}

// cut is where a run leaves a branch: behind its first keep messages.
type cut struct {
	keep int
	// the last message sent is answered again: the user message behind them, or the result at their
	// end
	again bool
	// the last message sent is an edited version of the one behind them
	edited bool
}

// followView makes the run continue where the client's list ends. It leaves alone requests that
// name a branch or answer an interrupt, and messages without ids, which cannot be told apart.
func (m *Manager) followView(ctx context.Context, x *execution, b *branch) error {
	if x.place.Replaces != "" || x.place.Continues != "" || x.input.ParentRunID != "" || len(x.input.Resume) > 0 {
		return nil
	}
	v, err := m.viewOf(ctx, x, b)
	if v == nil || err != nil {
		return err
	}
	v.goesOn = v.saysMore(x.agent.RunsOnServer)
	c, leaves, err := m.whereTo(ctx, x.run, v)
	if !leaves || err != nil {
		return err
	}
	if whole, err := m.isWhole(ctx, x.run, v); !whole || err != nil {
		return err
	}
	if c.edited {
		b.edited = newID("msg")
	}
	return m.cutBranch(ctx, x.run, b, v, c)
}

// viewOf finds the end of the client's list in the thread. It returns nil if the thread has none of
// its messages, as when the client sends only new ones.
func (m *Manager) viewOf(ctx context.Context, x *execution, b *branch) (*view, error) {
	v := &view{sent: withoutInstructions(x.input.Messages), thread: b.messages, leaf: b.head, shown: true}
	if slices.ContainsFunc(v.sent, func(msg agui.Message) bool { return isDerived(&msg) }) {
		return nil, nil
	}
	for v.last = len(v.sent) - 1; v.last >= max(0, len(v.sent)-maxLookups); v.last-- {
		id := v.sent[v.last].ID
		v.at = indexOf(b.messages, id)
		if v.at < 0 {
			if err := m.findElsewhere(ctx, x.run, v, id); err != nil {
				return nil, err
			}
		}
		if v.at >= 0 {
			return v.checked(), nil
		}
	}
	return nil, nil
}

// findElsewhere looks for a message on the other branches of the thread.
func (m *Manager) findElsewhere(ctx context.Context, r *Run, v *view, id string) error {
	by, err := m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return unavailable("the thread could not be read", err)
	}
	if v.thread, err = m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, by.ID); err != nil {
		return unavailable("the thread could not be read", err)
	}
	v.at, v.leaf, v.shown = indexOf(v.thread, id), by.ID, false
	return nil
}

// checked returns nil if the client's message is only by its id the thread's.
func (v *view) checked() *view {
	if v.sent[v.last].Role != v.thread[v.at].Role {
		return nil
	}
	return v
}

// isWhole reports whether the client's list begins with the thread's first message, on whichever
// branch.
func (m *Manager) isWhole(ctx context.Context, r *Run, v *view) (bool, error) {
	first := slices.IndexFunc(v.thread, func(msg agui.Message) bool { return !msg.IsNote() })
	if v.thread[first].ID == v.sent[0].ID {
		return true, nil
	}
	if !isUser(v.sent[0]) {
		return false, nil
	}
	by, err := m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, v.sent[0].ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, unavailable("the thread could not be read", err)
	}
	return by.ParentRunID == "" || by.ParentRunID == store.RootRun, nil
}

// saysMore reports whether the client goes on behind the last message that the thread has.
func (v *view) saysMore(backend func(name string) bool) bool {
	if slices.ContainsFunc(v.sent[v.last+1:], isUser) {
		return true
	}
	h := history{messages: v.thread, backend: backend}
	known, _ := h.known()
	return len(h.clientCalls(v.sent, known)) > 0
}

// whereTo decides where the run leaves the branch; false means that it continues the shown branch.
func (m *Manager) whereTo(ctx context.Context, r *Run, v *view) (c cut, leaves bool, err error) {
	if v.last == len(v.sent)-1 {
		return m.askedAgain(ctx, r, v)
	}
	if !v.goesOn {
		return cut{}, false, nil // results, or what no client may say
	}
	end := v.turnEnd()
	dropped, err := m.droppedAnswer(ctx, r, v, end)
	switch {
	case err != nil:
		return cut{}, false, err
	case dropped:
		return cut{keep: v.at + 1}, true, nil
	}
	return cut{keep: end}, end < len(v.thread) || !v.shown, nil
}

// askedAgain decides for a list that ends with a message that the thread has.
func (m *Manager) askedAgain(ctx context.Context, r *Run, v *view) (c cut, leaves bool, err error) {
	sent, known, end := &v.sent[v.last], &v.thread[v.at], v.turnEnd()
	last := v.shown && end == len(v.thread)
	switch {
	case known.Role == agui.RoleUser && !sameContent(sent, known):
		return cut{keep: v.at, edited: true}, true, nil
	case known.Role == agui.RoleUser:
		c = cut{keep: v.at, again: true}
	case known.Role == agui.RoleTool && last:
		c = cut{keep: v.at + 1, again: true}
	default:
		return cut{}, false, nil
	}
	if last && unanswered(v.thread) {
		return cut{}, false, nil // a retry, on the same branch
	}
	answer := v.answer(end)
	if answer == nil || known.Role == agui.RoleTool && answer.Role != agui.RoleAssistant {
		return c, known.Role == agui.RoleUser, nil
	}
	ended, seen, err := m.endOfAnswer(ctx, r, answer.ID)
	// An answer that nobody has read to its end may never have reached the client: show it.
	return c, !ended || seen, err
}

// droppedAnswer reports whether the client has dropped the answer to the user message before its
// new one. That a client leaves it out means nothing if the client never sends answers back or
// sends another one, or if it stopped this answer and may not have all of it.
func (m *Manager) droppedAnswer(ctx context.Context, r *Run, v *view, end int) (bool, error) {
	answer := v.answer(end)
	if !isUser(v.thread[v.at]) || answer == nil || !isAssistant(*answer) ||
		slices.ContainsFunc(v.sent[v.last+1:], isAssistant) {
		return false, nil
	}
	known := idsOf(v.thread[:v.at])
	if !slices.ContainsFunc(v.sent[:v.last], func(msg agui.Message) bool { return isAssistant(msg) && known[msg.ID] }) {
		return false, nil
	}
	ended, seen, err := m.endOfAnswer(ctx, r, answer.ID)
	return ended && seen, err
}

// endOfAnswer reports whether the run that made a message has ended by itself, and whether somebody
// has read it to its end. A run that another process executed counts as read.
func (m *Manager) endOfAnswer(ctx context.Context, r *Run, messageID string) (ended, seen bool, err error) {
	by, err := m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, messageID)
	if err != nil {
		return false, false, unavailable("the thread could not be read", err)
	}
	here := m.cache.get(r.owner, by.ID)
	return by.Status == store.RunFinished, here == nil || here.seen.Load(), nil
}

// sawEnd notes that somebody has been shown the end of a run.
func (m *Manager) sawEnd(o store.Owner, runID string) {
	if r := m.cache.get(o, runID); r != nil {
		r.seen.Store(true)
	}
}

// turnEnd returns the index of the next user message, or the thread's length.
func (v *view) turnEnd() int {
	if i := slices.IndexFunc(v.thread[v.at+1:], isUser); i >= 0 {
		return v.at + 1 + i
	}
	return len(v.thread)
}

// answer returns the first message of the turn that is part of an answer, or nil.
func (v *view) answer(end int) *agui.Message {
	for i := v.at + 1; i < end; i++ {
		if msg := &v.thread[i]; isAssistant(*msg) || msg.Role == agui.RoleActivity && isAnswer(msg) {
			return msg
		}
	}
	return nil
}

// cutBranch makes the run leave the client's branch. If that is in the middle of a run, the
// messages kept from that run are stored again with the new one.
func (m *Manager) cutBranch(ctx context.Context, r *Run, b *branch, v *view, c cut) (err error) {
	if c.keep == len(v.thread) {
		b.parent = v.leaf
	} else if err = m.cutRun(ctx, r, b, v, c); err != nil {
		return err
	}
	if c.again && isUser(v.thread[v.at]) {
		question := v.thread[v.at]
		question.ID = newID("msg")
		b.again = &question
	}
	b.goOn = c.again && b.again == nil
	if b.messages, err = m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, b.from()); err != nil {
		return unavailable("the thread could not be read", err)
	}
	return nil
}

func (m *Manager) cutRun(ctx context.Context, r *Run, b *branch, v *view, c cut) error {
	by, err := m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, v.thread[c.keep].ID)
	if err != nil {
		return unavailable("the thread could not be read", err)
	}
	b.parent = cmp.Or(by.ParentRunID, store.RootRun)
	before, err := m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, b.parent)
	if err != nil {
		return unavailable("the thread could not be read", err)
	}
	b.copy(without(v.thread[:c.keep], before))
	b.copiedTaint = by.Tainted && slices.ContainsFunc(b.copies, func(msg agui.Message) bool { return !isUser(msg) })
	return nil
}

func isAssistant(m agui.Message) bool { return m.Role == agui.RoleAssistant }

// indexOf returns the index of the message with an id, or -1.
func indexOf(messages []agui.Message, id string) int {
	return slices.IndexFunc(messages, func(msg agui.Message) bool { return msg.ID == id })
}

// withoutInstructions returns the messages that belong to a thread.
func withoutInstructions(messages []agui.Message) []agui.Message {
	if !slices.ContainsFunc(messages, func(msg agui.Message) bool { return instructs(&msg) }) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), func(msg agui.Message) bool { return instructs(&msg) })
}

// sameContent reports whether two messages say the same, however their JSON was written.
func sameContent(a, b *agui.Message) bool {
	return contentKey(a) == contentKey(b) ||
		!a.Content.IsZero() && !b.Content.IsZero() && jsonx.Equal(a.Content.Raw(), b.Content.Raw())
}

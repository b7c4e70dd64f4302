package history

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
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
	at     int            // its index there; -1 if it is nowhere
	leaf   string         // the run that the branch ends with
	shown  bool           // it is the shown branch
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
func (f *finder) followView(b *Branch) error {
	if f.Place.Replaces != "" || f.Place.Continues != "" || f.Input.ParentRunID != "" || len(f.Input.Resume) > 0 {
		return nil
	}
	v, err := f.view(b)
	if v == nil || err != nil {
		return err
	}
	c, leaves, err := f.whereTo(v)
	if !leaves || err != nil {
		return err
	}
	if whole, err := f.isWhole(v); !whole || err != nil {
		return err
	}
	if c.edited {
		b.edited = f.NewID("msg")
	}
	return f.cutBranch(b, v, c)
}

// view finds the end of the client's list in the thread. It returns nil if the thread has none of
// its messages, as when the client sends only new ones, or has the last one only by its id.
func (f *finder) view(b *Branch) (*view, error) {
	sent := withoutInstructions(f.Input.Messages)
	if slices.ContainsFunc(sent, func(msg agui.Message) bool { return isDerived(&msg) }) {
		return nil, nil
	}
	for last := len(sent) - 1; last >= max(0, len(sent)-maxLookups); last-- {
		v := &view{sent: sent, last: last, thread: b.Messages, leaf: f.head, shown: true}
		if v.at = indexOf(b.Messages, sent[last].ID); v.at < 0 {
			var err error
			if v.thread, v.at, v.leaf, err = f.elsewhereOf(sent[last].ID); err != nil {
				return nil, err
			}
			v.shown = false
		}
		switch {
		case v.at < 0:
		case v.sent[last].Role != v.thread[v.at].Role:
			return nil, nil
		default:
			return v, nil
		}
	}
	return nil, nil
}

// elsewhereOf returns the branch with a message, whichever it is, the message's index there, and
// the run that made it: "" if the thread does not have it.
func (f *finder) elsewhereOf(id string) (thread []agui.Message, at int, run string, err error) {
	by, err := f.Maker(id)
	if by.ID == "" || err != nil {
		return nil, -1, "", err
	}
	thread, err = f.Transcript(by.ID)
	return thread, indexOf(thread, id), by.ID, err
}

// IsNews reports whether a request brings a new or edited user message, or asks to answer an
// earlier one again. A message sent again, as after a lost connection, is not new, nor is the
// answer to an interrupt.
func IsNews(req *Request, reads Reads) (bool, error) {
	if len(req.Input.Resume) > 0 {
		return false, nil
	}
	if id := req.Place.Replaces; id != "" {
		has, err := reads.Has([]string{id})
		return has[id], err
	}
	last := lastOf(req.Input.Messages)
	if last == nil || last.Role != agui.RoleUser {
		return false, nil
	}
	f := finder{Request: req, Reads: reads}
	thread, at, run, err := f.elsewhereOf(last.ID)
	if run == "" || err != nil {
		return err == nil, err
	}
	return at >= 0 && isUser(thread[at]) && !isDerived(last) && !sameContent(last, &thread[at]), nil
}

// isWhole reports whether the client's list begins with the thread's first message, on whichever
// branch.
func (f *finder) isWhole(v *view) (bool, error) {
	first := slices.IndexFunc(v.thread, func(msg agui.Message) bool { return !msg.IsNote() })
	if v.thread[first].ID == v.sent[0].ID {
		return true, nil
	}
	if !isUser(v.sent[0]) {
		return false, nil
	}
	by, err := f.Maker(v.sent[0].ID)
	return by.ID != "" && by.Parent == "", err
}

// saysMore reports whether the client goes on behind the last message that the thread has.
func (f *finder) saysMore(v *view) bool {
	if slices.ContainsFunc(v.sent[v.last+1:], isUser) {
		return true
	}
	h := past{Branch: &Branch{}, Request: f.Request, thread: v.thread}
	known, _ := h.known()
	return len(h.clientCalls(v.sent, known)) > 0
}

// whereTo decides where the run leaves the branch; false means that it continues the shown branch.
func (f *finder) whereTo(v *view) (c cut, leaves bool, err error) {
	if v.last == len(v.sent)-1 {
		return f.askedAgain(v)
	}
	if !f.saysMore(v) {
		return cut{}, false, nil // results, or what no client may say
	}
	end := v.turnEnd()
	dropped, err := f.droppedAnswer(v, end)
	switch {
	case err != nil:
		return cut{}, false, err
	case dropped:
		return cut{keep: v.at + 1}, true, nil
	}
	return cut{keep: end}, end < len(v.thread) || !v.shown, nil
}

// askedAgain decides for a list that ends with a message that the thread has.
func (f *finder) askedAgain(v *view) (c cut, leaves bool, err error) {
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
	by, err := f.Maker(answer.ID)
	// An answer that nobody has read to its end may never have reached the client: show it.
	return c, !by.Finished || by.Seen, err
}

// droppedAnswer reports whether the client has dropped the answer to the user message before its
// new one. That a client leaves it out means nothing if the client never sends answers back or
// sends another one, or if it stopped this answer and may not have all of it.
func (f *finder) droppedAnswer(v *view, end int) (bool, error) {
	answer := v.answer(end)
	if !isUser(v.thread[v.at]) || answer == nil || !isAssistant(*answer) ||
		slices.ContainsFunc(v.sent[v.last+1:], isAssistant) {
		return false, nil
	}
	known := IDs(v.thread[:v.at])
	if !slices.ContainsFunc(v.sent[:v.last], func(msg agui.Message) bool { return isAssistant(msg) && known[msg.ID] }) {
		return false, nil
	}
	by, err := f.Maker(answer.ID)
	return by.Finished && by.Seen, err
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
func (f *finder) cutBranch(b *Branch, v *view, c cut) (err error) {
	if c.keep == len(v.thread) {
		b.Parent = v.leaf
	} else if err = f.cutRun(b, v, c); err != nil {
		return err
	}
	if c.again && isUser(v.thread[v.at]) {
		question := v.thread[v.at]
		question.ID = f.NewID("msg")
		b.again = &question
	}
	b.goOn = c.again && b.again == nil
	b.Messages, err = f.Transcript(b.Parent)
	return err
}

func (f *finder) cutRun(b *Branch, v *view, c cut) error {
	by, err := f.Maker(v.thread[c.keep].ID)
	if err != nil {
		return err
	}
	b.Parent = by.Parent
	before, err := f.Transcript(b.Parent)
	if err != nil {
		return err
	}
	b.copy(Without(v.thread[:c.keep], before), f.NewID)
	b.CopyTainted = by.Tainted && slices.ContainsFunc(b.copies, func(msg agui.Message) bool { return !isUser(msg) })
	return nil
}

func isUser(m agui.Message) bool { return m.Role == agui.RoleUser }

func isAssistant(m agui.Message) bool { return m.Role == agui.RoleAssistant }

// sameContent reports whether two messages say the same, however their JSON was written.
func sameContent(a, b *agui.Message) bool {
	return contentKey(a) == contentKey(b) ||
		!a.Content.IsZero() && !b.Content.IsZero() && jsonx.Equal(a.Content.Raw(), b.Content.Raw())
}

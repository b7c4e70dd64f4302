package history

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run/refusal"
)

// Branch is what a run continues. The runs of a thread form a tree; the path to its head is the
// shown branch. The zero value is that of a new thread, if New is set.
type Branch struct {
	New bool // the thread does not exist yet
	// Parent is the run to continue, "" if there is none: the run begins a branch of its own.
	Parent   string
	Messages []agui.Message
	// Interrupts are the open ones. Find leaves them to the caller, who knows the parent.
	Interrupts []calls.Interrupt
	// CopyTainted means that what is stored again is more than the user's words, and that the run
	// which had it is tainted.
	CopyTainted bool

	// messages to store again, because only part of the run that brought them is continued
	copies []agui.Message
	// the message to answer again, unless the client sends a replacement
	again *agui.Message
	goOn  bool // the copies end with results that are to be answered again
	// the new id of the client's last message, which is an edited version of one of the thread; ""
	// if it is not
	edited string
	// the ids among those sent that another branch of the thread has
	elsewhere map[string]bool
}

// Reads looks up what is stored of one thread. Errors are the caller's own.
type Reads interface {
	// Maker returns the run that brought or made a message, on any branch; the zero value if the
	// thread has no such message.
	Maker(messageID string) (Run, error)
	// Transcript returns the messages of the branch that ends with a run; none for "".
	Transcript(runID string) ([]agui.Message, error)
	// Named returns the run of the thread that a client knows by an id; the zero value if there is
	// none.
	Named(id string) (Run, error)
	// Has returns which of the ids are messages of the thread, on any branch.
	Has(messageIDs []string) (map[string]bool, error)
	// LeadsTo reports whether run from is on the path to run to.
	LeadsTo(from, to string) (bool, error)
}

// Run is what is known of a run.
type Run struct {
	ID, Parent string // Parent is "" if it began a branch beside all others
	Tainted    bool
	Finished   bool // it has ended by itself
	// Seen means that somebody has read it to its end, or that another process executed it.
	Seen bool
}

// finder finds the branch of a request.
type finder struct {
	*Request
	Reads
	head string // the last run of the shown branch
}

// Find returns the branch that a request continues: the one that ends with the thread's head, or
// what the request names, or where the client's list ends.
func Find(req *Request, head string, reads Reads) (*Branch, error) {
	f := finder{req, reads, head}
	b := &Branch{Parent: head}
	if err := f.fork(b); err != nil {
		return nil, err
	}
	var err error
	if b.Messages, err = f.Transcript(b.Parent); err != nil {
		return nil, err
	}
	if err := f.followView(b); err != nil {
		return nil, err
	}
	b.elsewhere, err = f.elsewhere(b.Messages)
	return b, err
}

// elsewhere returns which of the client's messages only another branch of the thread has.
func (f *finder) elsewhere(thread []agui.Message) (map[string]bool, error) {
	known := IDs(thread)
	var ids []string
	for i := range f.Input.Messages {
		if id := f.Input.Messages[i].ID; !known[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return f.Has(ids)
}

// fork determines whether and where the run leaves the shown branch because the request says so.
func (f *finder) fork(b *Branch) error {
	if f.Place.Replaces != "" {
		return f.replace(b, f.Place.Replaces)
	}
	id := f.Input.ParentRunID
	if id == "" || id == f.head {
		return nil
	}
	// A run of another server, or one that left no trace, means the head.
	parent, err := f.Named(id)
	if err != nil || parent.ID == "" || parent.ID == f.head {
		return err
	}
	return f.leave(b, parent.ID)
}

// leave continues a run that is not the head. Only a user message may leave the shown branch. An
// answer that names an earlier run is a duplicate or late; on a branch of its own its call would
// run a second time.
func (f *finder) leave(b *Branch, parent string) error {
	if !asksForAnswer(f.Input.Messages) {
		shown, err := f.LeadsTo(parent, f.head)
		if shown || err != nil {
			return err
		}
	}
	b.Parent = parent
	return nil
}

// replace continues the thread from just before the user message that the request replaces.
func (f *finder) replace(b *Branch, messageID string) error {
	const field = "forwardedProps.pageside.replaces"
	by, err := f.Maker(messageID)
	if err != nil {
		return err
	}
	if by.ID == "" {
		return refusal.Field(field, "the thread has no message %q", messageID)
	}
	b.Parent = by.Parent
	with, err := f.Transcript(by.ID)
	if err != nil {
		return err
	}
	before, err := f.Transcript(b.Parent)
	if err != nil {
		return err
	}
	own := Without(with, before)
	at := indexOf(own, messageID)
	if at < 0 || own[at].Role != agui.RoleUser {
		return refusal.Field(field, "message %q is not a user's", messageID)
	}
	b.copy(own[:at], f.NewID) // a run that brought a whole history is continued in its middle
	again := own[at]
	again.ID = f.NewID("msg")
	b.again = &again
	return nil
}

// copy has messages stored again with the new run, under ids of their own.
func (b *Branch) copy(messages []agui.Message, newID func(prefix string) string) {
	for _, msg := range messages {
		if msg.Role != agui.RoleActivity {
			msg.ID = newID("msg")
			b.copies = append(b.copies, msg)
		}
	}
}

// past returns the branch as a request finds it.
func (b *Branch) past(req *Request) past {
	thread := b.Messages
	if len(b.copies) > 0 {
		thread = slices.Concat(b.Messages, b.copies)
	}
	return past{Branch: b, Request: b.renamed(req), thread: thread}
}

// renamed returns the request with a new id for its last message, if that is an edited one.
func (b *Branch) renamed(req *Request) *Request {
	if b.edited == "" {
		return req
	}
	again, in := *req, *req.Input
	in.Messages = slices.Clone(in.Messages)
	lastOf(in.Messages).ID = b.edited
	again.Input = &in
	return &again
}

// carry adds the messages that the branch needs again.
func (b *Branch) carry(m *Merged) {
	if b.again != nil && !m.goesOn() {
		m.Messages = append(m.Messages, *b.again)
		m.Answer, m.Snapshot = true, false
	}
	if b.goOn {
		m.Answer, m.Snapshot = true, false
	}
	m.Copied = IDs(b.copies)
	m.Messages = slices.Concat(b.copies, m.Messages)
}

// Without returns the messages that are not among others.
func Without(messages, others []agui.Message) []agui.Message {
	known := IDs(others)
	return slices.DeleteFunc(slices.Clone(messages), func(m agui.Message) bool { return known[m.ID] })
}

// IDs returns the ids of messages.
func IDs(messages []agui.Message) map[string]bool {
	ids := make(map[string]bool, len(messages))
	for i := range messages {
		ids[messages[i].ID] = true
	}
	return ids
}

// indexOf returns the index of the message with an id, or -1.
func indexOf(messages []agui.Message, id string) int {
	return slices.IndexFunc(messages, func(msg agui.Message) bool { return msg.ID == id })
}

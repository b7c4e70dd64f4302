package history

import (
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

// CheckAttachments refuses attachments beyond what a thread may hold, in number and in bytes; 0 is
// no limit. Each prompt brings them all.
func CheckAttachments(held, brought []agui.Message, most int, mostBytes int64) error {
	number, size := attachments(brought)
	if number == 0 {
		return nil
	}
	before, bytes := attachments(held)
	if most > 0 && before+number > most || mostBytes > 0 && bytes+size > mostBytes {
		return &refusal.Error{Code: refusal.TooLarge, Field: "messages", Message: fmt.Sprintf(
			"a thread may hold %d attachments of %d bytes in all: this one has %d of %d bytes, and the message brings %d of %d bytes",
			most, mostBytes, before, bytes, number, size)}
	}
	return nil
}

// attachments counts the attachments of users' messages.
func attachments(messages []agui.Message) (number int, size int64) {
	for i := range messages {
		m := &messages[i]
		if m.Role != agui.RoleUser || m.Content.IsText() {
			continue
		}
		parts, _ := m.Content.Parts() // checked when the message was read
		before := number
		for _, p := range parts {
			if p.Type != agui.PartText {
				number++
			}
		}
		if number > before {
			size += int64(len(m.Content.Raw()))
		}
	}
	return number, size
}

// CheckSize refuses a request that brings more than most bytes, beside messages that its thread has
// already; brought are the others, as they are kept. Clients repeat the whole thread with each
// request, so one that was refused for what it repeats would be refused for good.
func CheckSize(most int, in *agui.RunAgentInput, brought []agui.Message) error {
	if most == 0 {
		return nil
	}
	load := sizes{}
	load.add("state", len(in.State))
	load.add("forwardedProps", len(in.ForwardedProps))
	for i := range in.Tools {
		t := &in.Tools[i]
		load.addItem("tools", i, len(t.Name)+len(t.Description)+len(t.Parameters)+len(t.Metadata))
	}
	for i := range in.Context {
		c := &in.Context[i]
		load.addItem("context", i, len(c.Description)+len(c.Value)+len(c.Source)+len(c.Type))
	}
	for i := range in.Resume {
		load.addItem("resume", i, len(in.Resume[i].Payload)+len(in.Resume[i].Metadata))
	}
	sent := make(map[string]int, len(in.Messages))
	for i := range in.Messages {
		msg := &in.Messages[i]
		if sent[msg.ID] = i; Instructs(msg) {
			load.addItem("messages", i, sizeOf(msg))
		}
	}
	for i := range brought {
		at, ok := sent[brought[i].ID]
		if !ok {
			at = -1 // renamed: it repeats an earlier message word for word, see recognise
		}
		load.addItem("messages", at, sizeOf(&brought[i]))
	}
	if load.sum <= most {
		return nil
	}
	return &refusal.Error{Code: refusal.TooLarge, Field: load.field(), Message: fmt.Sprintf(
		"%s: has %d bytes; a request may bring %d in all, beside messages that its thread has already",
		load.field(), load.largest, most)}
}

// sizes adds up what a request brings, and remembers its largest part.
type sizes struct {
	sum, largest int
	name         string
	index        int // in the list; -1 if it is none
}

func (s *sizes) add(name string, size int) { s.addItem(name, -1, size) }

func (s *sizes) addItem(list string, i, size int) {
	if s.sum += size; size > s.largest {
		s.largest, s.name, s.index = size, list, i
	}
}

func (s *sizes) field() string {
	if s.index < 0 {
		return s.name
	}
	return fmt.Sprintf("%s[%d]", s.name, s.index)
}

// sizeOf returns how many bytes a message says.
func sizeOf(m *agui.Message) int {
	n := len(m.Content.Raw()) + len(m.Activity) + len(m.Metadata) + len(m.EncryptedValue) + len(m.Error)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		n += len(c.ID) + len(c.Name) + len(c.Arguments) + len(c.EncryptedValue) + len(c.Metadata)
	}
	return n
}

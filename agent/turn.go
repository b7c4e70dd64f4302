package agent

import (
	"context"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// turn is what the model says in one step: it turns parts into events as they come and keeps what
// the transcript needs.
//
// Text and tool calls of a turn belong to one assistant message; text that comes after a call opens
// it again. Only where the model thinks again after it has begun to speak, or has shown a card,
// does another message follow, so that thoughts and cards keep their place when the transcript is
// read back.
type turn struct {
	run    *run
	spoken []*spoken // messages in the order they began
	calls  []*call   // in the order they began
	finish llm.Finish
	usage  ledger
	size   int // bytes of everything the model has sent

	current *spoken // the assistant message that text and calls go to
	thought *spoken // the reasoning message that is open
	rethink bool    // there was a thought after current began
	told    int     // calls before this one are answered, or wait

	nameless []int // content blocks of calls that were dropped

	scanner *payload.Scanner          // of its text; nil before there is any
	hear    func(payload.Event) error // found
	cards   []*card                   // in the order they began
	// a card began after current did: what comes next belongs to another message, unless current
	// has calls
	cut         bool
	lead        string // what nobody sees before the text of a message
	suggestions agui.Suggestions

	mark agui.Metadata // of the text that ends next: suggestions, or why it ends there
}

// spoken is one message of a turn: the assistant's or a reasoning message.
type spoken struct {
	id, role string
	index    int // of a reasoning message: its content block
	text     strings.Builder
	open     bool // its START is out and its END is not
	opaque   string
	calls    []*call
	card     *card // of an activity
}

// call is one tool call of a turn.
type call struct {
	id, name string
	index    int
	args     strings.Builder
	opaque   string
	offer    *offer // nil where no tool of that name is offered
	complete bool   // the model has written all of it
	closed   bool   // its END is out

	ready    *ready       // what to run, once it was judged
	result   *tool.Result // what the model is told; nil where nobody has answered yet
	told     bool
	resultID string
	gate     // what it waits for, and what the journal knows of it
}

// answer settles the call, unless it is settled already.
func (c *call) answer(r tool.Result) {
	if c.result == nil {
		c.result = &r
	}
}

// begun reports whether anything of the turn was emitted.
func (t *turn) begun() bool { return len(t.spoken) > 0 }

// listen takes in one model call to its end.
func (t *turn) listen(parts func(yield func(llm.Part, error) bool)) error {
	for p, err := range parts {
		if err != nil {
			return err
		}
		if err := t.take(&p); err != nil {
			return err
		}
	}
	if t.finish == "" {
		return t.run.modelError(llm.KindProtocol, "the model's answer ended without saying that it was complete")
	}
	return t.endText()
}

func (t *turn) take(p *llm.Part) error {
	if err := t.weigh(p); err != nil {
		return err
	}
	switch p.Kind {
	case llm.TextDelta:
		return t.scan(p.Delta)
	case llm.ReasoningDelta:
		return t.think(p.Index, p.Delta)
	case llm.ToolStart:
		return t.startCall(p)
	case llm.ToolArgs:
		return t.writeArgs(p)
	case llm.ToolEnd:
		return t.completeCall(p)
	case llm.Opaque:
		return t.sign(p)
	case llm.UsagePart:
		t.usage.merge(p.Model, p.Usage)
	case llm.FinishPart:
		t.finish = p.Finish
	case llm.Pause:
		return t.run.out.Flush()
	}
	return nil
}

func (t *turn) emit(e agui.Event) error { return t.run.out.Emit(e) }

// write passes text on. Blank lines at the beginning of a message are left out: around a card
// nobody meant them.
func (t *turn) write(delta string) error {
	m := t.current
	if m == nil || m.text.Len() == 0 || t.cut {
		if delta = t.trimLead(delta); delta == "" {
			return nil
		}
	}
	if m == nil || !m.open || t.thought != nil || t.rethink || t.cut {
		var err error
		if m, err = t.openText(); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return t.emit(&agui.TextMessageContent{MessageID: m.id, Delta: delta})
}

// trimLead holds blanks back until there is something to see.
func (t *turn) trimLead(delta string) string {
	text := t.lead + delta
	rest := trimBlank(text)
	if rest == "" {
		t.lead = text
		return ""
	}
	t.lead = ""
	blanks := text[:len(text)-len(rest)]
	return text[strings.LastIndexByte(blanks, '\n')+1:]
}

// openText makes ready for text: it follows a thought or a card in a message of its own, but calls
// stay together with what is said after them.
func (t *turn) openText() (*spoken, error) {
	if err := t.assistant((t.cut || t.rethink) && !t.hasCalls()); err != nil {
		return nil, err
	}
	t.cut = false
	m := t.current
	if m.open {
		return m, nil
	}
	m.open = true
	return m, t.emit(&agui.TextMessageStart{MessageID: m.id, Role: agui.RoleAssistant})
}

func (t *turn) hasCalls() bool { return t.current != nil && len(t.current.calls) > 0 }

// assistant makes sure there is an assistant message to write to and that no thought is open.
func (t *turn) assistant(another bool) error {
	if err := t.closeThought(); err != nil {
		return err
	}
	if t.current != nil && !another {
		t.rethink = false
		return nil
	}
	if err := t.closeText(); err != nil {
		return err
	}
	t.current = t.begin(agui.RoleAssistant, "msg_")
	t.rethink, t.cut = false, false
	return nil
}

func (t *turn) begin(role, prefix string) *spoken {
	m := &spoken{id: t.run.agent.id(prefix), role: role}
	t.spoken = append(t.spoken, m)
	return m
}

func (t *turn) closeText() error {
	if t.current == nil || !t.current.open {
		return nil
	}
	t.current.open = false
	return t.run.out.EmitWithNext(&agui.TextMessageEnd{MessageID: t.current.id, Base: agui.Base{Metadata: t.mark.JSON()}})
}

// close ends what is open of a turn that is broken off. Calls are ended where they are told about
// or released.
func (t *turn) close() error {
	if err := t.endText(); err != nil {
		return err
	}
	if err := t.dropCards(); err != nil {
		return err
	}
	if err := t.closeThought(); err != nil {
		return err
	}
	return t.closeText()
}

// finishUp is for the end of the model's stream.
func (t *turn) finishUp(ctx context.Context) error {
	if err := t.settleCards(ctx); err != nil {
		return err
	}
	if err := t.conclude(); err != nil {
		return err
	}
	if err := t.close(); err != nil {
		return err
	}
	for _, c := range t.calls {
		if err := t.complete(c); err != nil {
			return err
		}
	}
	return t.run.out.Flush()
}

// messages is the turn as the transcript has it: with each assistant message the results of its
// calls.
func (t *turn) messages() []agui.Message {
	var list []agui.Message
	for _, m := range t.spoken {
		list = append(list, m.message())
		for _, c := range m.calls {
			if c.told {
				list = append(list, c.resultMessage())
			}
		}
	}
	return list
}

func (m *spoken) message() agui.Message {
	if m.card != nil {
		return m.card.message()
	}
	msg := agui.Message{ID: m.id, Role: m.role, EncryptedValue: m.opaque}
	if m.text.Len() > 0 || m.role == agui.RoleReasoning {
		msg.Content = agui.TextContent(m.text.String())
	}
	for _, c := range m.calls {
		msg.ToolCalls = append(msg.ToolCalls, agui.ToolCall{ID: c.id, Name: c.name, Arguments: c.args.String(), EncryptedValue: c.opaque})
	}
	return msg
}

func (c *call) resultMessage() agui.Message {
	return agui.Message{ID: c.resultID, Role: agui.RoleTool, ToolCallID: c.id, Content: agui.TextContent(c.result.Text), Metadata: c.resultMetadata()}
}

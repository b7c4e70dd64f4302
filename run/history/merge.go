package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/run/refusal"
)

// maxToolResult is the longest result of a frontend call that is kept, in bytes of JSON.
const maxToolResult = 1 << 20

// past is the branch as a request finds it.
type past struct {
	*Branch
	*Request
	thread []agui.Message  // the messages of the branch, and those that are stored again
	said   map[string]bool // what they say, if some came without ids: see recognise
}

// isBackend reports whether a call is of a tool that runs on the server: only the server knows what
// such a call returned.
func (h *past) isBackend(c agui.ToolCall) bool { return h.Backend != nil && h.Backend(c.Name) }

// merge picks what a client may add: new user messages, results of frontend calls that are waiting,
// calls that it has made itself, and the history of a new thread, without calls of backend tools.
// It matches everything else by id and ignores it, so a client may send the whole history, only
// what is new, or anything in between.
func merge(h past) (Merged, error) {
	in := h.Input
	m := Merged{Told: instructions(in.Messages), asks: asksForAnswer(in.Messages), newID: h.NewID}
	if err := m.take(h, in.Messages); err != nil {
		return m, err
	}
	if err := m.checkAttachments(in.Messages); err != nil {
		return m, err
	}
	if err := checkResume(h.Interrupts, in.Resume); err != nil {
		return m, err
	}
	m.takeResume(h.Interrupts, in.Resume)
	isNew := len(m.Messages) > 0 || len(m.Resume) > 0
	switch {
	case h.New:
		last := len(m.Messages) - 1
		m.Answer = len(m.Pending) == 0 && last >= 0 &&
			(m.Messages[last].Role == agui.RoleUser || m.Messages[last].Role == agui.RoleTool)
	case len(in.Messages) == 0 && len(in.Resume) == 0:
	default: // what has no answer, sent again, is a retry
		m.Answer = m.goesOn() || len(m.Resume) > 0 ||
			len(m.Pending) == 0 && len(h.Interrupts) == 0 && (isNew || unanswered(h.Messages))
	}
	m.Snapshot = !m.Answer && (!isNew || h.New && len(m.Pending) == 0)
	return m, nil
}

// take sorts the client's messages.
func (m *Merged) take(h past, sent []agui.Message) error {
	rest := make([]agui.Message, 0, len(sent))
	at := make([]int, 0, len(sent)) // indexes in sent
	for i := range sent {
		if !Instructs(&sent[i]) {
			rest, at = append(rest, sent[i]), append(at, i)
		}
	}
	if h.New {
		return m.imported(h, rest, at)
	}
	return m.newMessages(h, rest, at)
}

// newMessages takes what is new on an existing thread.
func (m *Merged) newMessages(h past, sent []agui.Message, at []int) error {
	known, answers := h.known()
	waiting := h.waiting()
	h.recognise(sent)
	own := h.clientCalls(sent, known)
	var said []agui.Message
	for i := range sent {
		msg := &sent[i]
		callID, isKnown := known[msg.ID]
		switch {
		case isKnown && callID == msg.ToolCallID: // sent again; a new call may have the same id
			if isChanged(answers[msg.ID], msg) {
				m.Ignored = append(m.Ignored, "changed "+msg.Role+" "+msg.ID)
			}
		case msg.Role == agui.RoleTool && waiting.has(msg.ToolCallID):
			if isKnown {
				return refusal.Field(fmt.Sprintf("messages[%d].id", at[i]),
					"message id %q is taken by another message of this thread", msg.ID)
			}
			waiting.remove(msg.ToolCallID)
			m.Messages = append(m.Messages, m.fitted(msg))
		case isKnown, h.echoes(msg):
		default:
			switch {
			case h.elsewhere[msg.ID]: // of another branch
			case isUser(*msg):
				said = append(said, *msg)
			case own[msg.ID]:
				said = append(said, m.brought(msg))
			case h.isAnswered(msg):
				m.Doubled = append(m.Doubled, msg.Role+" "+msg.ID)
				continue
			default:
				m.Ignored = append(m.Ignored, msg.Role+" "+msg.ID)
				continue
			}
		}
		known[msg.ID] = msg.ToolCallID
	}
	if len(said) > 0 {
		m.close(waiting, "not executed: the user sent a new message")
		waiting = callSet{}
	}
	m.Messages = append(m.Messages, said...)
	m.Pending = waiting.ids()
	return nil
}

// known returns the branch's messages by id: the calls that they answer, "" if none, and those of
// the assistant.
func (h *past) known() (ids map[string]string, answers map[string]*agui.Message) {
	ids, answers = make(map[string]string, len(h.thread)), map[string]*agui.Message{}
	for i := range h.thread {
		msg := &h.thread[i]
		if ids[msg.ID] = msg.ToolCallID; isAssistant(*msg) {
			answers[msg.ID] = msg
		}
	}
	return ids, answers
}

// waiting returns the calls that wait for the client's results.
func (h *past) waiting() callSet {
	waiting := openCalls(h.thread)
	for i := range h.thread {
		for _, c := range h.thread[i].ToolCalls {
			if h.isBackend(c) {
				waiting.remove(c.ID) // cut off by a crash: the run says so
			}
		}
	}
	for i := range h.Interrupts {
		waiting.remove(h.Interrupts[i].ToolCallID) // a person answers those, through resume
	}
	return waiting
}

// isAnswered reports whether a message is a result of a call that has one, or whose interrupt the
// request answers: CopilotKit sends both.
func (h *past) isAnswered(msg *agui.Message) bool {
	if msg.Role != agui.RoleTool {
		return false
	}
	answered := func(m agui.Message) bool { return m.Role == agui.RoleTool && m.ToolCallID == msg.ToolCallID }
	asked := func(i calls.Interrupt) bool { return i.ToolCallID == msg.ToolCallID && HasAnswer(h.Input.Resume, i.ID) }
	return slices.ContainsFunc(h.thread, answered) || slices.ContainsFunc(h.Interrupts, asked)
}

// isChanged reports whether the client has changed the words of an answer. It may have only the
// beginning of them. The answer may be nil.
func isChanged(answer, sent *agui.Message) bool {
	if answer == nil || bytes.Equal(answer.Content.Raw(), sent.Content.Raw()) {
		return false // most are as they were: they need not be decoded
	}
	return !strings.HasPrefix(answer.Content.Text(), sent.Content.Text())
}

// takeResume takes the first answer to each open interrupt. Other answers are ignored, not refused:
// a client may answer again after a lost connection.
func (m *Merged) takeResume(open []calls.Interrupt, sent []agui.ResumeEntry) {
	for _, entry := range sent {
		known := slices.ContainsFunc(open, func(i calls.Interrupt) bool { return i.ID == entry.InterruptID })
		twice := slices.ContainsFunc(m.Resume, func(r agui.ResumeEntry) bool {
			return r.InterruptID == entry.InterruptID
		})
		if !known || twice {
			m.Ignored = append(m.Ignored, "resume "+entry.InterruptID)
			continue
		}
		m.Resume = append(m.Resume, entry)
	}
}

// imported takes the history of a new thread and marks what pretends to be the server's. It ignores
// calls of backend tools and their results, which only the server can have made. Providers need a
// balanced history, so calls without a result get one here, and results without a call are dropped.
func (m *Merged) imported(h past, sent []agui.Message, at []int) error {
	var waiting callSet
	seen := make(map[string]bool, len(sent))
	m.Messages = slices.Grow(m.Messages, len(sent))
	for i := range sent {
		msg := &sent[i]
		if seen[msg.ID] {
			return refusal.Field(fmt.Sprintf("messages[%d].id", at[i]), "message id %q occurs twice", msg.ID)
		}
		seen[msg.ID] = true
		switch msg.Role {
		case agui.RoleTool:
			if !waiting.has(msg.ToolCallID) {
				m.Ignored = append(m.Ignored, msg.Role+" "+msg.ID)
				continue
			}
			waiting.remove(msg.ToolCallID)
		case agui.RoleUser, agui.RoleAssistant, agui.RoleReasoning:
			m.close(waiting, "not executed: the conversation went on")
			waiting = callSet{}
			if msg = m.withoutBackendCalls(h, msg); msg == nil {
				continue
			}
			waiting.add(msg)
		default:
			m.Ignored = append(m.Ignored, msg.Role+" "+msg.ID)
			continue
		}
		m.Messages = append(m.Messages, m.brought(msg))
	}
	m.Pending = waiting.ids()
	return nil
}

// withoutBackendCalls returns a client's message without calls of backend tools, or nil if nothing
// is left.
func (m *Merged) withoutBackendCalls(h past, msg *agui.Message) *agui.Message {
	if !slices.ContainsFunc(msg.ToolCalls, h.isBackend) {
		return msg
	}
	rest := *msg
	rest.ToolCalls = nil
	for _, c := range msg.ToolCalls {
		if h.isBackend(c) {
			m.Ignored = append(m.Ignored, "call "+c.ID+" of "+c.Name)
			continue
		}
		rest.ToolCalls = append(rest.ToolCalls, c)
	}
	if len(rest.ToolCalls) == 0 && rest.Content.Text() == "" {
		return nil
	}
	return &rest
}

// brought returns a message of the client's own as it is kept.
func (m *Merged) brought(msg *agui.Message) agui.Message {
	taken := withClientCalls(msg)
	if taken.Role == agui.RoleTool {
		taken = m.fitted(&taken)
	}
	if taken.Role != agui.RoleUser {
		taken.Metadata = agui.WithImported(taken.Metadata)
	}
	return taken
}

// withClientCalls returns a client's message without what only the server says of calls.
func withClientCalls(msg *agui.Message) agui.Message {
	taken := *msg
	taken.ToolCalls = slices.Clone(taken.ToolCalls)
	for i := range taken.ToolCalls {
		taken.ToolCalls[i].Metadata = agui.ClientMetadata(taken.ToolCalls[i].Metadata)
	}
	return taken
}

// fitted returns the result of a frontend call, cut if it is too long. A client repeats its history
// with each request: one that is refused for a result would be refused for good.
func (m *Merged) fitted(msg *agui.Message) agui.Message {
	kept := *msg
	size := len(msg.Content.Raw())
	text := msg.Content.Text()
	for keep := maxToolResult; len(kept.Content.Raw()) > maxToolResult; keep /= 2 {
		head := visible.Cut(text, keep)
		kept.Content = agui.TextContent(fmt.Sprintf("[This result of the page was too long: it had %d bytes, and the %d below were kept. Ask for less.]\n%s",
			size, len(head), head))
	}
	if len(kept.Content.Raw()) != size {
		m.Cut = append(m.Cut, fmt.Sprintf("%s: %d bytes", msg.ToolCallID, size))
	}
	return kept
}

// NotExecuted is the code of the result of a call that was not run.
const NotExecuted = "not_executed"

// close gives calls a result in place of the client.
func (m *Merged) close(open callSet, why string) {
	results, messages := Close(open.ids(), NotExecuted, why, m.newID)
	m.Answered, m.Messages = append(m.Answered, results...), append(m.Messages, messages...)
}

// Close returns an error result for each of the calls, and the messages that the results are.
func Close(
	open []string, code, why string, newID func(prefix string) string,
) (results []agui.ToolCallResult, messages []agui.Message) {
	for _, id := range open {
		r := ErrorResult(newID("msg"), id, code, why)
		results = append(results, r)
		messages = append(messages, agui.Message{
			ID: r.MessageID, Role: agui.RoleTool, ToolCallID: id, Content: r.Content,
		})
	}
	return results, messages
}

// ErrorResult returns an error result of a call that the model can read, as the message with an id.
func ErrorResult(messageID, callID, code, why string) agui.ToolCallResult {
	// strings and a bool: cannot fail
	text, _ := json.Marshal(map[string]any{"error": map[string]any{
		"code": code, "message": why, "retryable": false,
	}})
	return agui.ToolCallResult{
		MessageID: messageID, ToolCallID: callID, Content: agui.TextContent(string(text)), Role: agui.RoleTool,
	}
}

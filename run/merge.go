package run

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/agui"
)

// maxToolResult bounds what a client may answer to one frontend call, in bytes of JSON.
const maxToolResult = 1 << 20

// merged is what a request means for a thread whose transcript the server holds.
type merged struct {
	messages []agui.Message        // the new ones, in order, to be stored
	answered []agui.ToolCallResult // calls the server answers itself because the user went on
	pending  []string              // calls that still wait for the client
	ignored  []string              // what the client said and may not say, for the log
	answer   bool                  // is there something for the model to answer?
	snapshot bool                  // does the client only want to see the thread?
}

// merge takes from the client's messages what a client may say: new user messages, results of calls that really wait, and, where
// the server knows nothing of the thread, its history. Everything else is matched by id and ignored, so that a client may send
// the whole history, only what is new, or anything between. unanswered says that the last turn failed: sending it again is a retry.
func merge(stored, sent []agui.Message, unanswered bool) (merged, error) {
	if len(sent) == 0 {
		return merged{snapshot: true}, nil
	}
	if len(stored) == 0 {
		return imported(sent)
	}
	var m merged
	known := make(map[string]string, len(stored)) // id → the call it answers, if it is a result
	for i := range stored {
		known[stored[i].ID] = stored[i].ToolCallID
	}
	waiting := openCalls(stored)
	var users []agui.Message
	for i := range sent {
		msg := &sent[i]
		answers, isKnown := known[msg.ID]
		switch {
		case isKnown && answers == msg.ToolCallID: // sent again; its call's id may wait once more
		case msg.Role == agui.RoleTool && waiting.has(msg.ToolCallID):
			if err := checkResult(i, msg); err != nil {
				return m, err
			}
			if isKnown {
				return m, &Error{Code: CodeInvalid, Field: fmt.Sprintf("messages[%d].id", i), Message: fmt.Sprintf("message id %q is taken by another message of this thread", msg.ID)}
			}
			waiting.remove(msg.ToolCallID)
			m.messages = append(m.messages, *msg)
		case isKnown:
		case msg.Role == agui.RoleUser:
			users = append(users, *msg)
		default:
			m.ignored = append(m.ignored, msg.Role+" "+msg.ID)
			continue
		}
		known[msg.ID] = msg.ToolCallID
	}
	if len(users) > 0 {
		m.close(waiting, notExecuted, "not executed: the user sent a new message")
		waiting = calls{}
	}
	gotResults := len(m.messages) > 0
	m.messages = append(m.messages, users...)
	m.pending = waiting.ids()
	m.answer = len(m.pending) == 0 && (gotResults || len(users) > 0 || unanswered)
	m.snapshot = len(m.messages) == 0 && !m.answer && len(m.pending) == 0
	return m, nil
}

// imported takes the history of a thread the server has never seen. A provider is only ever given balanced history,
// so calls nobody answered are answered here and results of calls nobody made are left out.
func imported(sent []agui.Message) (merged, error) {
	var m merged
	var waiting calls
	seen := make(map[string]bool, len(sent))
	for i := range sent {
		msg := &sent[i]
		if seen[msg.ID] {
			return m, &Error{Code: CodeInvalid, Field: fmt.Sprintf("messages[%d].id", i), Message: fmt.Sprintf("message id %q occurs twice", msg.ID)}
		}
		seen[msg.ID] = true
		switch msg.Role {
		case agui.RoleTool:
			if !waiting.has(msg.ToolCallID) {
				m.ignored = append(m.ignored, msg.Role+" "+msg.ID)
				continue
			}
			if err := checkResult(i, msg); err != nil {
				return m, err
			}
			waiting.remove(msg.ToolCallID)
		case agui.RoleUser, agui.RoleAssistant, agui.RoleReasoning:
			m.close(waiting, notExecuted, "not executed: the conversation went on")
			waiting = calls{}
			waiting.add(msg)
		default:
			m.ignored = append(m.ignored, msg.Role+" "+msg.ID)
			continue
		}
		m.messages = append(m.messages, *msg)
	}
	m.pending = waiting.ids()
	if len(m.messages) == 0 {
		m.snapshot = true
		return m, nil
	}
	last := m.messages[len(m.messages)-1].Role
	m.answer = len(m.pending) == 0 && (last == agui.RoleUser || last == agui.RoleTool)
	m.snapshot = !m.answer && len(m.pending) == 0
	return m, nil
}

func checkResult(i int, msg *agui.Message) error {
	if n := len(msg.Content.Raw()); n > maxToolResult {
		return &Error{Code: CodeTooLarge, Field: fmt.Sprintf("messages[%d].content", i),
			Message: fmt.Sprintf("the result of tool call %q is %d bytes; at most %d are taken", msg.ToolCallID, n, maxToolResult)}
	}
	return nil
}

// notExecuted is the code of the result of a call that nobody carried out.
const notExecuted = "not_executed"

// close answers the calls in the client's place. The results become messages too.
func (m *merged) close(open calls, code, why string) {
	for _, id := range open.ids() {
		r := errorResult(id, code, why)
		m.answered = append(m.answered, r)
		m.messages = append(m.messages, agui.Message{ID: r.MessageID, Role: agui.RoleTool, ToolCallID: id, Content: r.Content, Error: why})
	}
}

// errorResult is the result of a call that has no other: an error the model can read.
func errorResult(callID, code, message string) agui.ToolCallResult {
	text, _ := json.Marshal(map[string]any{"error": map[string]any{"code": code, "message": message, "retryable": false}}) // strings and a bool: cannot fail
	return agui.ToolCallResult{MessageID: newID("msg"), ToolCallID: callID, Content: agui.TextContent(string(text)), Role: agui.RoleTool}
}

// calls are the ids of tool calls that have no result yet, in order. The zero value is none of them.
// An id may come back once it has been answered: some models count their calls from zero in each turn.
type calls struct {
	order []string       // also those that were answered
	open  map[string]int // id → where it stands in order
}

// openCalls returns the calls in a thread's messages that have no result.
func openCalls(messages []agui.Message) calls {
	var c calls
	for i := range messages {
		c.add(&messages[i])
		if messages[i].Role == agui.RoleTool {
			c.remove(messages[i].ToolCallID)
		}
	}
	return c
}

// add adds the calls of a message.
func (c *calls) add(msg *agui.Message) {
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

func (c *calls) has(id string) bool {
	_, open := c.open[id]
	return open
}

func (c *calls) remove(id string) { delete(c.open, id) }

// ids returns them in order.
func (c *calls) ids() []string {
	var ids []string
	for i, id := range c.order {
		if at, open := c.open[id]; open && at == i {
			ids = append(ids, id)
		}
	}
	return ids
}

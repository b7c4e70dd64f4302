package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/calls"

	"github.com/pageside/pageside/agui"
)

// maxToolResult is the longest result of a frontend call that is kept, in bytes of JSON.
const maxToolResult = 1 << 20

// history is the server's state of the branch that the run continues.
type history struct {
	isNew      bool // the thread does not exist yet
	messages   []agui.Message
	interrupts []calls.Interrupt // open ones
	// the last user message has no answer: sending it again is a retry
	retry bool
	// the ids among those sent that another branch of the thread has
	elsewhere map[string]bool
	// reports whether a tool runs on the server; nil means none does
	backend func(name string) bool
	run     string             // the id of the run being started
	resume  []agui.ResumeEntry // answers that it brings, for what they answer
	said    map[string]bool    // what the messages say, if some came without ids: see recognise
}

// isBackend reports whether a call is of a tool that runs on the server: only the server knows what
// such a call returned.
func (h *history) isBackend(c agui.ToolCall) bool { return h.backend != nil && h.backend(c.Name) }

// merged is what a request adds to the server's thread.
type merged struct {
	messages []agui.Message        // new ones, in order, to be stored
	answered []agui.ToolCallResult // results made by the server for calls the user skipped
	pending  []string              // frontend calls that still wait for the client
	resume   []agui.ResumeEntry    // answers to open interrupts
	ignored  []string              // what the client may not send, for the log
	doubled  []string              // second answers to what has one, for the log
	cut      []string              // results of which only the beginning is kept, for the log
	told     []string              // the client's system and developer messages
	copied   map[string]bool       // ids of copies of earlier messages
	answer   bool                  // the agent has something to answer
	snapshot bool                  // the client only asks for the thread
}

// merge picks what a client may add: new user messages, results of frontend calls that are waiting,
// calls that it has made itself, and the history of a new thread, without calls of backend tools.
// It matches everything else by id and ignores it, so a client may send the whole history, only
// what is new, or anything in between.
func merge(h history, in *agui.RunAgentInput) (merged, error) {
	var m merged
	h.resume = in.Resume
	if err := m.take(h, in.Messages); err != nil {
		return m, err
	}
	if err := m.checkAttachments(in.Messages); err != nil {
		return m, err
	}
	if err := checkResume(h.interrupts, in.Resume); err != nil {
		return m, err
	}
	m.takeResume(h.interrupts, in.Resume)
	isNew := len(m.messages) > 0 || len(m.resume) > 0
	switch {
	case h.isNew:
		last := len(m.messages) - 1
		m.answer = len(m.pending) == 0 && last >= 0 &&
			(m.messages[last].Role == agui.RoleUser || m.messages[last].Role == agui.RoleTool)
	case len(in.Messages) == 0 && len(in.Resume) == 0:
	default:
		m.answer = m.goesOn() || len(m.resume) > 0 ||
			len(m.pending) == 0 && len(h.interrupts) == 0 && (isNew || h.retry)
	}
	m.snapshot = !m.answer && (!isNew || h.isNew && len(m.pending) == 0)
	return m, nil
}

func isUser(m agui.Message) bool { return m.Role == agui.RoleUser }

// take sorts the client's messages.
func (m *merged) take(h history, sent []agui.Message) error {
	rest := make([]agui.Message, 0, len(sent))
	at := make([]int, 0, len(sent)) // indexes in sent
	for i := range sent {
		if msg := &sent[i]; instructs(msg) {
			if text := strings.TrimSpace(msg.Content.Text()); text != "" {
				m.told = append(m.told, text)
			}
			continue
		}
		rest, at = append(rest, sent[i]), append(at, i)
	}
	if h.isNew {
		return m.imported(h, rest, at)
	}
	return m.newMessages(h, rest, at)
}

// instructs reports whether a message is the client's instructions: they are for its run alone, and
// no message of the thread.
func instructs(m *agui.Message) bool {
	return m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper
}

// newMessages takes what is new on an existing thread.
func (m *merged) newMessages(h history, sent []agui.Message, at []int) error {
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
				m.ignored = append(m.ignored, "changed "+msg.Role+" "+msg.ID)
			}
		case msg.Role == agui.RoleTool && waiting.has(msg.ToolCallID):
			if isKnown {
				return &Error{
					Code: CodeInvalid, Field: fmt.Sprintf("messages[%d].id", at[i]),
					Message: fmt.Sprintf("message id %q is taken by another message of this thread", msg.ID),
				}
			}
			waiting.remove(msg.ToolCallID)
			m.messages = append(m.messages, m.fitted(msg))
		case isKnown, h.echoes(msg):
		default:
			switch {
			case h.elsewhere[msg.ID]: // of another branch
			case isUser(*msg):
				said = append(said, *msg)
			case own[msg.ID]:
				said = append(said, m.brought(msg))
			case h.isAnswered(msg):
				m.doubled = append(m.doubled, msg.Role+" "+msg.ID)
				continue
			default:
				m.ignored = append(m.ignored, msg.Role+" "+msg.ID)
				continue
			}
		}
		known[msg.ID] = msg.ToolCallID
	}
	if len(said) > 0 {
		m.close(waiting, notExecuted, "not executed: the user sent a new message")
		waiting = callSet{}
	}
	m.messages = append(m.messages, said...)
	m.pending = waiting.ids()
	return nil
}

// known returns the branch's messages by id: the calls that they answer, "" if none, and those of
// the assistant.
func (h *history) known() (ids map[string]string, answers map[string]*agui.Message) {
	ids, answers = make(map[string]string, len(h.messages)), map[string]*agui.Message{}
	for i := range h.messages {
		msg := &h.messages[i]
		if ids[msg.ID] = msg.ToolCallID; isAssistant(*msg) {
			answers[msg.ID] = msg
		}
	}
	return ids, answers
}

// waiting returns the calls that wait for the client's results.
func (h *history) waiting() callSet {
	waiting := openCalls(h.messages)
	for i := range h.messages {
		for _, c := range h.messages[i].ToolCalls {
			if h.isBackend(c) {
				waiting.remove(c.ID) // cut off by a crash: the run says so
			}
		}
	}
	for i := range h.interrupts {
		waiting.remove(h.interrupts[i].ToolCallID) // a person answers those, through resume
	}
	return waiting
}

// isAnswered reports whether a message is a result of a call that has one, or whose interrupt the
// request answers: CopilotKit sends both.
func (h *history) isAnswered(msg *agui.Message) bool {
	if msg.Role != agui.RoleTool {
		return false
	}
	answered := func(m agui.Message) bool { return m.Role == agui.RoleTool && m.ToolCallID == msg.ToolCallID }
	asked := func(i calls.Interrupt) bool { return i.ToolCallID == msg.ToolCallID && hasAnswer(h.resume, i.ID) }
	return slices.ContainsFunc(h.messages, answered) || slices.ContainsFunc(h.interrupts, asked)
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
func (m *merged) takeResume(open []calls.Interrupt, sent []agui.ResumeEntry) {
	for _, entry := range sent {
		known := slices.ContainsFunc(open, func(i calls.Interrupt) bool { return i.ID == entry.InterruptID })
		twice := slices.ContainsFunc(m.resume, func(r agui.ResumeEntry) bool {
			return r.InterruptID == entry.InterruptID
		})
		if !known || twice {
			m.ignored = append(m.ignored, "resume "+entry.InterruptID)
			continue
		}
		m.resume = append(m.resume, entry)
	}
}

// imported takes the history of a new thread and marks what pretends to be the server's. It ignores
// calls of backend tools and their results, which only the server can have made. Providers need a
// balanced history, so calls without a result get one here, and results without a call are dropped.
func (m *merged) imported(h history, sent []agui.Message, at []int) error {
	var waiting callSet
	seen := make(map[string]bool, len(sent))
	m.messages = slices.Grow(m.messages, len(sent))
	for i := range sent {
		msg := &sent[i]
		if seen[msg.ID] {
			return &Error{
				Code: CodeInvalid, Field: fmt.Sprintf("messages[%d].id", at[i]),
				Message: fmt.Sprintf("message id %q occurs twice", msg.ID),
			}
		}
		seen[msg.ID] = true
		switch msg.Role {
		case agui.RoleTool:
			if !waiting.has(msg.ToolCallID) {
				m.ignored = append(m.ignored, msg.Role+" "+msg.ID)
				continue
			}
			waiting.remove(msg.ToolCallID)
		case agui.RoleUser, agui.RoleAssistant, agui.RoleReasoning:
			m.close(waiting, notExecuted, "not executed: the conversation went on")
			waiting = callSet{}
			if msg = m.withoutBackendCalls(h, msg); msg == nil {
				continue
			}
			waiting.add(msg)
		default:
			m.ignored = append(m.ignored, msg.Role+" "+msg.ID)
			continue
		}
		m.messages = append(m.messages, m.brought(msg))
	}
	m.pending = waiting.ids()
	return nil
}

// withoutBackendCalls returns a client's message without calls of backend tools, or nil if nothing
// is left.
func (m *merged) withoutBackendCalls(h history, msg *agui.Message) *agui.Message {
	if !slices.ContainsFunc(msg.ToolCalls, h.isBackend) {
		return msg
	}
	rest := *msg
	rest.ToolCalls = nil
	for _, c := range msg.ToolCalls {
		if h.isBackend(c) {
			m.ignored = append(m.ignored, "call "+c.ID+" of "+c.Name)
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
func (m *merged) brought(msg *agui.Message) agui.Message {
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
func (m *merged) fitted(msg *agui.Message) agui.Message {
	kept := *msg
	size := len(msg.Content.Raw())
	text := msg.Content.Text()
	for keep := maxToolResult; len(kept.Content.Raw()) > maxToolResult; keep /= 2 {
		head := strings.ToValidUTF8(text[:min(keep, len(text))], "")
		kept.Content = agui.TextContent(fmt.Sprintf("[This result of the page was too long: it had %d bytes, and the %d below were kept. Ask for less.]\n%s",
			size, len(head), head))
	}
	if len(kept.Content.Raw()) != size {
		m.cut = append(m.cut, fmt.Sprintf("%s: %d bytes", msg.ToolCallID, size))
	}
	return kept
}

// notExecuted is the code of the result of a call that was not run.
const notExecuted = "not_executed"

// close gives calls a result in place of the client. The results become messages too.
func (m *merged) close(open callSet, code, why string) {
	for _, id := range open.ids() {
		r := errorResult(id, code, why)
		m.answered = append(m.answered, r)
		m.messages = append(m.messages, agui.Message{
			ID: r.MessageID, Role: agui.RoleTool, ToolCallID: id, Content: r.Content,
		})
	}
}

// errorResult returns an error result that the model can read.
func errorResult(callID, code, message string) agui.ToolCallResult {
	// strings and a bool: cannot fail
	text, _ := json.Marshal(map[string]any{"error": map[string]any{
		"code": code, "message": message, "retryable": false,
	}})
	return agui.ToolCallResult{
		MessageID: newID("msg"), ToolCallID: callID, Content: agui.TextContent(string(text)),
		Role: agui.RoleTool,
	}
}

// callSet holds the ids of tool calls without a result, in order. The zero value is empty. An id
// may be reused once it has a result: some models count their calls from zero in each step.
type callSet struct {
	order []string       // including answered ones
	open  map[string]int // id → its index in order
}

// openCalls returns the calls in a thread's messages that have no result.
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
		return true // until its agent goes on: see stillAsked
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

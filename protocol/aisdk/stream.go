package aisdk

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// stream translates the events of one run into the parts of one UIMessage.
type stream struct {
	id        string // of the message; "" until the run says something
	continues bool   // the client has the message: the run adds to it
	// tools that the client runs. It is told of their calls only when they are its to run: one that
	// is not may look like it until then. nil means that the tools are not known
	tools   map[string]bool
	held    map[string]bool // calls that the client's message has
	denied  map[string]bool // calls whose approval the request answers; true if it denies them
	earlier func(callID string) (c agui.ToolCall, messageID string, ok bool)
	replay  bool // begins with a snapshot of the thread, which is no run

	into    *uiMessage // takes what would be sent, if it is set
	out     []byte
	before  []byte // what is sent once the message has begun
	started bool
	open    []opened // parts that are being written
	steps
	cited map[string]bool // ids of sources that the message has
	calls []*call
	shown map[string]bool // messages that the client has
	said  metadata
	cut   string // what cut the answer off
	all   agui.Transcript
	other map[string]bool // text messages of other roles than the assistant's
}

type opened struct{ kind, id string }

// call is a call of this run.
type call struct {
	agui.ToolCall
	message string
	told    bool // tool-input-available was sent
	ended   bool // and its result

	grown strings.Builder // the arguments, as far as they have been streamed
}

// chunk is a chunk of the protocol.
type chunk struct {
	Type             string          `json:"type"`
	ID               string          `json:"id,omitzero"`
	MessageID        string          `json:"messageId,omitzero"`
	Delta            string          `json:"delta,omitzero"`
	ProviderMetadata *provider       `json:"providerMetadata,omitzero"`
	ToolCallID       string          `json:"toolCallId,omitzero"`
	ToolName         string          `json:"toolName,omitzero"`
	InputTextDelta   string          `json:"inputTextDelta,omitzero"`
	Input            json.RawMessage `json:"input,omitzero"`
	Output           json.RawMessage `json:"output,omitzero"`
	ErrorText        string          `json:"errorText,omitzero"`
	ProviderExecuted *bool           `json:"providerExecuted,omitzero"`
	ApprovalID       string          `json:"approvalId,omitzero"`
	Data             json.RawMessage `json:"data,omitzero"`
	Transient        bool            `json:"transient,omitzero"`
	FinishReason     string          `json:"finishReason,omitzero"`
	MessageMetadata  *metadata       `json:"messageMetadata,omitzero"`
	Reason           string          `json:"reason,omitzero"`
	SourceID         string          `json:"sourceId,omitzero"`
	URL              string          `json:"url,omitzero"`
	Title            string          `json:"title,omitzero"`
	MediaType        string          `json:"mediaType,omitzero"`
}

// newStream returns the stream that answers a request.
func newStream(x *server.Exchange, req *request) *stream {
	s := &stream{
		tools: map[string]bool{}, held: map[string]bool{}, denied: map[string]bool{},
		cited: map[string]bool{}, shown: map[string]bool{}, earlier: callsOf(x, req.ID),
	}
	for name := range req.Tools {
		s.tools[name] = true
	}
	m := req.continued()
	if m == nil {
		return s
	}
	s.id, s.continues, s.shown[m.ID] = m.ID, true, true
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.SourceID != "" {
			s.cited[p.SourceID] = true
		}
		if s.shown[p.message()] = true; !p.isTool() {
			continue
		}
		s.held[p.ToolCallID] = true
		if p.answered() {
			s.denied[p.ToolCallID] = !*p.Approval.Approved
		}
	}
	return s
}

// resumedStream returns a stream that begins with a snapshot.
func resumedStream() *stream {
	return &stream{replay: true, cited: map[string]bool{}, shown: map[string]bool{}}
}

// maxEarlier is how many messages are searched for a call of an earlier answer.
const maxEarlier = 200

// callsOf returns a function that finds a call among a chat's newest messages.
func callsOf(x *server.Exchange, chat string) func(string) (agui.ToolCall, string, bool) {
	return func(id string) (agui.ToolCall, string, bool) {
		// A call that is not found is not shown.
		messages, _, _ := x.Threads().Messages(chat, "", maxEarlier)
		for _, m := range slices.Backward(messages) {
			for _, c := range m.ToolCalls {
				if c.ID == id {
					return c, m.ID, true
				}
			}
		}
		return agui.ToolCall{}, "", false
	}
}

// translate is a server.Translate.
func (s *stream) translate(e run.Event) []byte {
	s.out = s.out[:0]
	_ = s.all.Apply(e.Event) // the writer has folded it too: cannot fail
	switch e := e.Event.(type) {
	case *agui.RunStarted:
		if s.continues {
			s.start("")
		}
	case *agui.MessagesSnapshot:
		s.snapshot(e.Messages)
	case *agui.RunFinished:
		if s.replay { // the snapshot's; what follows is the run
			s.replay, s.all = false, agui.Transcript{}
			return s.out
		}
		s.finish(e)
	case *agui.RunError:
		s.fail(e)
	case *agui.Custom:
		s.now(chunk{Type: dataPrefix + e.Name, Data: e.Value, Transient: true})
	default:
		s.message(e)
	}
	return s.out
}

// message translates an event of a message.
func (s *stream) message(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		if e.Role != "" && e.Role != agui.RoleAssistant {
			if s.other == nil {
				s.other = map[string]bool{}
			}
			s.other[e.MessageID] = true
		}
	case *agui.TextMessageContent:
		if !s.other[e.MessageID] {
			s.delta(typeText, e.MessageID, e.Delta)
		}
	case *agui.TextMessageEnd:
		s.close(typeText, e.MessageID)
		s.cutBy(e.Metadata)
	case *agui.ReasoningMessageContent:
		s.delta(typeReasoning, e.MessageID, e.Delta)
	case *agui.ReasoningMessageEnd:
		s.close(typeReasoning, e.MessageID)
	case *agui.ToolCallStart:
		s.begin(e)
	case *agui.ToolCallArgs:
		s.args(e)
	case *agui.ToolCallEnd:
		if c := s.call(e.ToolCallID); c != nil && s.tools != nil && !s.tools[c.Name] {
			s.tell(c, true)
		}
	case *agui.ToolCallResult:
		s.result(e.ToolCallID, e.Content)
	case *agui.ActivitySnapshot:
		s.card(e.MessageID)
	case *agui.ActivityDelta:
		s.card(e.MessageID)
	}
}

func (s *stream) cutBy(raw json.RawMessage) {
	if by := s.said.suggest(raw); by != "" {
		s.cut = by
	}
}

// send sends a chunk of the message, once that has begun.
func (s *stream) send(c chunk) {
	if !s.started {
		s.before = sse.AppendFrame(s.before, "", jsonx.Marshal(c))
		return
	}
	s.now(c)
}

func (s *stream) now(c chunk) {
	if s.into != nil {
		s.into.take(c)
		return
	}
	s.out = sse.AppendFrame(s.out, "", jsonx.Marshal(c))
}

// start begins the message. It has the id of the first message of the thread that it shows.
func (s *stream) start(message string) {
	if s.started {
		return
	}
	if s.started = true; s.id == "" {
		s.id = message
	}
	s.now(chunk{Type: "start", MessageID: s.id})
	s.out = append(s.out, s.before...)
}

// step begins the message, and a step of it if a message of the thread does.
func (s *stream) step(message string) {
	s.start(message)
	s.shown[message] = true
	begun := s.begun
	if !s.begins(message) {
		return
	}
	if begun {
		s.closeAll()
		s.send(chunk{Type: "finish-step"})
	}
	s.send(chunk{Type: "start-step"})
}

// delta sends a piece of a text, and begins the text if necessary. It is called for each token.
func (s *stream) delta(kind, id, text string) {
	if !slices.Contains(s.open, opened{kind, id}) {
		s.step(id)
		s.open = append(s.open, opened{kind, id})
		s.send(chunk{Type: kind + "-start", ID: id, ProviderMetadata: from(id)})
	}
	if s.into != nil {
		s.into.Parts[len(s.into.Parts)-1].Text += text
		return
	}
	s.out = append(append(s.out, `data: {"type":"`...), kind...)
	s.out = jsonx.AppendString(append(s.out, `-delta","id":`...), id)
	s.out = jsonx.AppendString(append(s.out, `,"delta":`...), text)
	s.out = append(s.out, "}\n\n"...)
}

func (s *stream) close(kind, id string) {
	if i := slices.Index(s.open, opened{kind, id}); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
		s.send(chunk{Type: kind + "-end", ID: id})
	}
}

func (s *stream) closeAll() {
	for len(s.open) > 0 {
		s.close(s.open[0].kind, s.open[0].id)
	}
}

// call returns a call of this run, or nil.
func (s *stream) call(id string) *call {
	for i := len(s.calls) - 1; i >= 0; i-- { // some models use an id again
		if s.calls[i].ID == id {
			return s.calls[i]
		}
	}
	return nil
}

// begin begins a call. One that the client's message has was approved and is given to the page.
func (s *stream) begin(e *agui.ToolCallStart) {
	c := &call{ToolCall: agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName}, message: e.ParentMessageID}
	if c.message == "" {
		c.message = e.ToolCallID // of a message of its own
	}
	s.calls = append(s.calls, c)
	if s.held[c.ID] {
		return
	}
	s.step(c.message)
	s.send(chunk{
		Type: "tool-input-start", ToolCallID: c.ID, ToolName: c.Name, ProviderMetadata: from(c.message),
		ProviderExecuted: s.runs(c),
	})
}

// runs returns true if the server runs a call, and nil if the client does or the tools are unknown.
func (s *stream) runs(c *call) *bool {
	if s.tools == nil || s.tools[c.Name] {
		return nil
	}
	return new(true)
}

// grow appends to a call's arguments, which may come in tens of thousands of pieces.
func (c *call) grow(delta string) {
	if c.grown.Len() == 0 {
		c.grown.WriteString(c.Arguments)
	}
	c.grown.WriteString(delta)
	c.Arguments = c.grown.String()
}

func (s *stream) args(e *agui.ToolCallArgs) {
	if c := s.call(e.ToolCallID); c != nil {
		c.grow(e.Delta)
		if !s.held[c.ID] {
			s.send(chunk{Type: "tool-input-delta", ToolCallID: c.ID, InputTextDelta: e.Delta})
		}
	}
}

// tell sends a call's arguments. The client runs it unless the server does.
func (s *stream) tell(c *call, byServer bool) {
	if !c.told {
		c.told = true
		s.send(chunk{
			Type: "tool-input-available", ToolCallID: c.ID, ToolName: c.Name,
			Input: agui.ArgumentsJSON(c.Arguments), ProviderExecuted: &byServer,
			ProviderMetadata: from(c.message),
		})
	}
}

// result sends a call's result. A call of an earlier answer is repeated in this one, since the
// client no longer changes the earlier message.
func (s *stream) result(id string, content agui.Content) {
	c := s.call(id)
	if c == nil {
		c = &call{ToolCall: agui.ToolCall{ID: id}, told: s.held[id]}
		if !c.told {
			known, message, ok := agui.ToolCall{}, "", false
			if s.earlier != nil {
				known, message, ok = s.earlier(id)
			}
			if !ok {
				return
			}
			c.ToolCall, c.message = known, message
		}
		s.calls = append(s.calls, c)
	}
	s.tell(c, true)
	c.ended, s.resulted = true, true
	output, failure := outputOf(content)
	switch {
	case s.denied[id]:
		s.send(chunk{Type: "tool-output-denied", ToolCallID: id})
	case failure != "":
		s.send(chunk{Type: "tool-output-error", ToolCallID: id, ErrorText: failure})
	default:
		s.send(chunk{Type: "tool-output-available", ToolCallID: id, Output: output})
	}
}

// card sends an activity once it is complete, since the client cannot take anything back.
func (s *stream) card(id string) {
	m, _ := s.all.Message(id)
	if s.cite(&m); m.IsPayload() {
		s.show(id, m.ActivityType, m.Activity)
		s.cutBy(m.Metadata)
	}
}

// beside prepares the stream for parts that belong to the step of a call.
func (s *stream) beside(id string) {
	s.start(id)
	s.shown[id] = true
	s.closeAll() // text that follows comes after the card
	if s.contains() {
		s.send(chunk{Type: "start-step"})
	}
}

// show sends data.
func (s *stream) show(id, kind string, data json.RawMessage) {
	s.beside(id)
	s.send(chunk{Type: dataPrefix + kind, ID: id, Data: data})
}

// snapshot sends what the client lacks of the thread's last answer.
func (s *stream) snapshot(messages []agui.Message) {
	messages = agui.LastAnswer(messages)
	// The client may continue an earlier answer than the last one.
	other := s.continues && !slices.ContainsFunc(messages, func(m agui.Message) bool { return s.shown[m.ID] })
	for i := range messages {
		m := &messages[i]
		switch {
		case other:
		case m.Role == agui.RoleTool:
			if c := s.call(m.ToolCallID); c != nil && !c.ended || c == nil && s.held[m.ToolCallID] {
				s.result(m.ToolCallID, m.Content)
			}
		case !s.shown[m.ID]:
			s.repeat(m)
		}
	}
}

// repeat sends a message of the thread.
func (s *stream) repeat(m *agui.Message) {
	text := m.Content.Text()
	switch m.Role {
	case agui.RoleReasoning:
		if text != "" {
			s.delta(typeReasoning, m.ID, text)
			s.close(typeReasoning, m.ID)
		}
	case agui.RoleAssistant:
		if text != "" {
			s.delta(typeText, m.ID, text)
			s.close(typeText, m.ID)
		}
		for _, c := range m.ToolCalls {
			s.begin(&agui.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name, ParentMessageID: m.ID})
			s.args(&agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Arguments})
		}
	case agui.RoleActivity:
		s.card(m.ID)
		return
	}
	s.cutBy(m.Metadata)
}

// finish ends the stream.
func (s *stream) finish(e *agui.RunFinished) {
	o := e.Outcome
	if o == nil {
		o = &agui.Outcome{}
	}
	s.start("")
	s.closeAll()
	if o.Type == agui.OutcomeCancelled {
		s.send(chunk{Type: "abort", Reason: "The answer was cancelled."})
		s.done()
		return
	}
	waits := s.ask(o.Interrupts)
	for _, id := range o.PendingToolCallIDs {
		if c := s.call(id); c != nil {
			s.tell(c, false)
			waits = true
		}
	}
	s.settle(o)
	if s.continues && !s.begun && !waits {
		// Without a step of its own the message would end with the calls that the client has just
		// answered, and it would send them for ever.
		s.step(s.id)
	}
	if s.begun {
		s.send(chunk{Type: "finish-step"})
	}
	s.said.Usage = usageOf(e.Usage)
	if said, ok := agui.ReadMetadata(e.Metadata); ok {
		s.said.Cost = said.Cost
	}
	end := chunk{Type: "finish", FinishReason: s.reason(waits)}
	if !s.said.isZero() && s.id != "" {
		end.MessageMetadata = &s.said
	}
	s.send(end)
	s.done()
}

func (s *stream) done() { s.out = sse.AppendFrame(s.out, "", []byte("[DONE]")) }

// ask shows what waits for a person.
func (s *stream) ask(list []agui.Interrupt) (waits bool) {
	for i := range list {
		asked := &list[i]
		if !isApproval(asked) {
			s.show(asked.ID, interruptType, interruptData(asked))
			continue
		}
		c := s.call(asked.ToolCallID)
		if c == nil { // of an earlier run, or one that the page has not been given
			c = &call{ToolCall: withheld(asked), message: s.id, told: s.held[asked.ToolCallID]}
			if s.calls = append(s.calls, c); !c.told {
				s.step(asked.ToolCallID)
			}
		}
		s.tell(c, true)
		c.ended, waits = true, true
		s.send(chunk{Type: "tool-approval-request", ApprovalID: asked.ID, ToolCallID: asked.ToolCallID})
	}
	return waits
}

// settle ends the calls whose approval was answered too late.
func (s *stream) settle(o *agui.Outcome) {
	for id := range s.denied {
		if c := s.call(id); c == nil && !slices.Contains(o.PendingToolCallIDs, id) {
			s.send(chunk{
				Type: "tool-output-error", ToolCallID: id,
				ErrorText: "The approval is not waited for any more.",
			})
		}
	}
}

// reason returns the finish reason.
func (s *stream) reason(waits bool) string {
	switch {
	case waits:
		return "tool-calls"
	case s.cut == agui.CutByLength:
		return "length"
	case s.cut == agui.CutByFilter:
		return "content-filter"
	case s.cut != "":
		return "other"
	}
	return "stop"
}

// fail ends the stream with an error.
func (s *stream) fail(e *agui.RunError) {
	s.start("")
	s.closeAll()
	s.send(chunk{Type: "error", ErrorText: e.Message})
	s.done()
}

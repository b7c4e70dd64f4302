package aisdk

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
)

// uiMessage is the AI SDK's UIMessage.
type uiMessage struct {
	ID       string    `json:"id"`
	Role     string    `json:"role"`
	Metadata *metadata `json:"metadata,omitzero"`
	Parts    []part    `json:"parts"`

	calls map[string]int // where the newest part of each call is; for take
}

// part is any part of a UIMessage: a client sends back those of an answer as it was given them.
type part struct {
	Type             string    `json:"type"`
	Text             string    `json:"text,omitzero"`
	ProviderMetadata *provider `json:"providerMetadata,omitzero"`

	MediaType string `json:"mediaType,omitzero"` // file
	Filename  string `json:"filename,omitzero"`
	URL       string `json:"url,omitzero"`

	SourceID string `json:"sourceId,omitzero"` // source-url, source-document
	Title    string `json:"title,omitzero"`

	ToolCallID           string          `json:"toolCallId,omitzero"` // tool-NAME
	ToolName             string          `json:"toolName,omitzero"`   // dynamic-tool
	State                string          `json:"state,omitzero"`
	Input                json.RawMessage `json:"input,omitzero"`
	Output               json.RawMessage `json:"output,omitzero"`
	ErrorText            string          `json:"errorText,omitzero"`
	ProviderExecuted     bool            `json:"providerExecuted,omitzero"`
	CallProviderMetadata *provider       `json:"callProviderMetadata,omitzero"`
	Approval             *approval       `json:"approval,omitzero"`

	ID   string          `json:"id,omitzero"` // data-TYPE
	Data json.RawMessage `json:"data,omitzero"`
}

type approval struct {
	ID       string `json:"id"`
	Approved *bool  `json:"approved,omitzero"`
	Reason   string `json:"reason,omitzero"`
}

// provider is what the AI SDK keeps for its provider and gives back: the message of the thread that
// a part is from.
type provider struct {
	Pageside struct {
		MessageID string `json:"messageId"`
		Snippet   string `json:"snippet,omitzero"` // of a source
	} `json:"pageside"`
}

func from(messageID string) *provider {
	p := &provider{}
	p.Pageside.MessageID = messageID
	return p
}

// message returns the id of the thread's message that the part is from, or "".
func (p *part) message() string {
	switch {
	case p.ProviderMetadata != nil:
		return p.ProviderMetadata.Pageside.MessageID
	case p.CallProviderMetadata != nil:
		return p.CallProviderMetadata.Pageside.MessageID
	}
	return p.ID // of data
}

// metadata is what Pageside says of an answer.
type metadata struct {
	Usage            *usage                 `json:"usage,omitzero"` // of the last run
	Cost             *float64               `json:"cost,omitzero"`  // the same, in US dollars
	SuggestedValues  []agui.SuggestedValue  `json:"suggestedValues,omitzero"`
	SuggestedActions []agui.SuggestedAction `json:"suggestedActions,omitzero"`
}

func (m *metadata) isZero() bool {
	return m.Usage == nil && m.Cost == nil && len(m.SuggestedValues) == 0 && len(m.SuggestedActions) == 0
}

// suggest takes the suggestions at the end of an answer, and says what cut it off.
func (m *metadata) suggest(raw json.RawMessage) (cutBy string) {
	if !agui.HasMetadata(raw) {
		return ""
	}
	said, _ := agui.ReadMetadata(raw)
	m.SuggestedValues = append(m.SuggestedValues, said.Values...)
	m.SuggestedActions = append(m.SuggestedActions, said.Actions...)
	if said.Status == agui.StatusCut || said.Source != "" {
		return said.Reason
	}
	return ""
}

// usage is named as the AI SDK names it.
type usage struct {
	InputTokens       int64 `json:"inputTokens"`
	OutputTokens      int64 `json:"outputTokens"`
	TotalTokens       int64 `json:"totalTokens,omitzero"`
	ReasoningTokens   int64 `json:"reasoningTokens,omitzero"`
	CachedInputTokens int64 `json:"cachedInputTokens,omitzero"`
}

func usageOf(list []agui.TokenUsage) *usage {
	if len(list) == 0 {
		return nil
	}
	n := agui.CountTokens(list)
	return &usage{n.Input, n.Output, n.Total, n.Reasoning, n.CachedInput}
}

// States of a tool part.
const (
	inputAvailable    = "input-available"
	outputAvailable   = "output-available"
	outputError       = "output-error"
	approvalRequested = "approval-requested"
	approvalResponded = "approval-responded"
)

// Types of parts. Those of tools and data begin with a prefix.
const (
	typeText      = "text"
	typeReasoning = "reasoning"
	typeFile      = "file"
	typeStepStart = "step-start"
	typeDynamic   = "dynamic-tool"
	toolPrefix    = "tool-"
	dataPrefix    = "data-"
)

func (p *part) isTool() bool { return p.Type == typeDynamic || strings.HasPrefix(p.Type, toolPrefix) }

// tool returns the name of a tool part's tool.
func (p *part) tool() string {
	if p.Type == typeDynamic {
		return p.ToolName
	}
	return strings.TrimPrefix(p.Type, toolPrefix)
}

// chatOf returns a thread's messages as UIMessages: all of an answer are one, with the id of the
// first.
func chatOf(messages []agui.Message, waits *agui.Outcome) []uiMessage {
	chat := []uiMessage{}
	for {
		end := slices.IndexFunc(messages, func(m agui.Message) bool { return m.Role == agui.RoleUser })
		if end < 0 {
			return append(chat, answerOf(messages, waits)...)
		}
		m := &messages[end]
		chat = append(chat, answerOf(messages[:end], nil)...)
		chat = append(chat, uiMessage{ID: m.ID, Role: m.Role, Parts: userParts(m.Content)})
		messages = messages[end+1:]
	}
}

func userParts(c agui.Content) []part {
	parts := []part{}
	list, _ := c.Parts() // the store's: can be read
	for _, p := range list {
		switch {
		case p.Type == typeText:
			parts = append(parts, part{Type: typeText, Text: p.Text})
		case p.Source != nil && p.Source.URL() != "":
			parts = append(parts, part{Type: typeFile, MediaType: p.Source.MimeType, URL: p.Source.URL()})
		}
	}
	return parts
}

// steps decides where steps begin: with the first output after results, unless it is in the same
// message as the calls. A card belongs to the step of its call, since that step's calls may
// continue after it and a client looks for a call's part only in the last step.
type steps struct {
	begun    bool
	resulted bool   // a result has come
	message  string // that said something last
}

// begins reports whether a message begins a step by saying something.
func (s *steps) begins(message string) bool {
	begins := !s.begun || s.resulted && message != s.message
	if s.message = message; begins {
		s.begun, s.resulted = true, false
	}
	return begins
}

// contains is begins for a card.
func (s *steps) contains() (begins bool) {
	begins, s.begun = !s.begun, true
	return begins
}

// answerOf returns the messages of an answer as one: what a client makes of their stream. There is
// none if they show nothing. waits may be nil.
func answerOf(messages []agui.Message, waits *agui.Outcome) []uiMessage {
	m := uiMessage{Role: agui.RoleAssistant, Parts: []part{}, calls: map[string]int{}}
	s := &stream{into: &m, cited: map[string]bool{}, shown: map[string]bool{}, all: *agui.NewTranscript(messages)}
	s.snapshot(messages)
	for _, c := range s.calls { // those that led nowhere, too
		if waits == nil || !slices.Contains(waits.PendingToolCallIDs, c.ID) {
			s.tell(c, true)
		}
	}
	s.finish(&agui.RunFinished{Outcome: waits})
	switch {
	case len(m.Parts) == 0:
		return nil
	case m.ID == "": // it only waits: no message of the thread has an id for it
		m.ID = waits.Interrupts[0].ID
	}
	return []uiMessage{m}
}

// take takes a chunk of the message's stream, as a client does.
func (m *uiMessage) take(c chunk) {
	switch {
	case c.Type == "start":
		m.ID = c.MessageID
	case c.Type == "finish":
		m.Metadata = c.MessageMetadata
	case c.Type == "start-step":
		m.Parts = append(m.Parts, part{Type: typeStepStart})
	case c.Type == typeText+"-start", c.Type == typeReasoning+"-start":
		kind := strings.TrimSuffix(c.Type, "-start")
		m.Parts = append(m.Parts, part{Type: kind, State: "done", ProviderMetadata: c.ProviderMetadata})
	case c.SourceID != "":
		m.Parts = append(m.Parts, part{
			Type: c.Type, SourceID: c.SourceID, URL: c.URL, Title: c.Title, MediaType: c.MediaType,
			ProviderMetadata: c.ProviderMetadata,
		})
	case strings.HasPrefix(c.Type, dataPrefix):
		m.Parts = append(m.Parts, part{Type: c.Type, ID: c.ID, Data: c.Data})
	case c.ToolCallID != "":
		m.takeCall(c)
	}
}

// takeCall takes a chunk of a call.
func (m *uiMessage) takeCall(c chunk) {
	at, has := m.calls[c.ToolCallID]
	if !has || c.Type == "tool-input-start" {
		at = len(m.Parts)
		m.calls[c.ToolCallID] = at
		m.Parts = append(m.Parts, part{Type: toolPrefix + c.ToolName, ToolCallID: c.ToolCallID})
	}
	p := &m.Parts[at]
	switch c.Type {
	case "tool-input-available":
		p.State, p.Input, p.ProviderExecuted = inputAvailable, c.Input, *c.ProviderExecuted
		p.CallProviderMetadata = c.ProviderMetadata
	case "tool-approval-request":
		p.State, p.Approval = approvalRequested, &approval{ID: c.ApprovalID}
	case "tool-output-available":
		p.State, p.Output = outputAvailable, c.Output
	case "tool-output-error":
		p.State, p.ErrorText = outputError, c.ErrorText
	}
}

// withheld returns the call that an approval is about.
func withheld(i *agui.Interrupt) agui.ToolCall {
	said, _ := agui.ReadMetadata(i.Metadata)
	return agui.ToolCall{ID: i.ToolCallID, Name: said.Tool, Arguments: string(said.Args)}
}

// interruptType is the type of the data part for a question. The protocol has nothing of its own
// for it.
const interruptType = "pageside_interrupt"

func interruptData(i *agui.Interrupt) json.RawMessage {
	return jsonx.Marshal(struct {
		ID             string          `json:"id"`
		Reason         string          `json:"reason"`
		Message        string          `json:"message,omitzero"`
		ToolCallID     string          `json:"toolCallId,omitzero"`
		ResponseSchema json.RawMessage `json:"responseSchema,omitzero"`
		ExpiresAt      string          `json:"expiresAt,omitzero"`
	}{i.ID, i.Reason, i.Message, i.ToolCallID, i.ResponseSchema, i.ExpiresAt})
}

// outputOf returns a result, and the message of an error. A JSON object or list stays JSON;
// anything else, and what is nested too deeply, becomes a string.
func outputOf(c agui.Content) (output json.RawMessage, errorText string) {
	if !c.IsText() && !c.IsZero() {
		return c.Raw(), ""
	}
	text := strings.TrimSpace(c.Text())
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) ||
		jsonx.Depth(json.RawMessage(text)) > jsonx.MaxNested {
		return jsonx.Marshal(c.Text()), ""
	}
	var failed struct{ Error struct{ Message string } }
	if text[0] == '{' && json.Unmarshal([]byte(text), &failed) == nil && failed.Error.Message != "" {
		return nil, failed.Error.Message
	}
	return json.RawMessage(text), ""
}

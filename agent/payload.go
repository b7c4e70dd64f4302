package agent

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// The codes of payloads that cannot be shown.
const (
	payloadInvalid  = "invalid"   // not JSON, or not what the schema asks for
	payloadTooLarge = "too_large" // more than payload.MaxBytes
	payloadCutOff   = "cut_off"   // the answer ended before the card did
	payloadStopped  = "stopped"   // somebody stopped the run before the card was complete
)

func (c *outPayload) settled() bool { return c.data != nil || c.failure != nil }

// scan passes the text of the answer through the scanner.
func (s *step) scan(delta string) error {
	if s.scanner == nil {
		s.scanner, s.onEvent = payload.NewScanner(s.payloadTypes.inText), s.found
	}
	return s.scanner.Feed(delta, s.onEvent)
}

// found takes what the scanner finds: text for the user, payloads, and suggestions.
func (s *step) found(e payload.Event) error {
	switch {
	case e.Kind == payload.Text:
		return s.write(e.Text)
	case e.Type.IsSuggestion():
		if e.Kind == payload.Complete {
			s.suggest(e.Type, e.Text)
		}
		return nil
	case e.Kind == payload.Started:
		return s.startPayload(e.Type, "", 0)
	}
	c := s.payloads[len(s.payloads)-1]
	switch e.Kind {
	case payload.Grew:
		return s.grow(c, e.Text)
	case payload.Complete:
		return s.endPayload(c)
	}
	if errors.Is(e.Err, payload.ErrTooLarge) {
		return s.failPayload(c, payloadTooLarge, e.Err.Error())
	}
	return nil // unfinished: that is decided when the step is over
}

// startPayload shows that there will be a payload. The text before it stays open, and the next text
// begins another message, so that text, payload and text stand in this order wherever the thread is
// shown.
func (s *step) startPayload(typ *payload.Type, callID string, index int) error {
	if err := s.closeThought(); err != nil {
		return err
	}
	c := &outPayload{outMessage: s.begin(agui.RoleActivity, "card_"), typ: typ, callID: callID}
	if s.hasCalls() {
		c.parent = s.current.id
	}
	c.payload, c.index = c, index
	s.payloads, s.cut = append(s.payloads, c), true
	return s.showPayload(c, json.RawMessage("{}"), agui.StatusOpen, true)
}

// showPayload replaces what the payload shows.
func (s *step) showPayload(c *outPayload, content json.RawMessage, status string, streaming bool) error {
	return s.emit(&agui.ActivitySnapshot{
		Base:      agui.Base{Metadata: c.metadata(status, streaming)},
		MessageID: c.id, ActivityType: c.typ.Name, Content: content,
	})
}

func (c *outPayload) metadata(status string, streaming bool) json.RawMessage {
	m := agui.Metadata{
		Source: agui.SourceLLM, ToolCallID: c.callID, ParentMessageID: c.parent, Status: status, Streaming: streaming, EncryptedValue: c.opaque,
		Reason: c.end.Reason, Suggestions: c.end.Suggestions,
	}
	return m.JSON()
}

func (c *outPayload) status() string {
	if c.failure != nil {
		return agui.StatusFailed
	}
	return agui.StatusOpen
}

// suggest takes in what the model suggests. Said twice, the last counts.
func (s *step) suggest(typ *payload.Type, written string) {
	if typ == payload.SuggestedValues {
		s.suggested.Values = payload.ReadValues(written)
		return
	}
	s.suggested.Actions = payload.ReadActions(written, func(action string) string { return s.payloadTypes.actions[action] })
}

// grow takes the next piece of the payload's JSON. What the type's own parser makes of it is not
// known before it is complete.
func (s *step) grow(c *outPayload, piece string) error {
	if c.settled() {
		return nil
	}
	if c.written.Len()+len(piece) > payload.MaxBytes {
		return s.failPayload(c, payloadTooLarge, payload.ErrTooLarge.Error())
	}
	c.written.WriteString(piece)
	if c.typ.Parse != nil {
		return nil
	}
	if c.growth.Write(piece); !c.growth.Due() {
		return nil
	}
	patch := c.growth.Patch()
	if patch == nil {
		return nil
	}
	return s.emit(&agui.ActivityDelta{MessageID: c.id, ActivityType: c.typ.Name, Patch: patch})
}

// endPayload shows the complete payload. One that cannot be read stays as it is until the step is
// over: then the model is asked once more.
func (s *step) endPayload(c *outPayload) error {
	c.ended = true
	if c.settled() {
		return nil
	}
	data, err := c.typ.Read(c.json())
	if err != nil {
		return nil
	}
	return s.completePayload(c, data)
}

// json is what the model wrote: as arguments of a call nothing is {}.
func (c *outPayload) json() string {
	if c.callID != "" && strings.TrimSpace(c.written.String()) == "" {
		return "{}"
	}
	return c.written.String()
}

func (s *step) completePayload(c *outPayload, data json.RawMessage) error {
	c.data = data
	return s.showPayload(c, data, agui.StatusOpen, false)
}

// failPayload shows that there was a payload which cannot be shown.
func (s *step) failPayload(c *outPayload, code, message string) error {
	c.failure = &payloadFailure{code, message}
	return s.showPayload(c, c.content(), agui.StatusFailed, false)
}

// content is what the payload shows at the end: its data, or {"error":{"code","message"}}.
func (c *outPayload) content() json.RawMessage {
	if c.failure == nil {
		return c.data
	}
	return errorContent(*c.failure)
}

func errorContent(f payloadFailure) json.RawMessage {
	b := append(json.RawMessage(nil), `{"error":{"code":`...)
	b = jsonx.AppendString(b, f.code)
	b = append(b, `,"message":`...)
	b = jsonx.AppendString(b, f.message)
	return append(b, "}}"...)
}

// dropPayloads ends the payloads of a step that is broken off.
func (s *step) dropPayloads() error {
	for _, c := range s.payloads {
		if c.settled() {
			continue
		}
		failure := payloadFailure{payloadCutOff, "the answer was cut off before the card was complete"}
		if s.mark.Status == agui.StatusStopped {
			failure = payloadFailure{payloadStopped, "the answer was stopped before the card was complete"}
		}
		if err := s.failPayload(c, failure.code, failure.message); err != nil {
			return err
		}
	}
	return nil
}

// message is the payload as the transcript has it.
func (c *outPayload) message() agui.Message {
	m := agui.Message{ID: c.id, Role: agui.RoleActivity, ActivityType: c.typ.Name, Activity: json.RawMessage("{}")}
	switch {
	case c.failure != nil:
		m.Activity, m.Metadata = c.content(), c.metadata(agui.StatusFailed, false)
	case c.data != nil:
		m.Activity, m.Metadata = c.data, c.metadata(agui.StatusOpen, false)
	default:
		m.Metadata = c.metadata(agui.StatusOpen, true)
	}
	return m
}

// startPayloadCall begins a payload that the model writes as the arguments of a generated tool. It
// reports false for every other tool.
func (s *step) startPayloadCall(p *llm.Part) (bool, error) {
	o := s.tools.offers[p.Name]
	if o == nil || o.payload == nil {
		return false, nil
	}
	if err := s.endText(); err != nil {
		return true, err
	}
	return true, s.startPayload(o.payload, s.ids.take(p.ID), p.Index)
}

// payloadAt returns the payload whose arguments a content block holds.
func (s *step) payloadAt(index int) *outPayload {
	for i := len(s.payloads) - 1; i >= 0; i-- {
		if c := s.payloads[i]; c.callID != "" && c.index == index {
			return c
		}
	}
	return nil
}

// leaveBlock is for a provider that uses the index of a content block again: what comes now belongs
// to something else.
func (s *step) leaveBlock(index int) {
	if c := s.payloadAt(index); c != nil {
		c.index = -1
	}
}

// signPayload keeps a provider's opaque value with the payload, to be sent back with the call it
// came from.
func (s *step) signPayload(c *outPayload, opaque string) error {
	c.opaque = opaque
	if !c.settled() {
		return nil
	}
	return s.showPayload(c, c.content(), c.status(), false)
}

// asWritten is the step so far as the model wrote it, payloads behind their markers.
func (s *step) asWritten() string {
	var texts []string
	for _, m := range s.messages {
		switch {
		case m.payload != nil:
			texts = append(texts, m.payload.typ.Marker+" "+m.payload.json())
		case m.role == agui.RoleAssistant && m.text.Len() > 0:
			texts = append(texts, m.text.String())
		}
	}
	return strings.Join(texts, "\n\n")
}

// dropStale shows of payloads that a crash cut off that they will not come: no other run writes
// them any more.
func dropStale(out *emitter, history []agui.Message) error {
	for i := range history {
		m := &history[i]
		p, ok := prompt.ReadPayload(m)
		if !ok || !p.Streaming {
			continue
		}
		p.Streaming, p.Status = false, agui.StatusFailed
		err := out.Emit(&agui.ActivitySnapshot{
			Base: agui.Base{Metadata: p.JSON()}, MessageID: m.ID, ActivityType: m.ActivityType,
			Content: errorContent(payloadFailure{payloadCutOff, "the answer was cut off before the card was complete"}),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

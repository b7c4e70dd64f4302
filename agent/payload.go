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

func (p *outPayload) settled() bool { return p.data != nil || p.failure != nil }

// scan passes the text of the answer through the scanner.
func (s *step) scan(delta string) error {
	if s.scanner == nil {
		s.scanner, s.onEvent = payload.NewScanner(s.payloadTypes.inText), s.found
	}
	return s.scanner.Feed(delta, s.onEvent)
}

// found handles what the scanner finds: text, payloads and suggestions.
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
	p := s.payloads[len(s.payloads)-1]
	switch e.Kind {
	case payload.Grew:
		return p.grow(e.Text)
	case payload.Complete:
		return p.ended()
	}
	if errors.Is(e.Err, payload.ErrTooLarge) {
		return p.fail(payloadTooLarge, e.Err.Error())
	}
	return nil // unfinished: decided after the step
}

// startPayload announces a payload. Text before it stays open and later text begins a new message,
// so that text, payload and text keep their order.
func (s *step) startPayload(typ *payload.Type, callID string, index int) error {
	if err := s.closeThought(); err != nil {
		return err
	}
	p := &outPayload{outMessage: s.beginPayload(typ), out: s.out, typ: typ, callID: callID}
	if s.hasCalls() {
		p.parent = s.current.id
	}
	if s.continued.marks(p.id) { // cut until the step has ended well
		p.end.Reason = s.continued.reason
	}
	p.payload, p.index, p.readOnly = p, index, s.payloadTypes.readOnly(typ)
	s.payloads, s.cut, s.lead = append(s.payloads, p), true, ""
	return p.show(json.RawMessage("{}"), agui.StatusOpen, true)
}

// beginPayload begins the message of a payload. One that was cut off continues in its message.
func (s *step) beginPayload(typ *payload.Type) *outMessage {
	if id := s.continued.takeCard(typ.Name); id != "" {
		return s.beginAs(id, agui.RoleActivity)
	}
	return s.begin(agui.RoleActivity, "card_")
}

// show replaces the shown state of the payload.
func (p *outPayload) show(content json.RawMessage, status string, streaming bool) error {
	return p.out.Emit(&agui.ActivitySnapshot{
		Base:      agui.Base{Metadata: p.metadata(status, streaming)},
		MessageID: p.id, ActivityType: p.typ.Name, Content: content,
	})
}

func (p *outPayload) metadata(status string, streaming bool) json.RawMessage {
	m := agui.Metadata{
		PayloadMark: agui.PayloadMark{
			Source: agui.SourceLLM, ToolCallID: p.callID, ParentMessageID: p.parent,
			Streaming: streaming, ReadOnly: p.readOnly, EncryptedValue: p.opaque,
		},
		EndMark: agui.EndMark{Status: status, Reason: p.end.Reason, Suggestions: p.end.Suggestions},
	}
	return m.JSON()
}

func (p *outPayload) status() string {
	if p.failure != nil {
		return agui.StatusFailed
	}
	return agui.StatusOpen
}

// suggest takes the model's suggestions. The last ones win.
func (s *step) suggest(typ *payload.Type, written string) {
	if typ == payload.SuggestedValues {
		s.suggested.Values = payload.ReadValues(written)
		return
	}
	s.suggested.Actions = payload.ReadActions(written, func(action string) string {
		return s.payloadTypes.actions[action]
	})
}

// grow appends a piece of the payload's JSON. For a type with its own parser the data is only known
// when complete.
func (p *outPayload) grow(piece string) error {
	if p.settled() {
		return nil
	}
	if p.written.Len()+len(piece) > payload.MaxBytes {
		return p.fail(payloadTooLarge, payload.ErrTooLarge.Error())
	}
	p.written.WriteString(piece)
	if p.typ.Parse != nil {
		return nil
	}
	if p.growth.Write(piece); !p.growth.Due() {
		return nil
	}
	patch := p.growth.Patch()
	if patch == nil {
		return nil
	}
	return p.out.Emit(&agui.ActivityDelta{MessageID: p.id, ActivityType: p.typ.Name, Patch: patch})
}

// ended shows the complete payload. An unreadable one stays as it is until the step is over:
// then the model is asked once more.
func (p *outPayload) ended() error {
	if p.settled() {
		return nil
	}
	data, err := p.typ.Read(p.json())
	if err != nil {
		return nil
	}
	return p.complete(data)
}

// json returns what the model wrote, or {} for a call without arguments.
func (p *outPayload) json() string {
	if p.callID != "" && strings.TrimSpace(p.written.String()) == "" {
		return "{}"
	}
	return p.written.String()
}

func (p *outPayload) complete(data json.RawMessage) error {
	p.data = data
	return p.show(data, agui.StatusOpen, false)
}

// fail shows that there was a payload that cannot be shown.
func (p *outPayload) fail(code, message string) error {
	p.failure = &payloadFailure{code, message}
	return p.show(p.content(), agui.StatusFailed, false)
}

// content returns the final state of the payload: its data, or {"error":{"code","message"}}.
func (p *outPayload) content() json.RawMessage {
	if p.failure == nil {
		return p.data
	}
	return errorContent(*p.failure)
}

func errorContent(f payloadFailure) json.RawMessage {
	return jsonx.Marshal(map[string]any{"error": map[string]string{"code": f.code, "message": f.message}})
}

// dropPayloads ends the payloads of a step that is broken off.
func (s *step) dropPayloads() error {
	for _, p := range s.payloads {
		if p.settled() {
			continue
		}
		failure := payloadFailure{payloadCutOff, "the answer was cut off before the card was complete"}
		if s.mark.Status == agui.StatusStopped {
			failure = payloadFailure{payloadStopped, "the answer was stopped before the card was complete"}
		}
		if err := p.fail(failure.code, failure.message); err != nil {
			return err
		}
	}
	return nil
}

// message returns the payload as a message of the thread.
func (p *outPayload) message() agui.Message {
	m := agui.Message{ID: p.id, Role: agui.RoleActivity, ActivityType: p.typ.Name, Activity: json.RawMessage("{}")}
	switch {
	case p.failure != nil:
		m.Activity, m.Metadata = p.content(), p.metadata(agui.StatusFailed, false)
	case p.data != nil:
		m.Activity, m.Metadata = p.data, p.metadata(agui.StatusOpen, false)
	default:
		m.Metadata = p.metadata(agui.StatusOpen, true)
	}
	return m
}

// startPayloadCall begins a payload that comes as the arguments of a generated tool. It returns
// false for any other tool.
func (s *step) startPayloadCall(p *llm.Part) (bool, error) {
	o := s.tools.offers[p.Name]
	if o == nil || o.payload == nil {
		return false, nil
	}
	if err := s.endText(); err != nil {
		return true, err
	}
	return true, s.startPayload(o.payload, s.ids.Take(p.ID), p.Index)
}

// payloadAt returns the payload of a content block.
func (s *step) payloadAt(index int) *outPayload {
	for i := len(s.payloads) - 1; i >= 0; i-- {
		if p := s.payloads[i]; p.callID != "" && p.index == index {
			return p
		}
	}
	return nil
}

// leaveBlock forgets a content block whose index the provider reuses.
func (s *step) leaveBlock(index int) {
	if p := s.payloadAt(index); p != nil {
		p.index = -1
	}
}

// sign keeps a provider's opaque value with the payload: it goes back with the call.
func (p *outPayload) sign(opaque string) error {
	p.opaque = opaque
	if !p.settled() {
		return nil
	}
	return p.show(p.content(), p.status(), false)
}

// asWritten returns the step so far as the model wrote it, payloads after their markers.
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

// dropStale marks payloads that a crash cut off as failed: no run will finish them.
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

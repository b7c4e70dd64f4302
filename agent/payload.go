package agent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// card is a payload that the model writes: an activity message of the turn.
type card struct {
	*spoken
	typ    *payload.Type
	callID string // where it comes as the arguments of a generated tool: the id of the call
	parent string // where it began behind calls: the message that has them
	growth payload.Growth

	written strings.Builder // all of its JSON, as the model wrote it
	ended   bool            // the model has written all of it
	data    json.RawMessage // what is shown; nil until it is complete
	failure *cardFailure
	end     agui.Metadata // where the card is all there is of an answer: what it ends with
}

// cardFailure is why a card cannot be shown.
type cardFailure struct{ code, message string }

// The codes of cards that cannot be shown.
const (
	cardInvalid  = "invalid"   // not JSON, or not what the schema asks for
	cardTooLarge = "too_large" // more than payload.MaxBytes
	cardCutOff   = "cut_off"   // the answer ended before the card did
	cardStopped  = "stopped"   // somebody stopped the run before the card was complete
)

func (c *card) settled() bool { return c.data != nil || c.failure != nil }

// scan passes the text of the answer through the scanner.
func (t *turn) scan(delta string) error {
	if t.scanner == nil {
		t.scanner, t.hear = payload.NewScanner(t.run.payloads.inText), t.found
	}
	return t.scanner.Feed(delta, t.hear)
}

// endText says that the text of the answer is over, or interrupted by something else.
func (t *turn) endText() error {
	if t.scanner == nil {
		return nil
	}
	return t.scanner.Close(t.hear)
}

// found takes what the scanner finds: text for the user, cards, and suggestions.
func (t *turn) found(e payload.Event) error {
	switch {
	case e.Kind == payload.Text:
		return t.write(e.Text)
	case e.Type.IsSuggestion():
		if e.Kind == payload.Complete {
			t.suggested(e.Type, e.Text)
		}
		return nil
	case e.Kind == payload.Started:
		return t.startCard(e.Type, "", 0)
	}
	c := t.cards[len(t.cards)-1]
	switch e.Kind {
	case payload.Grew:
		return t.grow(c, e.Text)
	case payload.Complete:
		return t.endCard(c)
	}
	if errors.Is(e.Err, payload.ErrTooLarge) {
		return t.failCard(c, cardTooLarge, e.Err.Error())
	}
	return nil // unfinished: that is decided when the turn is over
}

// startCard shows that there will be a card. The text before it stays open, and the next text
// begins another message, so that text, card and text stand in this order wherever the thread is
// shown.
func (t *turn) startCard(typ *payload.Type, callID string, index int) error {
	if err := t.closeThought(); err != nil {
		return err
	}
	c := &card{spoken: t.begin(agui.RoleActivity, "card_"), typ: typ, callID: callID}
	if t.hasCalls() {
		c.parent = t.current.id
	}
	c.card, c.index = c, index
	t.cards, t.cut = append(t.cards, c), true
	return t.showCard(c, json.RawMessage("{}"), agui.StatusOpen, true)
}

// showCard replaces what the card shows.
func (t *turn) showCard(c *card, content json.RawMessage, status string, streaming bool) error {
	return t.emit(&agui.ActivitySnapshot{
		Base:      agui.Base{Metadata: c.metadata(status, streaming)},
		MessageID: c.id, ActivityType: c.typ.Name, Content: content,
	})
}

func (c *card) metadata(status string, streaming bool) json.RawMessage {
	m := agui.Metadata{
		Source: agui.SourceLLM, ToolCallID: c.callID, ParentMessageID: c.parent, Status: status, Streaming: streaming, EncryptedValue: c.opaque,
		Reason: c.end.Reason, Suggestions: c.end.Suggestions,
	}
	return m.JSON()
}

// grow takes the next piece of the card's JSON. What the type's own parser makes of it is not known
// before it is complete.
func (t *turn) grow(c *card, piece string) error {
	if c.settled() {
		return nil
	}
	if c.written.Len()+len(piece) > payload.MaxBytes {
		return t.failCard(c, cardTooLarge, payload.ErrTooLarge.Error())
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
	return t.emit(&agui.ActivityDelta{MessageID: c.id, ActivityType: c.typ.Name, Patch: patch})
}

// endCard shows the complete card. One that cannot be read stays as it is until the turn is over:
// then the model is asked once more.
func (t *turn) endCard(c *card) error {
	c.ended = true
	if c.settled() {
		return nil
	}
	data, err := c.typ.Read(c.json())
	if err != nil {
		return nil
	}
	return t.completeCard(c, data)
}

// json is what the model wrote: as arguments of a call nothing is {}.
func (c *card) json() string {
	if c.callID != "" && strings.TrimSpace(c.written.String()) == "" {
		return "{}"
	}
	return c.written.String()
}

func (t *turn) completeCard(c *card, data json.RawMessage) error {
	c.data = data
	return t.showCard(c, data, agui.StatusOpen, false)
}

// failCard shows that there was a card which cannot be shown.
func (t *turn) failCard(c *card, code, message string) error {
	c.failure = &cardFailure{code, message}
	return t.showCard(c, c.content(), agui.StatusFailed, false)
}

// content is what the card shows at the end: its data, or {"error":{"code","message"}}.
func (c *card) content() json.RawMessage {
	if c.failure == nil {
		return c.data
	}
	return errorContent(*c.failure)
}

func errorContent(f cardFailure) json.RawMessage {
	b := append(json.RawMessage(nil), `{"error":{"code":`...)
	b = jsonx.AppendString(b, f.code)
	b = append(b, `,"message":`...)
	b = jsonx.AppendString(b, f.message)
	return append(b, "}}"...)
}

// dropCards ends the cards of a turn that is broken off.
func (t *turn) dropCards() error {
	for _, c := range t.cards {
		if c.settled() {
			continue
		}
		failure := cardFailure{cardCutOff, "the answer was cut off before the card was complete"}
		if t.mark.Status == agui.StatusStopped {
			failure = cardFailure{cardStopped, "the answer was stopped before the card was complete"}
		}
		if err := t.failCard(c, failure.code, failure.message); err != nil {
			return err
		}
	}
	return nil
}

// message is the card as the transcript has it.
func (c *card) message() agui.Message {
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

// payloads is what a run knows about cards and suggestions.
type payloads struct {
	inText  []*payload.Type   // what the scanner looks for
	actions map[string]string // handlers of the actions that can be suggested, by name
	repairs int               // how often the model was asked to write a card again
}

// offerCards makes ready for the cards of the place. Where the model writes them as arguments, each
// has a generated tool, which wins over a frontend tool of its name as every tool of the server
// does.
func (r *run) offerCards(ctx context.Context) {
	r.payloads.inText = append([]*payload.Type{payload.SuggestedValues, payload.SuggestedActions}, r.readable()...)
	for _, p := range r.view.Payloads {
		if p.Source != payload.FromLLM || !r.cardsByTool() {
			continue
		}
		if r.tools.offers[p.ToolName()] != nil {
			slog.WarnContext(ctx, "a frontend tool is ignored: its name is taken", "tool", p.ToolName(), "byPayload", p.Name)
		}
		r.tools.offers[p.ToolName()] = cardOffer(p, r.model.StrictTools)
	}
	r.payloads.actions = make(map[string]string, len(r.view.Actions))
	for _, a := range r.view.Actions {
		r.payloads.actions[a.Name] = a.Handler
	}
}

// readable are the types of the cards that are looked for in what the model says: those of the
// place, and those that stand in the thread, because a model writes again what it reads there,
// wherever the user is by then.
func (r *run) readable() []*payload.Type {
	types := slices.DeleteFunc(slices.Clone(r.view.Payloads), func(p *payload.Type) bool { return p.Source != payload.FromLLM })
	for i := range r.in.History {
		m := &r.in.History[i]
		if _, ok := prompt.ReadPayload(m); !ok {
			continue
		}
		if p, ok := r.agent.Pages.Payloads().Get(m.ActivityType); ok && p.Source == payload.FromLLM && !slices.Contains(types, p) {
			types = append(types, p)
		}
	}
	return types
}

// cardsByTool reports whether the model writes cards as arguments of generated tools.
func (r *run) cardsByTool() bool { return cardsByTool(r.model) }

func cardsByTool(m llm.Info) bool { return m.Tools && m.Payloads == llm.PayloadTool }

// cardOffer declares the tool of a card. Where the model can be held to its schema it is: there is
// no better time to get a card right.
func cardOffer(p *payload.Type, strict bool) *offer {
	description := "Shows the user a card. " + p.Description
	if p.Instructions != "" {
		description += "\n" + strings.TrimSpace(p.Instructions)
	}
	return &offer{card: p, decl: llm.ToolDecl{Name: p.ToolName(), Description: description, Parameters: p.Declaration(), Strict: strict && p.Strict()}}
}

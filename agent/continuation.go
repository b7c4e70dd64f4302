package agent

import (
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/payload"
)

// continuation is the cut answer that a run continues. Its text continues in the same message,
// and a card that was cut is written again in the same place. The answer stays marked as cut until
// a step has continued it and ended well: if the run fails or is stopped before that, it can be
// continued again. The methods work on nil.
type continuation struct {
	message agui.Message  // the one that is marked
	reason  string        // what cut it off
	card    *agui.Message // the card that was cut off; nil if there is none, or it is being written
	joins   bool          // new text belongs to the message
	over    bool          // a step has continued it and ended well
	cleared bool          // the mark is gone
}

// newContinuation returns the continuation of a cut message, or nil if there is no such message, as
// after a crash of a run that had already gone on with it.
func newContinuation(history []agui.Message, id string) *continuation {
	at := slices.IndexFunc(history, func(m agui.Message) bool { return id != "" && m.ID == id })
	if at < 0 || agui.CutBy(&history[at]) == "" {
		return nil
	}
	c := &continuation{message: history[at], reason: agui.CutBy(&history[at])}
	c.joins = c.message.Role == agui.RoleAssistant && len(c.message.ToolCalls) == 0
	for i := at; i < len(history); i++ {
		switch m := &history[i]; {
		case m.IsNote():
		case m.Role == agui.RoleActivity:
			c.joins = false
			if c.card = nil; isCutCard(m) {
				c.card = m
			}
		case i > at && (m.Role == agui.RoleAssistant || m.Role == agui.RoleUser):
			return nil // a step has gone on with it
		case i > at && m.Role == agui.RoleTool:
			c.joins = false
		}
	}
	return c
}

// isCutCard reports whether a message stands for a card that was cut off.
func isCutCard(m *agui.Message) bool {
	return string(jsonx.Find(jsonx.Find(m.Activity, "error"), "code")) == `"`+payloadCutOff+`"`
}

// takeCard returns the message of the card that was cut off if a card of that type continues in it,
// or "".
func (c *continuation) takeCard(typ string) string {
	if c == nil || c.over || c.card == nil || c.card.ActivityType != typ {
		return ""
	}
	id := c.card.ID
	c.card = nil
	return id
}

// marks reports whether a message is the one that is marked as cut.
func (c *continuation) marks(id string) bool { return c != nil && c.message.ID == id }

// joinable reports whether the message takes new text.
func (c *continuation) joinable() bool { return c != nil && !c.over && c.joins }

// Why the answer was cut, for the model.
var cutSentences = map[string]string{
	agui.CutByLength: "Your answer above was cut off: it had reached the limit on its length.",
	agui.CutByFilter: "Your answer above was cut off by a filter.",
	agui.CutBySteps:  "Your answer above ended early: no more tools could be called. Now they can be called again.",
}

// request asks the model to continue. It follows the answer as a user message, because providers
// refuse a prompt that ends with the assistant's words.
func (c *continuation) request() string {
	text := cutSentences[c.reason] + " "
	switch {
	case c.card != nil:
		return text + fmt.Sprintf("It stopped inside the card %s, which could not be shown. Write this card again, all of it, then go on with the answer. "+
			"Repeat nothing else and do not mention the break.", payload.DefaultMarker(c.card.ActivityType))
	case c.reason == agui.CutBySteps:
		return text +
			"Do what was still missing, and go on with the answer from where it ends. Repeat nothing and do not mention the break."
	}
	return text + "Go on exactly where it stops, as if there had been no break, and do not mention it. Repeat nothing."
}

// join returns new text, and the blanks before it, as they follow the text of the message. After
// the limit on steps, that was whole: what comes next is a new paragraph.
func (c *continuation) join(blanks, text string) string {
	if c.reason == agui.CutBySteps {
		return "\n\n" + text
	}
	return blanks + text
}

package llm

import (
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
)

// String returns the text, decoding Quoted if only that is set.
func (t Text) String() string {
	if t.Text != "" || len(t.Quoted) == 0 {
		return t.Text
	}
	text, err := jsonx.Unquote(t.Quoted)
	if err != nil {
		return ""
	}
	return text
}

// Balance returns an error if a provider would refuse a history: every ToolCall of an assistant
// message must have exactly one ToolResult before the next user or assistant message or the end,
// and every ToolResult must belong to such a call. Call ids must be set and unique among the calls
// that are open together. An error is a bug of the code that built the history.
func Balance(messages []Message) error {
	b := balance{open: map[string]bool{}}
	for i, m := range messages {
		if err := b.message(m); err != nil {
			return fmt.Errorf("llm: messages[%d] (%s): %w", i, m.Role, err)
		}
	}
	if err := b.close(); err != nil {
		return fmt.Errorf("llm: end of messages: %w", err)
	}
	return nil
}

// balance holds the calls of the newest assistant message: true until they have a result.
type balance struct {
	open  map[string]bool
	order []string
}

func (b *balance) message(m Message) error {
	switch m.Role {
	case RoleUser, RoleAssistant:
		if err := b.close(); err != nil {
			return err
		}
	case RoleTool:
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	for _, c := range m.Content {
		if err := b.content(m.Role, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *balance) content(role string, c Content) error {
	switch c := c.(type) {
	case ToolCall:
		return b.call(role, c)
	case ToolResult:
		return b.result(role, c)
	}
	if role == RoleTool {
		return fmt.Errorf("holds %T, only ToolResult may stand here", c)
	}
	return nil
}

func (b *balance) call(role string, c ToolCall) error {
	if role != RoleAssistant {
		return fmt.Errorf("tool call %q outside an assistant message", c.ID)
	}
	if c.ID == "" || c.Name == "" {
		return fmt.Errorf("tool call %q of %q lacks its id or name", c.ID, c.Name)
	}
	if _, twice := b.open[c.ID]; twice {
		return fmt.Errorf("tool call %q appears twice", c.ID)
	}
	b.open[c.ID] = true
	b.order = append(b.order, c.ID)
	return nil
}

func (b *balance) result(role string, c ToolResult) error {
	if role != RoleTool {
		return fmt.Errorf("tool result %q outside a tool message", c.ID)
	}
	open, known := b.open[c.ID]
	if !known {
		return fmt.Errorf("tool result %q answers no call of the assistant message before it", c.ID)
	}
	if !open {
		return fmt.Errorf("tool call %q is answered twice", c.ID)
	}
	b.open[c.ID] = false
	return nil
}

// close checks that every call has a result, and forgets the calls.
func (b *balance) close() error {
	for _, id := range b.order {
		if b.open[id] {
			return fmt.Errorf("tool call %q has no result", id)
		}
	}
	clear(b.open)
	b.order = b.order[:0]
	return nil
}

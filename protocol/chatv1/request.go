package chatv1

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/server"
)

// request is the body of POST /v1/chat/stream.
type request struct {
	Message        string       `json:"message"`
	ConversationID *int64       `json:"conversation_id"`
	Context        *chatContext `json:"context"`
	Resume         []answer     `json:"resume"`
}

// answer answers one interrupt of a pageside_interrupt payload.
type answer struct {
	InterruptID string          `json:"interrupt_id"`
	Status      string          `json:"status"`
	Payload     json.RawMessage `json:"payload"`
}

// input returns the run that the request asks for, without its ids.
func (r *request) input() (*agui.RunAgentInput, error) {
	if n := r.ConversationID; n != nil && (*n < 1 || *n > maxConversation) {
		return nil, server.BadField("conversation_id", fmt.Sprintf("must be from 1 to %d", int64(maxConversation)))
	}
	in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion}
	switch said := strings.TrimSpace(r.Message) != ""; {
	case !said && len(r.Resume) == 0:
		return nil, server.BadField("message", "must not be empty")
	case said && len(r.Resume) > 0:
		return nil, server.BadField("resume", "comes without a message")
	case len(r.Resume) > 0 && r.ConversationID == nil:
		return nil, server.BadField("conversation_id", "is needed to resume")
	case said:
		in.Messages = []agui.Message{{Role: agui.RoleUser, Content: agui.TextContent(r.Message)}}
	}
	for i, a := range r.Resume {
		if a.InterruptID == "" {
			return nil, server.BadField(fmt.Sprintf("resume[%d].interrupt_id", i), "must not be empty")
		}
		if a.Status != agui.ResumeResolved && a.Status != agui.ResumeCancelled {
			return nil, server.BadField(fmt.Sprintf("resume[%d].status", i), "must be resolved or cancelled")
		}
		in.Resume = append(in.Resume, agui.ResumeEntry{
			InterruptID: a.InterruptID, Status: a.Status, Payload: a.Payload,
		})
	}
	return in, r.place(in)
}

// chatContext is the ChatContext: where the user is becomes our place and scope, everything else
// context items.
type chatContext struct {
	Page   string                     `json:"current_page"`
	Tab    string                     `json:"active_tab"`
	Subtab string                     `json:"active_subtab"`
	Stream *int64                     `json:"stream_id"`
	Report *int64                     `json:"report_id"`
	Others map[string]json.RawMessage `json:",embed"`
}

// place translates the context.
func (r *request) place(in *agui.RunAgentInput) error {
	c := r.Context
	switch {
	case c == nil:
		return nil
	case c.Page == "":
		return server.BadField("context.current_page", "must not be empty")
	}
	at := page.Place{Page: c.Page, Tab: c.Tab, Subtab: c.Subtab, Scope: map[string]string{}}
	for kind, n := range map[string]*int64{"stream": c.Stream, "report": c.Report} {
		if n != nil {
			at.Scope[kind] = strconv.FormatInt(*n, 10)
		}
	}
	if err := at.Check(); err != nil {
		return server.BadField("context", err.Error())
	}
	in.ForwardedProps = jsonx.Marshal(map[string]any{"pageside": at})
	for _, name := range slices.Sorted(maps.Keys(c.Others)) {
		if raw := c.Others[name]; string(raw) != "null" {
			in.Context = append(in.Context, itemOf(name, raw))
		}
	}
	return nil
}

// itemOf returns a member of ChatContext as a context item. It is described by its name: that is
// also what context builders read it by.
func itemOf(name string, raw json.RawMessage) agui.ContextItem {
	item := agui.ContextItem{Description: name, Value: string(raw)}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		item.Value = text
	}
	return item
}

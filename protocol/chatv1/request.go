package chatv1

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/server"
)

// request is the body of POST /v1/chat/stream.
type request struct {
	Message        string                     `json:"message"`
	ConversationID *int64                     `json:"conversation_id"`
	Context        map[string]json.RawMessage `json:"context"`
	Resume         []answer                   `json:"resume"`
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

// place translates the ChatContext: where the user is becomes our place and scope, everything else
// context items.
func (r *request) place(in *agui.RunAgentInput) error {
	if r.Context == nil {
		return nil
	}
	var at page.Place
	for _, key := range slices.Sorted(maps.Keys(r.Context)) {
		raw := r.Context[key]
		field := "context." + key
		var err error
		switch {
		case string(raw) == "null":
		case key == "current_page":
			at.Page, err = textOf(field, raw)
		case key == "active_tab":
			at.Tab, err = textOf(field, raw)
		case key == "active_subtab":
			at.Subtab, err = textOf(field, raw)
		case scopes[key] != "":
			err = addScope(&at, field, scopes[key], raw)
		default:
			in.Context = append(in.Context, itemOf(key, raw))
		}
		if err != nil {
			return err
		}
	}
	if at.Page == "" {
		return server.BadField("context.current_page", "must not be empty")
	}
	if err := at.Check(); err != nil {
		return server.BadField("context", err.Error())
	}
	in.ForwardedProps, _ = json.Marshal(map[string]any{"pageside": at}) // strings: cannot fail
	return nil
}

// scopes are what a place is about, by the members of ChatContext that say it.
var scopes = map[string]string{"stream_id": "stream", "report_id": "report"}

func addScope(at *page.Place, field, kind string, raw json.RawMessage) error {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return server.BadField(field, "must be a whole number")
	}
	if at.Scope == nil {
		at.Scope = map[string]string{}
	}
	at.Scope[kind] = strconv.FormatInt(n, 10)
	return nil
}

func textOf(field string, raw json.RawMessage) (s string, err error) {
	if json.Unmarshal(raw, &s) != nil {
		return "", server.BadField(field, "must be a string")
	}
	return s, nil
}

// itemOf returns a member of ChatContext as a context item. It is described by its name: that is
// also what context builders read it by.
func itemOf(key string, raw json.RawMessage) agui.ContextItem {
	item := agui.ContextItem{Description: key, Value: string(raw)}
	if text, err := textOf(key, raw); err == nil {
		item.Value = text
	}
	return item
}

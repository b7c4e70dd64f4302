package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

type actionResult struct {
	Text    string `json:"text"`
	IsError bool   `json:"isError"`
	Type    string `json:"payloadType,omitempty"`
	Payload any    `json:"payload,omitempty"`
}

// postAction carries out a suggested action whose handler is the server: the page must declare it, and its tool runs with arguments that
// are checked like a model's. The user's click is the approval.
func (s *Server) postAction(c call) error {
	var body struct {
		placeJSON
		Args     json.RawMessage `json:"args"`
		ThreadID string          `json:"threadId"`
	}
	if err := s.decodeBody(c, &body); err != nil {
		return err
	}
	a, view, err := s.at(body.placeJSON)
	if err != nil {
		return err
	}
	name := c.r.PathValue("name")
	i := slices.IndexFunc(view.Actions, func(action page.Action) bool {
		return action.Name == name && action.Handler == page.HandlerServer
	})
	if i < 0 {
		return &Error{Status: http.StatusNotFound, Code: "unknown_action", Message: fmt.Sprintf("there is no action %q with a server handler at this place", name)}
	}
	t, ok := a.Pages.Tools().Get(view.Actions[i].Tool)
	if !ok {
		return fmt.Errorf("action %q: its tool %q is not defined", name, view.Actions[i].Tool)
	}
	args, err := tool.ParseArgs(string(body.Args), t.Schema())
	if e, wrong := errors.AsType[*tool.Error](err); wrong {
		return &Error{Status: http.StatusUnprocessableEntity, Code: "invalid_arguments", Message: "args: " + e.Message, Details: map[string]any{"field": "args"}}
	}
	id := "act_" + rand.Text()
	r := tool.Execute(c.r.Context(), t, tool.Call{ID: id, Args: args, ThreadID: body.ThreadID, Key: id}, func(tool.Progress) {})
	writeJSON(c.w, actionResult{Text: r.Text, IsError: r.IsError, Type: payloadType(t, r), Payload: r.Payload})
	return nil
}

func payloadType(t *tool.Tool, r tool.Result) string {
	if r.Payload == nil {
		return ""
	}
	return t.PayloadType
}

package copilotkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/server"
	suggesting "github.com/pageside/pageside/suggest"
)

// suggestTool is the front end's tool that shows suggestions. Its requests for suggestions are runs
// that must call it.
const suggestTool = "copilotkitSuggest"

// wantsSuggestions reports whether a run is a request for suggestions.
func wantsSuggestions(in *agui.RunAgentInput) bool {
	var props struct {
		ToolChoice struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"toolChoice"`
	}
	if len(in.Tools) != 1 || in.Tools[0].Name != suggestTool || json.Unmarshal(in.ForwardedProps, &props) != nil {
		return false
	}
	return props.ToolChoice.Function.Name == suggestTool
}

// suggest answers a request for suggestions.
func suggest(r *request) error {
	in, err := r.Input(r.body)
	if err != nil {
		return err
	}
	return r.suggest(in)
}

// suggest answers like a run that calls suggestTool, but without an agent or a thread. It uses the
// server's own suggestions, which are bounded and cached, and recognised when the user clicks one.
func (r *request) suggest(in *agui.RunAgentInput) error {
	req, err := suggestionsOf(in)
	if err != nil {
		return err
	}
	list, err := r.Suggest(r.agent(), in, req)
	if err != nil {
		return err
	}
	stream, err := suggestionEvents(in, list)
	if err != nil {
		return err
	}
	return r.Events(stream)
}

// wish matches the front end's request in the last message: how many suggestions, which tools the
// user has, then the application's own instructions.
var wish = lazy.Regexp(`(?s)^Suggest what the user could say next\.[^\n]*\nProvide at least \d+ and at most (\d+) suggestions\.\nThe user has the following tools available: [^\n]*\n(.*)$`)

// suggestionsOf returns the request for suggestions. If the message does not match wish, all of it
// counts as the application's instructions.
func suggestionsOf(in *agui.RunAgentInput) (suggesting.Request, error) {
	n := len(in.Messages) - 1
	if n < 0 || in.Messages[n].Role != agui.RoleUser {
		return suggesting.Request{}, server.BadField("messages",
			"must end with a user message that says what to suggest")
	}
	req := suggesting.Request{Instructions: strings.TrimSpace(in.Messages[n].Content.Text()), Max: 3}
	if words := wish().FindStringSubmatch(in.Messages[n].Content.Text()); words != nil {
		most, err := strconv.Atoi(words[1])
		if err != nil || most < 1 {
			most = 1
		}
		req.Max, req.Instructions = min(most, suggesting.MaxSuggestions), strings.TrimSpace(words[2])
	}
	if said := conversation(in.Messages[:n]); said != "" {
		req.Context = append(req.Context, page.Item{Description: "the conversation so far", Value: said})
	}
	for _, it := range in.Context {
		req.Context = append(req.Context, page.Item{Description: it.Description, Value: it.Value})
	}
	return req, nil
}

// How much of a conversation suggestions are about.
const (
	maxSaid   = 6   // messages
	maxSaying = 400 // characters of each
)

// conversation returns the end of a conversation as text.
func conversation(messages []agui.Message) string {
	var said []string
	for i := len(messages) - 1; i >= 0 && len(said) < maxSaid; i-- {
		m := &messages[i]
		text := strings.TrimSpace(m.Content.Text())
		if text == "" || m.Role != agui.RoleUser && m.Role != agui.RoleAssistant {
			continue
		}
		said = append(said, m.Role+": "+shortened(text))
	}
	slices.Reverse(said)
	return strings.Join(said, "\n")
}

// shortened returns the first maxSaying characters of a text.
func shortened(text string) string {
	n := 0
	for i := range text {
		if n == maxSaying {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// suggestionEvents returns the stream of a run that calls suggestTool, or does nothing if there is
// nothing to suggest.
func suggestionEvents(in *agui.RunAgentInput, list []page.Suggestion) ([]byte, error) {
	events := []agui.Event{&agui.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID}}
	if len(list) > 0 {
		type suggestion struct {
			Title   string `json:"title"`
			Message string `json:"message"`
		}
		var args struct {
			Suggestions []suggestion `json:"suggestions"`
		}
		for _, s := range list {
			args.Suggestions = append(args.Suggestions, suggestion{cmp.Or(s.Label, s.Value), s.Value})
		}
		delta, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("encode suggestions: %w", err)
		}
		call := "suggest-" + in.RunID
		events = append(events, &agui.ToolCallStart{ToolCallID: call, ToolCallName: suggestTool},
			&agui.ToolCallArgs{ToolCallID: call, Delta: string(delta)}, &agui.ToolCallEnd{ToolCallID: call})
	}
	var out []byte
	for i, e := range append(events, &agui.RunFinished{ThreadID: in.ThreadID, RunID: in.RunID}) {
		data, err := agui.MarshalEvent(e)
		if err != nil {
			return nil, fmt.Errorf("encode suggestions: %w", err)
		}
		out = sse.AppendFrame(out, strconv.Itoa(i+1), data)
	}
	return out, nil
}

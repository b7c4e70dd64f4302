package run

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/run/history"
)

// A reader of a share gets what was asked and answered: texts, cards, sources, actions, the names
// of tools and whether they succeeded. Everything else is left out by default: each function below
// builds a message anew from what a reader may have (ADR 53).

// sharedMessages returns what a reader gets of a thread.
func sharedMessages(messages []agui.Message) []agui.Message {
	answered := map[string]bool{} // ids of calls
	for i := range messages {
		if messages[i].Role == agui.RoleTool {
			answered[messages[i].ToolCallID] = true
		}
	}
	questions := map[string]bool{} // ids of calls that asked the user
	out := make([]agui.Message, 0, len(messages))
	for _, msg := range history.Visible(messages) {
		shared, ok := agui.Message{}, false
		switch msg.Role {
		case agui.RoleUser:
			shared, ok = sharedQuestion(&msg)
		case agui.RoleAssistant:
			shared, ok = sharedAnswer(&msg, answered, questions)
		case agui.RoleTool:
			shared, ok = sharedResult(&msg, questions)
		case agui.RoleActivity:
			shared, ok = sharedActivity(&msg)
		}
		if ok {
			shared.ID, shared.Role, shared.SubagentRunID = msg.ID, msg.Role, msg.SubagentRunID
			out = append(out, shared)
		}
	}
	return out
}

// sharedTitle returns the title of a thread for its readers: none if it is the first words of a
// hidden message.
func sharedTitle(title string, messages []agui.Message) string {
	for i := range messages {
		if m := &messages[i]; m.IsHidden() && title == history.Title(messages[i:i+1]) {
			return ""
		}
	}
	return title
}

// sharedQuestion keeps what a user wrote. A hidden message still begins a turn, without its text.
func sharedQuestion(msg *agui.Message) (agui.Message, bool) {
	if msg.IsHidden() {
		return agui.Message{Content: agui.TextContent(""), Metadata: agui.HiddenMetadata()}, true
	}
	said, _ := agui.ReadMetadata(msg.Metadata)
	kept := agui.MessageMark{Suggested: said.Suggested, Imported: said.Imported}
	return agui.Message{Content: withoutBytes(msg.Content), Metadata: kept.JSON()}, true
}

// withoutBytes returns content with the names of its files instead of the files: their addresses
// may be secret too.
func withoutBytes(content agui.Content) agui.Content {
	if content.IsText() {
		return content
	}
	parts, err := content.Parts()
	if err != nil { // it was checked when it was stored
		return agui.TextContent("")
	}
	for i, p := range parts {
		if p.Type == agui.PartText {
			parts[i] = agui.ContentPart{Type: p.Type, Text: p.Text}
			continue
		}
		parts[i] = agui.ContentPart{Type: p.Type, Source: &agui.Source{Type: agui.SourceURL}}
		if p.Source != nil {
			parts[i].Source.MimeType = p.Source.MimeType
		}
		if name := jsonx.Find(p.Metadata, "name"); jsonx.KindOf(name) == jsonx.String {
			parts[i].Metadata = append(append(json.RawMessage(`{"name":`), name...), '}')
		}
	}
	return agui.PartsContent(parts)
}

// sharedAnswer keeps a text and how it ended, and the names of the tools that were called. Calls
// without a result wait for a person or for the page, or were never made.
func sharedAnswer(msg *agui.Message, answered, questions map[string]bool) (agui.Message, bool) {
	said, _ := agui.ReadMetadata(msg.Metadata)
	kept := agui.Metadata{
		EndMark:     agui.EndMark{Status: said.Status, Reason: said.Reason, Code: said.Code},
		MessageMark: agui.MessageMark{Imported: said.Imported},
	}
	out := agui.Message{Content: msg.Content, Metadata: kept.JSON()}
	for _, c := range msg.ToolCalls {
		if answered[c.ID] {
			questions[c.ID] = c.Name == agent.AskUser
			out.ToolCalls = append(out.ToolCalls, sharedCall(c))
		}
	}
	return out, !out.Content.IsZero() || len(out.ToolCalls) > 0
}

// sharedCall keeps the name of a tool, and what the user was asked.
func sharedCall(c agui.ToolCall) agui.ToolCall {
	arguments := "{}"
	if c.Name == agent.AskUser && jsonx.Valid([]byte(c.Arguments)) {
		if question := jsonx.Find([]byte(c.Arguments), "question"); jsonx.KindOf(question) == jsonx.String {
			arguments = `{"question":` + string(question) + `}`
		}
	}
	return agui.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments}
}

// notSucceeded is what a reader is told of a failed call: its own message may say more than the
// conversation shows.
const notSucceeded = "The call did not succeed."

// plainCode matches the codes of errors that say nothing but what kind they are.
var plainCode = lazy.Regexp(`^[a-z][a-z_]{1,40}$`)

// sharedResult keeps whether a call succeeded, and what the user answered.
func sharedResult(msg *agui.Message, questions map[string]bool) (agui.Message, bool) {
	asked, known := questions[msg.ToolCallID]
	out := agui.Message{ToolCallID: msg.ToolCallID, Content: agui.TextContent("")}
	text := []byte(msg.Content.Text())
	if !jsonx.Valid(text) {
		text = nil
	}
	failure, answer := jsonx.Find(text, "error"), jsonx.Find(text, "answer")
	switch {
	case msg.Error != "" || jsonx.KindOf(failure) == jsonx.Object:
		out.Error, out.Content = notSucceeded, failureContent(failure)
	case asked && answer != nil:
		out.Content = agui.TextContent(`{"answer":` + string(answer) + `}`)
	}
	return out, known
}

// failureContent is a failed result with the code of its error, if it has a plain one.
func failureContent(failure []byte) agui.Content {
	told := struct {
		Code    string `json:"code,omitempty"`
		Message string `json:"message"`
	}{Message: notSucceeded}
	if code, err := jsonx.Unquote(jsonx.Find(failure, "code")); err == nil && plainCode().MatchString(code) {
		told.Code = code
	}
	raw, _ := json.Marshal(map[string]any{"error": told}) // strings: cannot fail
	return agui.TextContent(string(raw))
}

// sharedActivities are the types of Pageside's own that a reader gets, besides sources and actions.
var sharedActivities = []string{payload.UnknownType}

// sharedActivity keeps cards, sources and actions. Cards cannot be accepted by a reader.
func sharedActivity(msg *agui.Message) (agui.Message, bool) {
	out := agui.Message{ActivityType: msg.ActivityType}
	if sources, ok := agui.ReadSources(msg); ok {
		out.Activity = sources.Content()
		return out, true
	}
	if action, ok := agui.ReadAction(msg); ok {
		out.Activity = sharedAction(action)
		return out, true
	}
	if strings.HasPrefix(msg.ActivityType, agui.ReservedPrefix) &&
		!slices.Contains(sharedActivities, msg.ActivityType) {
		return out, false
	}
	said, _ := agui.ReadMetadata(msg.Metadata)
	kept := agui.Metadata{
		PayloadMark: agui.PayloadMark{
			Source: said.Source, ToolCallID: said.ToolCallID, ParentMessageID: said.ParentMessageID,
			Streaming: said.Streaming, ReadOnly: true,
		},
		EndMark:     agui.EndMark{Status: said.Status, Reason: said.Reason, Code: said.Code},
		MessageMark: agui.MessageMark{Imported: said.Imported},
	}
	out.Activity, out.Metadata = msg.Activity, kept.JSON()
	return out, true
}

// sharedAction keeps what an action did and the words of a result that the tray shows below it.
func sharedAction(a agui.Action) json.RawMessage {
	kept := agui.Action{Action: a.Action, Label: a.Label, Status: a.Status}
	if text := strings.TrimSpace(a.Text); a.Status == agui.ActionComplete && !strings.HasPrefix(text, "{") &&
		!strings.HasPrefix(text, "[") {
		kept.Text = a.Text
	}
	raw, _ := json.Marshal(kept) // strings: cannot fail
	return raw
}

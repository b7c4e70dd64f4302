package agui

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// Message roles of AG-UI 1.0.
const (
	RoleDeveloper = "developer"
	RoleSystem    = "system"
	RoleAssistant = "assistant"
	RoleUser      = "user"
	RoleTool      = "tool"
	RoleActivity  = "activity"
	RoleReasoning = "reasoning"
)

// Message is one message of a thread. Its Role determines which fields it may have.
type Message struct {
	ID   string
	Role string
	Name string
	// Content is text for most roles, text or parts for user and tool, and absent for an assistant
	// that only calls tools.
	Content        Content
	ToolCalls      []ToolCall      // assistant
	ToolCallID     string          // tool
	Error          string          // tool
	ActivityType   string          // activity
	Activity       json.RawMessage // activity: its content, an object
	EncryptedValue string
	Metadata       json.RawMessage // a JSON object
	SubagentRunID  string
}

// ToolCall is a call in an assistant message. Arguments is the model's text byte for byte, valid
// JSON or not.
type ToolCall struct {
	ID             string
	Name           string // function.name
	Arguments      string // function.arguments
	EncryptedValue string
	Metadata       json.RawMessage
}

// ContentPart is one part of a message's content: Type is text, image, audio, video or document.
type ContentPart struct {
	Type     string
	ID       string
	Text     string  // type text
	Source   *Source // every other type
	Metadata json.RawMessage
}

// Source locates a media part's bytes: Type is data (Value is base64), url, or file (a provider's
// handle).
type Source struct {
	Type     string
	Value    string
	MimeType string
	Provider string
}

// LastAnswer returns the messages after the user's last one.
func LastAnswer(messages []Message) []Message {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == RoleUser {
			return messages[i+1:]
		}
	}
	return messages
}

// ArgumentsJSON returns a call's arguments as JSON: no arguments are an empty object, and what is
// not JSON, or nested too deeply to be part of something else, is a string.
func ArgumentsJSON(args string) json.RawMessage {
	if strings.TrimSpace(args) == "" {
		return json.RawMessage("{}")
	}
	if raw := json.RawMessage(args); json.Valid(raw) && jsonx.Depth(raw) <= jsonx.MaxNested {
		return raw
	}
	return jsonx.AppendString(nil, args)
}

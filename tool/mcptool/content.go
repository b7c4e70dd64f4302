package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// result makes the tool's result from a server's answer.
func (l *link) result(ctx context.Context, res *mcp.CallToolResult, o Options) (tool.Result, error) {
	if res.NeedsInput() {
		return tool.Result{}, &tool.Error{
			Code:    tool.CodeFailed,
			Message: "the tool asks its user for more, which is not possible here",
			Hint:    "Go on without it.",
		}
	}
	text := l.server.scrub(textOf(res.Content))
	structured := l.structured(res)
	if res.IsError {
		if text == "" {
			text = "the tool failed and does not say why"
		}
		return tool.Result{Text: visible.Brief(text, maxError), IsError: true}, nil
	}
	r := tool.Result{Text: text, Sources: l.sources(res.Content)}
	if o.PayloadType != "" && len(structured) > 0 && structured[0] == '{' {
		r.Payload = structured
	} else if o.PayloadType != "" && structured != nil {
		l.log.WarnContext(ctx, "the structured content of an MCP server's result is no object",
			"payloadType", o.PayloadType)
	}
	if r.Payload == nil || text == "" {
		r.Text = withStructured(text, structured, repeats(res.Content, res.StructuredContent))
	}
	return r, nil
}

// structured returns the structured content of an answer without secrets, or nil.
func (l *link) structured(res *mcp.CallToolResult) json.RawMessage {
	raw, err := json.Marshal(res.StructuredContent)
	scrubbed := json.RawMessage(l.server.scrub(string(raw)))
	if err != nil || string(raw) == "null" || !json.Valid(scrubbed) {
		return nil
	}
	return scrubbed
}

// withStructured adds the structured content to the text, unless the text already is that content,
// as the protocol recommends.
func withStructured(text string, structured json.RawMessage, repeated bool) string {
	if structured == nil || repeated {
		return text
	}
	return strings.TrimPrefix(text+"\n\n"+string(structured), "\n\n")
}

func repeats(parts []mcp.Content, structured any) bool {
	for _, part := range parts {
		t, ok := part.(*mcp.TextContent)
		var v any
		if ok && json.Unmarshal([]byte(t.Text), &v) == nil && reflect.DeepEqual(v, structured) {
			return true
		}
	}
	return false
}

// textOf joins the texts of a result, and names what else it holds: the model sees neither pictures
// nor sounds here.
func textOf(parts []mcp.Content) string {
	var texts []string
	for _, part := range parts {
		if text := partText(part); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func partText(part mcp.Content) string {
	switch c := part.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[an image, %s, %d bytes: not shown]", kind(c.MIMEType), len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[a sound, %s, %d bytes: not shown]", kind(c.MIMEType), len(c.Data))
	case *mcp.ResourceLink:
		return strings.TrimSpace(fmt.Sprintf("[a resource: %s <%s> %s]", c.Name, c.URI, c.Description))
	case *mcp.EmbeddedResource:
		return resourceText(c.Resource)
	}
	return fmt.Sprintf("[content of the kind %T: not shown]", part)
}

func resourceText(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Text != "":
		return fmt.Sprintf("[the resource <%s>]\n%s", r.URI, r.Text)
	}
	return fmt.Sprintf("[the resource <%s>, %s, %d bytes: not shown]", r.URI, kind(r.MIMEType), len(r.Blob))
}

func kind(mime string) string {
	if mime == "" {
		return "of unknown type"
	}
	return mime
}

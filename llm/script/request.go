package script

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/pageside/pageside/llm"
)

// Item is one entry of the page context as templates see it.
type Item struct {
	Description string
	Label       string // empty where the client gave none
	ID          string
	Value       any // decoded where it is JSON, else a string
}

// Call is one tool call made since the question, with its result.
type Call struct {
	ID, Name string
	Args     any // decoded where they are JSON
	Result   any // decoded where it is JSON, else a string; nil before it is there
	IsError  bool
}

// question is what a request says about where a conversation stands.
type question struct {
	text    string
	context []Item
	step    int // assistant messages since the question
	calls   []Call
}

// readRequest finds the newest user message with text of its own and what came after it. Messages that hold nothing but
// page context are not questions.
func readRequest(req *llm.Request) question {
	q := question{context: newestContext(req.Messages)}
	start := len(req.Messages)
	for start > 0 && q.text == "" {
		start--
		if m := req.Messages[start]; m.Role == llm.RoleUser {
			q.text = ownText(m)
		}
	}
	for _, m := range req.Messages[start:] {
		if m.Role == llm.RoleAssistant {
			q.step++
		}
		for _, c := range m.Content {
			q.take(c)
		}
	}
	return q
}

func (q *question) take(c llm.Content) {
	switch c := c.(type) {
	case llm.ToolCall:
		q.calls = append(q.calls, Call{ID: c.ID, Name: c.Name, Args: decode(c.Args)})
	case llm.ToolResult:
		for i := range q.calls {
			if q.calls[i].ID == c.ID {
				q.calls[i].Result, q.calls[i].IsError = decode(c.Content.String()), c.IsError
			}
		}
	}
}

// contextBlock is the form in which a request carries the page context: a text of its own, perhaps with a sentence before
// the tag that says it is not instructions.
var contextBlock = regexp.MustCompile(`(?s)^\s*(?:[^<]*\n)?<page_context id="[^"]*">\n(.*)\n</page_context>\s*$`)

// eventLines is the form in which a request tells what the user did since the last question.
var eventLines = regexp.MustCompile(`^(?:<page_event>[^<]*</page_event>\s*)+$`)

// ownText is what the user wrote in a message.
func ownText(m llm.Message) string {
	var own []string
	for _, c := range m.Content {
		if t, ok := c.(llm.Text); ok && !contextBlock.MatchString(t.String()) && !eventLines.MatchString(t.String()) {
			own = append(own, t.String())
		}
	}
	return strings.TrimSpace(strings.Join(own, "\n\n"))
}

// newestContext reads the last page context of the history.
func newestContext(messages []llm.Message) []Item {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != llm.RoleUser {
			continue
		}
		for j := len(messages[i].Content) - 1; j >= 0; j-- {
			if t, ok := messages[i].Content[j].(llm.Text); ok {
				if block := contextBlock.FindStringSubmatch(t.String()); block != nil {
					return readItems(block[1])
				}
			}
		}
	}
	return nil
}

// readItems decodes the array a block starts with; a remark after it, such as how many items were left out, is ignored.
func readItems(block string) []Item {
	var raw []struct {
		Description string          `json:"description"`
		Label       string          `json:"label"`
		ID          string          `json:"id"`
		Value       json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(strings.NewReader(block)).Decode(&raw); err != nil {
		return nil
	}
	items := make([]Item, len(raw))
	for i, r := range raw {
		items[i] = Item{r.Description, r.Label, r.ID, decodeValue(r.Value)}
	}
	return items
}

// decodeValue decodes a context value, which is mostly a string that holds JSON.
func decodeValue(raw json.RawMessage) any {
	if v := decode(string(raw)); v != nil {
		if s, ok := v.(string); ok {
			return decode(s)
		}
		return v
	}
	return nil
}

// decode returns the JSON value s holds, or s itself where it is none. Whole numbers become int64, others float64.
func decode(s string) any {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return s
	}
	return plainNumbers(v)
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

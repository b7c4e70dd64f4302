package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
)

// Item is one entry of the page context as templates see it.
type Item struct {
	Description string
	Label       string // may be empty
	ID          string
	Value       any // decoded if it is JSON, else a string
}

// Call is one tool call made since the question, with its result.
type Call struct {
	ID, Name string
	Args     any // decoded if JSON
	Result   any // decoded if JSON, else a string; nil until it is there
	IsError  bool
	// Sources are the marks of what the result rests on, such as [3], by address and title.
	Sources map[string]string
}

// Asked is the state of the conversation in a request.
type Asked struct {
	Text    string // the question
	Files   []llm.Media
	Context []Item
	Step    int // assistant messages since the question
	Calls   []Call
}

// ReadRequest finds the newest user message with text of its own and what came after it. Messages
// that only hold page context are not questions.
func ReadRequest(req *llm.Request) Asked {
	q := Asked{Context: newestContext(req.Messages)}
	start := len(req.Messages)
	for start > 0 && q.Text == "" {
		start--
		if m := req.Messages[start]; m.Role == llm.RoleUser {
			q.Text = ownText(m)
		}
	}
	for _, m := range req.Messages[start:] {
		if m.Role == llm.RoleAssistant {
			q.Step++
		}
		for _, c := range m.Content {
			q.take(c)
		}
	}
	return q
}

func (q *Asked) take(c llm.Content) {
	switch c := c.(type) {
	case llm.Media:
		q.Files = append(q.Files, c)
	case llm.ToolCall:
		q.Calls = append(q.Calls, Call{ID: c.ID, Name: c.Name, Args: decode(c.Args)})
	case llm.ToolResult:
		for i := range q.Calls {
			if q.Calls[i].ID == c.ID {
				text, sources := cutSources(c.Content.String())
				q.Calls[i].Result, q.Calls[i].IsError, q.Calls[i].Sources = decode(text), c.IsError, sources
			}
		}
	}
}

// sourceLines matches the numbers that follow a result, and sourceLine one of them.
var (
	sourceLines = lazy.Regexp(`\n\[Sources of this result\. [^\n]*((?:\n\d+ "[^\n]*")+)\]$`)
	sourceLine  = lazy.Regexp(`(?m)^(\d+) ("(?:[^"\\]|\\.)*")(?: ("(?:[^"\\]|\\.)*"))?$`)
)

// cutSources returns a result without what follows it about its sources, and their marks.
func cutSources(result string) (text string, marks map[string]string) {
	at := sourceLines().FindStringSubmatchIndex(result)
	if at == nil {
		return result, nil
	}
	marks = map[string]string{}
	for _, line := range sourceLine().FindAllStringSubmatch(result[at[2]:at[3]], -1) {
		for _, quoted := range line[2:] {
			var key string
			if json.Unmarshal([]byte(quoted), &key) == nil {
				marks[key] = "[" + line[1] + "]"
			}
		}
	}
	return result[:at[0]], marks
}

// Value returns the value of the context item with that description, label or id, or nil.
func (q *Asked) Value(name string) any {
	for _, same := range []func(Item) bool{
		func(i Item) bool { return i.Description == name },
		func(i Item) bool { return i.Label == name || i.ID == name },
		func(i Item) bool { return strings.EqualFold(i.Description, name) || strings.EqualFold(i.Label, name) },
	} {
		if i := slices.IndexFunc(q.Context, same); i >= 0 {
			return q.Context[i].Value
		}
	}
	return nil
}

// contextBlock matches the page context in a request: a separate text, with an optional sentence
// before the tag that says it is not instructions, and one after it about what was left out.
var contextBlock = lazy.Regexp(`(?s)^\s*(?:[^<]*\n)?<page_context id="[^"]*">\n(.*)\n</page_context>\s*(?:\n[^<]*)?$`)

// eventLines matches the lines about what the user did since the last question.
var eventLines = lazy.Regexp(`^(?:<page_event>[^<]*</page_event>\s*)+$`)

// ownText returns the user's own text in a message.
func ownText(m llm.Message) string {
	var own []string
	for _, c := range m.Content {
		if t, ok := c.(llm.Text); ok && !contextBlock().MatchString(t.String()) && !eventLines().MatchString(t.String()) {
			own = append(own, t.String())
		}
	}
	return strings.TrimSpace(strings.Join(own, "\n\n"))
}

// newestContext reads all page context blocks of the history. The newest item of each name counts.
func newestContext(messages []llm.Message) []Item {
	var items []Item
	for _, m := range slices.Backward(messages) {
		if m.Role != llm.RoleUser {
			continue
		}
		for _, c := range slices.Backward(m.Content) {
			if t, ok := c.(llm.Text); ok {
				if block := contextBlock().FindStringSubmatch(t.String()); block != nil {
					items = append(items, unknown(items, readItems(block[1]))...)
				}
			}
		}
	}
	return items
}

// unknown returns the older items whose names no newer one has.
func unknown(newer, older []Item) []Item {
	return slices.DeleteFunc(older, func(o Item) bool {
		return slices.ContainsFunc(newer, func(n Item) bool {
			return n.Description == o.Description && n.Label == o.Label && n.ID == o.ID
		})
	})
}

// readItems decodes the array at the beginning of a block and ignores any remark after it, such as
// the number of omitted items.
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
		items[i] = Item{r.Description, r.Label, r.ID, records(decodeValue(r.Value))}
	}
	return items
}

// decodeValue decodes a context value, usually a string that holds JSON.
func decodeValue(raw json.RawMessage) any {
	v := decode(string(raw))
	if s, ok := v.(string); ok {
		return decode(s)
	}
	return v
}

// records converts the tables {"columns": …, "rows": …} of a page context to lists of records. It
// keeps other entries among the rows, such as the number of missing ones.
func records(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = records(v[i])
		}
	case map[string]any:
		columns, isTable := v["columns"].([]any)
		rows, hasRows := v["rows"].([]any)
		for key := range v {
			v[key] = records(v[key])
		}
		if isTable && hasRows && len(v) == 2 && !slices.ContainsFunc(columns, func(c any) bool {
			_, ok := c.(string)
			return !ok
		}) {
			return recordsOf(columns, rows)
		}
	}
	return v
}

func recordsOf(columns, rows []any) any {
	list := slices.Clone(rows)
	for i, row := range list {
		values, ok := row.([]any)
		if !ok || len(values) > len(columns) {
			continue
		}
		record := make(map[string]any, len(values))
		for j, value := range values {
			record[columns[j].(string)] = value
		}
		list[i] = record
	}
	return list
}

// decode returns the JSON value of s, or s itself if it is not JSON. Whole numbers become int64,
// others float64.
func decode(s string) any {
	v, err := jsonx.Value([]byte(s), func(n json.Number) (any, error) {
		if i, err := n.Int64(); err == nil {
			return i, nil
		}
		f, _ := n.Float64()
		return f, nil
	})
	if err != nil {
		return s
	}
	return v
}

package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// chunk is what one piece of the stream says.
type chunk struct {
	keepDetails bool // set by the caller: reasoning_details matter beyond their text
	memo        memo

	found bool // there is a choice
	// what stands beside the delta, or in its place: for some servers a piece, for others all that
	// was said so far
	whole           *messageJSON
	pieces          bool // there was a delta beside it
	text, reasoning string
	details         []json.RawMessage // OpenRouter's reasoning_details
	skippedDetails  bool
	calls           []callDelta
	finish          string
	usage           *llm.Usage
	failure         *apiError
}

// callDelta is a piece of a tool call.
type callDelta struct {
	index          int // -1 where there is none
	id, name, args string
	opaque         string // extra_content, where Gemini's signature travels
}

// decode reads a chunk. The shapes that come once per token are read by hand, all others by
// encoding/json.
func (c *chunk) decode(data []byte) error {
	if c.reset(); c.memo.recall(data, c) {
		return nil
	}
	if c.fast(data) {
		c.memo.keep(data, c)
		return nil
	}
	c.reset()
	return c.slow(data)
}

// reset empties the chunk but for what serves the next one.
func (c *chunk) reset() {
	c.found, c.text, c.reasoning, c.details, c.skippedDetails = false, "", "", nil, false
	c.whole, c.pieces = nil, false
	c.calls, c.finish, c.usage, c.failure = c.calls[:0], "", nil, nil
}

// fast reads a chunk of one choice that holds text, reasoning or pieces of tool calls. It reports
// false at the first sign of anything else.
func (c *chunk) fast(data []byte) bool {
	c.memo.marks = 0
	w := walk{Decoder: jsonx.Decoder{Data: data}}
	for w.enter(jsonx.Object); w.more(); {
		switch string(w.key()) {
		case "choices":
			c.found = c.fastChoices(&w)
		case "usage", "error", "x_groq":
			w.null()
		default:
			w.Skip()
		}
	}
	return c.found && !w.odd && w.End() && !(c.skippedDetails && c.reasoning == "")
}

func (c *chunk) fastChoices(w *walk) (found bool) {
	for w.enter(jsonx.Array); w.more(); found = true {
		if found {
			w.odd = true
			break
		}
		c.fastChoice(w)
	}
	return found
}

func (c *chunk) fastChoice(w *walk) {
	for w.enter(jsonx.Object); w.more(); {
		switch string(w.key()) {
		case "delta":
			c.fastDelta(w)
		case "index":
			w.odd = w.index() != 0 || w.odd
		case "finish_reason", "message", "text", "error":
			w.null()
		default:
			w.Skip()
		}
	}
}

func (c *chunk) fastDelta(w *walk) {
	for w.enter(jsonx.Object); w.more(); {
		switch string(w.key()) {
		case "content":
			c.text = w.text(&c.memo, fieldText)
		case "reasoning_content", "reasoning":
			if text := w.text(&c.memo, fieldReasoning); c.reasoning == "" {
				c.reasoning = text
			}
		case "tool_calls":
			if w.Kind() == jsonx.Null {
				w.Skip()
			} else {
				c.fastCalls(w)
			}
		case "reasoning_details":
			c.skippedDetails = w.Kind() != jsonx.Null
			w.odd = w.odd || c.skippedDetails && c.keepDetails
			w.Skip()
		case "refusal", "function_call":
			w.null()
		default:
			w.Skip()
		}
	}
}

func (c *chunk) fastCalls(w *walk) {
	for w.enter(jsonx.Array); w.more(); {
		call := callDelta{index: -1}
		for w.enter(jsonx.Object); w.more(); {
			switch string(w.key()) {
			case "index":
				call.index = w.index()
			case "id":
				call.id = w.text(&c.memo, 0)
			case "function":
				call.fastFunction(w, &c.memo)
			case "extra_content":
				w.null()
			default:
				w.Skip()
			}
		}
		c.calls = append(c.calls, call)
	}
}

func (call *callDelta) fastFunction(w *walk, m *memo) {
	for w.enter(jsonx.Object); w.more(); {
		switch string(w.key()) {
		case "name":
			call.name = w.text(m, 0)
		case "arguments":
			call.args = w.text(m, fieldArgs)
		default:
			w.Skip()
		}
	}
}

// walk walks a document that may hold anything. The first surprise sets odd and ends the walk; the
// caller then leaves the document to encoding/json.
type walk struct {
	jsonx.Decoder
	odd     bool
	scratch [32]byte
}

// enter steps into an object or array.
func (w *walk) enter(k jsonx.Kind) {
	w.odd = w.odd || w.Kind() != k
	w.Enter()
}

func (w *walk) more() bool { return !w.odd && w.More() }

func (w *walk) key() []byte { return w.Key(w.scratch[:]) }

// null steps over a null.
func (w *walk) null() { w.odd = string(w.Raw()) != "null" || w.odd }

// index returns a number of up to six digits.
func (w *walk) index() int {
	n := httpmodel.Index(w.Raw())
	w.odd = n < 0 || w.odd
	return n
}

// text returns the text of the next value: a string, or null, which is no text. A text that is not
// empty is marked in m.
func (w *walk) text(m *memo, f field) string {
	raw := w.Raw()
	text, err := httpmodel.Text(raw)
	w.odd = err != nil || w.odd
	if text != "" {
		m.mark(f, w.Pos-len(raw), w.Pos)
	}
	return text
}

// chunkJSON is a chunk, or a whole answer, as the many servers write it.
type chunkJSON struct {
	Choices []choiceJSON    `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
	Error  json.RawMessage `json:"error"`
	Object string          `json:"object"` // "error" where the error is the chunk itself
}

type choiceJSON struct {
	Index        indexJSON       `json:"index"`
	Delta        *messageJSON    `json:"delta"`
	Message      *messageJSON    `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
	Usage        json.RawMessage `json:"usage"`
}

type messageJSON struct {
	Content          contentJSON       `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []toolCallJSON    `json:"tool_calls"`
}

type toolCallJSON struct {
	Index    *indexJSON      `json:"index"`
	ID       wordJSON        `json:"id"`
	Function functionJSON    `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type functionJSON struct {
	Name      string   `json:"name"`
	Arguments argsJSON `json:"arguments"`
}

// wordJSON is a text, or a number that stands for one: some servers write "1" as 1.
type wordJSON string

func (w *wordJSON) UnmarshalJSON(data []byte) error {
	if jsonx.KindOf(data) == jsonx.Number {
		*w = wordJSON(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(w))
}

// indexJSON is a number, or a text that holds one.
type indexJSON int

func (i *indexJSON) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(bytes.Trim(data, `"`), (*int)(i))
}

// contentJSON is a text, or a list of parts some of which are thoughts.
type contentJSON struct{ text, thought string }

func (c *contentJSON) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, (*wordJSON)(&c.text))
	}
	var parts []struct {
		Type     string      `json:"type"`
		Text     string      `json:"text"`
		Thinking contentJSON `json:"thinking"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		c.text += p.Text
		c.thought += p.Thinking.text
	}
	return nil
}

// argsJSON is a text, or the arguments themselves, which are then kept as they stand.
type argsJSON string

func (a *argsJSON) UnmarshalJSON(data []byte) error {
	if data[0] == '"' || string(data) == "null" {
		return json.Unmarshal(data, (*string)(a))
	}
	*a = argsJSON(data)
	return nil
}

// slow reads any chunk.
func (c *chunk) slow(data []byte) error {
	var in chunkJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("a chunk of the stream is not what Chat Completions promises: %w", err)
	}
	if !isNull(in.Error) || in.Object == "error" {
		raw := in.Error
		if isNull(raw) {
			raw = data
		}
		c.failure = readAPIError(raw)
		return nil
	}
	for _, choice := range in.Choices {
		if choice.Index == 0 {
			c.takeChoice(&choice)
		}
	}
	for _, raw := range [][]byte{in.Groq.Usage, in.Usage} {
		if u := readUsage(raw); u != nil {
			c.usage = u
		}
	}
	return nil
}

func (c *chunk) takeChoice(choice *choiceJSON) {
	c.found, c.finish = true, choice.FinishReason
	if u := readUsage(choice.Usage); u != nil {
		c.usage = u
	}
	if !isNull(choice.Error) {
		c.failure = readAPIError(choice.Error)
	}
	c.whole, c.pieces = choice.Message, choice.Delta != nil
	if choice.Delta != nil {
		c.takeMessage(choice.Delta)
	}
}

// says reports whether the chunk's delta holds anything of the answer.
func (c *chunk) says() bool {
	return c.text != "" || c.reasoning != "" || len(c.calls) > 0 || len(c.details) > 0
}

func (c *chunk) takeMessage(m *messageJSON) {
	c.text += m.Content.text + m.Refusal
	c.details = m.ReasoningDetails
	switch {
	case m.ReasoningContent != "":
		c.reasoning += m.ReasoningContent
	case m.Reasoning != "":
		c.reasoning += m.Reasoning
	case m.Content.thought != "":
		c.reasoning += m.Content.thought
	default:
		c.reasoning += detailsText(m.ReasoningDetails)
	}
	for _, t := range m.ToolCalls {
		d := callDelta{index: -1, id: string(t.ID), name: t.Function.Name, args: string(t.Function.Arguments)}
		if t.Index != nil {
			d.index = int(*t.Index)
		}
		if !isNull(t.Extra) {
			d.opaque = string(t.Extra)
		}
		c.calls = append(c.calls, d)
	}
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null" }

// detailsText is what reasoning_details say in plain words.
func detailsText(details []json.RawMessage) string {
	var text strings.Builder
	for _, raw := range details {
		var d struct {
			Text    string `json:"text"`
			Summary string `json:"summary"`
		}
		if json.Unmarshal(raw, &d) == nil {
			text.WriteString(d.Text + d.Summary)
		}
	}
	return text.String()
}

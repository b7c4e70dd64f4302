package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// chunk reads one piece of the stream after another.
type chunk struct {
	memo httpmodel.Memo[piece]
	said
}

// said is what one piece of the stream says.
type said struct {
	found bool // there is a choice
	// what stands beside the delta, or in its place: for some servers a piece, for others all that
	// was said so far
	whole           *messageJSON
	pieces          bool // there was a delta beside it
	text, reasoning string
	details         []json.RawMessage // OpenRouter's reasoning_details
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

// piece is what a chunk of one text says beside it.
type piece struct {
	kind llm.PartKind
	call callDelta
}

// decode reads a chunk.
func (c *chunk) decode(data []byte) error {
	c.said = said{calls: c.calls[:0]}
	if p, text, ok := c.memo.Recall(data); ok {
		c.recall(p, text)
		return nil
	}
	c.memo.Forget()
	return c.read(data)
}

// recall fills in a chunk that is like the remembered one.
func (c *chunk) recall(p piece, text string) {
	c.found, c.pieces = true, true
	switch p.kind {
	case llm.TextDelta:
		c.text = text
	case llm.ReasoningDelta:
		c.reasoning = text
	case llm.ToolArgs:
		p.call.args = text
		c.calls = append(c.calls, p.call)
	}
}

// remember keeps a chunk whose delta says one thing.
func (c *chunk) remember(data []byte, in *chunkJSON) {
	plain := c.finish == "" && c.failure == nil && len(c.details) == 0
	if !plain || len(in.Choices) != 1 || !c.pieces || c.whole != nil {
		return
	}
	delta := in.Choices[0].Delta
	var p piece
	var text *httpmodel.Piece
	switch {
	case len(c.calls) == 1 && c.text+c.reasoning == "":
		p, text = piece{llm.ToolArgs, c.calls[0]}, &delta.ToolCalls[0].Function.Arguments.Piece
	case len(c.calls) > 0:
		return
	case c.reasoning == "" && c.text == delta.Content.Said:
		p, text = piece{kind: llm.TextDelta}, &delta.Content.Piece
	case c.text == "" && c.reasoning == delta.ReasoningContent.Said && delta.Reasoning.Said == "":
		p, text = piece{kind: llm.ReasoningDelta}, &delta.ReasoningContent
	case c.text == "" && c.reasoning == delta.Reasoning.Said:
		p, text = piece{kind: llm.ReasoningDelta}, &delta.Reasoning
	default:
		return
	}
	c.memo.Keep(data, p, text, &in.Obfuscation)
}

// chunkJSON is a chunk, or a whole answer, as the many servers write it.
type chunkJSON struct {
	Choices []choiceJSON    `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
	Error       json.RawMessage `json:"error"`
	Object      httpmodel.Piece `json:"object"` // "error" where the error is the chunk itself
	Obfuscation httpmodel.Piece `json:"obfuscation"`
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
	Content          contentJSON                     `json:"content"`
	Refusal          string                          `json:"refusal"`
	ReasoningContent httpmodel.Piece                 `json:"reasoning_content"`
	Reasoning        httpmodel.Piece                 `json:"reasoning"`
	ReasoningDetails httpmodel.List[json.RawMessage] `json:"reasoning_details"`
	ToolCalls        []toolCallJSON                  `json:"tool_calls"`
}

type toolCallJSON struct {
	Index    *indexJSON      `json:"index"`
	ID       httpmodel.Piece `json:"id"`
	Function functionJSON    `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type functionJSON struct {
	Name      string   `json:"name"`
	Arguments argsJSON `json:"arguments"`
}

// indexJSON is a number, or a text that holds one.
type indexJSON int

func (i *indexJSON) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(bytes.Trim(data, `"`), (*int)(i))
}

// contentJSON is a text, or a list of parts some of which are thoughts.
type contentJSON struct {
	httpmodel.Piece
	thought string
}

func (c *contentJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		if err := c.Piece.UnmarshalJSONFrom(dec); err != nil || c.Number != "" {
			c.Said = c.Number
			return err
		}
		_, err := c.Text()
		return err
	}
	var parts []struct {
		Type     string      `json:"type"`
		Text     string      `json:"text"`
		Thinking contentJSON `json:"thinking"`
	}
	if err := jsonv2.UnmarshalDecode(dec, &parts); err != nil {
		return err
	}
	*c = contentJSON{}
	for _, p := range parts {
		c.Said += p.Text
		c.thought += p.Thinking.Said
	}
	return nil
}

// argsJSON is a text, or the arguments themselves, which are then kept as they stand.
type argsJSON struct {
	httpmodel.Piece
	whole string
}

func (a *argsJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind == '"' || kind == 'n' {
		a.whole = ""
		return a.Piece.UnmarshalJSONFrom(dec)
	}
	raw, err := dec.ReadValue()
	*a = argsJSON{whole: string(raw)}
	return err
}

func (c *chunk) read(data []byte) error {
	var in chunkJSON
	if err := httpmodel.Read(data, &in); err != nil {
		return fmt.Errorf("a chunk of the stream is not what Chat Completions promises: %w", err)
	}
	if !isNull(in.Error) || in.Object.Said == "error" {
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
	c.usage = cmp.Or(readUsage(in.Usage), readUsage(in.Groq.Usage), c.usage)
	c.remember(data, &in)
	return nil
}

func (c *chunk) takeChoice(choice *choiceJSON) {
	c.found, c.finish = true, choice.FinishReason
	c.usage = cmp.Or(readUsage(choice.Usage), c.usage)
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
	c.text += m.Content.Said + m.Refusal
	c.details = m.ReasoningDetails.Items
	switch {
	case m.ReasoningContent.Said != "":
		c.reasoning += m.ReasoningContent.Said
	case m.Reasoning.Said != "":
		c.reasoning += m.Reasoning.Said
	case m.Content.thought != "":
		c.reasoning += m.Content.thought
	default:
		c.reasoning += detailsText(m.ReasoningDetails.Items)
	}
	for _, t := range m.ToolCalls {
		d := callDelta{index: -1, id: t.ID.Said + t.ID.Number, name: t.Function.Name}
		d.args = t.Function.Arguments.Said + t.Function.Arguments.whole
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

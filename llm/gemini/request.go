package gemini

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// encoder writes a request. Texts that are JSON already go in as they are.
type encoder struct {
	model *Model
	extra map[string]json.RawMessage
	buf   []byte

	names map[string]string // of the calls so far, by id
	order map[string]int    // of the calls so far, by id: their places

	group     string // of the content that is open: the role of its messages, "" where none is open
	signature string // of the text that comes next
	// the calls of the content that is open must have a signature and have none yet
	unsigned bool
}

// encode returns the body of the request. What is the same in every call of a conversation comes
// first.
func (m *Model) encode(req *llm.Request) []byte {
	e := encoder{model: m, extra: req.Extra, buf: make([]byte, 0, sizeOf(req)), names: map[string]string{}, order: map[string]int{}}
	e.add(`{"generationConfig":`)
	e.buf = append(e.buf, e.settings(req)...)
	e.system(req.System)
	e.tools(req)
	e.contents(req.Messages)
	e.extras()
	e.add(`}`)
	return e.buf
}

// sizeOf estimates the length of the body, so that it is allocated once.
func sizeOf(req *llm.Request) int {
	n := 1024
	for _, b := range req.System {
		n += len(b.Text)*9/8 + 32
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters) + 128
	}
	for _, m := range req.Messages {
		n += 64
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				n += max(len(c.Quoted), len(c.Text)*9/8) + 32
			case llm.ToolResult:
				n += max(len(c.Content.Quoted), len(c.Content.Text)*9/8) + 160
			case llm.ToolCall:
				n += len(c.Args) + len(c.Opaque) + 128
			case llm.Reasoning:
				n += len(c.Text)*9/8 + len(c.Opaque) + 64
			case llm.Media:
				n += len(c.Data) + len(c.URL) + 128
			}
		}
	}
	return n
}

func (e *encoder) add(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) str(s string) { e.buf = jsonx.AppendString(e.buf, s) }

// settings returns the generationConfig: ours, and over it what Extra says.
func (e *encoder) settings(req *llm.Request) []byte {
	own := []byte{'{'}
	field := func(name string, value []byte) {
		if len(own) > 1 {
			own = append(own, ',')
		}
		own = append(append(jsonx.AppendString(own, name), ':'), value...)
	}
	if req.MaxTokens > 0 {
		field("maxOutputTokens", strconv.AppendInt(nil, int64(req.MaxTokens), 10))
	}
	if req.Temperature != nil {
		field("temperature", strconv.AppendFloat(nil, *req.Temperature, 'g', -1, 64))
	}
	if t := e.model.thinkingConfig(req.Effort); t != nil {
		field("thinkingConfig", t)
	}
	own = append(own, '}')
	if extra := e.extra["generationConfig"]; jsonx.KindOf(extra) == jsonx.Object {
		return jsonx.MergeObjects(own, extra)
	}
	return own
}

// thinkingConfig asks for the thoughts, and for as much thinking as the effort stands for.
func (m *Model) thinkingConfig(effort string) []byte {
	if !m.info.Reasoning || m.family.thinking == thinksNever {
		return nil
	}
	config := []byte(`{"includeThoughts":true`)
	if budget := allBudgets[effort]; budget > 0 && m.family.thinking == thinksBudget {
		config = strconv.AppendInt(append(config, `,"thinkingBudget":`...), int64(budget), 10)
	}
	if level := m.family.levels[effort]; level != "" {
		config = append(append(append(config, `,"thinkingLevel":"`...), level...), '"')
	}
	return append(config, '}')
}

func (e *encoder) system(blocks []llm.Block) {
	first := true
	for _, b := range blocks {
		if blank(llm.Text{Text: b.Text}) {
			continue
		}
		if first {
			e.add(`,"systemInstruction":{"parts":[{"text":`)
		} else {
			e.add(`,{"text":`)
		}
		first = false
		e.str(b.Text)
		e.add(`}`)
	}
	if !first {
		e.add(`]}`)
	}
}

func (e *encoder) tools(req *llm.Request) {
	if len(req.Tools) == 0 {
		return
	}
	e.add(`,"tools":[{"functionDeclarations":[`)
	for i, t := range req.Tools {
		if i > 0 {
			e.add(`,`)
		}
		e.add(`{"name":`)
		e.str(t.Name)
		if t.Description != "" {
			e.add(`,"description":`)
			e.str(t.Description)
		}
		if schema := e.model.schemas.of(t.Parameters); schema != nil {
			e.add(`,"parametersJsonSchema":`)
			e.buf = append(e.buf, schema...)
		}
		e.add(`}`)
	}
	e.add(`]}]`)
	if _, set := e.extra["toolConfig"]; set || req.Choice == llm.ChoiceAuto {
		return
	}
	mode := "ANY"
	if req.Choice == llm.ChoiceNone {
		mode = "NONE"
	}
	e.add(`,"toolConfig":{"functionCallingConfig":{"mode":"` + mode + `"}}`)
}

// core are the fields no Extra may set: ours would be lost with them.
var core = []string{"contents", "tools", "systemInstruction", "generationConfig"}

func (e *encoder) extras() {
	for _, name := range slices.Sorted(maps.Keys(e.extra)) {
		if slices.Contains(core, name) || len(e.extra[name]) == 0 {
			continue
		}
		e.add(`,`)
		e.str(name)
		e.add(`:`)
		e.buf = append(e.buf, e.extra[name]...)
	}
}

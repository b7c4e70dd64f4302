package openai

import (
	"strconv"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// responsesCore are the fields no Extra may set: the answer could not be read, or would be stored,
// without them.
var responsesCore = []string{"model", "input", "instructions", "stream", "store", "tools"}

// encodeResponses returns the body of a Responses request. What is the same in every call of a
// conversation comes first.
func (m *Model) encodeResponses(req *llm.Request, wish wishes) []byte {
	e := responsesEncoder{encoder{Encoder: httpmodel.NewEncoder(req), model: m, cfg: &m.cfg, wish: wish}}
	e.AddString(`{"model":`, m.cfg.Model)
	e.Add(`,"stream":true,"store":false`)
	e.settings(req)
	e.tools(req)
	e.instructions(req.System)
	e.Add(`,"input":[`)
	for _, msg := range req.Messages {
		e.message(msg)
	}
	e.Add(`]`)
	e.Extras(responsesCore)
	e.Add(`}`)
	return e.Buf
}

type responsesEncoder struct{ encoder }

// leastOutput is the lowest limit of tokens that the API takes.
const leastOutput = 16

func (e *responsesEncoder) settings(req *llm.Request) {
	if e.wish&wishEncrypted != 0 && e.Owns("include") {
		e.Add(`,"include":["reasoning.encrypted_content"]`)
	}
	if req.MaxTokens > 0 && e.Owns("max_output_tokens") {
		e.Add(`,"max_output_tokens":` + strconv.Itoa(max(leastOutput, req.MaxTokens)))
	}
	// models that reason refuse it
	if req.Temperature != nil && !e.model.info.Reasoning && e.Owns("temperature") {
		e.Add(`,"temperature":`)
		e.Float(*req.Temperature)
	}
	if e.Owns("reasoning") {
		e.reasoning(req.Effort)
	}
	e.cacheKey(req)
	e.sequential(req)
}

func (e *responsesEncoder) reasoning(effort string) {
	summary := e.wish&wishSummary != 0
	if e.wish&wishEffort == 0 {
		effort = ""
	}
	if !e.model.info.Reasoning || effort == "" && !summary {
		return
	}
	e.Add(`,"reasoning":{`)
	if effort != "" {
		e.AddString(`"effort":`, effort)
	}
	if summary {
		e.Next(`"summary":"auto"`)
	}
	e.Add(`}`)
}

func (e *responsesEncoder) instructions(blocks []llm.Block) {
	if len(blocks) > 0 {
		e.Add(`,"instructions":"`)
		e.blocks(blocks)
		e.Add(`"`)
	}
}

// message writes one message of the history as input items.
func (e *responsesEncoder) message(m llm.Message) {
	switch m.Role {
	case llm.RoleTool:
		for r := range llm.Only[llm.ToolResult](m.Content) {
			e.result(r)
		}
	case llm.RoleAssistant:
		e.assistant(m.Content)
	default:
		e.user(m)
	}
}

func (e *responsesEncoder) result(r llm.ToolResult) {
	e.Next(`{"type":"function_call_output","call_id":`)
	e.String(r.ID)
	e.Add(`,"output":`)
	e.texts([]llm.Content{r.Content})
	e.Add(`}`)
}

// assistant writes the items of one step in their order. Reasoning is only written with the item it
// led to: alone it is refused.
func (e *responsesEncoder) assistant(content []llm.Content) {
	thoughts := ""
	for i, c := range content {
		switch c := c.(type) {
		case llm.Reasoning:
			thoughts = join(thoughts, e.thoughts(c.Opaque))
		case llm.Text:
			e.thought(thoughts)
			thoughts = ""
			e.said(c, llm.Has[llm.ToolCall](content[i:]))
		case llm.ToolCall:
			e.thought(join(thoughts, e.thoughts(c.Opaque)))
			thoughts = ""
			e.call(c)
		}
	}
}

func join(a, b string) string {
	if a != "" && b != "" {
		return a + "," + b
	}
	return a + b
}

// thoughts returns the reasoning items of an opaque value, empty where it is not ours or is not
// wanted.
func (e *responsesEncoder) thoughts(opaque string) string {
	if e.wish&wishThoughts == 0 {
		return ""
	}
	raw, _ := e.model.unseal(sealItems, opaque)
	return raw
}

func (e *responsesEncoder) thought(items string) {
	if items != "" {
		e.Next(items)
	}
}

// said writes a text of the assistant. Models that tell preambles from answers stop too early
// unless they are told again which was which.
func (e *responsesEncoder) said(t llm.Text, preamble bool) {
	e.Next(`{"role":"assistant","content":`)
	e.texts([]llm.Content{t})
	switch {
	case !e.model.family.Phases || e.cfg.BaseURL != official:
	case preamble:
		e.Add(`,"phase":"commentary"`)
	default:
		e.Add(`,"phase":"final_answer"`)
	}
	e.Add(`}`)
}

func (e *responsesEncoder) call(c llm.ToolCall) {
	e.Next(`{"type":"function_call","call_id":`)
	e.String(c.ID)
	e.AddString(`,"name":`, c.Name)
	e.AddString(`,"arguments":`, e.arguments(c.Args))
	e.Add(`}`)
}

// inputMedia is media as Responses takes it.
func (e *encoder) inputMedia(m llm.Media) {
	switch {
	case m.Kind == "image":
		e.Next(`{"type":"input_image","image_url":`)
		e.String(address(m))
	case m.URL != "":
		e.Next(`{"type":"input_file","file_url":`)
		e.String(m.URL)
	default:
		e.Next(`{"type":"input_file","filename":`)
		e.String(fileName(m))
		e.AddString(`,"file_data":`, address(m))
	}
	e.Add(`}`)
}

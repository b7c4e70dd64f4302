package anthropic

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// maxBreakpoints is how many cache breakpoints the API takes in one request.
const maxBreakpoints = 4

const breakpoint = `,"cache_control":{"type":"ephemeral"}`

// encoder writes a request. Texts that are JSON already go in as they are.
type encoder struct {
	model *Model
	extra map[string]json.RawMessage
	buf   []byte

	role  string // of the message that is open, "" where none is
	marks []int  // of each message: where its breakpoint could go, -1 where nothing in it takes one
	left  int    // breakpoints not yet set
}

// encode returns the body of the request. What is the same in every call of a conversation comes
// first.
func (m *Model) encode(req *llm.Request) []byte {
	e := encoder{model: m, extra: req.Extra, buf: make([]byte, 0, sizeOf(req)), left: maxBreakpoints}
	e.add(`{"model":`)
	e.str(m.cfg.Model)
	e.add(`,"stream":true`)
	e.settings(req)
	e.left -= min(2, len(req.Messages)) // the last messages have theirs for sure
	e.tools(req)
	e.system(req.System)
	e.left += min(2, len(req.Messages))
	e.messages(req.Messages)
	e.extras()
	e.add(`}`)
	return e.buf
}

// sizeOf estimates the length of the body, so that it is allocated once.
func sizeOf(req *llm.Request) int {
	n := 1024
	for _, b := range req.System {
		n += len(b.Text)*9/8 + 96
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters) + 128
	}
	for _, m := range req.Messages {
		n += 96
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				n += max(len(c.Quoted), len(c.Text)*9/8) + 32
			case llm.ToolResult:
				n += max(len(c.Content.Quoted), len(c.Content.Text)*9/8) + 96
			case llm.ToolCall:
				n += len(c.Args) + 128
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

// own reports whether a setting is ours to write: Extra has the last word on all but the core.
func (e *encoder) own(name string) bool {
	_, set := e.extra[name]
	return !set
}

func (e *encoder) settings(req *llm.Request) {
	mode, budget, limit := e.model.plan(req)
	if e.own("max_tokens") {
		e.add(`,"max_tokens":` + strconv.Itoa(limit))
	}
	if e.own("thinking") {
		switch {
		case budget > 0:
			e.add(`,"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(budget) + `}`)
		case mode == thinksFreely:
			e.add(`,"thinking":{"type":"adaptive"}`)
		case mode == thinksOnlyFree:
			e.add(`,"thinking":{"type":"adaptive","display":"summarized"}`)
		}
	}
	if e.model.family.thinking >= thinksFreely && req.Effort != "" && e.own("output_config") {
		e.add(`,"output_config":{"effort":`)
		e.str(req.Effort)
		e.add(`}`)
	}
	// A model that thinks takes no temperature, and the newer ones take none at all.
	if req.Temperature != nil && mode == thinksNever && e.model.family.thinking != thinksOnlyFree && e.own("temperature") {
		e.add(`,"temperature":`)
		e.buf = strconv.AppendFloat(e.buf, *req.Temperature, 'g', -1, 64)
	}
}

// How many tokens an answer may have where nobody says, and how many of them go to thinking.
const (
	usualTokens    = 16_384
	thinkingTokens = 32_768
	leastBudget    = 1024 // the API takes no less
)

var budgets = map[string]int{"low": 2048, "medium": 8192, "high": 16_384}

// plan says how the model is to think, with what budget where it takes one, and how many tokens the
// answer may have in all.
func (m *Model) plan(req *llm.Request) (mode thinking, budget, limit int) {
	most := m.family.output
	limit = cmp.Or(req.MaxTokens, m.cfg.MaxTokens)
	if m.thinks(req) {
		mode = m.family.thinking
	}
	switch mode {
	case thinksBudget:
		budget = budgets[req.Effort]
		limit = cmp.Or(limit, min(most, budget+usualTokens))
		if budget = min(budget, limit*3/4); budget < leastBudget {
			return thinksNever, 0, limit
		}
	case thinksNever:
		limit = cmp.Or(limit, min(most, usualTokens))
	default:
		limit = cmp.Or(limit, min(most, thinkingTokens))
	}
	return mode, budget, limit
}

// thinks reports whether the model is to think. A model that must call a tool cannot, and one with
// a budget cannot begin to in the middle of a turn: the API refuses a turn that went on with tools
// and did not begin with thoughts of its own.
func (m *Model) thinks(req *llm.Request) bool {
	switch {
	case req.Effort == "" || req.Effort == "none" || req.Choice == llm.ChoiceRequired || !m.info.Reasoning:
		return false
	case m.family.thinking != thinksBudget:
		return m.family.thinking != thinksNever
	}
	return budgets[req.Effort] > 0 && beganWithThought(req.Messages)
}

// beganWithThought reports whether the turn that is under way, if one is, began with a thought that
// can be sent back.
func beganWithThought(messages []llm.Message) bool {
	turn := messages
	for i, m := range slices.Backward(messages) {
		if m.Role == llm.RoleUser {
			turn = messages[i+1:]
			break
		}
	}
	for _, m := range turn {
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Reasoning:
				if _, _, ok := thoughtOf(c.Opaque); ok {
					return true
				}
			case llm.Text:
				if !blank(c) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

func (e *encoder) tools(req *llm.Request) {
	tools, choice := req.Tools, req.Choice
	if len(tools) == 0 {
		tools, choice = toolsOfThePast(req.Messages), llm.ChoiceNone
	}
	if len(tools) == 0 {
		return
	}
	e.add(`,"tools":[`)
	for i, t := range tools {
		if i > 0 {
			e.add(`,`)
		}
		e.tool(t, i == len(tools)-1)
	}
	e.add(`]`)
	if choice == llm.ChoiceAuto || !e.own("tool_choice") {
		return
	}
	if choice == llm.ChoiceNone {
		e.add(`,"tool_choice":{"type":"none"}`)
	} else {
		e.add(`,"tool_choice":{"type":"any"}`)
	}
}

func (e *encoder) tool(t llm.ToolDecl, last bool) {
	e.add(`{"name":`)
	e.str(t.Name)
	if t.Description != "" {
		e.add(`,"description":`)
		e.str(t.Description)
	}
	e.add(`,"input_schema":`)
	if len(t.Parameters) > 0 {
		e.buf = append(e.buf, t.Parameters...)
	} else {
		e.add(`{"type":"object","properties":{}}`)
	}
	if t.Strict && e.model.info.StrictTools {
		e.add(`,"strict":true`)
	}
	if last {
		e.mark()
	}
	e.add(`}`)
}

// toolsOfThePast declares the tools a history has calls of: the API refuses calls where no tool is
// declared.
func toolsOfThePast(messages []llm.Message) (tools []llm.ToolDecl) {
	for _, m := range messages {
		for _, c := range m.Content {
			call, ok := c.(llm.ToolCall)
			if ok && !slices.ContainsFunc(tools, func(t llm.ToolDecl) bool { return t.Name == call.Name }) {
				tools = append(tools, llm.ToolDecl{Name: call.Name})
			}
		}
	}
	return tools
}

// mark sets a breakpoint in the block that is being written, if one is left.
func (e *encoder) mark() {
	if e.left > 0 {
		e.add(breakpoint)
		e.left--
	}
}

// system writes the blocks. Where more of them want a breakpoint than there are, the last get one:
// they reach furthest.
func (e *encoder) system(blocks []llm.Block) {
	wanted := 0
	for _, b := range blocks {
		if b.Cache && !blank(llm.Text{Text: b.Text}) {
			wanted++
		}
	}
	first := true
	for _, b := range blocks {
		if blank(llm.Text{Text: b.Text}) {
			continue
		}
		if first {
			e.add(`,"system":[`)
		} else {
			e.add(`,`)
		}
		first = false
		e.add(`{"type":"text","text":`)
		e.str(b.Text)
		if b.Cache {
			if wanted <= e.left {
				e.mark()
			}
			wanted--
		}
		e.add(`}`)
	}
	if !first {
		e.add(`]`)
	}
}

// core are the fields no Extra may set: the answer could not be read without them.
var core = []string{"model", "messages", "stream", "tools", "system"}

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

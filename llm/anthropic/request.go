package anthropic

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// maxBreakpoints is how many cache breakpoints the API takes in one request.
const maxBreakpoints = 4

const breakpoint = `,"cache_control":{"type":"ephemeral"}`

// encoder writes a request.
type encoder struct {
	httpmodel.Turns
	model *Model

	marks []int // of each message: where its breakpoint could go, -1 where nothing in it takes one
	left  int   // breakpoints not yet set
}

// encode returns the body of the request. What is the same in every call of a conversation comes
// first.
func (m *Model) encode(req *llm.Request) []byte {
	e := encoder{model: m, left: maxBreakpoints}
	e.Turns = httpmodel.Turns{Encoder: httpmodel.NewEncoder(req), Open: e.open, TextBlock: textBlock}
	if m.cfg.BodyVersion != "" {
		e.AddString(`{"anthropic_version":`, m.cfg.BodyVersion)
	} else {
		e.AddString(`{"model":`, m.cfg.Model)
	}
	e.Add(`,"stream":true`)
	e.settings(req)
	e.left -= min(2, len(req.Messages)) // the last messages have theirs for sure
	e.tools(req)
	e.system(req.System)
	e.left += min(2, len(req.Messages))
	e.messages(req.Messages)
	e.Extras(core)
	e.Add(`}`)
	return e.Buf
}

func (e *encoder) settings(req *llm.Request) {
	mode, budget, limit := e.model.plan(req)
	if e.Owns("max_tokens") {
		e.Add(`,"max_tokens":` + strconv.Itoa(limit))
	}
	if e.Owns("thinking") {
		switch {
		case budget > 0:
			e.Add(`,"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(budget) + `}`)
		case mode == catalog.Adaptive:
			e.Add(`,"thinking":{"type":"adaptive"}`)
		case mode == catalog.AdaptiveOnly:
			e.Add(`,"thinking":{"type":"adaptive","display":"summarized"}`)
		}
	}
	if e.model.adapts() && req.Effort != "" && e.Owns("output_config") {
		e.AddString(`,"output_config":{"effort":`, llm.Level(req.Effort))
		e.Add(`}`)
	}
	// A thinking model takes no temperature, and the newer ones never do.
	if req.Temperature != nil && mode == "" && e.model.family.Thinking != catalog.AdaptiveOnly &&
		e.Owns("temperature") {
		e.Add(`,"temperature":`)
		e.Float(*req.Temperature)
	}
}

// adapts reports whether the model thinks as it sees fit, with an effort.
func (m *Model) adapts() bool {
	return m.family.Thinking == catalog.Adaptive || m.family.Thinking == catalog.AdaptiveOnly
}

// Default limits of tokens for an answer, and for its thinking.
const (
	usualTokens    = 16_384
	thinkingTokens = 32_768
	leastBudget    = 1024 // the API takes no less
)

var budgets = map[string]int{"low": 2048, "medium": 8192, "high": 16_384}

// plan says how the model is to think, with what budget where it takes one, and how many tokens the
// answer may have in all.
func (m *Model) plan(req *llm.Request) (mode catalog.Thinking, budget, limit int) {
	most := m.family.Output
	limit = req.MaxTokens
	if m.thinks(req) {
		mode = m.family.Thinking
	}
	switch mode {
	case catalog.Budget:
		budget = budgets[llm.Level(req.Effort)]
		limit = cmp.Or(limit, min(most, budget+usualTokens))
		if budget = min(budget, limit*3/4); budget < leastBudget {
			return "", 0, limit
		}
	case "":
		limit = cmp.Or(limit, min(most, usualTokens))
	default:
		limit = cmp.Or(limit, min(most, thinkingTokens))
	}
	return mode, budget, limit
}

// thinks reports whether the model is to think. A model that must call a tool cannot, and one with
// a budget cannot begin to in the middle of a run: the API refuses a run that went on with tools
// and did not begin with thoughts of its own.
func (m *Model) thinks(req *llm.Request) bool {
	switch {
	case req.Effort == "" || req.Effort == "none" || req.Choice == llm.ChoiceRequired || !m.info.Reasoning:
		return false
	case m.family.Thinking != catalog.Budget:
		return m.family.Thinking != ""
	}
	return budgets[llm.Level(req.Effort)] > 0 && httpmodel.BeganWithThought(req.Messages, begins)
}

// begins reports whether a request holds anything of an answer, and whether that begins with a
// thought.
func begins(answer []llm.Content) (thought, sent bool) {
	i := slices.IndexFunc(answer, isSent)
	if i < 0 {
		return false, false
	}
	_, thought = answer[i].(llm.Reasoning)
	return thought, true
}

// isSent reports whether a request holds this piece of an answer.
func isSent(c llm.Content) bool {
	switch c := c.(type) {
	case llm.Text:
		return !httpmodel.Blank(c)
	case llm.Reasoning:
		_, _, ok := thoughtOf(c.Opaque)
		return ok
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
	e.Add(`,"tools":[`)
	for i, t := range tools {
		e.tool(t, i == len(tools)-1)
	}
	e.Add(`]`)
	if choice == llm.ChoiceAuto || !e.Owns("tool_choice") {
		return
	}
	switch {
	case choice == llm.ChoiceRequired:
		e.Add(`,"tool_choice":{"type":"any"}`)
	case len(req.Tools) == 0 || e.model.defies.Load():
		e.Add(`,"tool_choice":{"type":"none"}`)
	}
}

func (e *encoder) tool(t llm.ToolDecl, last bool) {
	e.Next(`{"name":`)
	e.String(t.Name)
	if t.Description != "" {
		e.AddString(`,"description":`, t.Description)
	}
	e.Add(`,"input_schema":`)
	if len(t.Parameters) > 0 {
		e.Buf = append(e.Buf, t.Parameters...)
	} else {
		e.Add(httpmodel.NoParameters)
	}
	if t.Strict && e.model.info.StrictTools {
		e.Add(`,"strict":true`)
	}
	if last {
		e.mark()
	}
	e.Add(`}`)
}

// toolsOfThePast declares the tools called in a history: the API refuses calls without any declared
// tool.
func toolsOfThePast(messages []llm.Message) (tools []llm.ToolDecl) {
	for _, m := range messages {
		for call := range llm.Only[llm.ToolCall](m.Content) {
			if !slices.ContainsFunc(tools, func(t llm.ToolDecl) bool { return t.Name == call.Name }) {
				tools = append(tools, llm.ToolDecl{Name: call.Name})
			}
		}
	}
	return tools
}

// mark sets a breakpoint in the block that is being written, if one is left.
func (e *encoder) mark() {
	if e.left > 0 {
		e.Add(breakpoint)
		e.left--
	}
}

// system writes the blocks. Those that are worth caching get what breakpoints are left.
func (e *encoder) system(blocks []llm.Block) {
	blocks = httpmodel.CacheLast(httpmodel.SystemBlocks(blocks), e.left)
	if len(blocks) == 0 {
		return
	}
	e.Add(`,"system":[`)
	for _, b := range blocks {
		e.Next(textBlock)
		e.String(b.Text)
		if b.Cache {
			e.mark()
		}
		e.Add(`}`)
	}
	e.Add(`]`)
}

// core are the fields no Extra may set: without them the answer could not be read.
var core = []string{"model", "messages", "stream", "tools", "system"}

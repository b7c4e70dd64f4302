package openai

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// encoder writes a request.
type encoder struct {
	httpmodel.Encoder
	model *Model
	cfg   *Config
	wish  wishes

	afterTool bool // the last message was a tool's result
	marked    bool // the message gets a breakpoint of the cache
}

func quote(s string) []byte { return jsonx.AppendString(nil, s) }

// encode returns the body of the request. What is the same in every call of a conversation comes
// first.
func (m *Model) encode(req *llm.Request, wish wishes) []byte {
	e := encoder{Encoder: httpmodel.NewEncoder(req), model: m, cfg: &m.cfg, wish: wish}
	e.AddString(`{"model":`, m.cfg.Model)
	e.Add(`,"stream":true`)
	if e.Owns("stream_options") {
		e.Add(`,"stream_options":{"include_usage":true}`)
	}
	e.settings(req)
	e.tools(req)
	e.Add(`,"messages":[`)
	e.system(req.System)
	breakpoints := m.markedMessages(req.Messages)
	for i, msg := range req.Messages {
		e.marked = slices.Contains(breakpoints, i)
		e.message(msg)
	}
	e.Add(`]`)
	e.Extras(core)
	e.Add(`}`)
	return e.Buf
}

// addBody writes a string without its quotes.
func (e *encoder) addBody(s string) { e.Buf = jsonx.AppendStringBody(e.Buf, s) }

func (e *encoder) settings(req *llm.Request) {
	if limit := e.cfg.MaxTokens; req.MaxTokens > 0 && e.Owns(limit) {
		e.Add(`,"` + limit + `":` + strconv.Itoa(req.MaxTokens))
	}
	if req.Temperature != nil && !e.fixedTemperature() && e.Owns("temperature") {
		e.Add(`,"temperature":`)
		e.Float(*req.Temperature)
	}
	e.cacheKey(req)
	if len(req.Tools) > 0 {
		e.sequential(req)
	}
	if e.wish&wishEffort == 0 {
		return
	}
	if e.cfg.Provider == "openrouter" {
		if e.Owns("reasoning") {
			e.AddString(`,"reasoning":{"effort":`, req.Effort)
			e.Add(`}`)
		}
	} else if e.Owns("reasoning_effort") {
		e.AddString(`,"reasoning_effort":`, req.Effort)
	}
}

// fixedTemperature reports whether the model is one of OpenAI's that reason, which refuse any
// temperature but their own.
func (e *encoder) fixedTemperature() bool {
	return e.model.info.Reasoning && e.cfg.BaseURL == official
}

// cacheKey helps OpenAI to route calls with the same beginning to the same cache. Other servers may
// refuse the unknown field.
func (e *encoder) cacheKey(req *llm.Request) {
	if req.CacheKey != "" && e.cfg.BaseURL == official && e.Owns("prompt_cache_key") {
		e.AddString(`,"prompt_cache_key":`, req.CacheKey)
	}
}

// sequential asks for at most one call, unless the model never makes more: such models refuse the
// option.
func (e *encoder) sequential(req *llm.Request) {
	if req.Sequential && e.model.info.ParallelTools && e.Owns("parallel_tool_calls") {
		e.Add(`,"parallel_tool_calls":false`)
	}
}

// tools declares the tools. In Responses strict is what a declaration is unless it says otherwise.
func (e *encoder) tools(req *llm.Request) {
	if len(req.Tools) == 0 {
		return
	}
	begin, end := `{"type":"function","function":{"name":`, `}}`
	if e.cfg.Responses {
		begin, end = `{"type":"function","name":`, `}`
	}
	e.Add(`,"tools":[`)
	for _, t := range req.Tools {
		e.Next(begin)
		e.String(t.Name)
		if t.Description != "" {
			e.AddString(`,"description":`, t.Description)
		}
		e.parameters(t)
		if strict := t.Strict && e.model.info.StrictTools; strict || e.cfg.Responses {
			e.Add(`,"strict":` + strconv.FormatBool(strict))
		}
		e.Add(end)
	}
	e.Add(`]`)
	e.choice(req)
}

func (e *encoder) parameters(t llm.ToolDecl) {
	e.Add(`,"parameters":`)
	if len(t.Parameters) > 0 {
		e.Buf = append(e.Buf, t.Parameters...)
	} else {
		e.Add(httpmodel.NoParameters)
	}
}

func (e *encoder) choice(req *llm.Request) {
	refused := req.Choice == llm.ChoiceRequired && e.wish&wishRequired == 0
	if req.Choice != llm.ChoiceAuto && !refused && e.Owns("tool_choice") {
		e.AddString(`,"tool_choice":`, string(req.Choice))
	}
}

// system writes the blocks as one message: many chat templates only support one.
func (e *encoder) system(blocks []llm.Block) {
	switch {
	case len(blocks) == 0:
	case e.model.marks():
		e.markedSystem(blocks)
	default:
		e.Add(`{"role":"system","content":"`)
		e.blocks(blocks)
		e.Add(`"}`)
	}
}

// blocks writes the blocks as one text, without its quotes.
func (e *encoder) blocks(blocks []llm.Block) {
	for i, b := range blocks {
		if i > 0 {
			e.Add(`\n\n`)
		}
		e.addBody(b.Text)
	}
}

// message writes one message of the history; a message of tool results becomes one for each.
func (e *encoder) message(m llm.Message) {
	afterTool := e.afterTool
	e.afterTool = m.Role == llm.RoleTool
	switch m.Role {
	case llm.RoleTool:
		for r := range llm.Only[llm.ToolResult](m.Content) {
			e.result(r)
		}
	case llm.RoleAssistant:
		if e.ofMistral() && saysNothing(m.Content) {
			e.afterTool = afterTool // it is refused
			return
		}
		e.assistant(m)
	default:
		if afterTool && e.ofMistral() { // there the assistant speaks before the user does
			e.begin(llm.RoleAssistant)
			e.Add(`,"content":"(The tools have answered.)"}`)
		}
		e.user(m)
	}
}

func (e *encoder) user(m llm.Message) {
	e.begin(m.Role)
	e.Add(`,"content":`)
	if llm.Has[llm.Media](m.Content) {
		e.parts(m.Content)
	} else {
		e.texts(m.Content)
	}
	e.Add(`}`)
}

// saysNothing reports whether a message has neither words nor calls.
func saysNothing(content []llm.Content) bool {
	return !llm.Has[llm.ToolCall](content) && !slices.ContainsFunc(content, isSaid)
}

// ofMistral reports whether the server behaves like Mistral's.
func (e *encoder) ofMistral() bool { return e.model.dialect.ExactIDs }

func (e *encoder) begin(role string) {
	e.Next(`{"role":`)
	e.String(role)
}

func (e *encoder) result(r llm.ToolResult) {
	e.begin(llm.RoleTool)
	e.AddString(`,"tool_call_id":`, r.ID)
	e.Add(`,"content":`)
	e.texts([]llm.Content{r.Content})
	e.Add(`}`)
}

func (e *encoder) assistant(m llm.Message) {
	e.begin(m.Role)
	e.Add(`,"content":`)
	called := llm.Has[llm.ToolCall](m.Content)
	if called && !llm.Has[llm.Text](m.Content) {
		e.Add(`null`)
	} else {
		e.texts(m.Content)
	}
	e.reasoning(m.Content)
	if called {
		e.calls(m.Content)
	}
	e.Add(`}`)
}

// reasoning sends OpenRouter's details back, or the words of a provider that wants them back. Such
// a one refuses a step without any, also one that another model has made.
func (e *encoder) reasoning(content []llm.Content) {
	for r := range llm.Only[llm.Reasoning](content) {
		if details, ok := e.model.unseal(sealDetails, r.Opaque); ok && e.cfg.Provider == "openrouter" {
			e.Add(`,"reasoning_details":` + details)
			return
		}
	}
	if e.cfg.ReturnReasoning == NoField {
		return
	}
	text, ok := e.model.returned(content)
	if !ok {
		text = " "
	}
	e.AddString(`,`, e.cfg.ReturnReasoning)
	e.AddString(`:`, text)
}

func (e *encoder) calls(content []llm.Content) {
	e.Add(`,"tool_calls":[`)
	for call := range llm.Only[llm.ToolCall](content) {
		e.Next(`{"id":`)
		e.String(call.ID)
		e.AddString(`,"type":"function","function":{"name":`, call.Name)
		e.AddString(`,"arguments":`, e.arguments(call.Args))
		e.Add(`}`)
		if extra, ok := e.model.unseal(sealExtra, call.Opaque); ok {
			e.Add(`,"extra_content":` + extra)
		}
		e.Add(`}`)
	}
	e.Add(`]`)
}

// arguments returns the arguments to send for a call. Servers that render them through a template
// refuse a whole history if they are not an object.
func (e *encoder) arguments(args string) string {
	if args == "" {
		return "{}"
	}
	if strings.HasPrefix(e.cfg.Provider, "openai") && !e.ofMistral() || httpmodel.IsObject(args) {
		return args
	}
	return httpmodel.InvalidArguments(args)
}

// texts writes the texts of a message as one string, or as the only part where a breakpoint needs
// one.
func (e *encoder) texts(content []llm.Content) {
	if e.marked {
		e.Add(`[{"type":"text","text":`)
		e.joined(content)
		e.Add(breakpoint + `}]`)
		return
	}
	e.joined(content)
}

func (e *encoder) joined(content []llm.Content) {
	e.Add(`"`)
	first := true
	for t := range llm.Only[llm.Text](content) {
		if !first {
			e.Add(`\n\n`)
		}
		first = false
		e.body(t)
	}
	e.Add(`"`)
}

// body writes a text without its quotes.
func (e *encoder) body(t llm.Text) {
	if n := len(t.Quoted); n >= 2 {
		e.Buf = append(e.Buf, t.Quoted[1:n-1]...)
		return
	}
	e.addBody(t.Text)
}

// parts writes the content of a message that holds more than text.
func (e *encoder) parts(content []llm.Content) {
	begin, breaks := `{"type":"text","text":"`, -1
	if e.cfg.Responses {
		begin = `{"type":"input_text","text":"`
	}
	if e.marked {
		breaks = lastSaid(content)
	}
	e.Add(`[`)
	for i, c := range content {
		switch c := c.(type) {
		case llm.Text:
			e.Next(begin)
			e.body(c)
			e.Add(`"`)
			if i == breaks {
				e.Add(breakpoint)
			}
			e.Add(`}`)
		case llm.Media:
			if e.cfg.Responses {
				e.inputMedia(c)
			} else {
				e.media(c)
			}
		}
	}
	e.Add(`]`)
}

func (e *encoder) media(m llm.Media) {
	switch m.Kind {
	case "audio":
		e.Next(`{"type":"input_audio","input_audio":{"data":`)
		e.String(m.Data)
		e.AddString(`,"format":`, audioFormat(m.MimeType))
		e.Add(`}}`)
	case "image":
		e.Next(`{"type":"image_url","image_url":{"url":`)
		e.String(address(m))
		e.Add(`}}`)
	default:
		e.Next(`{"type":"file","file":{"filename":`)
		e.String(fileName(m))
		e.AddString(`,"file_data":`, address(m))
		e.Add(`}}`)
	}
}

// fileName is what a file is called: the provider wants a name, and looks at its ending.
func fileName(m llm.Media) string {
	if !strings.HasSuffix(strings.ToLower(m.Name), ".pdf") {
		return cmp.Or(m.Name, "attachment") + ".pdf"
	}
	return m.Name
}

// address returns the URL, or a data URL if there is none.
func address(m llm.Media) string {
	if m.URL != "" {
		return m.URL
	}
	return "data:" + m.MimeType + ";base64," + m.Data
}

func audioFormat(mimeType string) string {
	if mimeType == "audio/mpeg" {
		return "mp3"
	}
	return "wav"
}

// core are the fields no Extra may set: without them the answer could not be read.
var core = []string{"model", "messages", "stream", "tools"}

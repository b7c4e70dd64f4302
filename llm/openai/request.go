package openai

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// encoder writes a request. Texts that are JSON already go in as they are.
type encoder struct {
	model *Model
	cfg   *Config
	extra map[string]json.RawMessage
	wish  wishes
	buf   []byte

	afterTool bool // the last message was a tool's result
}

func quote(s string) []byte { return jsonx.AppendString(nil, s) }

// encode returns the body of the request. What is the same in every call of a conversation comes
// first.
func (m *Model) encode(req *llm.Request, wish wishes) []byte {
	e := encoder{model: m, cfg: &m.cfg, extra: req.Extra, wish: wish, buf: make([]byte, 0, sizeOf(req))}
	e.add(`{"model":`)
	e.str(m.cfg.Model)
	e.add(`,"stream":true`)
	if e.own("stream_options") {
		e.add(`,"stream_options":{"include_usage":true}`)
	}
	e.settings(req)
	e.tools(req)
	e.add(`,"messages":[`)
	e.system(req.System)
	for _, msg := range req.Messages {
		e.message(msg)
	}
	e.add(`]`)
	e.extras(core)
	e.add(`}`)
	return e.buf
}

// sizeOf estimates the length of the body, so that it is allocated once.
func sizeOf(req *llm.Request) int {
	n := 1024
	for _, b := range req.System {
		n += len(b.Text) + 16
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters) + 128
	}
	for _, m := range req.Messages {
		n += 64
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				n += max(len(c.Quoted), len(c.Text)+len(c.Text)/8)
			case llm.ToolResult:
				n += max(len(c.Content.Quoted), len(c.Content.Text)+len(c.Content.Text)/8) + 64
			case llm.ToolCall:
				n += len(c.Args)*9/8 + 128
			case llm.Media:
				n += len(c.Data) + len(c.URL) + 64
			}
		}
	}
	return n
}

func (e *encoder) add(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) str(s string) { e.buf = jsonx.AppendString(e.buf, s) }

// addBody writes a string without its quotes.
func (e *encoder) addBody(s string) { e.buf = jsonx.AppendStringBody(e.buf, s) }

// next begins another element of a list or another member of an object.
func (e *encoder) next(s string) {
	switch e.buf[len(e.buf)-1] {
	case '[', '{':
	default:
		e.add(`,`)
	}
	e.add(s)
}

// own reports whether a setting is ours to write: Extra has the last word on all but the core.
func (e *encoder) own(name string) bool {
	_, set := e.extra[name]
	return !set
}

func (e *encoder) settings(req *llm.Request) {
	limit := "max_tokens"
	if e.cfg.Provider == "openai" && !e.ofMistral() {
		limit = "max_completion_tokens" // reasoning models refuse max_tokens
	}
	if req.MaxTokens > 0 && e.own(limit) {
		e.add(`,"` + limit + `":` + strconv.Itoa(req.MaxTokens))
	}
	if req.Temperature != nil && e.own("temperature") {
		e.add(`,"temperature":`)
		e.buf = strconv.AppendFloat(e.buf, *req.Temperature, 'g', -1, 64)
	}
	e.cacheKey(req)
	if len(req.Tools) > 0 {
		e.sequential(req)
	}
	if e.wish&wishEffort == 0 {
		return
	}
	if e.cfg.Provider == "openrouter" {
		if e.own("reasoning") {
			e.add(`,"reasoning":{"effort":`)
			e.str(req.Effort)
			e.add(`}`)
		}
	} else if e.own("reasoning_effort") {
		e.add(`,"reasoning_effort":`)
		e.str(req.Effort)
	}
}

// cacheKey helps OpenAI to send calls with the same beginning to where that is cached. Other
// servers may refuse what they do not know.
func (e *encoder) cacheKey(req *llm.Request) {
	if req.CacheKey != "" && e.cfg.BaseURL == official && e.own("prompt_cache_key") {
		e.add(`,"prompt_cache_key":`)
		e.str(req.CacheKey)
	}
}

// sequential asks for one call at most, unless the model makes no more anyway: those refuse the
// question.
func (e *encoder) sequential(req *llm.Request) {
	if req.Sequential && e.model.info.ParallelTools && e.own("parallel_tool_calls") {
		e.add(`,"parallel_tool_calls":false`)
	}
}

func (e *encoder) tools(req *llm.Request) {
	if len(req.Tools) == 0 {
		return
	}
	e.add(`,"tools":[`)
	for i, t := range req.Tools {
		if i > 0 {
			e.add(`,`)
		}
		e.add(`{"type":"function","function":{"name":`)
		e.str(t.Name)
		if t.Description != "" {
			e.add(`,"description":`)
			e.str(t.Description)
		}
		e.parameters(t)
		if e.strict(t) {
			e.add(`,"strict":true`)
		}
		e.add(`}}`)
	}
	e.add(`]`)
	e.choice(req)
}

func (e *encoder) parameters(t llm.ToolDecl) {
	e.add(`,"parameters":`)
	if len(t.Parameters) > 0 {
		e.buf = append(e.buf, t.Parameters...)
	} else {
		e.add(`{"type":"object","properties":{}}`)
	}
}

func (e *encoder) strict(t llm.ToolDecl) bool { return t.Strict && e.model.info.StrictTools }

func (e *encoder) choice(req *llm.Request) {
	if req.Choice != llm.ChoiceAuto && e.own("tool_choice") {
		e.add(`,"tool_choice":`)
		e.str(string(req.Choice))
	}
}

// system writes the blocks as one message: many chat templates know only one.
func (e *encoder) system(blocks []llm.Block) {
	for i, b := range blocks {
		if i == 0 {
			e.add(`{"role":"system","content":"`)
		} else {
			e.add(`\n\n`)
		}
		e.addBody(b.Text)
	}
	if len(blocks) > 0 {
		e.add(`"}`)
	}
}

// message writes one message of the history; a message of tool results becomes one for each.
func (e *encoder) message(m llm.Message) {
	afterTool := e.afterTool
	e.afterTool = m.Role == llm.RoleTool
	switch m.Role {
	case llm.RoleTool:
		for _, c := range m.Content {
			if r, ok := c.(llm.ToolResult); ok {
				e.result(r)
			}
		}
	case llm.RoleAssistant:
		e.assistant(m)
	default:
		if afterTool && e.ofMistral() { // there the assistant speaks before the user does
			e.begin(llm.RoleAssistant)
			e.add(`,"content":"(The tools have answered.)"}`)
		}
		e.begin(m.Role)
		e.add(`,"content":`)
		if slices.ContainsFunc(m.Content, isMedia) {
			e.parts(m.Content)
		} else {
			e.texts(m.Content)
		}
		e.add(`}`)
	}
}

// ofMistral reports whether the server has the customs of Mistral's.
func (e *encoder) ofMistral() bool { return e.model.dialect.ExactIDs }

func (e *encoder) begin(role string) {
	if e.buf[len(e.buf)-1] == '}' {
		e.add(`,`)
	}
	e.add(`{"role":`)
	e.str(role)
}

func (e *encoder) result(r llm.ToolResult) {
	e.begin(llm.RoleTool)
	e.add(`,"tool_call_id":`)
	e.str(r.ID)
	e.add(`,"content":`)
	e.texts([]llm.Content{r.Content})
	e.add(`}`)
}

func (e *encoder) assistant(m llm.Message) {
	e.begin(m.Role)
	e.add(`,"content":`)
	called := hasCalls(m.Content)
	said := slices.ContainsFunc(m.Content, func(c llm.Content) bool { _, ok := c.(llm.Text); return ok })
	if called && !said {
		e.add(`null`)
	} else {
		e.texts(m.Content)
	}
	e.reasoning(m.Content)
	if called {
		e.calls(m.Content)
	}
	e.add(`}`)
}

// reasoning sends OpenRouter's details back, or the words of a provider that wants them back. Such
// a one refuses a turn without any, also one that another model has made.
func (e *encoder) reasoning(content []llm.Content) {
	for _, c := range content {
		r, ok := c.(llm.Reasoning)
		if !ok || e.cfg.Provider != "openrouter" {
			continue
		}
		if details, ok := e.model.unseal(sealDetails, r.Opaque); ok {
			e.add(`,"reasoning_details":` + details)
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
	e.add(`,`)
	e.str(e.cfg.ReturnReasoning)
	e.add(`:`)
	e.str(text)
}

func (e *encoder) calls(content []llm.Content) {
	e.add(`,"tool_calls":[`)
	for _, c := range content {
		call, ok := c.(llm.ToolCall)
		if !ok {
			continue
		}
		if e.buf[len(e.buf)-1] == '}' {
			e.add(`,`)
		}
		e.add(`{"id":`)
		e.str(call.ID)
		e.add(`,"type":"function","function":{"name":`)
		e.str(call.Name)
		e.add(`,"arguments":`)
		e.str(e.arguments(call.Args))
		e.add(`}`)
		if extra, ok := e.model.unseal(sealExtra, call.Opaque); ok {
			e.add(`,"extra_content":` + extra)
		}
		e.add(`}`)
	}
	e.add(`]`)
}

// arguments returns what a call is shown to have been made with. Servers that render the arguments
// through a template refuse a history in which they are no object, and with it every further
// question of the thread.
func (e *encoder) arguments(args string) string {
	if args == "" {
		return "{}"
	}
	if strings.HasPrefix(e.cfg.Provider, "openai") && !e.ofMistral() || (jsonx.KindOf([]byte(args)) == jsonx.Object && json.Valid([]byte(args))) {
		return args
	}
	return `{"invalid_arguments":` + string(quote(args)) + `}`
}

// texts writes the texts of a message as one string.
func (e *encoder) texts(content []llm.Content) {
	e.add(`"`)
	first := true
	for _, c := range content {
		t, ok := c.(llm.Text)
		if !ok {
			continue
		}
		if !first {
			e.add(`\n\n`)
		}
		first = false
		e.body(t)
	}
	e.add(`"`)
}

// body writes a text without its quotes.
func (e *encoder) body(t llm.Text) {
	if n := len(t.Quoted); n >= 2 {
		e.buf = append(e.buf, t.Quoted[1:n-1]...)
		return
	}
	e.buf = jsonx.AppendStringBody(e.buf, t.Text)
}

func isMedia(c llm.Content) bool { _, ok := c.(llm.Media); return ok }

// parts writes the content of a message that holds more than text.
func (e *encoder) parts(content []llm.Content) {
	e.add(`[`)
	for _, c := range content {
		switch c := c.(type) {
		case llm.Text:
			e.next(`{"type":"text","text":"`)
			e.body(c)
			e.add(`"}`)
		case llm.Media:
			e.media(c)
		}
	}
	e.add(`]`)
}

func (e *encoder) media(m llm.Media) {
	switch m.Kind {
	case "audio":
		e.next(`{"type":"input_audio","input_audio":{"data":`)
		e.str(m.Data)
		e.add(`,"format":`)
		e.str(audioFormat(m.MimeType))
		e.add(`}}`)
	case "image":
		e.next(`{"type":"image_url","image_url":{"url":`)
		e.str(address(m))
		e.add(`}}`)
	default:
		e.next(`{"type":"file","file":{"filename":`)
		e.str(fileName(m))
		e.add(`,"file_data":`)
		e.str(address(m))
		e.add(`}}`)
	}
}

// fileName is what a file is called: the provider wants a name, and looks at its ending.
func fileName(m llm.Media) string {
	if !strings.HasSuffix(strings.ToLower(m.Name), ".pdf") {
		return cmp.Or(m.Name, "attachment") + ".pdf"
	}
	return m.Name
}

// address is a URL that holds the data where there is none that leads to it.
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

// core are the fields no Extra may set: the answer could not be read without them.
var core = []string{"model", "messages", "stream", "tools"}

func (e *encoder) extras(core []string) {
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

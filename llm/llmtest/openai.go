package llmtest

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// chatRules are the differences between servers that speak Chat Completions.
type chatRules struct {
	fields []string // known, in addition to the common ones
	id     *regexp.Regexp
	images []string
	urls   bool
	files  bool
	parses bool // arguments, to render them
	ofOwn  bool // the limits of OpenAI itself
}

var (
	chatFields = []string{
		"model", "messages", "stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls", "max_tokens", "temperature", "top_p", "stop", "seed",
		"response_format", "frequency_penalty", "presence_penalty",
	}
	chatDialects = map[Dialect]chatRules{
		Chat:       {[]string{"max_completion_tokens", "reasoning_effort", "prompt_cache_key", "metadata", "store"}, chatID, webImages, true, true, false, true},
		Mistral:    {[]string{"random_seed", "safe_prompt", "prompt_mode"}, mistralID, webImages, true, false, true, false},
		Ollama:     {[]string{"reasoning_effort"}, regexp.MustCompile(`^`), []string{"image/png", "image/jpeg", "image/webp"}, false, false, true, false},
		OpenRouter: {[]string{"reasoning", "provider", "models", "transforms"}, wordID, webImages, true, true, true, false},
	}
	efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}
)

// Limits of OpenAI: of tools in a request, and of characters in a tool's description.
const (
	mostTools       = 128
	mostDescription = 1024
)

// toolless finds models that Ollama has no template with tools for.
var toolless = regexp.MustCompile(`^(gemma2?|phi3|llama2|codellama|llava)\b`)

func checkChat(d Dialect, n node) {
	rules := chatDialects[d]
	n.only(append(rules.fields, chatFields...)...)
	rules.settings(n)
	if model := n.get("model").text(); d == Ollama && n.get("tools").is() && toolless.MatchString(model) {
		n.get("tools").refuse("registry.ollama.ai/library/%s does not support tools", model)
	}
	checkFunctions(n.get("tools"), "function", rules.ofOwn)
	calls := newCalls(rules.id, false)
	messages := n.get("messages").list()
	if len(messages) == 0 {
		n.get("messages").refuse("[] is too short")
	}
	before, said := "", false
	for i, m := range messages {
		role := m.get("role").oneOf("system", "developer", "user", "assistant", "tool")
		if role != "tool" {
			calls.close()
		}
		if (role == "system" || role == "developer") && i > 0 && d != Chat {
			m.refuse("Unexpected role %q after role %q", role, before)
		}
		said = said || role == "user"
		rules.message(m, role, calls)
		if d == Mistral {
			m.ofMistral(role, before)
		}
		before = role
	}
	calls.close()
	switch {
	case d == Mistral && before != "user" && before != "tool":
		n.get("messages").refuse("Expected last role User or Tool (or Assistant with prefix True) for serving but got %s", before)
	case d == Ollama && !said:
		n.get("messages").refuse("no user query found in messages")
	case d == OpenRouter && strings.Contains(n.get("model").text(), "claude"):
		n.isCached(messages)
	}
}

// settings checks the parameters.
func (r chatRules) settings(n node) {
	model := n.get("model").text()
	thinks := reasons.MatchString(model) && !chats.MatchString(model)
	if effort := n.get("reasoning_effort"); effort.is() {
		if !thinks {
			effort.refuse("Unrecognized request argument supplied: reasoning_effort: %s does not support thinking", model)
		}
		effort.oneOf(efforts...)
	}
	n.get("max_tokens").atLeast(1)
	n.get("max_completion_tokens").atLeast(1)
	if r.ofOwn && thinks {
		if n.get("max_tokens").is() {
			n.get("max_tokens").refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
		}
		n.defaultTemperature()
	}
	if n.get("prompt_cache_key").is() && len(n.get("prompt_cache_key").text()) > 64 {
		n.get("prompt_cache_key").refuse("string too long")
	}
	n.needsTools("tool_choice", "parallel_tool_calls")
	if choice, ok := n.get("tool_choice").value.(string); ok {
		node{choice, n.get("tool_choice").path}.oneOf("none", "auto", "required", "any")
	}
}

// needsTools refuses parameters that make no sense without tools.
func (n node) needsTools(names ...string) {
	tools := n.get("tools")
	if tools.is() && len(tools.list()) == 0 {
		tools.refuse("[] is too short - 'tools'")
	}
	for _, name := range names {
		if !tools.is() && n.get(name).is() {
			n.get(name).refuse("'%s' is only allowed when 'tools' are specified", name)
		}
	}
}

func (n node) defaultTemperature() {
	if t := n.get("temperature"); t.is() && t.number() != 1 {
		t.refuse("Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", t.value)
	}
}

// isCached checks that a conversation with Claude says what to cache: nothing is cached otherwise.
func (n node) isCached(messages []node) {
	whole, _ := json.Marshal(n.value)
	switch points := breakpoints(whole); {
	case points > maxCachePoints:
		n.refuse("A maximum of %d blocks with cache_control may be provided. Found %d.", maxCachePoints, points)
	case n.get("tools").is() && points == 0:
		n.get("messages").refuse("nothing of the conversation is cached without cache_control")
	}
	for _, m := range messages {
		raw, _ := json.Marshal(m.value)
		if m.get("role").text() == "tool" && breakpoints(raw) > 0 {
			m.refuse("cache_control cannot be set for the result of a tool")
		}
	}
}

// ofMistral checks what Mistral alone demands of a message.
func (n node) ofMistral(role, before string) {
	if role == "user" && before == "tool" {
		n.refuse("Unexpected role 'user' after role 'tool'")
	}
	text, isText := n.get("content").value.(string)
	if role == "assistant" && len(n.get("tool_calls").list()) == 0 && (!isText || text == "") {
		n.refuse("Assistant message must have either content or tool_calls, but not none.")
	}
}

func (r chatRules) message(m node, role string, calls *calls) {
	content := m.get("content")
	switch role {
	case "tool":
		m.only("role", "content", "tool_call_id")
		calls.result(m.get("tool_call_id"))
		r.content(content, role)
	case "assistant":
		r.assistant(m, calls)
	default:
		m.only("role", "content")
		r.content(content, role)
	}
}

func (r chatRules) assistant(m node, calls *calls) {
	m.only("role", "content", "tool_calls", "reasoning_content", "reasoning_details")
	made := m.get("tool_calls").list()
	if m.get("tool_calls").is() && len(made) == 0 {
		m.get("tool_calls").refuse("[] is too short - 'messages.tool_calls'")
	}
	for _, c := range made {
		calls.call(c.get("id"))
		c.get("type").oneOf("function")
		c.get("function").get("name").matches(namePattern)
		if args := c.get("function").get("arguments"); r.parses {
			args.jsonObject()
		} else {
			args.text()
		}
	}
	if m.get("content").is() {
		r.content(m.get("content"), "assistant")
	} else if len(made) == 0 {
		m.refuse("Invalid value for 'content': expected a string, got null.")
	}
}

// content checks the text or the parts of a message.
func (r chatRules) content(content node, role string) {
	if _, text := content.value.(string); text {
		return
	}
	if !content.is() || len(content.list()) == 0 {
		content.refuse("Invalid value for 'content': expected a string or parts")
	}
	for _, p := range content.list() {
		if kind := p.get("type").text(); role != "user" && kind != "text" {
			p.refuse("%q is only allowed for messages with role 'user', not %q", kind, role)
		}
		r.part(p)
	}
}

func (r chatRules) part(p node) {
	switch p.get("type").oneOf("text", "image_url", "input_audio", "file") {
	case "text":
		p.get("text").text()
		if p.get("cache_control").is() {
			p.get("text").notBlank()
		}
	case "image_url":
		checkImage(p.get("image_url").get("url"), r.images, r.urls)
	case "input_audio":
		p.refuse("this model does not support audio")
	case "file":
		if !r.files {
			p.refuse("Unknown part type: file")
		}
		checkFile(p.get("file"))
	}
}

func checkImage(address node, types []string, urls bool) {
	if urls && len(address.text()) > 4 && address.text()[:4] == "http" {
		address.address("http", "https")
		return
	}
	address.dataURL(types...)
}

// checkFile checks the data of a file, by its name.
func checkFile(f node) {
	if !f.get("filename").is() {
		f.refuse("Missing required parameter: 'file.file_id'")
	}
	f.get("filename").matches(regexp.MustCompile(`(?i)\.pdf$`))
	f.get("file_data").dataURL("application/pdf")
}

// checkFunctions checks declarations, which are in member inside of each tool unless that is empty.
func checkFunctions(tools node, inside string, ofOpenAI bool) {
	if ofOpenAI && len(tools.list()) > mostTools {
		tools.refuse("array too long. Expected an array with maximum length %d, but got an array with length %d instead.", mostTools, len(tools.list()))
	}
	seen := map[string]bool{}
	for _, t := range tools.list() {
		t.get("type").oneOf("function")
		f := t
		if inside != "" {
			f = t.get(inside)
		}
		name := f.get("name").matches(namePattern)
		if seen[name] {
			f.get("name").refuse("Tool names must be unique: %q", name)
		}
		seen[name] = true
		if about := f.get("description"); about.is() && ofOpenAI && inside != "" && len([]rune(about.text())) > mostDescription {
			about.refuse("string too long. Expected a string with maximum length %d, but got a string with length %d instead.", mostDescription, len([]rune(about.text())))
		}
		schemaRules{}.checkSchema(f.get("parameters"))
		if f.get("strict").value == true {
			f.get("parameters").strictSchema(name)
		}
	}
}

// strictSchema checks what a strict tool's schema needs: closed objects, all of whose properties
// are required.
func (n node) strictSchema(tool string) {
	schema, ok := n.value.(map[string]any)
	if !ok {
		return
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		if schema["additionalProperties"] != false {
			n.refuse("Invalid schema for function %q: 'additionalProperties' is required to be supplied and to be false.", tool)
		}
		required := n.get("required").list()
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !slices.ContainsFunc(required, func(r node) bool { return r.text() == name }) {
				n.refuse("Invalid schema for function %q: 'required' is required to include every key in properties. Missing %q.", tool, name)
			}
			n.get("properties").get(name).strictSchema(tool)
		}
	}
	n.get("items").strictSchema(tool)
	for _, list := range []string{"anyOf", "prefixItems"} {
		for _, item := range n.get(list).list() {
			item.strictSchema(tool)
		}
	}
	for _, name := range []string{"$defs", "definitions"} {
		defs, _ := n.get(name).value.(map[string]any)
		for _, def := range slices.Sorted(maps.Keys(defs)) {
			n.get(name).get(def).strictSchema(tool)
		}
	}
}

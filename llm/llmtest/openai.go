package llmtest

import "regexp"

// chatRules are the differences between servers that speak Chat Completions.
type chatRules struct {
	fields []string // known, in addition to the common ones
	id     *regexp.Regexp
	images []string
	urls   bool
	files  bool
	parses bool // arguments, to render them
}

var (
	chatFields = []string{
		"model", "messages", "stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls", "max_tokens", "temperature", "top_p", "stop", "seed",
		"response_format", "frequency_penalty", "presence_penalty",
	}
	chatDialects = map[Dialect]chatRules{
		Chat:    {[]string{"max_completion_tokens", "reasoning_effort", "prompt_cache_key", "metadata", "store"}, chatID, webImages, true, true, false},
		Mistral: {[]string{"random_seed", "safe_prompt", "prompt_mode"}, mistralID, webImages, true, false, true},
		Ollama:  {[]string{"reasoning_effort"}, regexp.MustCompile(`^`), []string{"image/png", "image/jpeg", "image/webp"}, false, false, true},
	}
)

// toolless finds models that Ollama has no template with tools for.
var toolless = regexp.MustCompile(`^(gemma2?|phi3|llama2|codellama|llava)\b`)

func checkChat(d Dialect, n node) {
	rules := chatDialects[d]
	n.only(append(rules.fields, chatFields...)...)
	model := n.get("model").text()
	if effort := n.get("reasoning_effort"); effort.is() && (!reasons.MatchString(model) || chats.MatchString(model)) {
		effort.refuse("Unrecognized request argument supplied: reasoning_effort: %s does not support thinking", model)
	}
	if d == Ollama && n.get("tools").is() && toolless.MatchString(model) {
		n.get("tools").refuse("registry.ollama.ai/library/%s does not support tools", model)
	}
	checkFunctions(n.get("tools"), "function")
	calls := newCalls(rules.id, false)
	before := ""
	messages := n.get("messages").list()
	if len(messages) == 0 {
		n.get("messages").refuse("must not be empty")
	}
	for _, m := range messages {
		role := m.get("role").oneOf("system", "developer", "user", "assistant", "tool")
		if role != "tool" {
			calls.close()
		}
		if d == Mistral && role == "user" && before == "tool" {
			m.refuse("Unexpected role 'user' after role 'tool'")
		}
		rules.message(m, role, calls)
		before = role
	}
	calls.close()
}

func (r chatRules) message(m node, role string, calls *calls) {
	content := m.get("content")
	switch role {
	case "tool":
		calls.result(m.get("tool_call_id"))
		content.text()
	case "assistant":
		m.only("role", "content", "tool_calls", "reasoning_content")
		for _, c := range m.get("tool_calls").list() {
			calls.call(c.get("id"))
			c.get("type").oneOf("function")
			c.get("function").get("name").matches(namePattern)
			if args := c.get("function").get("arguments"); r.parses {
				args.jsonObject()
			} else {
				args.text()
			}
		}
		if content.is() {
			content.text()
		} else if len(m.get("tool_calls").list()) == 0 {
			m.refuse("needs content or tool_calls")
		}
	default:
		if _, text := content.value.(string); !text {
			for _, p := range content.list() {
				r.part(p)
			}
		}
	}
}

func (r chatRules) part(p node) {
	switch p.get("type").oneOf("text", "image_url", "input_audio", "file") {
	case "text":
		p.get("text").text()
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
func checkFunctions(tools node, inside string) {
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
		schemaRules{}.checkSchema(f.get("parameters"))
	}
}

func checkResponses(n node) {
	n.only("model", "input", "instructions", "stream", "store", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "temperature", "top_p",
		"include", "reasoning", "prompt_cache_key", "metadata", "text", "truncation")
	if model := n.get("model").text(); n.get("reasoning").is() && !reasons.MatchString(model) {
		n.get("reasoning").refuse("Unsupported parameter: 'reasoning.effort' is not supported with this model")
	}
	checkFunctions(n.get("tools"), "")
	calls := newCalls(wordID, false)
	for _, item := range n.get("input").list() {
		kind, _ := item.get("type").value.(string)
		switch kind {
		case "function_call":
			calls.call(item.get("call_id"))
			item.get("name").matches(namePattern)
			item.get("arguments").text()
		case "function_call_output":
			calls.result(item.get("call_id"))
			item.get("output").text()
		case "reasoning":
			item.get("encrypted_content").text()
		case "", "message":
			if role := item.get("role").oneOf("user", "assistant", "system", "developer"); role == "user" {
				calls.close()
			}
			responsesContent(item.get("content"))
		default:
			item.refuse("unknown type %q", kind)
		}
	}
	calls.close()
}

func responsesContent(content node) {
	if _, text := content.value.(string); text {
		return
	}
	for _, p := range content.list() {
		switch p.get("type").oneOf("input_text", "input_image", "input_file", "output_text") {
		case "input_image":
			checkImage(p.get("image_url"), webImages, true)
		case "input_file":
			if p.get("file_url").is() {
				p.get("file_url").address("http", "https")
			} else {
				checkFile(p)
			}
		default:
			p.get("text").text()
		}
	}
}

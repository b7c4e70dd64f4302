package llmtest

import "regexp"

func checkAnthropic(n node) {
	n.only("model", "messages", "stream", "max_tokens", "tools", "tool_choice", "system", "thinking", "output_config", "temperature", "metadata", "stop_sequences", "top_p", "top_k")
	if !n.get("max_tokens").is() {
		n.get("max_tokens").refuse("Field required")
	}
	n.get("max_tokens").atLeast(1)
	checkThinking(n, n.get("thinking"), n.get("max_tokens"), n.get("temperature"))
	if choice := n.get("tool_choice"); choice.is() && !n.get("tools").is() {
		choice.refuse("tool_choice may only be specified while providing tools")
	}
	if kind := n.get("tool_choice").get("type"); kind.is() {
		if kind.oneOf("auto", "any", "tool", "none") != "auto" && kind.text() != "none" && n.get("thinking").get("type").is() {
			kind.refuse("Thinking may not be enabled when tool_choice forces tool use.")
		}
	}
	for _, b := range n.get("system").list() {
		b.get("type").oneOf("text")
		b.get("text").notBlank()
	}
	checkBreakpoints(n)
	checkAnthropicMessages(n, checkAnthropicTools(n))
}

// checkThinking checks a budget of thinking. A limit of tokens that is missing is none.
func checkThinking(n, thinking, limit, temperature node) {
	if !thinking.is() || thinking.get("type").oneOf("enabled", "adaptive", "disabled") == "disabled" {
		return
	}
	if temperature.is() && temperature.number() != 1 {
		temperature.refuse("`temperature` may only be set to 1 when thinking is enabled.")
	}
	if thinking.get("type").text() != "enabled" {
		return
	}
	budget := thinking.get("budget_tokens")
	if budget.number() < 1024 {
		budget.refuse("Input should be greater than or equal to 1024")
	}
	if limit.is() && budget.number() >= limit.number() {
		limit.refuse("`max_tokens` must be greater than `thinking.budget_tokens`")
	}
}

func checkAnthropicTools(n node) (declared int) {
	seen := map[string]bool{}
	for _, t := range n.get("tools").list() {
		name := t.get("name").matches(namePattern)
		if seen[name] {
			t.refuse("Tool names must be unique")
		}
		seen[name] = true
		schemaRules{property: plainProperty}.checkSchema(t.get("input_schema"))
	}
	return len(seen)
}

func checkAnthropicMessages(n node, tools int) {
	calls := newCalls(wordID, true)
	messages := n.get("messages").list()
	if len(messages) == 0 {
		n.get("messages").refuse("at least one message is required")
	}
	before := ""
	for _, m := range messages {
		m.only("role", "content")
		role := m.get("role").oneOf("user", "assistant")
		switch {
		case before == "" && role != "user":
			n.get("messages").refuse(`first message must use the "user" role`)
		case role == before:
			m.refuse("roles must alternate")
		case role == "assistant":
			calls.close()
		}
		before = role
		blocks := m.get("content").list()
		if len(blocks) == 0 {
			m.get("content").refuse("must not be empty")
		}
		for _, b := range blocks {
			anthropicBlock(b, role, calls, tools > 0)
		}
	}
	calls.close()
	if before == "assistant" {
		n.get("messages").refuse("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if n.get("thinking").get("type").value == "enabled" {
		beginsWithThought(messages, func(b node) string { return b.get("type").text() })
	}
}

// beginsWithThought checks that a step under way, if there is one, began with a thought.
func beginsWithThought(messages []node, kind func(node) string) {
	first := node{}
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.get("role").text() == "assistant" {
			first = m
			continue
		}
		if b := m.get("content").list(); kind(b[0]) != "tool_result" {
			break
		}
	}
	if !first.is() {
		return
	}
	if b := first.get("content").list()[0]; kind(b) != "thinking" && kind(b) != "redacted_thinking" {
		b.refuse("Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.", kind(b))
	}
}

func anthropicBlock(b node, role string, calls *calls, tools bool) {
	kind := b.get("type").oneOf("text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result")
	if kind != "tool_result" && role == "user" {
		calls.close() // results precede everything else
	}
	ofAssistant := kind == "thinking" || kind == "redacted_thinking" || kind == "tool_use"
	if ofAssistant && role == "user" || !ofAssistant && kind != "text" && role == "assistant" {
		b.refuse("`%s` blocks are not allowed in a message of the role %s", kind, role)
	}
	switch kind {
	case "text":
		b.get("text").notBlank()
	case "image":
		anthropicSource(b.get("source"), webImages...)
	case "document":
		anthropicSource(b.get("source"), "application/pdf")
	case "thinking":
		b.only("type", "thinking", "signature")
		b.get("thinking").text()
		b.signature("signature")
	case "redacted_thinking":
		b.only("type", "data")
		b.signature("data")
	case "tool_use":
		if !tools {
			b.refuse("Requests which include `tool_use` must define tools")
		}
		calls.call(b.get("id"))
		b.get("name").matches(namePattern)
		b.get("input").object()
	case "tool_result":
		calls.result(b.get("tool_use_id"))
		if b.get("content").is() {
			b.get("content").text()
		}
	}
}

var signature = regexp.MustCompile(`^[a-zA-Z0-9+/_-]+={0,2}$`)

// signature checks what a thought is signed with, as far as a stranger can.
func (n node) signature(name string) {
	if !signature.MatchString(n.get(name).text()) {
		n.refuse("Invalid `%s` in `%s` block", name, n.get("type").text())
	}
}

func anthropicSource(s node, types ...string) {
	if s.get("type").oneOf("base64", "url", "text") == "url" {
		s.get("url").address("https")
		return
	}
	s.get("media_type").oneOf(types...)
	s.get("data").base64()
	if data, _ := s.get("data").value.(string); len(data) > 32<<20 {
		s.refuse("image exceeds the maximum size")
	}
}

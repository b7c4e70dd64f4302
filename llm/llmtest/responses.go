package llmtest

func checkResponses(n node) {
	n.only("model", "input", "instructions", "stream", "store", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "temperature", "top_p",
		"include", "reasoning", "prompt_cache_key", "metadata", "text", "truncation")
	responsesSettings(n)
	checkFunctions(n.get("tools"), "", true)
	items := n.get("input").list()
	if len(items) == 0 {
		n.get("input").refuse("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.")
	}
	calls := newCalls(wordID, false)
	var thought node // waits for the item that it led to
	for _, item := range items {
		kind, _ := item.get("type").value.(string)
		role, _ := item.get("role").value.(string)
		if thought.is() && kind != "reasoning" && kind != "function_call" && role != "assistant" {
			thought.refuse("Item of type 'reasoning' was provided without its required following item.")
		}
		thought = node{}
		switch kind {
		case "function_call":
			item.only("type", "call_id", "name", "arguments", "id", "status")
			calls.call(item.get("call_id"))
			item.get("name").matches(namePattern)
			item.get("arguments").text()
		case "function_call_output":
			calls.result(item.get("call_id"))
			item.get("output").text()
		case "reasoning":
			item.get("encrypted_content").text()
			item.get("summary").list()
			thought = item
		case "", "message":
			if item.get("role").oneOf("user", "assistant", "system", "developer") == "user" {
				calls.close()
			}
			responsesContent(item.get("content"), role)
		default:
			item.refuse("unknown type %q", kind)
		}
	}
	calls.close()
	if thought.is() {
		thought.refuse("Item of type 'reasoning' was provided without its required following item.")
	}
}

func responsesSettings(n node) {
	model := n.get("model").text()
	thinks := reasons.MatchString(model) && !chats.MatchString(model)
	if !thinks {
		if n.get("reasoning").is() {
			n.get("reasoning").refuse("Unsupported parameter: 'reasoning.effort' is not supported with this model")
		}
		for _, item := range n.get("include").list() {
			if item.text() == "reasoning.encrypted_content" {
				item.refuse("Encrypted content is not supported with this model.")
			}
		}
	}
	if effort := n.get("reasoning"); effort.is() {
		if effort.get("effort").is() {
			effort.get("effort").oneOf(efforts...)
		}
		if effort.get("summary").is() {
			effort.get("summary").oneOf("auto", "concise", "detailed")
		}
	}
	if thinks {
		n.defaultTemperature()
	}
	n.get("max_output_tokens").atLeast(16)
	if tools := n.get("tools"); tools.is() || n.get("tool_choice").is() {
		n.needsTools("tool_choice")
	}
}

func responsesContent(content node, role string) {
	if _, text := content.value.(string); text {
		return
	}
	if len(content.list()) == 0 {
		content.refuse("[] is too short")
	}
	for _, p := range content.list() {
		kind := p.get("type").oneOf("input_text", "input_image", "input_file", "output_text")
		if (kind == "output_text") != (role == "assistant") {
			p.refuse("Invalid value: %q for the role %q", kind, role)
		}
		switch kind {
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

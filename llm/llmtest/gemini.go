package llmtest

import "regexp"

var geminiMedia = regexp.MustCompile(`^(image/(png|jpeg|webp|heic|heif)|audio/(wav|mpeg|mp3|aiff|aac|ogg|flac)|video/(mp4|mpeg|quicktime|mpg|avi|x-flv|webm|wmv|3gpp)|application/pdf|text/(plain|csv|html|markdown))$`)

func checkGemini(n node) {
	n.only("contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent")
	checkGeminiTools(n)
	config := n.get("generationConfig")
	config.get("maxOutputTokens").atLeast(1)
	thinking := config.get("thinkingConfig")
	if budget, limit := thinking.get("thinkingBudget"), config.get("maxOutputTokens"); budget.number() > 0 && limit.is() && budget.number() >= limit.number() {
		budget.refuse("finishReason MAX_TOKENS before any text: thinking may use up all of maxOutputTokens")
	}
	if budget := thinking.get("thinkingBudget"); budget.is() && budget.number() > 0 && budget.number() < 128 {
		budget.refuse("The thinking budget %v is invalid. Please choose a value between 128 and 32768.", budget.value)
	}
	if thinking.get("thinkingBudget").is() && thinking.get("includeThoughts").value == true && thinking.get("thinkingBudget").number() == 0 {
		thinking.get("includeThoughts").refuse("include_thoughts is only enabled when thinking is enabled.")
	}
	if thinking.get("thinkingBudget").is() && thinking.get("thinkingLevel").is() {
		thinking.refuse("You can only set only one of thinking budget and thinking level.")
	}
	for _, p := range n.get("systemInstruction").get("parts").list() {
		p.get("text").notBlank()
	}
	contents := n.get("contents").list()
	if len(contents) == 0 {
		n.get("contents").refuse("contents is not specified")
	}
	called, role := 0, ""
	for i, c := range contents {
		role = c.get("role").oneOf("user", "model")
		made, answered := geminiContent(c, role)
		if made > 0 && i == 0 {
			c.refuse("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		if answered != called {
			c.refuse("the number of function response parts (%d) should be equal to that of the function call parts (%d)", answered, called)
		}
		called = made
	}
	if called > 0 || role != "user" {
		n.get("contents").refuse("Please ensure that multiturn requests end with a user role or a function response.")
	}
}

func checkGeminiTools(n node) {
	seen := map[string]bool{}
	for _, t := range n.get("tools").list() {
		for _, f := range t.get("functionDeclarations").list() {
			name := f.get("name").matches(geminiName)
			if seen[name] {
				f.get("name").refuse("Duplicate function declaration found: %s", name)
			}
			seen[name] = true
			if schema := f.get("parametersJsonSchema"); schema.is() {
				if len(schema.get("properties").object()) == 0 {
					schema.get("properties").refuse("should be non-empty for OBJECT type")
				}
				schemaRules{only: keywords}.checkSchema(schema)
			}
		}
	}
	if len(seen) > 512 {
		n.get("tools").refuse("at most 512 function declarations are supported")
	}
	if config := n.get("toolConfig"); config.is() && len(seen) == 0 {
		config.refuse("Function calling config is set without function_declarations.")
	}
}

func geminiContent(c node, role string) (made, answered int) {
	parts := c.get("parts").list()
	if len(parts) == 0 {
		c.refuse("must include at least one parts field")
	}
	for _, p := range parts {
		call, result := geminiPart(p, role)
		made, answered = made+call, answered+result
	}
	return made, answered
}

func geminiPart(p node, role string) (call, result int) {
	p.only("text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData")
	if p.get("thoughtSignature").is() {
		p.get("thoughtSignature").bytesValue()
	}
	switch {
	case p.get("functionCall").is():
		p.get("functionCall").get("name").matches(geminiName)
		p.get("functionCall").get("args").object()
		return 1, 0
	case p.get("functionResponse").is():
		p.get("functionResponse").get("name").matches(geminiName)
		p.get("functionResponse").get("response").object()
		return 0, 1
	case p.get("inlineData").is():
		p.get("inlineData").get("mimeType").matches(geminiMedia)
		p.get("inlineData").get("data").base64()
	case p.get("fileData").is():
		p.get("fileData").get("fileUri").address("https", "gs")
	case p.get("text").text() == "" && !(role == "model" && p.get("thoughtSignature").is()):
		p.refuse("contents.parts must not be empty")
	}
	return 0, 0
}

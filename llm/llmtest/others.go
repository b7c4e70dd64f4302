package llmtest

import (
	"regexp"
	"strings"
)

func checkAnthropic(n node) {
	n.only("model", "messages", "stream", "max_tokens", "tools", "tool_choice", "system", "thinking", "output_config", "temperature", "metadata", "stop_sequences", "top_p", "top_k")
	if !n.get("max_tokens").is() {
		n.get("max_tokens").refuse("Field required")
	}
	seen := map[string]bool{}
	for _, t := range n.get("tools").list() {
		name := t.get("name").matches(namePattern)
		if seen[name] {
			t.refuse("Tool names must be unique")
		}
		seen[name] = true
		schemaRules{property: plainProperty}.checkSchema(t.get("input_schema"))
	}
	checkBreakpoints(n)
	calls := newCalls(wordID, true)
	messages := n.get("messages").list()
	if len(messages) == 0 {
		n.get("messages").refuse("at least one message is required")
	}
	before := ""
	for _, m := range messages {
		role := m.get("role").oneOf("user", "assistant")
		if role == before {
			m.refuse("roles must alternate")
		}
		before = role
		if role == "assistant" {
			calls.close()
		}
		blocks := m.get("content").list()
		if len(blocks) == 0 {
			m.get("content").refuse("must not be empty")
		}
		for _, b := range blocks {
			anthropicBlock(b, role, calls, len(seen) > 0)
		}
	}
	calls.close()
}

// checkBreakpoints counts the cache breakpoints, and refuses those in thoughts.
func checkBreakpoints(n node) {
	blocks := append(n.get("tools").list(), n.get("system").list()...)
	for _, m := range n.get("messages").list() {
		blocks = append(blocks, m.get("content").list()...)
	}
	points := 0
	for _, b := range blocks {
		if !b.get("cache_control").is() {
			continue
		}
		b.get("cache_control").get("type").oneOf("ephemeral")
		if points++; points > maxCachePoints {
			b.refuse("A maximum of %d blocks with cache_control may be provided", maxCachePoints)
		}
		if kind, _ := b.get("type").value.(string); kind == "thinking" || kind == "redacted_thinking" {
			b.get("cache_control").refuse("Extra inputs are not permitted")
		}
	}
}

func anthropicBlock(b node, role string, calls *calls, tools bool) {
	kind := b.get("type").oneOf("text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result")
	if kind != "tool_result" && role == "user" {
		calls.close() // results precede everything else
	}
	switch kind {
	case "text":
		b.get("text").notBlank()
	case "image":
		anthropicSource(b.get("source"), webImages...)
	case "document":
		anthropicSource(b.get("source"), "application/pdf")
	case "tool_use":
		if !tools {
			b.refuse("Requests which include `tool_use` must define tools")
		}
		calls.call(b.get("id"))
		b.get("name").matches(namePattern)
		b.get("input").object()
	case "tool_result":
		calls.result(b.get("tool_use_id"))
	}
}

func anthropicSource(s node, types ...string) {
	if s.get("type").oneOf("base64", "url", "text") == "url" {
		s.get("url").address("https")
		return
	}
	s.get("media_type").oneOf(types...)
	s.get("data").base64()
}

var geminiMedia = regexp.MustCompile(`^(image/(png|jpeg|webp|heic|heif)|audio/(wav|mpeg|mp3|aiff|aac|ogg|flac)|video/(mp4|mpeg|quicktime|mpg|avi|x-flv|webm|wmv|3gpp)|application/pdf|text/(plain|csv|html|markdown))$`)

func checkGemini(n node) {
	n.only("contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent")
	for _, t := range n.get("tools").list() {
		for _, f := range t.get("functionDeclarations").list() {
			f.get("name").matches(geminiName)
			if schema := f.get("parametersJsonSchema"); schema.is() {
				if len(schema.get("properties").object()) == 0 {
					schema.get("properties").refuse("should be non-empty for OBJECT type")
				}
				schemaRules{only: keywords}.checkSchema(schema)
			}
		}
	}
	contents := n.get("contents").list()
	if len(contents) == 0 {
		n.get("contents").refuse("contents is not specified")
	}
	called := 0
	for _, c := range contents {
		role := c.get("role").oneOf("user", "model")
		parts := c.get("parts").list()
		if len(parts) == 0 {
			c.refuse("must include at least one parts field")
		}
		made, answered := 0, 0
		for _, p := range parts {
			call, result := geminiPart(p, role)
			made, answered = made+call, answered+result
		}
		if answered != called {
			c.refuse("the number of function response parts (%d) should be equal to that of the function call parts (%d)", answered, called)
		}
		called = made
	}
	if called > 0 {
		n.get("contents").refuse("the last function calls have no responses")
	}
}

func geminiPart(p node, role string) (call, result int) {
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

func checkBedrock(n node, schemas schemaRules) {
	n.only("messages", "system", "toolConfig", "inferenceConfig", "additionalModelRequestFields")
	tools := n.get("toolConfig").get("tools").list()
	for _, t := range tools {
		spec := t.get("toolSpec")
		spec.get("name").matches(namePattern)
		if spec.get("description").is() {
			spec.get("description").notBlank()
		}
		schemas.checkSchema(spec.get("inputSchema").get("json"))
	}
	calls := newCalls(wordID, true)
	before, files, images := "assistant", 0, 0
	for _, m := range n.get("messages").list() {
		role := m.get("role").oneOf("user", "assistant")
		if role == before {
			m.refuse("roles must alternate between user and assistant, and begin with user")
		}
		if before = role; role == "assistant" {
			calls.close()
		}
		said, attached := false, false
		for _, b := range m.get("content").list() {
			file, image := bedrockBlock(b, calls, len(tools) > 0)
			said, attached = said || b.get("text").is(), attached || file > 0
			files, images = files+file, images+image
		}
		if attached && !said {
			m.refuse("a document needs a text beside it")
		}
	}
	calls.close()
	checkCachePoints(n)
	if files > 5 || images > 20 {
		n.get("messages").refuse("%d documents and %d images are too many", files, images)
	}
}

// maxCachePoints is how many a request may have, at Anthropic and at Bedrock.
const maxCachePoints = 4

// checkCachePoints checks where cache points are, and how many.
func checkCachePoints(n node) {
	points := 0
	check := func(blocks []node) {
		for i, b := range blocks {
			if !b.get("cachePoint").is() {
				continue
			}
			b.get("cachePoint").get("type").oneOf("default")
			if points++; points > maxCachePoints {
				b.refuse("the number of cache points exceeds the limit of %d", maxCachePoints)
			}
			switch before := blocks[max(0, i-1)]; {
			case before.get("cachePoint").is(): // also where it is the first
				b.refuse("There is nothing available to cache")
			case before.get("reasoningContent").is():
				b.refuse("Cache point cannot be inserted after reasoning block")
			case before.get("document").is() && before.get("document").get("format").text() != "pdf":
				b.get("type").refuse("Field required")
			}
		}
	}
	check(n.get("system").list())
	for _, m := range n.get("messages").list() {
		check(m.get("content").list())
	}
}

var documentName = regexp.MustCompile(`^[a-zA-Z0-9 ()\[\]-]{1,200}$`)

func bedrockBlock(b node, calls *calls, tools bool) (file, image int) {
	switch {
	case b.get("text").is():
		b.get("text").notBlank()
	case b.get("toolUse").is() || b.get("toolResult").is():
		if !tools {
			b.refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks")
		}
		if use := b.get("toolUse"); use.is() {
			calls.call(use.get("toolUseId"))
			use.get("name").matches(namePattern)
			use.get("input").object()
			return 0, 0
		}
		calls.result(b.get("toolResult").get("toolUseId"))
	case b.get("image").is():
		b.get("image").get("format").oneOf("png", "jpeg", "gif", "webp")
		b.get("image").get("source").get("bytes").base64()
		return 0, 1
	case b.get("document").is():
		d := b.get("document")
		d.get("format").oneOf("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md")
		if strings.Contains(d.get("name").matches(documentName), "  ") {
			d.get("name").refuse("more than one blank in a row")
		}
		d.get("source").get("bytes").base64()
		return 1, 0
	}
	return 0, 0
}

package llmtest

import (
	"regexp"
	"strings"
)

func checkBedrock(n node, schemas schemaRules) {
	n.only("messages", "system", "toolConfig", "inferenceConfig", "additionalModelRequestFields")
	inference := n.get("inferenceConfig")
	inference.get("maxTokens").atLeast(1)
	if t := inference.get("temperature"); t.number() < 0 || t.number() > 1 {
		t.refuse("must be between 0 and 1")
	}
	thinking := n.get("additionalModelRequestFields").get("thinking")
	checkThinking(n, thinking, inference.get("maxTokens"), inference.get("temperature"))
	for _, b := range n.get("system").list() {
		if b.get("text").is() {
			b.get("text").notBlank()
		}
	}
	checkCachePoints(n)
	b := &converse{calls: newCalls(wordID, true), tools: checkBedrockTools(n, schemas), names: map[string]bool{}}
	b.messages(n)
	if thinking.get("type").value == "enabled" && b.tools > 0 {
		beginsWithThought(n.get("messages").list(), bedrockKind)
	}
}

func checkBedrockTools(n node, schemas schemaRules) int {
	tools := n.get("toolConfig").get("tools").list()
	if n.get("toolConfig").is() && len(tools) == 0 {
		n.get("toolConfig").get("tools").refuse("Member must have length greater than or equal to 1")
	}
	seen := map[string]bool{}
	for _, t := range tools {
		spec := t.get("toolSpec")
		name := spec.get("name").matches(namePattern)
		if seen[name] {
			spec.get("name").refuse("The toolConfig contains duplicate tool names: %s", name)
		}
		seen[name] = true
		if spec.get("description").is() {
			spec.get("description").notBlank()
		}
		schemas.checkSchema(spec.get("inputSchema").get("json"))
	}
	return len(tools)
}

// converse checks the messages of a request.
type converse struct {
	calls         *calls
	tools         int
	files, images int
	names         map[string]bool // of documents
}

func (c *converse) messages(n node) {
	before := "assistant"
	for _, m := range n.get("messages").list() {
		role := m.get("role").oneOf("user", "assistant")
		if role == before {
			m.refuse("roles must alternate between user and assistant, and begin with user")
		}
		if before = role; role == "assistant" {
			c.calls.close()
		}
		c.message(m, role)
	}
	c.calls.close()
	if before == "assistant" {
		n.get("messages").refuse("A conversation must end with a user message. Try again with a conversation that ends with a user message.")
	}
	if c.files > 5 || c.images > 20 {
		n.get("messages").refuse("%d documents and %d images are too many", c.files, c.images)
	}
}

func (c *converse) message(m node, role string) {
	blocks := m.get("content").list()
	if len(blocks) == 0 {
		m.get("content").refuse("The content field in the Message object is empty. Add a ContentBlock object to the content field and try again.")
	}
	said, files := false, c.files
	for _, b := range blocks {
		kind := bedrockKind(b)
		if (kind == "tool_use" || kind == "thinking") != (role == "assistant") && kind != "text" && kind != "cachePoint" {
			b.refuse("%s is not allowed in a message of the role %s", kind, role)
		}
		said = said || kind == "text"
		c.block(b, kind)
	}
	if c.files > files && !said {
		m.refuse("a document needs a text beside it")
	}
	if bedrockKind(blocks[len(blocks)-1]) == "thinking" {
		m.refuse("The final block in an assistant message cannot be `thinking`.")
	}
}

// bedrockKind names a block as Anthropic does.
func bedrockKind(b node) string {
	for field, kind := range map[string]string{
		"text": "text", "toolUse": "tool_use", "toolResult": "tool_result", "image": "image", "document": "document", "reasoningContent": "thinking", "cachePoint": "cachePoint",
	} {
		if b.get(field).is() {
			return kind
		}
	}
	b.refuse("The content block is empty or of an unknown kind")
	return ""
}

var documentName = regexp.MustCompile(`^[a-zA-Z0-9 ()\[\]-]{1,200}$`)

func (c *converse) block(b node, kind string) {
	switch kind {
	case "text":
		b.get("text").notBlank()
	case "tool_use", "tool_result":
		c.toolBlock(b)
	case "thinking":
		if text := b.get("reasoningContent").get("reasoningText"); text.is() {
			text.get("text").text()
		}
	case "image":
		c.images++
		b.get("image").get("format").oneOf("png", "jpeg", "gif", "webp")
		b.get("image").get("source").get("bytes").base64()
	case "document":
		c.document(b.get("document"))
	}
}

func (c *converse) toolBlock(b node) {
	if c.tools == 0 {
		b.refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks")
	}
	if use := b.get("toolUse"); use.is() {
		c.calls.call(use.get("toolUseId"))
		use.get("name").matches(namePattern)
		use.get("input").object()
		return
	}
	result := b.get("toolResult")
	c.calls.result(result.get("toolUseId"))
	for _, r := range result.get("content").list() {
		if r.get("text").is() {
			r.get("text").notBlank()
		}
	}
}

func (c *converse) document(d node) {
	c.files++
	d.get("format").oneOf("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md")
	name := d.get("name").matches(documentName)
	if strings.Contains(name, "  ") {
		d.get("name").refuse("more than one blank in a row")
	}
	if c.names[name] {
		d.get("name").refuse("Messages can't contain duplicate document names. Rename the document and retry your request.")
	}
	c.names[name] = true
	d.get("source").get("bytes").base64()
}

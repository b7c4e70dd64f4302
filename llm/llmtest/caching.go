package llmtest

// maxCachePoints is how many a request may have, at Anthropic and at Bedrock.
const maxCachePoints = 4

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

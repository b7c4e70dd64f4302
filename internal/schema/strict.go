package schema

// Strict reports whether providers that can force a model to follow a schema accept this one. Each
// accepts a different subset of JSON Schema and refuses the whole request otherwise; Strict allows
// what they have in common. Every object lists its members, requires all of them and allows no
// others; there are no bounds, patterns, references, or lists of types.
func (s *Schema) Strict() bool { return s != nil && s.strict }

// strictKeywords are the keywords whose values need no check.
var strictKeywords = map[string]bool{
	"type": true, "title": true, "description": true, "enum": true, "const": true, "required": true,
	"additionalProperties": true,
}

// maxStrictMembers limits the members of all objects, which a provider turns into a grammar.
const maxStrictMembers = 100

func isStrict(root map[string]any) bool {
	if root["type"] != "object" {
		return false
	}
	members := 0
	return strictSchema(root, &members) && members <= maxStrictMembers
}

func strictSchema(v any, members *int) bool {
	s, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for keyword, value := range s {
		switch keyword {
		case "properties":
		case "items":
			ok = ok && strictSchema(value, members)
		case "anyOf":
			ok = ok && strictAlternatives(value, members)
		default:
			ok = ok && strictKeywords[keyword]
		}
	}
	switch s["type"] {
	case "object":
		return ok && strictObject(s, members)
	case "string", "number", "integer", "boolean", "null":
		return ok
	case "array":
		return ok && s["items"] != nil
	}
	return ok && s["type"] == nil && s["anyOf"] != nil
}

func strictAlternatives(v any, members *int) bool {
	list, ok := v.([]any)
	for _, s := range list {
		ok = ok && strictSchema(s, members)
	}
	return ok
}

func strictObject(s map[string]any, members *int) bool {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	if len(properties) == 0 || s["additionalProperties"] != false {
		return false
	}
	*members += len(properties)
	needed := map[any]bool{}
	for _, name := range required {
		needed[name] = true
	}
	for name, p := range properties {
		if !needed[name] || !strictSchema(p, members) {
			return false
		}
	}
	return true
}

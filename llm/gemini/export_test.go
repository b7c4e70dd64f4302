package gemini

import (
	"encoding/json"
	"strings"
)

// CutSchema is what the API gets of a schema.
func CutSchema(schema json.RawMessage) []byte { return cutSchema(schema) }

// AddressOf is where a model's calls go, and with which key.
func AddressOf(m *Model) string {
	base, _, _ := strings.Cut(m.client.URL, "/models/")
	return base + " " + m.client.Key
}

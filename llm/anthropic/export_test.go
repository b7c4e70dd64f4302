package anthropic

import (
	"encoding/json"
	"strings"
)

// AddressOf is where a model's calls go, and with which key.
func AddressOf(m *Model) string {
	return strings.TrimSuffix(m.client.URL, "/v1/messages") + " " + m.client.Key
}

// Breakpoints counts the breakpoints of a request, which stand nowhere but at the ends of blocks.
func Breakpoints(request map[string]json.RawMessage) (n int) {
	type block struct {
		Cache *struct{} `json:"cache_control"`
	}
	var tools, system []block
	var messages []struct{ Content []block }
	for field, into := range map[string]any{"tools": &tools, "system": &system, "messages": &messages} {
		_ = json.Unmarshal(request[field], into)
	}
	lists := [][]block{tools, system}
	for _, m := range messages {
		lists = append(lists, m.Content)
	}
	for _, list := range lists {
		for _, b := range list {
			if b.Cache != nil {
				n++
			}
		}
	}
	return n
}

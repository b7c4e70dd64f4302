package opensearch

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
)

// withBinaryParts returns a snapshot whose media are in the form of AG-UI 0.x, which ml-commons
// stores and OpenSearch Dashboards draws.
func withBinaryParts(snapshot []byte) []byte {
	var event map[string]json.RawMessage
	var messages []map[string]json.RawMessage
	if json.Unmarshal(snapshot, &event) != nil || json.Unmarshal(event["messages"], &messages) != nil {
		return snapshot // written by this server: cannot happen
	}
	changed := false
	for _, m := range messages {
		if parts := binaryParts(m["content"]); parts != nil {
			m["content"], changed = parts, true
		}
	}
	if !changed {
		return snapshot
	}
	event["messages"], _ = json.Marshal(messages) // decoded above: cannot fail
	old, _ := json.Marshal(event)
	return old
}

// binaryParts returns content in the form of 0.x, or nil if it has no media.
func binaryParts(content json.RawMessage) json.RawMessage {
	parts, err := agui.RawContent(content).Parts()
	if err != nil {
		return nil
	}
	list, media := make([]object, len(parts)), false
	for i, p := range parts {
		if list[i] = (object{"type": agui.PartText, "text": p.Text}); p.Source == nil {
			continue
		}
		media = true
		list[i] = object{"type": "binary", "mimeType": p.Source.MimeType}
		if p.Source.Type == agui.SourceData {
			list[i]["data"] = p.Source.Value
		} else {
			list[i]["url"] = p.Source.Value
		}
		var named struct{ Filename string }
		if json.Unmarshal(p.Metadata, &named) == nil && named.Filename != "" {
			list[i]["filename"] = named.Filename
		}
	}
	if !media {
		return nil
	}
	old, _ := json.Marshal(list) // texts: cannot fail
	return old
}

package openai

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// An opaque value is "openai:", what it is, "@", the host it came from, ":", and the provider's own
// bytes. It goes back to that host alone: what one server has signed or encrypted, another refuses,
// and with it the whole history.
const (
	sealItems   = "items"   // Responses: one or more output items, separated by commas
	sealDetails = "details" // OpenRouter's reasoning_details, an array
	sealExtra   = "extra"   // the extra_content of a tool call, an object
	sealField   = "field"   // nothing: the text of the reasoning itself goes back
)

// seal makes an opaque value of a provider's bytes.
func (m *Model) seal(what, raw string) string { return m.tag(what) + raw }

func (m *Model) tag(what string) string { return "openai:" + what + "@" + m.host + ":" }

// unseal returns the provider's bytes of an opaque value of this kind and host. History may come
// from a client: what is no longer what a provider sends is left out.
func (m *Model) unseal(what, opaque string) (raw string, ok bool) {
	if opaque == "" {
		return "", false
	}
	if raw, ok = strings.CutPrefix(opaque, m.tag(what)); !ok {
		return "", false
	}
	switch what {
	case sealItems:
		ok = validItems(raw)
	case sealDetails:
		ok = jsonx.KindOf([]byte(raw)) == jsonx.Array && jsonx.Valid([]byte(raw))
	case sealExtra:
		ok = jsonx.KindOf([]byte(raw)) == jsonx.Object && jsonx.Valid([]byte(raw))
	case sealField:
		ok = raw == ""
	}
	if !ok {
		return "", false
	}
	return raw, true
}

// validItems reports whether raw holds only reasoning items. Anything else could pass for a
// developer message.
func validItems(raw string) bool {
	list := "[" + raw + "]"
	if !jsonx.Valid([]byte(list)) {
		return false
	}
	var items []struct {
		Type string `json:"type"`
		Role any    `json:"role"`
	}
	if json.Unmarshal([]byte(list), &items) != nil || len(items) == 0 {
		return false
	}
	for _, item := range items {
		if item.Type != "reasoning" || item.Role != nil {
			return false
		}
	}
	return true
}

// returned is the reasoning of a message as a provider wants its own words back: ok is false where
// none of it is the provider's.
func (m *Model) returned(content []llm.Content) (text string, ok bool) {
	for r := range llm.Only[llm.Reasoning](content) {
		if _, own := m.unseal(sealField, r.Opaque); own {
			text, ok = text+r.Text, true
		}
	}
	return text, ok
}

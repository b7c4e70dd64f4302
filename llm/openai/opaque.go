package openai

import (
	"encoding/json"
	"slices"
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
	raw, ok = strings.CutPrefix(opaque, m.tag(what))
	if !ok || !valid(what, []byte(raw)) {
		return "", false
	}
	return raw, true
}

// valid reports whether a provider sends such bytes.
func valid(what string, raw []byte) bool {
	switch what {
	case sealItems:
		return validItems(raw)
	case sealDetails:
		return jsonx.KindOf(raw) == jsonx.Array && jsonx.Valid(raw)
	case sealExtra:
		return jsonx.KindOf(raw) == jsonx.Object && jsonx.Valid(raw)
	}
	return len(raw) == 0
}

// validItems reports whether raw holds only reasoning items. Anything else could pass for a
// developer message.
func validItems(raw []byte) bool {
	type item struct {
		Type string `json:"type"`
		Role any    `json:"role"`
	}
	var items []item
	list := slices.Concat([]byte("["), raw, []byte("]"))
	return jsonx.Valid(list) && json.Unmarshal(list, &items) == nil && len(items) > 0 &&
		!slices.ContainsFunc(items, func(i item) bool { return i.Type != "reasoning" || i.Role != nil })
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

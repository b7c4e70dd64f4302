package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// RetrieveItems is the name of the tool that returns what was left out of the page context. The SDK
// declares it for pages that keep the full items, and answers it in the browser; a host may have a
// backend tool of that name.
const RetrieveItems = "retrieve_items"

// retrieveHint stands behind a block from which something was left out, where there is a tool to
// get it.
const retrieveHint = "\nSome of it was left out. The tool " + RetrieveItems + " returns what is missing: use it before you say that something is not there."

const unlimited = 1 << 30 // tokens

// PageContext is what the page shows in a run, item by item. In the prompt an item stands where it
// was first shown as it is now, so that a provider's cache serves it and what is behind it; notes
// in the thread say where that is. Where an item has changed or gone, its old block is without it.
// The zero value shows nothing.
type PageContext struct {
	id    string            // of the block for the items that stand where no note is
	keys  []string          // of the items, in order
	items map[string]string // by key: as the prompt has it, if there is room
	rest  string            // says how many those are; "" where there are none
	cut   map[string]bool   // by key: those that a tool returns whole
}

// ContextItems returns what the page tells the assistant: where the user is, what the page's
// context builder makes of the context, then the context in the client's order. Details describe it
// by position. An error is the context builder's: the items are there without what it writes.
func ContextItems(view page.View, at page.Place, context []agui.ContextItem, details []page.ContextDetail) ([]page.Item, error) {
	var items []page.Item
	if at.Page != "" {
		if where, err := json.Marshal(at); err == nil {
			items = append(items, page.Item{Description: "where the user is in the application", Value: string(where)})
		}
	}
	given := make([]page.Item, len(context))
	for i, c := range context {
		given[i] = page.Item{Description: c.Description, Value: c.Value}
	}
	text, err := view.Describe(given, details)
	if text != "" {
		items = append(items, page.Item{Description: "what the page shows", Value: text})
	}
	for i, it := range given {
		if it.Description == "" && i < len(details) {
			it.Description = details[i].Label
		}
		items = append(items, it)
	}
	return items, err
}

// ContextKeys returns a key for each item. The same item has the same key in every run. A thread
// keeps the keys in notes of the kind NoteContext.
func ContextKeys(items []page.Item) []string {
	keys := make([]string, len(items))
	for i, it := range items {
		sum := sha256.Sum256([]byte(it.Description + "\x00" + it.Value))
		keys[i] = hex.EncodeToString(sum[:8])
	}
	return keys
}

// NewPageContext renders items within a budget of tokens. id must be one that nobody can guess.
// retrievable says that there is a tool which returns what is cut of them.
func NewPageContext(items []page.Item, tokens int, id string, retrievable bool) PageContext {
	s := PageContext{id: id, keys: ContextKeys(items), items: map[string]string{}, cut: map[string]bool{}}
	var rendered []string
	rendered, s.rest = page.RenderItems(items, tokens)
	for i, text := range rendered {
		s.items[s.keys[i]] = text
	}
	if retrievable {
		whole, _ := page.RenderItems(items, unlimited)
		for i, key := range s.keys {
			s.cut[key] = s.items[key] != whole[i]
		}
	}
	return s
}

// shownAt is a block of the page context: the items that stand where a note does.
type shownAt struct {
	note string // id of the message
	id   string // of the block
	keys []string
}

// blocks says what of the context stands where the notes of a thread do, by the ids of their
// messages, and what is left for the end of it. An item that comes back counts as new: the prompt
// behind its old position was cached without it.
func (s *PageContext) blocks(thread []agui.Message) (inside map[string]string, tail string) {
	var blocks []shownAt
	for i := range thread {
		if n, ok := agui.ReadNote(&thread[i]); ok && n.Kind == agui.NoteContext {
			blocks = stayed(blocks, n.Items)
			blocks = append(blocks, shownAt{thread[i].ID, n.ID, added(blocks, n.Items)})
		}
	}
	blocks = stayed(blocks, s.keys)
	inside = make(map[string]string, len(blocks))
	for _, b := range blocks {
		inside[b.note] = s.block(b.keys, b.id, "")
	}
	return inside, s.block(added(blocks, s.keys), s.id, s.rest)
}

// stayed removes from blocks what is not among the keys.
func stayed(blocks []shownAt, keys []string) []shownAt {
	for i := range blocks {
		blocks[i].keys = slices.DeleteFunc(blocks[i].keys, func(key string) bool { return !slices.Contains(keys, key) })
	}
	return blocks
}

// added returns those of the keys that are in no block, each once.
func added(blocks []shownAt, keys []string) (fresh []string) {
	for _, key := range keys {
		known := slices.ContainsFunc(blocks, func(b shownAt) bool { return slices.Contains(b.keys, key) })
		if !known && !slices.Contains(fresh, key) {
			fresh = append(fresh, key)
		}
	}
	return fresh
}

// block renders items, with what is to be said behind them, or returns "" where there are none.
func (s *PageContext) block(keys []string, id, rest string) string {
	var rendered []string
	left := rest != ""
	for _, key := range keys {
		if text, ok := s.items[key]; ok {
			rendered = append(rendered, text)
			left = left || s.cut[key]
		}
	}
	if rest != "" {
		rendered = append(rendered, rest)
	}
	text := page.ContextBlock(rendered, id)
	if left && len(s.cut) > 0 && text != "" {
		text += retrieveHint
	}
	return text
}

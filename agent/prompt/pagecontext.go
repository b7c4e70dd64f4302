package prompt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// RetrieveItems is the name of the tool that returns what was left out of the page context. The SDK
// declares it for pages that keep the full items and answers it in the browser; a host may have a
// backend tool of that name.
const RetrieveItems = "retrieve_items"

// retrieveHint follows a block from which something was left out, if there is a tool to get it.
const retrieveHint = "\nSome of it was left out. The tool " + RetrieveItems +
	" returns what is missing: use it before you say that something is not there."

// PageContext is the content of the page in a run, item by item. In the prompt an item stays where
// its present value was first shown, so that a provider's cache can serve it; notes in the thread
// record where. Items that have changed or gone are removed from their old block. The zero value is
// empty.
type PageContext struct {
	id    string            // of the block for items without a note
	keys  []string          // of the items, in order
	items map[string]string // rendered items by key, as far as they fit
	rest  string            // mentions how many did not fit; "" if none
	cut   map[string]bool   // keys of items that are not shown whole
	names []string          // of these
	// a tool returns what is cut
	retrievable bool
}

// ContextItems returns the page context: the user's place, the state that the page shares, the data
// of the page's context builder, then the items. A nil state is none.
func ContextItems(at page.Place, state json.RawMessage, built page.Built, given []page.Item) []page.Item {
	var items []page.Item
	if at.Page != "" {
		if where, err := json.Marshal(at); err == nil {
			items = append(items, page.Item{Description: "where the user is in the application", Value: string(where)})
		}
	}
	if state != nil {
		items = append(items, page.Item{Description: "the state that you and the page share", Value: string(state)})
	}
	if built.Data != "" {
		items = append(items, page.Item{Description: "what the page shows", Value: built.Data})
	}
	return append(items, given...)
}

// GivenItems returns the client's context as items. Details describe it by position. Items are
// mentioned if their details say so, or if question, the user's message, names them.
func GivenItems(context []agui.ContextItem, details []page.ContextDetail, question string) []page.Item {
	given := make([]page.Item, len(context))
	for i, c := range context {
		it := page.Item{Source: c.Source, Type: c.Type, Description: c.Description, Value: c.Value, Plain: true}
		if i < len(details) && details[i] != (page.ContextDetail{}) {
			d := details[i]
			it.Plain = false
			it.Mentioned = d.Kind == page.KindMention
			if it.Label = d.Label; it.Label != "" {
				it.Source = cmp.Or(it.Source, d.Source)
			}
			it.Description = cmp.Or(it.Description, d.Label)
		}
		given[i] = it
	}
	for _, i := range page.Mentions(question, given) {
		given[i].Mentioned = true
	}
	return given
}

// ContextKeys returns a key for each item. Equal items have equal keys in every run. Notes of kind
// NoteContext record the keys in a thread.
func ContextKeys(items []page.Item) []string {
	keys := make([]string, len(items))
	var text []byte
	for i, it := range items {
		text = append(append(append(text[:0], it.Description...), 0), it.Value...)
		if it.Label != "" || it.Source != "" || it.Type != "" {
			for _, name := range [3]string{it.Label, it.Source, it.Type} {
				text = append(append(text, 0), name...)
			}
		}
		sum := sha256.Sum256(text)
		keys[i] = hex.EncodeToString(sum[:8])
	}
	return keys
}

// NewPageContext renders items, which have these keys, within a budget. id must be unguessable.
// retrievable means that a tool returns what is cut.
func NewPageContext(items []page.Item, keys []string, budget page.Budget, id string, retrievable bool) PageContext {
	s := PageContext{
		id: id, keys: keys, items: map[string]string{}, cut: map[string]bool{},
		retrievable: retrievable,
	}
	rendered := page.RenderItems(items, budget)
	s.rest = rendered.Rest
	for i, key := range s.keys {
		if text := rendered.Items[i]; text != "" {
			s.items[key] = text
		}
		if rendered.Cut[i] {
			s.cut[key] = true
			s.names = append(s.names, items[i].Name())
		}
	}
	return s
}

// Cut returns the names of the items that are not shown whole, and whether a tool returns the rest.
func (s *PageContext) Cut() (names []string, retrievable bool) { return s.names, s.retrievable }

// shownAt is a block of the page context: the items at a note.
type shownAt struct {
	note string // id of the note's message
	id   string // id of the block
	keys []string
}

// blocks returns the blocks at the notes of a thread, by the ids of their messages, and the block
// for its end. An item that returns counts as new: the prompt after its old position was cached
// without it.
func (s *PageContext) blocks(thread []agui.Message) (inside map[string]string, tail string) {
	var blocks []shownAt
	for i := range thread {
		if n, ok := agui.ReadNote(&thread[i], agui.NoteContext); ok {
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

// stayed removes items that are not among the keys from blocks.
func stayed(blocks []shownAt, keys []string) []shownAt {
	for i := range blocks {
		blocks[i].keys = slices.DeleteFunc(blocks[i].keys, func(key string) bool { return !slices.Contains(keys, key) })
	}
	return blocks
}

// added returns the keys that are in no block, without duplicates.
func added(blocks []shownAt, keys []string) (fresh []string) {
	for _, key := range keys {
		known := slices.ContainsFunc(blocks, func(b shownAt) bool { return slices.Contains(b.keys, key) })
		if !known && !slices.Contains(fresh, key) {
			fresh = append(fresh, key)
		}
	}
	return fresh
}

// block renders items and the text after them, or returns "" if there are none.
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
	if left && s.retrievable && text != "" {
		text += retrieveHint
	}
	return text
}

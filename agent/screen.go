package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// screen is what the page shows in a run, item by item. In the prompt an item stands where it was
// first shown as it is now, so that a provider's cache serves it and what is behind it; notes in
// the thread say where that is. At its old place an item that has changed or gone is shown no more.
type screen struct {
	id    string            // of the block for what no note has a place for
	keys  []string          // of the items, in order
	items map[string]string // by key: as the prompt has it. Without those there is no room for
	rest  string            // says how many those are; "" where there are none
	cut   map[string]bool   // by key: those that a tool returns whole
}

// ContextKeys returns a key for each item of what the page shows in a run: where the user is, what
// the page's context builder makes of the context, and the context itself. The same item has the
// same key in every run. The caller keeps the keys in the thread: in a note of the kind NoteContext
// before what the user says, wherever they are not those of the last such note.
func (a *Agent) ContextKeys(ctx context.Context, in Input) []string {
	return keysOf(contextItems(ctx, a.Pages.Resolve(in.Place), in))
}

func keysOf(items []page.Item) []string {
	keys := make([]string, len(items))
	for i, it := range items {
		sum := sha256.Sum256([]byte(it.Description + "\x00" + it.Value))
		keys[i] = hex.EncodeToString(sum[:8])
	}
	return keys
}

// newScreen renders the items. retrievable says that there is a tool which returns what is cut of
// them.
func (a *Agent) newScreen(items []page.Item, retrievable bool) screen {
	s := screen{id: a.id(""), keys: keysOf(items), items: map[string]string{}, cut: map[string]bool{}}
	var rendered []string
	rendered, s.rest = page.RenderItems(items, a.contextTokens())
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

// place says what of the screen stands where the notes of a thread do, by the ids of their
// messages, and what is left for the end of it. What has been away since it was shown counts as new
// when it comes back: the prompt behind its old place was cached without it.
func (s *screen) place(thread []agui.Message) (inside map[string]string, tail string) {
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

// stayed takes out of blocks what is not among the keys.
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
func (s *screen) block(keys []string, id, rest string) string {
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

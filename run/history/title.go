package history

import (
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
)

// Opening returns the title that a thread with only one question has until a model names it: a
// first run that ended with calls of the page's tools had no text yet, which a title waits for.
func Opening(stored, brought []agui.Message) string {
	asked := 0
	for _, messages := range [][]agui.Message{stored, brought} {
		for i := range messages {
			if messages[i].Role == agui.RoleUser {
				asked++
			}
		}
	}
	if len(stored) == 0 {
		return Title(brought)
	}
	if asked != 1 {
		return ""
	}
	return Title(stored)
}

// Title returns the user's first words as the title of a new thread.
func Title(messages []agui.Message) string {
	for i := range messages {
		if messages[i].Role == agui.RoleUser {
			return firstWords(messages[i].Content.Text(), 60)
		}
	}
	return ""
}

// firstWords cuts text to at most n bytes, at a space if possible.
func firstWords(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= n {
		return text
	}
	cut := visible.Cut(text, n)
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

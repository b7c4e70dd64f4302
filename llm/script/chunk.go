package script

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// words cuts text as a model streams it: each piece is a word with the space that follows it.
// The pieces joined are the text, and no piece ends inside a character.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, space := 0, false
		for i, r := range text {
			if now := unicode.IsSpace(r); now != space {
				if space && i > start {
					if !yield(text[start:i]) {
						return
					}
					start = i
				}
				space = now
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// pieces cuts text into pieces of n characters.
func pieces(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := 0
			for range n {
				_, size := utf8.DecodeRuneInString(text[end:])
				end += size
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

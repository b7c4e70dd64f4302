package httpmodel

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
)

// said makes a text of the pieces in which a model says it. Some servers cut between the two halves
// of a character; they are joined, and a half alone becomes U+FFFD. Text and thoughts lose what
// nobody sees (see visible.Stream). Arguments of calls do not: they are what the model asks for,
// and whoever approves them is shown it.
type said struct {
	halves bool   // an event held half a character
	piece  string // the first half that the last piece ended with, as its stand-in; or ""
	kind   llm.PartKind
	index  int // of the block that is being said
	seen   visible.Stream
}

// standIns is how far the private characters that stand for halves are from them: a string of Go
// cannot hold half a character.
const standIns = 0x100000 - 0xd800

// keepHalves returns an event whose halves of characters are stand-ins: its decoder would lose
// them.
func (s *said) keepHalves(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return data
	}
	return []byte(jsonx.ReplaceHalves(string(data), func(half rune) string {
		s.halves = true
		return string(half + standIns)
	}))
}

// take makes a part whole, and returns what is left of the block before it; its Delta is empty if
// nothing is.
func (s *said) take(p *llm.Part) (left llm.Part) {
	if p.Kind != s.kind || p.Index != s.index {
		if s.piece != "" {
			left = llm.Part{Kind: s.kind, Index: s.index, Delta: string(utf8.RuneError)}
		}
		*s = said{halves: s.halves, kind: p.Kind, index: p.Index}
	}
	if s.halves {
		p.Delta = s.joined(p.Delta)
	}
	if p.Kind != llm.ToolArgs {
		p.Delta = s.seen.Next(p.Delta)
	}
	return left
}

// joined returns a piece with whole characters. A first half at its end is kept for the next one.
func (s *said) joined(piece string) string {
	if piece == "" {
		return ""
	}
	var out strings.Builder
	piece, s.piece = s.piece+piece, ""
	for i, n := 0, 0; i < len(piece); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(piece[i:])
		if half := r - standIns; utf16.IsSurrogate(half) {
			next, m := utf8.DecodeRuneInString(piece[i+n:])
			if r = utf16.DecodeRune(half, next-standIns); r != utf8.RuneError {
				n += m
			} else if half < 0xdc00 && i+n == len(piece) {
				s.piece = piece[i:]
				break
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

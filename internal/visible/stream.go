package visible

import "strings"

// Stream cleans what a model says, which arrives in pieces, of what makes its reader see another
// text: tag characters, which spell ASCII that nobody sees, except those of a flag such as
// Scotland's; and the marks that embed text in another direction or override its own. Text would
// take more, isolates among them, which texts of two directions need. The zero value is ready.
type Stream struct {
	tags int // how many tag characters may follow
}

const (
	flag      = '\U0001f3f4' // black: with tags, that of a region
	firstTag  = '\U000e0000'
	cancelTag = '\U000e007f' // the last one
	longest   = 7            // tags of a flag: at most two letters, four more, and the last one
)

// Next returns a piece of the text without them.
func (s *Stream) Next(piece string) string {
	return strings.Map(func(r rune) rune {
		left := s.tags
		s.tags = 0
		switch {
		case r == flag:
			s.tags = longest
		case firstTag <= r && r <= cancelTag:
			if left == 0 {
				return -1
			}
			if r != cancelTag {
				s.tags = left - 1
			}
		case '\u202a' <= r && r <= '\u202e':
			return -1
		}
		return r
	}, piece)
}

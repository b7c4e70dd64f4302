package openai

import "strings"

const thinkStart, thinkEnd = "<think>", "</think>"

// thinkTags takes apart the text of models whose server leaves their thoughts in it, in tags at the
// very beginning: llama.cpp, LM Studio and vLLM without a parser. The zero value is ready.
type thinkTags struct {
	state thinkState
	held  string // may be the beginning of a tag, or blanks around one
}

type thinkState uint8

const (
	thinkUnknown thinkState = iota // nothing but blanks and the beginning of a tag so far
	thinkInside
	thinkBehind // nothing but blanks behind the thoughts so far
	thinkOver
)

// split returns what a piece of text adds to the thoughts and to the answer.
func (t *thinkTags) split(piece string) (thought, text string) {
	if t.state == thinkOver {
		return "", piece
	}
	t.held += piece
	if t.state == thinkUnknown {
		said := strings.TrimLeft(t.held, " \t\r\n")
		switch {
		case strings.HasPrefix(said, thinkStart):
			t.state, t.held = thinkInside, said[len(thinkStart):]
		case strings.HasPrefix(thinkStart, said):
			return "", ""
		default:
			t.state = thinkOver
			return "", t.rest()
		}
	}
	if t.state == thinkInside {
		thought = t.inside()
	}
	if t.state == thinkBehind {
		if t.held = strings.TrimLeft(t.held, " \t\r\n"); t.held != "" {
			t.state, text = thinkOver, t.rest()
		}
	}
	return thought, text
}

// inside returns the thoughts among what is held, but for what may be the beginning of the tag that
// ends them.
func (t *thinkTags) inside() (thought string) {
	if before, after, ok := strings.Cut(t.held, thinkEnd); ok {
		t.state, t.held = thinkBehind, after
		return before
	}
	keep := min(len(t.held), len(thinkEnd)-1)
	for !strings.HasPrefix(thinkEnd, t.held[len(t.held)-keep:]) {
		keep--
	}
	thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	return thought
}

// end returns what is held at the end of the answer.
func (t *thinkTags) end() (thought, text string) {
	if t.state == thinkInside {
		return t.rest(), ""
	}
	return "", t.rest()
}

func (t *thinkTags) rest() string {
	held := t.held
	t.held = ""
	return held
}

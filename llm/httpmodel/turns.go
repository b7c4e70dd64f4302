package httpmodel

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
)

// LeftOut tells a model what its request leaves out. The providers whose histories must begin with
// the user get it as the user's first message, where a history begins with an answer.
const LeftOut = "(The beginning of the conversation is left out.)"

// Turns writes the history of a request to those providers that want the user to begin, and
// messages of one role that follow each other as one list of blocks.
type Turns struct {
	Encoder
	Open      func(role string) // writes the beginning of a message, up to the bracket of its list
	TextBlock string            // begins a block of text, up to the text

	role string // of the message that is open, "" where none is
}

// Block begins a block of a message of this role.
func (t *Turns) Block(role, begin string) {
	if t.role == "" && role == llm.RoleAssistant {
		t.Block(llm.RoleUser, t.TextBlock)
		t.String(LeftOut)
		t.Add(`}`)
	}
	if t.role != role {
		t.Close()
		t.role = role
		t.Next(``)
		t.Open(role)
	}
	t.Next(begin)
}

// Close ends the last message.
func (t *Turns) Close() {
	if t.role != "" {
		t.Add(`]}`)
	}
}

// SystemBlocks returns the blocks of a system prompt that say something: some providers refuse
// blank ones.
func SystemBlocks(blocks []llm.Block) []llm.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b llm.Block) bool { return strings.TrimSpace(b.Text) == "" })
}

// CacheLast returns blocks of which at most this many are worth caching: the last ones, because
// they cover the most.
func CacheLast(blocks []llm.Block, most int) []llm.Block {
	blocks = slices.Clone(blocks)
	for i, b := range slices.Backward(blocks) {
		if b.Cache {
			blocks[i].Cache = most > 0
			most--
		}
	}
	return blocks
}

// BeganWithThought reports whether the run that is under way, if one is, began with a thought that
// can be sent back. begins says whether anything of an answer is sent, and whether a thought is the
// first of it.
func BeganWithThought(messages []llm.Message, begins func(answer []llm.Content) (thought, sent bool)) bool {
	for _, m := range underWay(messages, begins) {
		if m.Role != llm.RoleAssistant {
			continue
		}
		if thought, sent := begins(m.Content); sent {
			return thought
		}
	}
	return true
}

// underWay returns what follows the question that the newest step belongs to. Questions right after
// results of tools count as part of their step: providers get both in one message, also where an
// answer stands between them of which nothing is sent.
func underWay(messages []llm.Message, begins func([]llm.Content) (thought, sent bool)) []llm.Message {
	begin, answered := 0, true
	for i, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			if answered {
				begin = i + 1
			}
		case llm.RoleAssistant:
			_, sent := begins(m.Content)
			answered = answered || sent
		default:
			answered = false
		}
	}
	return messages[begin:]
}

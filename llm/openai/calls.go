package openai

import (
	"slices"
	"strings"
)

// calls puts the pieces of tool calls together. OpenAI numbers the calls of an answer by index and
// names each in its first piece only. Other servers give all of them index 0 or none, change the id
// with every piece, or repeat the name.
type calls struct{ all []*call }

type call struct {
	index   int    // the provider's, -1 where it sends none
	sentID  string // the provider's first id
	name    string
	part    int // the content block, set with the start
	started bool
	held    []byte // arguments that came before the name
	opaque  string
	args    completeness
}

// find returns the call a piece belongs to, or a new one.
func (cs *calls) find(d callDelta) *call {
	c := cs.candidate(d)
	if c == nil || c.isOver(d) {
		c = &call{index: d.index}
		cs.all = append(cs.all, c)
	}
	if c.sentID == "" {
		c.sentID = d.id
	}
	if c.name == "" {
		c.name = strings.TrimSpace(d.name)
	}
	return c
}

// candidate is the newest call with the piece's index; without an index the one with its id, else
// the newest of all.
func (cs *calls) candidate(d callDelta) *call {
	for _, c := range slices.Backward(cs.all) {
		if d.index >= 0 && c.index == d.index || d.index < 0 && d.id != "" && c.sentID == d.id {
			return c
		}
	}
	if d.index < 0 && len(cs.all) > 0 {
		return cs.all[len(cs.all)-1]
	}
	return nil
}

// isOver reports whether a piece cannot continue c, so that it begins another call.
func (c *call) isOver(d callDelta) bool {
	if c.args.done && strings.TrimSpace(d.args) != "" {
		return true // nothing can follow a complete object
	}
	if strings.TrimSpace(d.name) == "" || c.name == "" {
		return false
	}
	if d.name != c.name {
		return true
	}
	// The same name again: a new call under a new id, unless the old one is still to be filled.
	return d.id != "" && d.id != c.sentID && (c.args.done || d.index < 0 && !c.args.begun && d.args == "")
}

// completeness tells when a JSON object or array that comes in pieces is complete. It looks at
// brackets alone.
type completeness struct {
	depth           int
	inside, escaped bool // of a string
	begun, done     bool
}

func (c *completeness) feed(s string) {
	for i := range len(s) {
		c.begun = true
		switch b := s[i]; {
		case c.escaped:
			c.escaped = false
		case c.inside:
			c.escaped, c.inside = b == '\\', b != '"'
		case b == '"':
			c.inside = true
		case b == '{' || b == '[':
			c.depth++
		case b == '}' || b == ']':
			c.depth--
			c.done = c.done || c.depth == 0
		}
	}
}

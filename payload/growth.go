package payload

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
)

// Growth turns the unfinished JSON of a payload into JSON Patches (RFC 6902) that build it up from
// {}: each adds what came since the one before it, with open strings, arrays and objects closed at
// their current end.
//
//	g.Write(piece)
//	if g.Due() {
//		patch := g.Patch() // nil where nothing can be told yet
//	}
//
// Patches become due ever more rarely, so that together they are a small multiple of the JSON.
// Invalid JSON stops growing: Type.Read decides about it once it is complete.
type Growth struct {
	raw   []byte
	pos   int // raw[:pos] has been read
	safe  int // raw[:safe] ends where open values can be closed
	due   int // length of raw at which the next patch is due
	stuck bool

	want  token
	stack []level
	op    op
	ops   []byte // complete ones, each after a comma

	value  int // start of the name, string or literal being read
	cut    int // raw[value:cut] of a string is complete, except for the bytes of its last character
	escape escape
}

// level is an open array or object.
type level struct {
	object bool
	n      int    // elements begun
	key    string // of the member being read
}

// op is the operation whose value is being read: raw[start:].
type op struct {
	active bool
	told   int // emitted length of a string value; 0 if none
	start  int
	depth  int // depth of the stack around it
	path   string
}

type token uint8

const (
	wantValue   token = iota
	wantElement       // or the end of the array
	wantName
	wantMember // or the end of the object
	wantColon
	wantNext // a comma, or the end of what is open
	inName
	inString
	inLiteral
	atEnd
)

// Limits of growing.
const (
	firstDue = 48  // bytes of JSON before the first patch, and between any two
	maxPath  = 256 // bytes of a path: each operation repeats it
)

// Write takes the next piece of the JSON.
func (g *Growth) Write(piece string) {
	if g.stuck {
		return
	}
	g.raw = append(g.raw, piece...)
	for ; g.pos < len(g.raw) && !g.stuck; g.pos++ {
		g.read(g.raw[g.pos])
	}
}

// Due reports whether enough was written for another patch.
func (g *Growth) Due() bool { return !g.stuck && len(g.raw) >= max(g.due, firstDue) }

// Patch returns what came since the last one, or nil if nothing can be emitted.
func (g *Growth) Patch() json.RawMessage {
	g.due = len(g.raw) + max(firstDue, len(g.raw)/8)
	if g.stuck {
		return nil
	}
	g.tellOpen()
	if len(g.ops) == 0 {
		return nil
	}
	patch := append(json.RawMessage{'['}, g.ops[1:]...)
	patch = append(patch, ']')
	g.ops = g.ops[:0]
	if jsonx.Validate(patch, jsonx.Limits{Keys: true}) != nil {
		g.stuck = true // broken JSON that reading did not notice
		return nil
	}
	return patch
}

// tellOpen writes the operation being read, closed at its current end, and begins another one for
// the rest.
func (g *Growth) tellOpen() {
	if !g.op.active {
		return
	}
	end := g.safe
	if g.want == inString {
		end = g.wholeCharacters()
	}
	if end <= g.op.start || end == g.op.told {
		return
	}
	value := append([]byte(nil), g.raw[g.op.start:end]...)
	if g.want == inString {
		value = append(value, '"')
	}
	for i := len(g.stack) - 1; i >= g.op.depth; i-- {
		value = append(value, g.stack[i].end())
	}
	g.write(value)
	switch g.want {
	case inString:
		g.op = op{active: true, told: end, start: g.value, depth: len(g.stack), path: g.path()}
	case inLiteral:
		g.op = op{active: true, start: g.value, depth: len(g.stack), path: g.path()}
	default:
		g.op = op{}
	}
}

// wholeCharacters returns the position at which the string being read can be cut.
func (g *Growth) wholeCharacters() int {
	for back := 1; back < utf8.UTFMax && g.cut-back > g.value; back++ {
		if c := g.raw[g.cut-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(g.raw[g.cut-back : g.cut]) {
				return g.cut - back
			}
			break
		}
	}
	return g.cut
}

// write completes an operation.
func (g *Growth) write(value []byte) {
	verb := "add"
	if g.op.told > 0 {
		verb = "replace"
	}
	g.ops = append(g.ops, `,{"op":"`...)
	g.ops = append(g.ops, verb...)
	g.ops = append(g.ops, `","path":`...)
	g.ops = jsonx.AppendString(g.ops, g.op.path)
	g.ops = append(g.ops, `,"value":`...)
	g.ops = append(append(g.ops, value...), '}')
	if len(g.ops) > 4*len(g.raw)+1024 {
		g.stuck = true // paths much longer than their values
	}
}

func (l *level) end() byte {
	if l.object {
		return '}'
	}
	return ']'
}

func (g *Growth) top() *level { return &g.stack[len(g.stack)-1] }

// path returns the JSON pointer (RFC 6901) of the value being read.
func (g *Growth) path() string {
	var b strings.Builder
	for i := range g.stack {
		l := &g.stack[i]
		b.WriteByte('/')
		if l.object {
			b.WriteString(pointerEscapes.Replace(l.key))
		} else {
			b.WriteString(strconv.Itoa(l.n - 1))
		}
	}
	if b.Len() > maxPath {
		g.stuck = true
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

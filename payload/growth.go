package payload

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
)

// Growth turns the JSON of a payload, while it is being written, into JSON Patches (RFC 6902) that
// make {} into as much of it as there is: each adds what came since the one before it, with the
// strings, arrays and objects that are still open closed where they end now.
//
//	g.Write(piece)
//	if g.Due() {
//		patch := g.Patch() // nil where nothing can be told yet
//	}
//
// Patches become due ever more rarely, so that together they are a small multiple of the JSON,
// however long it is. JSON that is broken, or holds what a payload must not, stops growing:
// Type.Read decides about it once it is complete.
type Growth struct {
	raw   []byte
	pos   int // raw[:pos] is read
	safe  int // raw[:safe] ends where what is open can be closed
	due   int // the length of raw at which the next patch is due
	stuck bool

	want  token
	stack []level
	op    op
	ops   []byte // those that are complete, each with a comma before it

	value  int // where the name, string or literal being read begins
	cut    int // raw[value:cut] of a string is whole, but for the bytes of its last character
	escape escape
}

// level is an array or object that is open.
type level struct {
	object bool
	n      int    // elements that have begun
	key    string // of the member being read
}

// op is the operation whose value is being read: raw[start:], as far as it goes.
type op struct {
	active bool
	told   int // the value is a string, and has been told up to here; 0 where nothing of it was
	start  int
	depth  int // of the stack around it
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

// The bounds of growing.
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

// Patch returns what came since the last one, or nil where nothing can be told.
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
		g.stuck = true // the JSON is broken in a way that reading it did not notice
		return nil
	}
	return patch
}

// tellOpen writes the operation that is being read, closed where it is, and begins another for what
// goes on.
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

// wholeCharacters returns where the string being read can be cut.
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

// path is the JSON pointer (RFC 6901) of the value being read.
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

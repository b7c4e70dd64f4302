package payload

import (
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// read reads one byte of the JSON.
func (g *Growth) read(c byte) {
	switch g.want {
	case inName, inString:
		g.readString(c)
		return
	case inLiteral:
		if isLiteral(c) {
			return
		}
		g.endValue(g.pos)
	}
	if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
		g.readToken(c)
	}
}

func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '.'
}

func (g *Growth) readToken(c byte) {
	switch {
	case g.want == wantElement && c == ']', g.want == wantMember && c == '}':
		g.close()
	case g.want == wantValue, g.want == wantElement:
		g.beginValue(c)
	case (g.want == wantName || g.want == wantMember) && c == '"':
		g.want, g.value = inName, g.pos
	case g.want == wantColon && c == ':':
		g.want = wantValue
	case g.want == wantNext && c == ',' && g.top().object:
		g.want = wantName
	case g.want == wantNext && c == ',':
		g.want = wantValue
	case g.want == wantNext && c == g.top().end():
		g.close()
	default:
		g.stuck = true
	}
}

func (g *Growth) beginValue(c byte) {
	if len(g.stack) == 0 && c != '{' {
		g.stuck = true // only an object can be shown
		return
	}
	if len(g.stack) > 0 {
		g.top().n++
		if !g.op.active {
			g.op = op{active: true, start: g.pos, depth: len(g.stack), path: g.path()}
		}
	}
	g.value = g.pos
	switch {
	case c == '{', c == '[':
		g.open(c == '{')
	case c == '"':
		g.want, g.cut = inString, g.pos+1
	case isLiteral(c):
		g.want = inLiteral
	default:
		g.stuck = true
	}
}

func (g *Growth) open(object bool) {
	if len(g.stack) == maxDepth {
		g.stuck = true
		return
	}
	g.stack = append(g.stack, level{object: object})
	g.safe = g.pos + 1
	g.want = wantElement
	if object {
		g.want = wantMember
	}
}

func (g *Growth) close() {
	g.stack = g.stack[:len(g.stack)-1]
	g.endValue(g.pos + 1)
}

// endValue ends a value before position end.
func (g *Growth) endValue(end int) {
	g.safe = end
	if g.op.active && len(g.stack) == g.op.depth {
		g.write(g.raw[g.op.start:end])
		g.op = op{}
	}
	g.want = wantNext
	if len(g.stack) == 0 {
		g.want = atEnd
	}
}

// escape is the state within an escape in a string.
type escape struct {
	n    int    // its bytes read so far
	unit uint16 // of \uXXXX
	high bool   // it follows the first half of a surrogate pair
}

// readString reads one byte of a name or string.
func (g *Growth) readString(c byte) {
	e := &g.escape
	switch {
	case e.n == 1 && c == 'u':
		e.n, e.unit = 2, 0
	case e.n == 1 && strings.IndexByte(`"\/bfnrt`, c) >= 0 && !e.high:
		e.n, g.cut = 0, g.pos+1
	case e.n >= 2:
		g.readHex(c)
	case e.n == 0 && c == '\\':
		e.n = 1
	case e.n != 0, e.high, c < 0x20:
		g.stuck = true
	case c == '"':
		g.endString()
	default:
		g.cut = g.pos + 1
	}
}

// readHex reads one of the four digits of an escape. The halves of a surrogate pair are one
// character.
func (g *Growth) readHex(c byte) {
	e := &g.escape
	digit := strings.IndexByte("0123456789abcdef", c|0x20)
	if c < 0x30 || digit < 0 {
		g.stuck = true
		return
	}
	e.unit = e.unit<<4 | uint16(digit)
	if e.n++; e.n < 6 {
		return
	}
	e.n = 0
	high, low := e.unit&0xfc00 == 0xd800, e.unit&0xfc00 == 0xdc00
	g.stuck = g.stuck || low != e.high
	if e.high = high; !high {
		g.cut = g.pos + 1
	}
}

func (g *Growth) endString() {
	if g.want == inString {
		g.endValue(g.pos + 1)
		return
	}
	name, err := jsonx.Unquote(g.raw[g.value : g.pos+1])
	if err != nil || jsonx.ForbiddenKey(name) {
		g.stuck = true
		return
	}
	g.top().key = name
	g.want = wantColon
}

package llm

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

const (
	maxName   = 64
	maxCallID = 64
)

// fitNames replaces tool names, declared or called, that the provider refuses. Models invent names,
// and some servers pass them on. A replacement is never the name of another tool.
func (f *Fitted) fitNames(d *Dialect) {
	taken := map[string]bool{}
	var odd []string
	note := func(name string) {
		if !d.takesName(name) {
			odd = append(odd, name)
		} else {
			taken[name] = true
		}
	}
	for _, t := range f.Tools {
		note(t.Name)
	}
	for _, m := range f.Messages {
		for _, c := range m.Content {
			if call, ok := c.(ToolCall); ok {
				note(call.Name)
			}
		}
	}
	for _, name := range odd {
		if _, known := f.back[name]; known {
			continue
		}
		fit := unused(taken, func(n int) string { return d.name(name, n) })
		if f.back == nil {
			f.back, f.names = map[string]string{}, map[string]string{}
		}
		f.back[name], f.names[fit] = fit, name
	}
}

// unused returns the first unused candidate and marks it as taken.
func unused(taken map[string]bool, candidate func(n int) string) string {
	for n := 0; ; n++ {
		if s := candidate(n); !taken[s] {
			taken[s] = true
			return s
		}
	}
}

func (d *Dialect) takesName(name string) bool {
	return isWord(name, maxName) && !(d.LetterFirst && (name[0] == '-' || isDigit(name[0])))
}

// name returns the n-th replacement for a name: its legible part and a hash.
func (d *Dialect) name(name string, n int) string {
	readable := word(name)
	if readable == "" || d.LetterFirst && (readable[0] == '-' || isDigit(readable[0])) {
		readable = "tool_" + readable
	}
	end := "_" + hash(name, n)[:8]
	return readable[:min(len(readable), maxName-len(end))] + end
}

// callIDs gives each call of a request a unique id that the provider accepts.
type callIDs struct {
	dialect *Dialect
	length  int
	taken   map[string]bool   // ids that are or will be sent
	seen    map[string]int    // number of calls so far by id of the history
	sent    map[string]string // id of the history → id of its newest call, as sent
	changed map[string]bool
}

// newCallIDs reserves the ids that can stay.
func newCallIDs(d *Dialect, messages []Message) *callIDs {
	ids := &callIDs{
		dialect: d, length: maxCallID, taken: map[string]bool{}, seen: map[string]int{},
		sent: map[string]string{},
	}
	if d.IDLength > 0 {
		ids.length = d.IDLength
	}
	for _, m := range messages {
		for _, c := range m.Content {
			if call, ok := c.(ToolCall); ok && ids.takes(call.ID) {
				ids.taken[call.ID] = true
			}
		}
	}
	return ids
}

func (ids *callIDs) takes(id string) bool {
	if ids.dialect.ExactIDs {
		return len(id) == ids.length && isWord(id, ids.length) && !strings.ContainsAny(id, "_-")
	}
	return isWord(id, ids.length)
}

// call returns the id to send for a call. It replaces an id used by an earlier call of the request.
func (ids *callIDs) call(id string) string {
	n := ids.seen[id]
	ids.seen[id]++
	if n == 0 && ids.takes(id) {
		ids.sent[id] = id
		return id
	}
	fit := unused(ids.taken, func(salt int) string { return ids.candidate(id, n+salt) })
	if ids.changed == nil {
		ids.changed = map[string]bool{}
	}
	ids.sent[id], ids.changed[id] = fit, true
	return fit
}

// result returns the id to send for a result.
func (ids *callIDs) result(id string) string {
	if sent, ok := ids.sent[id]; ok {
		return sent
	}
	return ids.call(id) // Balance refuses such a history
}

// candidate returns a replacement for an id: its legible part and a hash.
func (ids *callIDs) candidate(id string, n int) string {
	sum := hash(id, n)
	if ids.dialect.ExactIDs {
		number, _ := new(big.Int).SetString(sum, 16)
		digits := number.Text(62)
		return digits[len(digits)-ids.length:]
	}
	readable := word(id)
	if strings.Trim(readable, "_-") == "" {
		readable = "call"
	}
	return readable[:min(len(readable), ids.length-17)] + "_" + sum[:16]
}

// newCallID returns an id for a call whose own is taken. It suits every dialect except those with
// exact ids.
func newCallID() string { return "call_" + strings.ToLower(rand.Text()[:20]) }

func hash(s string, n int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + " " + s))
	return hex.EncodeToString(sum[:])
}

// isWord reports whether s is 1 to most letters, digits, _ and -.
func isWord(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return true
}

func isWordByte(b byte) bool {
	return b == '_' || b == '-' || isDigit(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// word replaces every character of s that is invalid in a name with _.
func word(s string) string {
	const most = 256 // s may be megabytes
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isWordByte(byte(r)) {
			return r
		}
		return '_'
	}, s[:min(len(s), most)])
}

// renameMembers renames the members of a call's arguments: keys of names become the values or, if
// back is false, values become keys. A string followed by a colon counts as a name, so this also
// works on invalid JSON.
func renameMembers(args string, names map[string]string, back bool) string {
	if len(names) == 0 || args == "" {
		return args
	}
	for sent, declared := range names {
		from, to := sent, declared
		if !back {
			from, to = to, from
		}
		args = renameMember(args, string(jsonx.AppendString(nil, from)), string(jsonx.AppendString(nil, to)))
	}
	return args
}

func renameMember(args, from, to string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(args, from)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":") && !strings.HasSuffix(before, `\`) {
			out.WriteString(to)
		} else {
			out.WriteString(from)
		}
		args = rest
	}
}

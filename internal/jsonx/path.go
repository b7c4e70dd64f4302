package jsonx

import "strconv"

// Join prefixes a path with its parent: Join("messages[3]", "content") is messages[3].content and
// Join("messages", "[3].content") is messages[3].content.
func Join(parent, path string) string {
	switch {
	case parent == "":
		return path
	case path == "" || path[0] == '[':
		return parent + path
	}
	return parent + "." + path
}

// Index returns the path of an array's element within the array.
func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// KeyPath returns the path of an object's member within the object: the key itself, or quoted and
// in brackets if it is not a plain name.
func KeyPath[S ~string | ~[]byte](key S) string {
	if len(key) == 0 || len(key) > 64 {
		return quotedKey(key)
	}
	for i := range len(key) {
		c := key[i]
		if c != '_' && c != '$' && c != '-' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return quotedKey(key)
		}
	}
	return string(key)
}

func quotedKey[S ~string | ~[]byte](key S) string {
	return "[" + quoted(AppendStringBody(nil, string(key))) + "]"
}

// step is the position of pathAt in one open array or object.
type step struct {
	object bool
	index  int
	key    []byte // with its escapes
}

// pathAt returns the path of the value or key at offset, for error messages. data must be valid
// JSON up to there.
func pathAt(data []byte, offset int) string {
	d := Decoder{Data: data[:min(offset, len(data))]}
	var steps []step
	for d.space(); d.Pos < len(d.Data); d.space() {
		switch c := d.Data[d.Pos]; c {
		case '{', '[':
			steps = append(steps, step{object: c == '{'})
			d.Pos++
		case '}', ']':
			steps = steps[:max(0, len(steps)-1)]
			d.Pos++
		case ',':
			d.Pos++
			if n := len(steps); n > 0 {
				steps[n-1].index++
				steps[n-1].key = nil
			}
		case '"':
			pathString(&d, steps)
		default:
			d.Pos++
		}
	}
	path := ""
	for _, s := range steps {
		path = Join(path, s.String())
	}
	return path
}

// pathString skips a string and records it if it is a key.
func pathString(d *Decoder, steps []step) {
	raw := d.Raw()
	if n := len(steps); n > 0 && steps[n-1].object && steps[n-1].key == nil && len(raw) >= 2 && raw[len(raw)-1] == '"' {
		steps[n-1].key = raw[1 : len(raw)-1]
	}
}

func (s step) String() string {
	if !s.object {
		return Index(s.index)
	}
	if s.key == nil {
		return ""
	}
	plain, err := appendUnquoted(nil, s.key)
	if err != nil {
		return "?"
	}
	return KeyPath(plain)
}

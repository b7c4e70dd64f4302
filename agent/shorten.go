package agent

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// cutMember is the name of the member that says that a JSON result was cut.
const cutMember = "_cut"

// The shape of cuts.
const (
	leastPart = 64 // bytes a cut list, object or text keeps at least, as far as it has them
	noteSize  = 48 // bytes the note of a cut takes at most
)

// shortenJSON cuts an object or array to about limit bytes, advice not counted. It reports false for anything else.
func shortenJSON(text string, limit int, advice string) (string, bool) {
	raw := bytes.TrimSpace([]byte(text))
	if kind := jsonx.KindOf(raw); kind != jsonx.Object && kind != jsonx.Array || !jsonx.Valid(raw) {
		return "", false
	}
	b := appendShort(make([]byte, 0, limit+len(advice)+noteSize), raw, limit)
	end := b[len(b)-1]
	b = b[:len(b)-1]
	if last := b[len(b)-1]; last != '{' && last != '[' {
		b = append(b, ',')
	}
	if end == '}' {
		b = append(b, `"`+cutMember+`":`...)
	}
	return string(append(jsonx.AppendString(b, advice), end)), true
}

// appendShort appends a value cut to about limit bytes.
func appendShort(dst, raw []byte, limit int) []byte {
	d := jsonx.Decoder{Data: raw}
	kind := d.Kind()
	raw = raw[d.Pos:]
	switch {
	case len(raw) <= limit:
		return append(dst, raw...)
	case kind == jsonx.String:
		return appendShortText(dst, raw, limit)
	case kind == jsonx.Array:
		return appendShortArray(dst, &d, limit)
	case kind == jsonx.Object:
		return appendShortObject(dst, &d, limit)
	}
	return append(dst, raw...) // a number is a number
}

func appendShortText(dst, raw []byte, limit int) []byte {
	text, err := jsonx.Unquote(raw)
	if err != nil {
		return append(dst, `"…"`...)
	}
	head := headOf(text, max(limit-noteSize, leastPart))
	return jsonx.AppendString(dst, fmt.Sprintf("%s… (%d more bytes)", head, len(text)-len(head)))
}

// appendShortArray keeps the first elements as they are, as many as fit, or else the first one cut.
func appendShortArray(dst []byte, d *jsonx.Decoder, limit int) []byte {
	dst = append(dst, '[')
	room, kept, total := limit-noteSize, 0, 0
	d.Enter()
	for d.More() {
		element := d.Raw()
		total++
		if kept < total-1 {
			continue // one was left out already
		}
		if len(element) > room && kept > 0 {
			continue
		}
		if kept > 0 {
			dst = append(dst, ',')
		}
		before := len(dst)
		dst = appendShort(dst, element, max(room, leastPart))
		room -= len(dst) - before + 1
		kept++
	}
	if kept < total {
		dst = jsonx.AppendString(append(dst, ','), fmt.Sprintf("… %d more of %d", total-kept, total))
	}
	return append(dst, ']')
}

// appendShortObject keeps every member while there is room for its name, and gives the same share to each value: what short ones leave
// goes to the long ones.
func appendShortObject(dst []byte, d *jsonx.Decoder, limit int) []byte {
	type member struct{ key, value []byte }
	var members []member
	room := limit - noteSize
	total := 0
	d.Enter()
	for d.More() {
		key := slices.Clone(d.Key(nil))
		value := d.Raw()
		total++
		name := len(jsonx.AppendString(nil, string(key))) + len(":,")
		if room < name+min(len(value), leastPart) {
			continue
		}
		room -= name + min(len(value), leastPart)
		members = append(members, member{key, value})
	}
	sizes := make([]int, len(members))
	for i, m := range members {
		sizes[i] = max(len(m.value)-leastPart, 0)
	}
	share := leastPart + shareOf(sizes, room)
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, string(m.key)), ':')
		dst = appendShort(dst, m.value, share)
	}
	if left := total - len(members); left > 0 {
		dst = jsonx.AppendString(append(dst, `,"…":`...), fmt.Sprintf("%d more members", left))
	}
	return append(dst, '}')
}

// shareOf returns the size above which sizes are cut so that all together fit into room.
func shareOf(sizes []int, room int) int {
	slices.Sort(sizes)
	for i, size := range sizes {
		share := room / (len(sizes) - i)
		if size > share {
			return max(share, 0)
		}
		room -= size
	}
	return room
}

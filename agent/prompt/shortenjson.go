package prompt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// cutMember is the member of a JSON result that says what was cut.
const cutMember = "_cut"

// Sizes of cuts.
const (
	leastPart  = 64  // bytes kept of a cut list, object or text
	cutListing = 320 // bytes for saying what was cut and where
)

// shortener cuts JSON and records its cuts. A cut list still holds only its own elements, so that
// any reader finds the shape it knows.
type shortener struct {
	cuts []string
	dst  []byte
}

// shortenJSON cuts an object or array to about limit bytes, not counting advice. It returns false
// for any other text.
func shortenJSON(text string, limit int, advice string) (string, bool) {
	raw := bytes.TrimSpace([]byte(text))
	if kind := jsonx.KindOf(raw); kind != jsonx.Object && kind != jsonx.Array || !jsonx.Valid(raw) {
		return "", false
	}
	s := &shortener{dst: make([]byte, 0, limit+len(advice))}
	s.value("", raw, limit-cutListing)
	end := s.dst[len(s.dst)-1]
	s.dst = s.dst[:len(s.dst)-1]
	s.separate()
	if end == '}' {
		s.dst = append(s.dst, `"`+cutMember+`":`...)
	}
	s.dst = jsonx.AppendString(s.dst, advice+s.listing())
	return string(append(s.dst, end)), true
}

// listing says what was cut and where, as far as there is room.
func (s *shortener) listing() string {
	var b strings.Builder
	for i, cut := range s.cuts {
		if b.Len()+len(cut) > cutListing-40 {
			fmt.Fprintf(&b, " And %d more cuts.", len(s.cuts)-i)
			break
		}
		fmt.Fprintf(&b, " %s.", cut)
	}
	return b.String()
}

func (s *shortener) note(path, format string, args ...any) {
	where := ""
	if path != "" {
		where = path + ": "
	}
	s.cuts = append(s.cuts, where+fmt.Sprintf(format, args...)+" are shown")
}

// separate writes a comma, unless a list or object has just begun.
func (s *shortener) separate() {
	if last := s.dst[len(s.dst)-1]; last != '{' && last != '[' {
		s.dst = append(s.dst, ',')
	}
}

// value appends a value cut to about limit bytes.
func (s *shortener) value(path string, raw []byte, limit int) {
	d := jsonx.Decoder{Data: raw}
	kind := d.Kind()
	raw = raw[d.Pos:]
	switch {
	case len(raw) <= limit:
		s.dst = append(s.dst, raw...)
	case kind == jsonx.String:
		s.text(path, raw, limit)
	case kind == jsonx.Array:
		s.array(path, &d, limit)
	case kind == jsonx.Object:
		s.object(path, &d, limit)
	default:
		s.dst = append(s.dst, raw...) // numbers, true, false and null are kept
	}
}

func (s *shortener) text(path string, raw []byte, limit int) {
	text, err := jsonx.Unquote(raw)
	if err != nil {
		text = ""
	}
	head := visible.Cut(text, max(limit-leastPart/2, leastPart))
	s.note(path, "%d of %d bytes", len(head), len(text))
	s.dst = jsonx.AppendString(s.dst, head+"…")
}

// array keeps as many first elements as fit, or else the first one cut.
func (s *shortener) array(path string, d *jsonx.Decoder, limit int) {
	s.dst = append(s.dst, '[')
	room, kept, total := limit-len("[]"), 0, 0
	d.Enter()
	for ; d.More(); total++ {
		element := d.Raw()
		if kept < total || kept > 0 && len(element) > room {
			continue
		}
		s.separate()
		before := len(s.dst)
		s.value(path+"[0]", element, max(room, leastPart))
		room -= len(s.dst) - before + 1
		kept++
	}
	if kept < total {
		s.note(path, "%d of %d elements", kept, total)
	}
	s.dst = append(s.dst, ']')
}

type member struct{ key, value []byte }

// object keeps every member whose name fits, and gives each value an equal share: what short values
// leave goes to the long ones.
func (s *shortener) object(path string, d *jsonx.Decoder, limit int) {
	members, room, total := membersOf(d, limit-len("{}"))
	sizes := make([]int, len(members))
	for i, m := range members {
		sizes[i] = max(len(m.value)-leastPart, 0)
	}
	share := leastPart + shareOf(sizes, room)
	s.dst = append(s.dst, '{')
	for _, m := range members {
		s.separate()
		s.dst = append(jsonx.AppendString(s.dst, string(m.key)), ':')
		s.value(jsonx.Join(path, jsonx.KeyPath(m.key)), m.value, share)
	}
	if len(members) < total {
		s.note(path, "%d of %d members", len(members), total)
	}
	s.dst = append(s.dst, '}')
}

// membersOf returns the members that fit with their values cut to the minimum, and the room that is
// left.
func membersOf(d *jsonx.Decoder, room int) (members []member, left, total int) {
	d.Enter()
	for ; d.More(); total++ {
		key := slices.Clone(d.Key(nil))
		value := d.Raw()
		need := len(jsonx.AppendString(nil, string(key))) + len(":,") + min(len(value), leastPart)
		if room >= need {
			room -= need
			members = append(members, member{key, value})
		}
	}
	return members, room, total
}

// shareOf returns the size to which to cut larger values so that all of them fit into room.
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

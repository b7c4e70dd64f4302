package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// canonical returns a text that is the same for equal values, such as 1 and 1.0, and for no others.
func canonical(v any) string {
	switch v := v.(type) {
	case json.Number:
		if r := rational(v); r != nil {
			return r.RatString()
		}
		return v.String()
	case string:
		return strconv.Quote(v)
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString("," + canonical(item))
		}
		return "[" + b.String() + "]"
	case map[string]any:
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString("," + strconv.Quote(name) + ":" + canonical(v[name]))
		}
		return "{" + b.String() + "}"
	}
	return fmt.Sprint(v) // true, false, <nil>
}

// canonical counts the work, since a value may be large.
func (a *attempt) canonical(v any) string {
	text := canonical(v)
	a.spend(len(text) / 4)
	return text
}

// formats are those that draft-07 knows and that say something about data for a tool. Others are
// notes.
var formats = map[string]func(string) bool{
	"date-time": func(s string) bool { return isTime(time.RFC3339, strings.ToUpper(s)) },
	"date":      func(s string) bool { return isTime(time.DateOnly, s) },
	"time":      func(s string) bool { return isTime("15:04:05Z07:00", strings.ToUpper(s)) },
	"email":     isEmail,
	"hostname":  func(s string) bool { return len(s) <= 253 && hostname().MatchString(s) },
	"ipv4":      func(s string) bool { ip, err := netip.ParseAddr(s); return err == nil && ip.Is4() },
	"ipv6":      func(s string) bool { ip, err := netip.ParseAddr(s); return err == nil && ip.Is6() && ip.Zone() == "" },
	"uri":       func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
	"uri-reference": func(s string) bool {
		_, err := url.Parse(s)
		return err == nil && !strings.Contains(s, `\`)
	},
	"uuid": func(s string) bool { return uuid().MatchString(s) },
}

// isTime reports whether s is a time. A leap second is one, which Go does not read.
func isTime(layout, s string) bool {
	_, err := time.Parse(layout, strings.Replace(s, ":60", ":59", 1))
	return err == nil
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

var (
	hostname = sync.OnceValue(func() *regexp.Regexp {
		const label = `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
		return regexp.MustCompile(`^` + label + `(\.` + label + `)*$`)
	})
	uuid = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	})
)

// maxValues limits how many values of an enum are listed.
const maxValues = 12

func list(want []any) string {
	var texts []string
	for i, v := range want {
		if i == maxValues {
			texts = append(texts, fmt.Sprintf("… (%d in all)", len(want)))
			break
		}
		b, err := json.Marshal(v)
		if err != nil {
			b = fmt.Append(nil, v)
		}
		texts = append(texts, string(b))
	}
	return strings.Join(texts, ", ")
}

func quoteAll(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, name := range names[:min(len(names), maxValues)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	return strings.Join(quoted, ", ")
}

// Path returns the path of a problem, such as $.filters[0].op.
func Path(pointer jsontext.Pointer) string {
	path := "$"
	for token := range pointer.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			path += "[" + token + "]"
		} else {
			path += "." + token
		}
	}
	return path
}

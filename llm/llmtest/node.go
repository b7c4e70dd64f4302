package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// node is a part of a request and its path.
type node struct {
	value any
	path  string
}

// refuse ends the check.
func (n node) refuse(format string, args ...any) {
	panic(&Refusal{Field: n.path, Message: fmt.Sprintf(format, args...)})
}

// get returns a member; its value is nil if it is missing.
func (n node) get(name string) node {
	object, _ := n.value.(map[string]any)
	return node{object[name], n.path + "." + name}
}

func (n node) is() bool { return n.value != nil }

func (n node) object() map[string]any {
	object, ok := n.value.(map[string]any)
	if !ok {
		n.refuse("must be an object, not %v", n.value)
	}
	return object
}

// list returns the items of a list, which may be missing.
func (n node) list() (items []node) {
	if n.value == nil {
		return nil
	}
	list, ok := n.value.([]any)
	if !ok {
		n.refuse("must be a list")
	}
	for i, item := range list {
		items = append(items, node{item, fmt.Sprintf("%s[%d]", n.path, i)})
	}
	return items
}

func (n node) text() string {
	s, ok := n.value.(string)
	if !ok {
		n.refuse("must be text, not %v", n.value)
	}
	return s
}

func (n node) matches(pattern *regexp.Regexp) string {
	s := n.text()
	if !pattern.MatchString(s) {
		n.refuse("%.80q does not match %s", s, pattern)
	}
	return s
}

func (n node) oneOf(allowed ...string) string {
	s := n.text()
	if !slices.Contains(allowed, s) {
		n.refuse("%.80q is none of %q", s, allowed)
	}
	return s
}

// only refuses unknown members.
func (n node) only(names ...string) {
	for _, name := range slices.Sorted(maps.Keys(n.object())) {
		if !slices.Contains(names, name) {
			n.get(name).refuse("Extra inputs are not permitted")
		}
	}
}

// notBlank refuses blank texts, as Anthropic and Bedrock do.
func (n node) notBlank() {
	if strings.TrimSpace(n.text()) == "" {
		n.refuse("text content blocks must contain non-whitespace text")
	}
}

// atLeast refuses numbers below least; the number may be missing.
func (n node) atLeast(least float64) {
	if !n.is() {
		return
	}
	if f := n.number(); f < least {
		n.refuse("integer below minimum value. Expected a value >= %g, but got %g instead.", least, f)
	}
}

// number returns a number, or 0 if it is missing.
func (n node) number() float64 {
	if n.value == nil {
		return 0
	}
	number, ok := n.value.(json.Number)
	f, err := number.Float64()
	if !ok || err != nil {
		n.refuse("must be a number")
	}
	return f
}

// bytesValue checks base64, in either alphabet, as Google's JSON has bytes.
func (n node) bytesValue() {
	s := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(n.text()), "=")
	if _, err := base64.RawStdEncoding.DecodeString(s); err != nil || s == "" {
		n.refuse("Invalid value (TYPE_BYTES), Base64 decoding failed for %.40q", n.text())
	}
}

func (n node) base64() {
	if _, err := base64.StdEncoding.DecodeString(n.text()); err != nil || n.text() == "" {
		n.refuse("is not base64")
	}
}

// dataURL checks data:TYPE;base64,…
func (n node) dataURL(types ...string) {
	head, data, ok := strings.Cut(n.text(), ";base64,")
	kind, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		n.refuse("must be a data URL with base64")
	}
	node{kind, n.path}.oneOf(types...)
	node{data, n.path}.base64()
}

// address checks a URL that the provider fetches.
func (n node) address(schemes ...string) {
	u, err := url.Parse(n.text())
	if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		n.refuse("%.80q is not an address of %q", n.text(), schemes)
	}
}

// jsonObject checks text that must be a JSON object.
func (n node) jsonObject() {
	var object map[string]any
	if json.Unmarshal([]byte(n.text()), &object) != nil || object == nil {
		n.refuse("must be a JSON object")
	}
}

// calls checks that every call has a result with its id before anything else follows, and that ids
// are unique.
type calls struct {
	id     *regexp.Regexp
	unique bool // across the whole request
	seen   map[string]bool
	open   map[string]node
}

func newCalls(id *regexp.Regexp, unique bool) *calls {
	return &calls{id: id, unique: unique, seen: map[string]bool{}, open: map[string]node{}}
}

func (c *calls) call(id node) {
	s := id.matches(c.id)
	if _, open := c.open[s]; open || c.unique && c.seen[s] {
		id.refuse("call ids must be unique: %q", s)
	}
	c.seen[s], c.open[s] = true, id
}

func (c *calls) result(id node) {
	s := id.text()
	if _, open := c.open[s]; !open {
		id.refuse("%.80q answers no call of the message before", s)
	}
	delete(c.open, s)
}

// close checks that every call has a result.
func (c *calls) close() {
	for _, id := range slices.Sorted(maps.Keys(c.open)) {
		c.open[id].refuse("call %q has no result", id)
	}
}

var (
	namePattern   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	geminiName    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)
	plainProperty = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

	chatID    = regexp.MustCompile(`^.{1,40}$`)
	wordID    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	mistralID = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

	reasons = regexp.MustCompile(`^(o[1-9]|gpt-5|gpt-oss)`)
	chats   = regexp.MustCompile(`^gpt-5(\.\d)?-chat`)

	webImages = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
)

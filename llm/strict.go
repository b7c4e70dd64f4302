package llm

import (
	"net/http"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// What the strict schemas of one request may have together: providers turn them into one grammar,
// and refuse the request if that gets too large. The numbers are Anthropic's.
const (
	maxStrictTools    = 20
	maxStrictUnions   = 16
	maxStrictOptional = 24
)

// strictness counts what strict schemas have.
type strictness struct{ tools, unions, optional int }

// add counts a tool more, if it fits.
func (s *strictness) add(more strictness) bool {
	sum := strictness{s.tools + 1, s.unions + more.unions, s.optional + more.optional}
	if sum.tools > maxStrictTools || sum.unions > maxStrictUnions || sum.optional > maxStrictOptional {
		return false
	}
	*s = sum
	return true
}

// strictnessOf counts the unions and the optional properties of a schema.
func strictnessOf(v *value) (s strictness) {
	for _, m := range v.fields() {
		if m.name == "anyOf" || m.name == "type" && m.value.is(jsonx.Array) {
			s.unions++
		}
	}
	if properties := v.get("properties"); properties.is(jsonx.Object) {
		s.optional += max(0, len(properties.members)-len(itemsOf(v.get("required"))))
	}
	for _, child := range append(itemsOf(v), membersOf(v)...) {
		below := strictnessOf(child)
		s.unions, s.optional = s.unions+below.unions, s.optional+below.optional
	}
	return s
}

func itemsOf(v *value) []*value {
	if v == nil {
		return nil
	}
	return v.items
}

func membersOf(v *value) (list []*value) {
	for _, m := range v.fields() {
		list = append(list, m.value)
	}
	return list
}

// Relaxed returns the request without strict schemas, if err is a provider's refusal of them; nil
// if it is not. The dialect asks for none any more until Restrict.
func (d *Dialect) Relaxed(f *Fitted, err *Error) *Fitted {
	if !f.strict || err.Status != http.StatusBadRequest || err.Err == nil ||
		!aboutStrict(strings.ToLower(err.Err.Error())) {
		return nil
	}
	d.relaxed.Store(true)
	return d.Fit(f.original)
}

// Restrict takes strict schemas up again: without them, too, the provider has refused the request.
func (d *Dialect) Restrict() { d.relaxed.Store(false) }

// aboutStrict reports whether an error's words are about strict schemas, or what becomes of them.
func aboutStrict(words string) bool {
	for _, word := range []string{
		"strict", "grammar", "too complex", "union types", "optional parameters", "circular", "recursive",
	} {
		if strings.Contains(words, word) {
			return true
		}
	}
	return false
}

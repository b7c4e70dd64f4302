package agui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// begin writes a field's name.
func (c *codec) begin(name string) {
	if c.comma {
		c.dst = append(c.dst, ',', '"')
	} else {
		c.dst = append(c.dst, '"')
	}
	c.comma = true
	c.dst = append(c.dst, name...)
	c.dst = append(c.dst, '"', ':')
}

// is checks the kind of a field's value.
func (c *codec) is(name string, want jsonx.Kind) bool {
	if k := c.in.Kind(); k != want {
		c.failIn(name, "must be "+want.String()+", got "+k.String())
		return false
	}
	return true
}

func (c *codec) str(name string, p *string, r rule) {
	if c.mode == writing {
		if (r&required != 0 || *p != "") && r&readOnly == 0 {
			c.begin(name)
			c.dst = jsonx.AppendString(c.dst, *p)
		}
		return
	}
	if c.wants(name, r) && c.is(name, jsonx.String) {
		raw := c.in.Raw()
		if !c.check {
			*p, _ = jsonx.Unquote(raw)
		}
	}
}

// text is a required string. Another value is read as its JSON text.
func (c *codec) text(name string, p *string) {
	if c.mode == writing || c.in.Kind() == jsonx.String {
		c.str(name, p, required)
		return
	}
	if c.wants(name, required) {
		*p = string(c.in.Raw())
	}
}

// strPtr is str for a string that may be absent and may be empty.
func (c *codec) strPtr(name string, p **string) {
	if c.mode == writing {
		if *p != nil {
			c.str(name, *p, required)
		}
		return
	}
	if c.wants(name, optional) && c.is(name, jsonx.String) {
		s, _ := jsonx.Unquote(c.in.Raw())
		*p = &s
	}
}

// word is str for a field with only a few values.
func (c *codec) word(name string, p *string, r rule, values []string) {
	if c.mode != writing {
		if !c.wants(name, r) || !c.is(name, jsonx.String) {
			return
		}
		*p = oneOf(c.in.Raw(), values)
	} else {
		c.str(name, p, r)
		if *p == "" && r&required == 0 {
			return
		}
	}
	if !slices.Contains(values, *p) {
		c.failIn(name, "must be "+strings.Join(values, " or ")+", got "+strconv.Quote(*p))
	}
}

// oneOf returns the string raw, without allocating if it is one of the values.
func oneOf(raw []byte, values []string) string {
	if len(raw) >= 2 {
		for _, v := range values {
			if string(raw[1:len(raw)-1]) == v {
				return v
			}
		}
	}
	s, _ := jsonx.Unquote(raw)
	return s
}

// constant is a field with a single value, which is not kept.
func (c *codec) constant(name, value string, r rule) {
	if c.mode == writing {
		c.str(name, &value, r)
		return
	}
	if c.wants(name, r) && c.is(name, jsonx.String) {
		if raw := c.in.Raw(); !isString(raw, value) {
			c.failIn(name, "must be "+value+got(raw))
		}
	}
}

func isString(raw []byte, value string) bool {
	if len(raw) >= 2 && string(raw[1:len(raw)-1]) == value {
		return true
	}
	s, _ := jsonx.Unquote(raw)
	return s == value
}

func (c *codec) boolean(name string, p **bool) {
	if c.mode == writing {
		if *p != nil {
			c.begin(name)
			c.dst = strconv.AppendBool(c.dst, **p)
		}
		return
	}
	if c.wants(name, optional) && c.is(name, jsonx.Bool) {
		b := c.in.Raw()[0] == 't'
		*p = &b
	}
}

// mostInt is the largest integer that every JSON reader represents exactly.
const mostInt = 1<<53 - 1

// integer is a whole number from least to mostInt.
func (c *codec) integer(name string, p **int64, least int64) {
	if c.mode == writing {
		if *p != nil {
			if **p < least || **p > mostInt {
				c.failIn(name,
					"must be from "+strconv.FormatInt(least, 10)+" to 2^53-1, got "+strconv.FormatInt(**p, 10))
			}
			c.begin(name)
			c.dst = strconv.AppendInt(c.dst, **p, 10)
		}
		return
	}
	if c.wants(name, optional) && c.is(name, jsonx.Number) {
		raw := c.in.Raw()
		n, ok := jsonx.ParseInt(raw)
		if !ok || n < least {
			c.failIn(name, "must be a whole number from "+strconv.FormatInt(least, 10)+" to 2^53-1"+got(raw))
		}
		*p = &n
	}
}

// got is the end of an error that shows the beginning of a wrong value.
func got(raw []byte) string { return ", got " + visible.Clip(string(raw), 40) }

// opaque is a value kept as it is. want restricts its kind; jsonx.Invalid does not.
func (c *codec) opaque(name string, p *json.RawMessage, want jsonx.Kind, r rule) {
	if c.mode == writing {
		c.writeOpaque(name, *p, want, r)
		return
	}
	if !c.wants(name, r) || want != jsonx.Invalid && !c.is(name, want) {
		return
	}
	raw := c.in.Raw()
	if c.own {
		raw = bytes.Clone(raw)
	}
	*p = raw
}

func (c *codec) writeOpaque(name string, raw json.RawMessage, want jsonx.Kind, r rule) {
	if raw == nil {
		if r&required != 0 {
			c.failIn(name, "is required")
		}
		return
	}
	if err := validate(raw, jsonx.Limits{}); err != nil {
		c.err = under(name, err)
		return
	}
	if k := jsonx.KindOf(raw); want != jsonx.Invalid && k != want {
		c.failIn(name, "must be "+want.String()+", got "+k.String())
	}
	c.begin(name)
	c.dst = appendLine(c.dst, raw)
}

// anything is a required value of any kind, including null. nil is written as null.
func (c *codec) anything(name string, p *json.RawMessage) {
	if c.mode == writing && *p == nil {
		c.begin(name)
		c.dst = append(c.dst, "null"...)
		return
	}
	c.opaque(name, p, jsonx.Invalid, required)
}

func (c *codec) metadata(p *json.RawMessage) { c.opaque("metadata", p, jsonx.Object, optional) }

// patch is an RFC 6902 patch, kept as it is.
func (c *codec) patch(name string, p *json.RawMessage) {
	read := c.seen
	c.opaque(name, p, jsonx.Array, required)
	if c.err == nil && (c.mode == writing || c.mode == reading && c.seen != read) {
		if err := checkPatch(*p); err != nil {
			c.err = under(name, err)
		}
	}
}

// appendLine appends JSON on one line: line breaks between tokens become spaces, as an event stream
// needs.
func appendLine(dst []byte, raw []byte) []byte {
	start := len(dst)
	dst = append(dst, raw...)
	line := dst[start:]
	for _, c := range [2]byte{'\n', '\r'} {
		for i := bytes.IndexByte(line, c); i >= 0; i = bytes.IndexByte(line, c) {
			line[i] = ' '
		}
	}
	return dst
}

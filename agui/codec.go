package agui

import (
	"strconv"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/jsonx"
)

// wired is a type that travels as a JSON object. Its fields method names every field once, for
// reading and for writing: what is read and what is written cannot drift apart.
type wired interface{ fields(c *codec) }

// rule says when a field may be absent or null.
type rule uint8

const (
	optional rule = 0
	required rule = 1 << iota // must be there; written also when empty
	nullable                  // null is read as absent: a peer of version 0.x may send it
	readOnly                  // read but never written: an old spelling
)

// variant is a wired type whose fields depend on the value of one of them, which choose looks up
// before the others are read.
type variant interface{ choose(c *codec) }

// mode is what a visit to the fields is for.
type mode uint8

const (
	writing mode = iota // append every field that is present
	reading             // read the value of the field whose name is key
	folding             // find the field whose name is key but for its case
	closing             // find a required field that was not read
)

// codec visits the fields of one object at a time. The first error stops it and stays.
type codec struct {
	mode mode
	err  error

	// writing
	dst   []byte
	comma bool

	// reading
	in      jsonx.Decoder
	key     []byte // the member being read
	taken   bool   // a field has claimed it
	field   uint8  // number of the field being visited
	seen    uint64 // fields read so far, by number
	check   bool   // only check: strings are not made
	own     bool   // opaque values are copied
	scratch [64]byte
}

var codecs = sync.Pool{New: func() any { return new(codec) }}

// write appends o as an object and returns dst unchanged on error.
func write(dst []byte, o wired) ([]byte, error) {
	c := codecs.Get().(*codec)
	c.dst = dst
	c.object(o)
	out, err := c.dst, c.err
	*c = codec{}
	codecs.Put(c)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// read fills o from data, which must have been validated.
func read(data []byte, o wired, own bool) error {
	c := codecs.Get().(*codec)
	c.in.Data, c.own = data, own
	c.mode = reading
	c.object(o)
	err := c.err
	*c = codec{}
	codecs.Put(c)
	return err
}

// object reads or writes the object that o is.
func (c *codec) object(o wired) {
	if c.mode == writing {
		outer := c.comma
		c.dst = append(c.dst, '{')
		c.comma = false
		o.fields(c)
		c.dst = append(c.dst, '}')
		c.comma = outer
		return
	}
	if k := c.in.Kind(); k != jsonx.Object {
		c.fail("must be an object, got " + k.String())
		return
	}
	if v, ok := o.(variant); ok {
		v.choose(c)
	}
	key, seen := c.key, c.seen
	c.seen = 0
	c.members(o)
	c.key, c.seen, c.mode, c.taken = key, seen, reading, true
}

// maxUnknown is how many properties of one object may be dropped. Each costs a look at every
// field's name.
const maxUnknown = 1000

func (c *codec) members(o wired) {
	unknown := 0
	for c.in.Enter(); c.err == nil && c.in.More(); {
		c.key = c.in.Key(c.scratch[:])
		if c.visit(o, reading); !c.taken {
			c.unknown(o)
			unknown++
		}
		if unknown > maxUnknown {
			c.fail("has more than " + strconv.Itoa(maxUnknown) + " properties that are not known")
		}
	}
	if c.err == nil {
		c.visit(o, closing)
	}
}

func (c *codec) visit(o wired, m mode) {
	c.mode, c.field, c.taken = m, 0, false
	o.fields(c)
}

// unknown steps over a member no field has claimed. A key that is a field's name but for its case
// is refused: readers that fold case would take it for the field.
func (c *codec) unknown(o wired) {
	c.visit(o, folding)
	c.in.Skip()
}

func (c *codec) fail(reason string) {
	if c.err == nil {
		c.err = fieldError("", reason)
	}
}

func (c *codec) failIn(name, reason string) {
	if c.err == nil {
		c.err = fieldError(name, reason)
	}
}

// wants reports whether the field being visited is to be read now. It does all the work of the
// modes that read nothing.
func (c *codec) wants(name string, r rule) bool {
	if c.err != nil || c.taken {
		return false
	}
	bit := uint64(1) << c.field
	c.field++
	switch c.mode {
	case reading:
		if string(c.key) != name {
			return false
		}
		c.taken = true
		c.seen |= bit
		if r&nullable != 0 && c.in.Kind() == jsonx.Null {
			c.in.Skip()
			return false
		}
		return true
	case folding:
		if strings.EqualFold(string(c.key), name) {
			c.failIn(jsonx.KeyPath(c.key), "must be spelled "+name)
		}
	case closing:
		if r&required != 0 && c.seen&bit == 0 {
			c.failIn(name, "is required")
		}
	}
	return false
}

// one is a field that holds an object.
func one[T any, P interface {
	*T
	wired
}](c *codec, name string, p **T, r rule) {
	if c.mode == writing {
		if *p != nil {
			c.begin(name)
			c.object(P(*p))
			c.nest(name)
		} else if r&required != 0 {
			c.failIn(name, "is required")
		}
		return
	}
	if c.wants(name, r) {
		*p = new(T)
		c.object(P(*p))
		c.nest(name)
	}
}

// part is a field that holds an object which is kept by value.
func part[T any, P interface {
	*T
	wired
}](c *codec, name string, p P, r rule) {
	if c.mode == writing {
		c.begin(name)
	} else if !c.wants(name, r) {
		return
	}
	c.object(p)
	c.nest(name)
}

// nest puts the path of an error below name.
func (c *codec) nest(name string) {
	if c.err != nil {
		c.err = under(name, c.err)
	}
}

// list is a field that holds an array of objects. It is written where it is not nil or is required.
func list[T any, P interface {
	*T
	wired
}](c *codec, name string, p *[]T, r rule) {
	if c.mode == writing {
		if (*p != nil || r&required != 0) && r&readOnly == 0 {
			c.begin(name)
			c.writeList(len(*p), func(i int) { c.object(P(&(*p)[i])) })
			c.nest(name)
		}
		return
	}
	if !c.wants(name, r) || !c.is(name, jsonx.Array) {
		return
	}
	*p = []T{}
	for c.in.Enter(); c.err == nil && c.in.More(); {
		var item T
		if c.object(P(&item)); c.err != nil {
			c.nest(jsonx.Index(len(*p)))
			break
		}
		*p = append(*p, item)
	}
	c.nest(name)
}

func (c *codec) writeList(n int, item func(i int)) {
	c.dst = append(c.dst, '[')
	for i := range n {
		if i > 0 {
			c.dst = append(c.dst, ',')
		}
		if item(i); c.err != nil {
			c.nest(jsonx.Index(i))
			return
		}
	}
	c.dst = append(c.dst, ']')
}

// words is a field that holds an array of strings.
func (c *codec) words(name string, p *[]string) {
	if c.mode == writing {
		if *p != nil {
			c.begin(name)
			c.writeList(len(*p), func(i int) { c.dst = jsonx.AppendString(c.dst, (*p)[i]) })
		}
		return
	}
	if !c.wants(name, optional) || !c.is(name, jsonx.Array) {
		return
	}
	*p = []string{}
	for c.in.Enter(); c.err == nil && c.in.More(); {
		if !c.is(name+jsonx.Index(len(*p)), jsonx.String) {
			return
		}
		s, _ := jsonx.Unquote(c.in.Raw())
		*p = append(*p, s)
	}
}

// kind returns the string that the object which is next has under name, which decides what its
// other fields are. Values are what it should be.
func (c *codec) kind(name string, values []string) string {
	at := c.in.Pos
	defer func() { c.in.Pos = at }()
	if c.in.Kind() != jsonx.Object {
		return ""
	}
	for c.in.Enter(); c.in.More(); {
		if string(c.in.Key(c.scratch[:])) == name {
			return oneOf(c.in.Raw(), values)
		}
		c.in.Skip()
	}
	return ""
}

package agui

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/jsonx"
)

// wired is a type with fields on the wire that its tags do not tell. Its fields method names every
// field once, for both reading and writing, so the two cannot diverge.
type wired interface{ fields(c *codec) }

// rule determines whether a field may be absent or null.
type rule uint8

const (
	optional rule = 0
	required rule = 1 << iota // must be present; also written when empty
	nullable                  // null is read as absent: a peer of version 0.x may send it
	readOnly                  // read but never written: an old spelling
)

// variant is a wired type whose fields depend on the value of one of them, which choose looks up
// before the others are read.
type variant interface{ choose(c *codec) }

// mode is the purpose of a visit to the fields.
type mode uint8

const (
	writing mode = iota // append every field that is present
	reading             // read the value of the field whose name is key
	folding             // find the field with the name key, ignoring case
	closing             // find a required field that was not read
)

// codec visits the fields of one object at a time. It stops at the first error and keeps it.
type codec struct {
	mode mode
	err  error
	tags *taggedType // of the struct that was visited last

	// writing
	dst   []byte
	comma bool

	// reading
	in      jsonx.Decoder
	key     []byte // the member being read
	taken   bool   // a field has claimed it
	field   uint8  // number of the field being visited
	seen    uint64 // fields read so far, by number
	check   bool   // only validate: make no strings
	own     bool   // opaque values are copied
	most    int    // messages of a list; 0 is no limit
	unnamed bool   // messages may lack ids
	scratch [64]byte
}

var codecs = sync.Pool{New: func() any { return new(codec) }}

// write appends o as an object and returns dst unchanged on error.
func write(dst []byte, o any) ([]byte, error) {
	return codecs.Get().(*codec).write(dst, o)
}

// writeInput is write for a client's request, whose messages may lack ids.
func writeInput(dst []byte, in *RunAgentInput) ([]byte, error) {
	c := codecs.Get().(*codec)
	c.unnamed = true
	return c.write(dst, in)
}

// write appends o as an object, gives c back to the pool and returns dst unchanged on error.
func (c *codec) write(dst []byte, o any) ([]byte, error) {
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

// read fills o from data, which has been validated.
func read(data []byte, o any, own bool) error {
	c := codecs.Get().(*codec)
	c.own = own
	return c.read(data, o)
}

// readInput is read for a client's request: with a limit on the length of lists of messages, which
// may lack ids.
func readInput(most int, data []byte, in *RunAgentInput) error {
	c := codecs.Get().(*codec)
	c.most, c.unnamed = most, true
	return c.read(data, in)
}

// read fills o from data and gives c back to the pool.
func (c *codec) read(data []byte, o any) error {
	c.in.Data = data
	c.mode = reading
	c.object(o)
	err := c.err
	*c = codec{}
	codecs.Put(c)
	return err
}

// object reads or writes o.
func (c *codec) object(o any) {
	if c.mode == writing {
		outer := c.comma
		c.dst = append(c.dst, '{')
		c.comma = false
		c.fields(o)
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

// maxUnknown is how many properties of one object may be dropped. Each is compared with every
// field's name.
const maxUnknown = 1000

func (c *codec) members(o any) {
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

func (c *codec) visit(o any, m mode) {
	c.mode, c.field, c.taken = m, 0, false
	c.fields(o)
}

// fields visits the fields of *o.
func (c *codec) fields(o any) {
	if w, ok := o.(wired); ok {
		w.fields(c)
		return
	}
	c.tagged(o)
}

// unknown skips a member that no field has claimed. It refuses a key that differs from a field's
// name only in case: readers that fold case would take it for the field.
func (c *codec) unknown(o any) {
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

// wants reports whether to read the field being visited now. In the modes that do not read, it does
// all the work.
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

// one is a field that holds an object, by pointer: p points to that.
func (c *codec) one(name string, p any, r rule) {
	v := reflect.ValueOf(p).Elem()
	if c.mode == writing {
		if !v.IsNil() {
			c.part(name, v.Interface(), r)
		} else if r&required != 0 {
			c.failIn(name, "is required")
		}
		return
	}
	if c.wants(name, r) {
		v.Set(reflect.New(v.Type().Elem()))
		c.object(v.Interface())
		c.nest(name)
	}
}

// part is a field that holds the object *p.
func (c *codec) part(name string, p any, r rule) {
	if c.mode == writing {
		c.begin(name)
	} else if !c.wants(name, r) {
		return
	}
	c.object(p)
	c.nest(name)
}

// nest prefixes the path of an error with name.
func (c *codec) nest(name string) {
	if c.err != nil {
		c.err = under(name, c.err)
	}
}

// list is a field that holds an array of objects: p points to a slice. It is written if it is not
// nil or is required.
func (c *codec) list(name string, p any, r rule) {
	v := reflect.ValueOf(p).Elem()
	if c.mode == writing {
		if (!v.IsNil() || r&required != 0) && r&readOnly == 0 {
			c.begin(name)
			c.writeList(v.Len(), func(i int) { c.object(v.Index(i).Addr().Interface()) })
			c.nest(name)
		}
		return
	}
	if c.wants(name, r) && c.is(name, jsonx.Array) {
		read := func() { c.readList(name, v) }
		switch p := p.(type) {
		case *[]Tool:
			readKnown(c, p, knownTools, read)
		case *[]ContextItem:
			readKnown(c, p, knownContext, read)
		default:
			read()
		}
		c.nest(name)
	}
}

// readList reads an array of objects into the slice v.
func (c *codec) readList(name string, v reflect.Value) {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for c.in.Enter(); c.err == nil && c.in.More(); {
		n := v.Len()
		if c.most > 0 && n == c.most && name == "messages" {
			c.fail("must hold at most " + strconv.Itoa(c.most) + " messages")
			return
		}
		v.Grow(1)
		v.SetLen(n + 1)
		if c.object(v.Index(n).Addr().Interface()); c.err != nil {
			c.nest(jsonx.Index(n))
			return
		}
	}
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

// kind returns the string under name in the next object, which decides what its other fields are.
// It should be one of values.
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

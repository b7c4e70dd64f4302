package agui

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxProtoFrame is the longest frame that a ProtoReader reads, in bytes.
const MaxProtoFrame = 16 << 20

// maxProtoValues bounds the values of an event: an empty one takes two bytes of a frame, and much
// more once it is read.
const maxProtoValues = 1 << 20

// ErrProtoTooLong means that a frame is longer than MaxProtoFrame.
var ErrProtoTooLong = errors.New("agui: a frame of the binary framing is too long")

// ProtoReader reads a stream of events in AG-UI's binary framing, as AppendProto writes it. Not
// safe for concurrent use.
type ProtoReader struct {
	from io.Reader
	buf  bytes.Buffer
}

// NewProtoReader returns a reader of the stream in from, which it does not buffer.
func NewProtoReader(from io.Reader) *ProtoReader { return &ProtoReader{from: from} }

// Next returns the next event, and its id if the sender is one that gives ids.
//
// At the end it returns io.EOF, and io.ErrUnexpectedEOF if the stream ends within a frame. A
// message that UnmarshalProto refuses is a *FieldError: the frame is read, and the next call
// returns the event behind it. ErrProtoTooLong and errors of the stream are final.
func (r *ProtoReader) Next() (e Event, id string, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r.from, head[:]); err != nil {
		return nil, "", err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > MaxProtoFrame {
		return nil, "", ErrProtoTooLong
	}
	r.buf.Reset()
	if _, err := io.CopyN(&r.buf, r.from, size); err != nil { // grows with what comes
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, "", err
	}
	return UnmarshalProto(r.buf.Bytes())
}

// UnmarshalProto reads the message ag_ui.Event of AG-UI 1.0: a frame without its length. Errors are
// *FieldError: the message is not protobuf, nests deeper than MaxDepth, has more than a million
// values, or holds no event that UnmarshalEvent takes. Fields that are not known are skipped. The
// event does not refer to message.
func UnmarshalProto(message []byte) (e Event, id string, err error) {
	d := protoDecoder{left: maxProtoValues}
	event := map[string]any{}
	d.each(message, func(num protowire.Number, f protoWire) {
		if num == protoID {
			id = string(f.bytes)
			return
		}
		if name, arm := protoEvent.armOf(num); arm != nil {
			clear(event)
			d.fields(arm.of, f.bytes, event)
			if got := event["type"]; got != name && d.err == nil {
				d.err = fieldError("type", fmt.Sprintf("is %v in the message of %s", got, name))
			}
		}
	})
	if d.err == nil && len(event) == 0 {
		d.err = fieldError("type", "is not an event of AG-UI "+ProtocolVersion)
	}
	if d.err != nil {
		return nil, "", d.err
	}
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(event); err != nil {
		return nil, "", fieldError("", err.Error()) // a number that JSON does not have
	}
	e, err = UnmarshalEvent(doc.Bytes())
	return e, id, err
}

// armOf returns the arm of a number, and the value of "type" that selects it; nil if there is none.
func (t *protoType) armOf(num protowire.Number) (name string, arm *protoField) {
	for name, arm := range t.arms {
		if arm.num == num {
			return name, &arm
		}
	}
	return "", nil
}

// protoWire is the value of a field: its bytes, or its number.
type protoWire struct {
	kind   protowire.Type
	bytes  []byte
	number uint64
}

// protoDecoder translates protobuf messages into JSON values, with the tables that protoWriter
// writes them by. It keeps the first error.
type protoDecoder struct {
	depth, left int
	err         error
}

// each calls yield with each field of a message.
func (d *protoDecoder) each(data []byte, yield func(protowire.Number, protoWire)) {
	if d.depth++; d.depth > 2*MaxDepth { // a value in another is two messages
		d.fail("is nested too deep")
	}
	for len(data) > 0 && d.err == nil {
		num, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			d.fail("is not protobuf")
			break
		}
		data = data[n:]
		f := protoWire{kind: kind}
		switch kind {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(data)
		default:
			n = protowire.ConsumeFieldValue(num, kind, data)
		}
		if n < 0 {
			d.fail("is not protobuf")
			break
		}
		data = data[n:]
		if d.count(1); d.err == nil {
			yield(num, f)
		}
	}
	d.depth--
}

func (d *protoDecoder) fail(reason string) {
	if d.err == nil {
		d.err = fieldError("", reason)
	}
}

func (d *protoDecoder) count(n int) {
	if d.left -= n; d.left < 0 {
		d.fail("has too many values")
	}
}

// object reads a message with a oneof, or one without.
func (d *protoDecoder) object(t *protoType, data []byte) map[string]any {
	o := map[string]any{}
	if t.arms == nil {
		d.fields(t, data, o)
		return o
	}
	d.each(data, func(num protowire.Number, f protoWire) {
		if name, arm := t.armOf(num); arm != nil {
			clear(o)
			d.fields(arm.of, f.bytes, o)
			o["type"] = name
		}
	})
	return o
}

// fields reads the fields of a message into an object. What protobuf leaves out because it is
// empty, and JSON must have, is there from the beginning.
func (d *protoDecoder) fields(t *protoType, data []byte, o map[string]any) {
	for i := range t.fields {
		if f := &t.fields[i]; f.within == "" {
			d.empty(f, o)
		}
	}
	d.each(data, func(num protowire.Number, value protoWire) {
		for i := range t.fields {
			if f := &t.fields[i]; f.num == num && f.travelsAs(value.kind) {
				d.field(f, value, d.into(f, o))
				return
			}
		}
	})
	if content, role := o["content"], o["role"]; content == nil && t.hasContent() &&
		(o["type"] != nil || role == RoleUser || role == RoleTool) {
		o["content"] = []any{}
	}
}

// hasContent reports whether a message has a content of parts, which may be an empty list.
func (t *protoType) hasContent() bool {
	for i := range t.fields {
		if f := &t.fields[i]; f.name == "content" && f.kind == protoObjects {
			return true
		}
	}
	return false
}

// empty adds the value that a field has which was left out.
func (d *protoDecoder) empty(f *protoField, o map[string]any) {
	switch {
	case f.kind == protoText && !f.presence:
		o[f.name] = ""
	case f.kind == protoPatchOp:
		o[f.name] = protoPatchOps[0]
	case f.kind == protoEventType:
		o[f.name] = protoEventTypes[0]
	case f.kind == protoObjects && (f.of == &protoPatch || f.of == &protoMessage):
		o[f.name] = []any{}
	default:
		return
	}
	d.count(1)
}

// into returns the object that a field belongs to.
func (d *protoDecoder) into(f *protoField, o map[string]any) map[string]any {
	if f.within == "" {
		return o
	}
	inner, ok := o[f.within].(map[string]any)
	if !ok {
		inner = map[string]any{}
		o[f.within] = inner
	}
	return inner
}

// travelsAs reports whether a field is written with a type of the wire.
func (f *protoField) travelsAs(kind protowire.Type) bool {
	switch f.kind {
	case protoWhole, protoFlag, protoEventType, protoPatchOp:
		return kind == protowire.VarintType
	}
	return kind == protowire.BytesType
}

func (d *protoDecoder) field(f *protoField, value protoWire, o map[string]any) {
	list, _ := o[f.name].([]any)
	switch f.kind {
	case protoText:
		o[f.name] = string(value.bytes)
	case protoTexts:
		o[f.name] = append(list, string(value.bytes))
	case protoWhole:
		o[f.name] = int64(value.number)
	case protoFlag:
		o[f.name] = value.number != 0
	case protoAny:
		o[f.name] = d.value(value.bytes)
	case protoStruct:
		o[f.name] = d.structure(value.bytes)
	case protoObject:
		o[f.name] = d.object(f.of, value.bytes)
	case protoObjects:
		o[f.name] = append(list, d.object(f.of, value.bytes))
	case protoSelf:
		d.fields(f.of, value.bytes, o)
	case protoEventType:
		o[f.name] = d.name(protoEventTypes, value.number)
	case protoPatchOp:
		o[f.name] = d.name(protoPatchOps, value.number)
	}
}

// name returns the name of a value of an enum.
func (d *protoDecoder) name(names []string, n uint64) string {
	if n >= uint64(len(names)) {
		return strconv.FormatUint(n, 10) // refused like any name that is not known
	}
	return names[n]
}

// structure reads a google.protobuf.Struct.
func (d *protoDecoder) structure(data []byte) map[string]any {
	o := map[string]any{}
	d.each(data, func(num protowire.Number, entry protoWire) {
		if num != structEntries {
			return
		}
		key, value := "", any(nil)
		d.each(entry.bytes, func(num protowire.Number, f protoWire) {
			switch num {
			case entryKey:
				key = string(f.bytes)
			case entryValue:
				value = d.value(f.bytes)
			}
		})
		o[key] = value
	})
	return o
}

// value reads a google.protobuf.Value. One without a kind is null.
func (d *protoDecoder) value(data []byte) (v any) {
	d.each(data, func(num protowire.Number, f protoWire) {
		switch num {
		case valueNull:
			v = nil
		case valueNumber:
			v = math.Float64frombits(f.number)
		case valueString:
			v = string(f.bytes)
		case valueBool:
			v = f.number != 0
		case valueStruct:
			v = d.structure(f.bytes)
		case valueList:
			v = d.list(f.bytes)
		}
	})
	return v
}

func (d *protoDecoder) list(data []byte) []any {
	items := []any{}
	d.each(data, func(num protowire.Number, f protoWire) {
		if num == listItems {
			items = append(items, d.value(f.bytes))
		}
	})
	return items
}

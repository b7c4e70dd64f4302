package agui

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/pageside/pageside/internal/jsonx"
)

// ProtoMediaType is the media type of AG-UI's binary framing.
const ProtoMediaType = "application/vnd.ag-ui.event+proto"

// protoID is the number of the field of ag_ui.Event that holds an event's id. The field is
// Pageside's: readers skip the fields they do not know.
const protoID protowire.Number = 50000

// AppendProto appends an event in AG-UI's binary framing: four bytes of length, most significant
// first, then the message ag_ui.Event. event is JSON as AppendEvent writes it, id may be empty.
//
// The message has every field of AG-UI 1.0. Numbers in opaque values become doubles, which is how
// JavaScript reads them as JSON. An empty list, and an empty string that the schema requires, are
// left out, which decoders read as empty.
func AppendProto(dst []byte, id string, event []byte) ([]byte, error) {
	if err := validate(event, jsonx.Limits{}); err != nil {
		return dst, fmt.Errorf("agui: encode an event as protobuf: %w", err)
	}
	start := len(dst)
	w := protoWriter{dst: append(dst, 0, 0, 0, 0)}
	w.object(&protoEvent, event)
	if w.err != nil {
		return dst, fmt.Errorf("agui: encode an event as protobuf: %w", w.err)
	}
	if id != "" {
		w.dst = protowire.AppendTag(w.dst, protoID, protowire.BytesType)
		w.dst = protowire.AppendString(w.dst, id)
	}
	binary.BigEndian.PutUint32(w.dst[start:], uint32(len(w.dst)-start-4))
	return w.dst, nil
}

// ProtoEnds reports whether the last of some frames that AppendProto has written ends a run.
func ProtoEnds(frames []byte) bool {
	var last []byte
	for len(frames) >= 4 {
		size := min(4+int(binary.BigEndian.Uint32(frames)), len(frames))
		last, frames = frames[4:size], frames[size:]
	}
	arm, _, _ := protowire.ConsumeTag(last)
	return arm == protoRunFinished || arm == protoRunError
}

// protoWriter translates JSON, which has been validated, into protobuf messages. It keeps the first
// error.
type protoWriter struct {
	dst []byte
	err error
}

// object appends the fields of an object, in the order of their numbers.
func (w *protoWriter) object(t *protoType, raw []byte) {
	if t.arms != nil {
		w.arm(t, raw)
		return
	}
	var values [maxProtoFields][]byte
	w.collect(t, raw, &values)
	for i := range t.fields {
		f := &t.fields[i]
		if f.kind == protoSelf {
			values[i] = raw
		}
		if values[i] != nil && w.err == nil {
			w.field(f, values[i])
		}
	}
}

// arm appends the one field that the value of "type" selects.
func (w *protoWriter) arm(t *protoType, raw []byte) {
	name := oneOf(jsonx.Find(raw, "type"), nil)
	f, ok := t.arms[name]
	if !ok {
		w.fail("type", strconv.Quote(name)+" is not known")
		return
	}
	at := w.begin(f.num)
	w.object(f.of, raw)
	w.end(at)
}

// collect finds the values of the message's fields. A member that no field is made of is dropped,
// as in JSON.
func (w *protoWriter) collect(t *protoType, raw []byte, values *[maxProtoFields][]byte) {
	var scratch [64]byte
	d := jsonx.Decoder{Data: raw}
	for d.Enter(); d.More(); {
		key := d.Key(scratch[:])
		value := d.Raw()
		wanted, taken := false, false
		for i := range t.fields {
			f := &t.fields[i]
			switch {
			case string(key) == f.name && f.within == "":
				wanted = !f.ignored
				if f.takes(value) {
					values[i], taken = value, true
				}
			case f.within != "" && string(key) == f.within:
				if inner := jsonx.Find(value, f.name); inner != nil && f.takes(inner) {
					values[i] = inner
				}
			}
		}
		if wanted && !taken {
			w.fail(string(key), "must not be "+jsonx.KindOf(value).String())
		}
	}
}

func (w *protoWriter) fail(field, reason string) {
	if w.err == nil {
		w.err = fieldError(field, reason)
	}
}

// takes reports whether a field can hold a JSON value.
func (f *protoField) takes(raw []byte) bool {
	k := jsonx.KindOf(raw)
	switch f.kind {
	case protoText, protoEventType, protoPatchOp:
		return k == jsonx.String
	case protoWhole:
		return k == jsonx.Number
	case protoFlag:
		return k == jsonx.Bool
	case protoStruct, protoObject:
		return k == jsonx.Object
	case protoTexts, protoObjects:
		return k == jsonx.Array
	}
	return true
}

func (w *protoWriter) field(f *protoField, raw []byte) {
	switch f.kind {
	case protoText:
		if f.presence || len(raw) > len(`""`) {
			w.text(f.num, raw)
		}
	case protoWhole:
		n, ok := jsonx.ParseInt(raw)
		if !ok {
			w.fail(f.name, "must be a whole number from -2^53+1 to 2^53-1"+got(raw))
		}
		w.varint(f.num, uint64(n))
	case protoFlag:
		w.varint(f.num, protowire.EncodeBool(raw[0] == 't'))
	case protoEventType, protoPatchOp:
		w.enum(f, raw)
	case protoAny:
		w.nested(f.num, raw, w.value)
	case protoStruct:
		w.nested(f.num, raw, w.structure)
	case protoObject, protoSelf:
		at := w.begin(f.num)
		w.object(f.of, raw)
		w.end(at)
	case protoTexts, protoObjects:
		w.list(f, raw)
	}
}

// enum appends a string as its number; the first one is left out.
func (w *protoWriter) enum(f *protoField, raw []byte) {
	names := protoPatchOps
	if f.kind == protoEventType {
		names = protoEventTypes
	}
	name := oneOf(raw, names)
	n := slices.Index(names, name)
	if n < 0 {
		w.fail(f.name, strconv.Quote(name)+" is not known")
	}
	if n > 0 {
		w.varint(f.num, uint64(n))
	}
}

func (w *protoWriter) list(f *protoField, raw []byte) {
	d := jsonx.Decoder{Data: raw}
	n := 0
	for d.Enter(); w.err == nil && d.More(); n++ {
		item := d.Raw()
		switch k := jsonx.KindOf(item); {
		case f.kind == protoTexts && k == jsonx.String:
			w.text(f.num, item)
		case f.kind == protoObjects && k == jsonx.Object:
			at := w.begin(f.num)
			w.object(f.of, item)
			w.end(at)
		default:
			w.fail(jsonx.Index(n), "must not be "+k.String())
		}
		if w.err != nil {
			w.err = under(f.name, w.err)
		}
	}
}

func (w *protoWriter) varint(num protowire.Number, n uint64) {
	w.dst = protowire.AppendTag(w.dst, num, protowire.VarintType)
	w.dst = protowire.AppendVarint(w.dst, n)
}

// text appends a JSON string.
func (w *protoWriter) text(num protowire.Number, raw []byte) {
	at := w.begin(num)
	var err error
	if w.dst, err = jsonx.AppendUnquoted(w.dst, raw); err != nil && w.err == nil {
		w.err = err
	}
	w.end(at)
}

// begin begins a field with a length, and end sets the length. Short ones, nearly all, have a
// single byte for it.
func (w *protoWriter) begin(num protowire.Number) (at int) {
	w.dst = protowire.AppendTag(w.dst, num, protowire.BytesType)
	w.dst = append(w.dst, 0)
	return len(w.dst)
}

func (w *protoWriter) end(at int) {
	size := len(w.dst) - at
	if size < 0x80 {
		w.dst[at-1] = byte(size)
		return
	}
	var room [10]byte
	length := protowire.AppendVarint(room[:0], uint64(size))
	w.dst = slices.Insert(w.dst, at, length[1:]...)
	w.dst[at-1] = length[0]
}

// The messages of google.protobuf that hold any JSON.
const (
	structEntries protowire.Number = 1 // of Struct
	entryKey      protowire.Number = 1 // of Struct.FieldsEntry
	entryValue    protowire.Number = 2
	valueNull     protowire.Number = 1 // of Value
	valueNumber   protowire.Number = 2
	valueString   protowire.Number = 3
	valueBool     protowire.Number = 4
	valueStruct   protowire.Number = 5
	valueList     protowire.Number = 6
	listItems     protowire.Number = 1 // of ListValue
)

// nested appends a message that write writes of a JSON value.
func (w *protoWriter) nested(num protowire.Number, raw []byte, write func(*jsonx.Decoder)) {
	at := w.begin(num)
	write(&jsonx.Decoder{Data: raw})
	w.end(at)
}

// structure appends the fields of a Struct.
func (w *protoWriter) structure(d *jsonx.Decoder) {
	var scratch [64]byte
	for d.Enter(); d.More(); {
		entry := w.begin(structEntries)
		if key := d.Key(scratch[:]); len(key) > 0 {
			w.dst = protowire.AppendTag(w.dst, entryKey, protowire.BytesType)
			w.dst = protowire.AppendBytes(w.dst, key)
		}
		value := w.begin(entryValue)
		w.value(d)
		w.end(value)
		w.end(entry)
	}
}

// value appends the fields of a Value.
func (w *protoWriter) value(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.String:
		w.text(valueString, d.Raw())
	case jsonx.Number:
		w.number(d.Raw())
	case jsonx.Bool:
		w.varint(valueBool, protowire.EncodeBool(d.Raw()[0] == 't'))
	case jsonx.Object:
		at := w.begin(valueStruct)
		w.structure(d)
		w.end(at)
	case jsonx.Array:
		at := w.begin(valueList)
		for d.Enter(); d.More(); {
			item := w.begin(listItems)
			w.value(d)
			w.end(item)
		}
		w.end(at)
	default:
		d.Skip()
		w.varint(valueNull, 0)
	}
}

// number appends a number as the nearest double. One beyond all doubles is infinite, as it is for
// JavaScript.
func (w *protoWriter) number(raw []byte) {
	n, _ := strconv.ParseFloat(string(raw), 64)
	w.dst = protowire.AppendTag(w.dst, valueNumber, protowire.Fixed64Type)
	w.dst = protowire.AppendFixed64(w.dst, math.Float64bits(n))
}

package agui

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/pageside/pageside/test/must"
)

func framed(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)
}

func field(num protowire.Number, message ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), slices.Concat(message...))
}

// TestProtoReader: events come with their ids to the end of the stream; one that is none is named
// and passed over.
func TestProtoReader(t *testing.T) {
	first := protoFrame(t, "r:1.1", []byte(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`))
	last := protoFrame(t, "", []byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}`))
	bad := framed(field(99, []byte("new")))
	r := NewProtoReader(bytes.NewReader(slices.Concat(first, bad, last)))
	e, id, err := r.Next()
	if started, ok := e.(*RunStarted); err != nil || !ok || started.RunID != "r" || id != "r:1.1" {
		t.Fatalf("%+v %q %v", e, id, err)
	}
	if _, _, err = r.Next(); err == nil || err.(*FieldError).Path != "type" {
		t.Errorf("an unknown event: %v", err)
	}
	e, id, err = r.Next()
	if ended, ok := e.(*RunFinished); err != nil || !ok || ended.Outcome.Type != OutcomeSuccess || id != "" {
		t.Fatalf("%+v %q %v", e, id, err)
	}
	_, _, err = r.Next()
	must.Be(t, err, io.EOF, "at the end")
	for n := 1; n < len(first); n++ {
		_, _, err := NewProtoReader(bytes.NewReader(first[:n])).Next()
		must.Be(t, err, io.ErrUnexpectedEOF, "after %d bytes", n)
	}
}

// TestHostileProto: what is sent to harm is refused, and takes no memory to speak of.
func TestHostileProto(t *testing.T) {
	base := func(n uint64) []byte {
		return field(1, protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n))
	}
	deep := []byte{}
	for range 2000 {
		deep = field(valueList, field(listItems, deep))
	}
	snapshot := func(value []byte) []byte { return field(7, base(6), field(2, value)) }
	for name, tc := range map[string]struct {
		message []byte
		says    string
	}{
		"nothing":              {nil, "type: is not an event"},
		"no protobuf":          {[]byte{0xff}, "is not protobuf"},
		"a group that is open": {[]byte{0x0b}, "is not protobuf"},
		"cut":                  {field(1, base(0))[:3], "is not protobuf"},
		"of another type":      {field(2, base(0), field(2, []byte("m"))), "type: is TEXT_MESSAGE_START in the message of TEXT_MESSAGE_CONTENT"},
		"of no type":           {field(2, base(1<<40), field(2, []byte("m"))), "type: is 1099511627776 in"},
		"without its name":     {field(15, base(14)), ""},
		"too deep":             {snapshot(deep), "is nested too deep"},
		"too many":             {snapshot(field(valueList, bytes.Repeat([]byte{0x0a, 0}, maxProtoValues))), "has too many values"},
		"too many messages":    {field(9, base(8), bytes.Repeat([]byte{0x12, 0}, maxProtoValues)), "has too many values"},
		"no number":            {snapshot(protowire.AppendFixed64(protowire.AppendTag(nil, valueNumber, protowire.Fixed64Type), 0x7ff8000000000001)), "NaN"},
		"a number as a text":   {field(11, base(10), protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1)), "value: is required"},
	} {
		_, _, err := NewProtoReader(bytes.NewReader(framed(tc.message))).Next()
		if tc.says == "" && err == nil {
			continue
		}
		if _, ok := errors.AsType[*FieldError](err); !ok || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := []byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3}
	_, _, err := NewProtoReader(bytes.NewReader(long)).Next()
	must.FailWith(t, err, ErrProtoTooLong, "a frame of 4 GB")
	if n := testing.AllocsPerRun(1, func() {
		_, _, _ = NewProtoReader(bytes.NewReader([]byte{0, 0xff, 0xff, 0xff, 1})).Next()
	}); n > 20 {
		t.Errorf("a frame of which one byte comes: %v allocations", n)
	}
}

// FuzzProtoReader: no bytes break it, and an event that it reads is one that can be written.
func FuzzProtoReader(f *testing.F) {
	for _, line := range goldenEvents(f) {
		f.Add(protoFrame(f, "r:1.2", line))
	}
	f.Add(framed(field(7, []byte{0x12, 0x02, 0x0a, 0x00})))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewProtoReader(bytes.NewReader(data))
		for {
			e, _, err := r.Next()
			if _, refused := errors.AsType[*FieldError](err); refused {
				continue
			}
			if err != nil {
				if err != io.EOF && err != io.ErrUnexpectedEOF && err != ErrProtoTooLong {
					t.Fatal(err)
				}
				return
			}
			doc := must.Get(MarshalEvent(e))(t)
			frame, err := AppendProto(nil, "", doc)
			if err != nil {
				return // JSON's schema allows what protobuf does not, such as 1e400
			}
			again, _, err := NewProtoReader(bytes.NewReader(frame)).Next()
			must.Do(t, err)
			must.Same(t, unempty(t, must.Get(MarshalEvent(again))(t)), unempty(t, doc), "%s became", doc)
		}
	})
}

package agui

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
)

// What is read can be written, and reads as the same again.
func FuzzUnmarshalEvent(f *testing.F) {
	for _, line := range goldenEvents(f) {
		f.Add(line)
	}
	f.Add([]byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","DELTA":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		e, err := UnmarshalEvent(data)
		if err != nil {
			if _, ok := errors.AsType[*FieldError](err); !ok {
				t.Fatalf("%q: %T is no *FieldError: %v", data, err, err)
			}
			return
		}
		doc, err := MarshalEvent(e)
		if err != nil {
			t.Fatalf("%q was read but not written: %v", data, err)
		}
		if !jsonx.Valid(doc) || bytes.ContainsAny(doc, "\r\n") {
			t.Fatalf("wrote %q", doc)
		}
		again, err := UnmarshalEvent(doc)
		if err != nil {
			t.Fatalf("%q was written as %s, which is refused: %v", data, doc, err)
		}
		second, err := MarshalEvent(again)
		if err != nil || !bytes.Equal(doc, second) {
			t.Fatalf("%s was written as %s, %v", doc, second, err)
		}
		for _, old := range Downgrade(e) {
			if _, err := MarshalEvent(old); err != nil {
				t.Fatalf("%s: downgraded: %v", doc, err)
			}
		}
		if !bytes.Equal(data, before) {
			t.Fatal("the input was changed")
		}
	})
}

func FuzzUnmarshalRunAgentInput(f *testing.F) {
	for _, line := range goldenEvents(f) {
		if raw := jsonx.Find(line, "input"); raw != nil {
			f.Add(bytes.Clone(raw))
		}
	}
	f.Add([]byte(msgs(`{"role":"user","content":[]}`)))
	f.Add([]byte(msgs(`{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA"},{"type":"image","source":{"type":"url","value":"u"},"metadata":null}]}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := UnmarshalRunAgentInput(data)
		if err != nil {
			if _, ok := errors.AsType[*FieldError](err); !ok {
				t.Fatalf("%q: %T is no *FieldError: %v", data, err, err)
			}
			return
		}
		doc, err := MarshalRunAgentInput(in)
		if err != nil {
			t.Fatalf("%q was read but not written: %v", data, err)
		}
		again, err := UnmarshalRunAgentInput(doc)
		if err != nil {
			t.Fatalf("%q was written as %s, which is refused: %v", data, doc, err)
		}
		second, err := MarshalRunAgentInput(again)
		if err != nil || !bytes.Equal(doc, second) {
			t.Fatalf("%s was written as %s, %v", doc, second, err)
		}
		for i := range in.Messages {
			if _, err := in.Messages[i].Content.Parts(); err != nil {
				t.Fatalf("message %d: %v", i, err)
			}
		}
		if got := NewTranscript(in.Messages).Messages(); len(got) != len(in.Messages) || len(got) > 0 && !reflect.DeepEqual(got, in.Messages) {
			t.Fatal("a transcript changed its messages")
		}
	})
}

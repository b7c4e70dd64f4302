package agui

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/test/must"
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
		doc := must.Get(MarshalEvent(e))(t)
		if !jsonx.Valid(doc) || bytes.ContainsAny(doc, "\r\n") {
			t.Fatalf("wrote %q", doc)
		}
		again := must.Get(UnmarshalEvent(doc))(t)
		must.Be(t, string(must.Get(MarshalEvent(again))(t)), string(doc), "written again")
		for _, old := range Downgrade(e) {
			must.Be(t, must.Err(MarshalEvent(old)), nil, "%s downgraded", doc)
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
		doc := must.Get(MarshalRunAgentInput(in))(t)
		again := must.Get(UnmarshalRunAgentInput(doc))(t)
		must.Be(t, string(must.Get(MarshalRunAgentInput(again))(t)), string(doc), "written again")
		for i := range in.Messages {
			must.Be(t, must.Err(in.Messages[i].Content.Parts()), nil, "message %d", i)
		}
		if got := NewTranscript(in.Messages).Messages(); len(got) != len(in.Messages) || len(got) > 0 && !reflect.DeepEqual(got, in.Messages) {
			t.Fatal("a transcript changed its messages")
		}
	})
}

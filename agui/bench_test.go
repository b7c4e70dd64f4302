package agui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// body is a run request with 200 messages of 2 KB, tools and context: what a client sends that
// resends the whole thread. One sentence is repeated in all of them.
func body(sentence string) []byte {
	var b strings.Builder
	b.WriteString(`{"threadId":"thread_1","runId":"run_1","protocolVersion":"1.0","state":{"a":1},"messages":[`)
	text := strings.Repeat(sentence, 2000/len(sentence))
	for i := range 200 {
		role := []string{"user", "assistant"}[i%2]
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"msg_%d","role":"%s","content":"%s"}`, i, role, text)
	}
	b.WriteString(`],"tools":[{"name":"open_page","description":"Opens a page","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}],"context":[{"description":"page","value":"edit"}],"forwardedProps":{}}`)
	return []byte(b.String())
}

const (
	prose  = `The quick brown fox jumps over the lazy dog, as far as anybody knows today. `
	quotes = `The quick brown fox \"jumps\" over the lazy dog.\n`
	greek  = `Ξεσκεπάζω τὴν ψυχοφθόρα βδελυγμία. `
)

func BenchmarkUnmarshalRunAgentInput(b *testing.B) {
	for name, sentence := range map[string]string{"prose": prose, "quotes": quotes, "greek": greek} {
		b.Run(name, func(b *testing.B) {
			data := body(sentence)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := UnmarshalRunAgentInput(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUnmarshalMessage(b *testing.B) {
	in := must.Get(UnmarshalRunAgentInput(body(prose)))(b)
	data := must.Get(MarshalMessage(in.Messages[0]))(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := UnmarshalMessage(data); err != nil {
			b.Fatal(err)
		}
	}
}

// deltas are the three events that make up nearly all of a stream.
var deltas = []Event{
	&TextMessageContent{MessageID: "msg_01HZX3V2K9", Delta: "Hello, \"world\"\n"},
	&ToolCallArgs{ToolCallID: "call_01HZX3V2K9", Delta: `{"query": "heart`},
	&ReasoningMessageContent{MessageID: "think_01HZX3V2K9", Delta: "The user wants …"},
}

func BenchmarkAppendEvent(b *testing.B) {
	events := append([]Event{&Custom{Name: "tool_progress", Value: []byte(`{"toolCallId":"c1","tool":"search","progress":0.5}`)}}, deltas...)
	for _, e := range events {
		b.Run(string(e.Type()), func(b *testing.B) {
			dst := make([]byte, 0, 512)
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = AppendEvent(dst[:0], e)
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}

func BenchmarkUnmarshalEvent(b *testing.B) {
	for _, e := range deltas {
		b.Run(string(e.Type()), func(b *testing.B) {
			data := must.Get(MarshalEvent(e))(b)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := UnmarshalEvent(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// openRun returns what has seen a run in which the deltas are legal.
func openRun(tb testing.TB) (*Verifier, *Transcript) {
	v, t := NewVerifier(), NewTranscript(nil)
	for _, e := range []Event{
		&RunStarted{ThreadID: "t", RunID: "r"},
		&TextMessageStart{MessageID: "msg_01HZX3V2K9"},
		&ToolCallStart{ToolCallID: "call_01HZX3V2K9", ToolCallName: "search"},
		&ReasoningMessageStart{MessageID: "think_01HZX3V2K9"},
	} {
		must.Do(tb, v.Check(e), t.Apply(e))
	}
	return v, t
}

func BenchmarkVerifierDelta(b *testing.B) {
	v, _ := openRun(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range deltas {
			if err := v.Check(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkTranscript appends 10,000 deltas to one message: the time must grow with their number
// only.
func BenchmarkTranscript(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, t := openRun(b)
		for range 10_000 {
			if err := t.Apply(deltas[0]); err != nil {
				b.Fatal(err)
			}
		}
		t.Changed()
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	v, _ := openRun(t)
	dst := make([]byte, 0, 512)
	for _, e := range deltas {
		if n := testing.AllocsPerRun(100, func() { dst, _ = AppendEvent(dst[:0], e) }); n != 0 {
			t.Errorf("%s: encoding allocates %v times", e.Type(), n)
		}
		must.Be(t, testing.AllocsPerRun(100, func() { _ = v.Check(e) }), 0, "%s: allocations of checking", e.Type())
		must.Be(t, testing.AllocsPerRun(100, func() {
			if old := Downgrade(e); len(old) != 1 || old[0] != e {
				t.Fatal("changed")
			}
		}), 0, "%s: allocations of downgrading", e.Type())
	}
}

// BenchmarkAppendProto compares with reading the same event from its JSON.
func BenchmarkAppendProto(b *testing.B) {
	for name, e := range map[string]Event{
		"delta":    &TextMessageContent{MessageID: "msg_1", Delta: " the quick brown fox"},
		"snapshot": &StateSnapshot{Snapshot: []byte(`{"a":[1,2,{"b":"c"}],"d":{"e":null,"f":true}}`)},
	} {
		doc := must.Get(MarshalEvent(e))(b)
		b.Run(name, func(b *testing.B) {
			var dst []byte
			var err error
			b.ReportAllocs()
			for b.Loop() {
				if dst, err = AppendProto(dst[:0], "run_1:1.42", doc); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := UnmarshalEvent(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSnapshot writes the messages of a thread: what opens it.
func BenchmarkSnapshot(b *testing.B) {
	in := must.Get(UnmarshalRunAgentInput(body(prose)))(b)
	for i := range in.Messages {
		if m := &in.Messages[i]; m.Role == RoleAssistant {
			m.ToolCalls = []ToolCall{{ID: "c", Name: "search", Arguments: `{"query":"x"}`}}
		}
	}
	e := &MessagesSnapshot{Messages: in.Messages}
	var dst []byte
	var err error
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = AppendEvent(dst[:0], e); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(dst)))
}

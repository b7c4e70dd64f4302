package run

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// TestWriterRefusesWhatIsOutOfOrder: the verifier stands before the encoder, so no reader and no
// store gets an event that stock clients would refuse.
func TestWriterRefusesWhatIsOutOfOrder(t *testing.T) {
	f := newFixture(t, store.NewMemory(), nil)
	r := f.newRun(ada, "r1", "t1", "f")
	w := newWriter(r, f.Manager, 1, 0, agui.NewTranscript(nil), agui.NewVerifier())
	if err := w.Emit(&agui.RunStarted{ThreadID: "t1", RunID: "r1"}); err != nil {
		t.Fatal(err)
	}
	before := string(w.pending.frames)
	stray := &agui.TextMessageContent{MessageID: "m1", Delta: "stray"}
	for name, emit := range map[string]func() error{
		"Emit":       func() error { return w.Emit(stray) },
		"EmitStored": func() error { return w.EmitStored(&agui.ToolCallEnd{ToolCallID: "c1"}) },
		"EmitBoth":   func() error { return w.EmitBoth(stray, stray) },
	} {
		if err := emit(); err == nil || !strings.Contains(err.Error(), "out of order") {
			t.Errorf("%s: %v", name, err)
		}
		if w.seq != 1 || w.pending.events != 1 || string(w.pending.frames) != before {
			t.Errorf("%s wrote %q", name, w.pending.frames)
		}
	}
}

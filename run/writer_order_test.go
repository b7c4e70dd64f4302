package run

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// TestWriterRefusesWhatIsOutOfOrder: whatever a run emits, the verifier stands before the encoder.
func TestWriterRefusesWhatIsOutOfOrder(t *testing.T) {
	first := func(w *writer, e agui.Event) error {
		_, err := w.firstBatch([]agui.Event{e}, nil)
		return err
	}
	answered := func(_ *writer, e agui.Event) error { // before RUN_STARTED
		w := newWriter(&Run{ID: "new", m: new(Manager)}, 1, 0, agui.NewTranscript(nil), agui.NewVerifier())
		_, err := w.firstBatch(nil, []agui.ToolCallResult{{MessageID: "stray", ToolCallID: string(e.Type())}})
		return err
	}
	for name, emit := range map[string]func(*writer, agui.Event) error{"Emit": (*writer).Emit, "first": first, "answered": answered} {
		f := newFixture(t, temp.Store(t), nil)
		r := f.start(f.input("t1", "hang"))
		begun, seen := r.Read(false), new(strings.Builder)
		for !strings.Contains(seen.String(), "TOOL_CALL_START") {
			frames, _ := begun.Next()
			if seen.Write(frames); len(frames) == 0 {
				awaken(t, begun, seen)
			}
		}
		begun.Close()
		for _, e := range []agui.Event{&agui.TextMessageEnd{MessageID: "stray"}, &agui.TextMessageContent{MessageID: "stray", Delta: "x"}, &agui.RunStarted{ThreadID: "t1", RunID: "stray"}} {
			must.Fail(t, emit(r.w, e), "out of order", "%s of %s", name, e.Type())
		}
		must.Do(t, f.Cancel(t.Context(), ada, r.ID))
		if stream := readAll(t, r.Read(false)); strings.Contains(stream, "stray") || !strings.Contains(stream, "RUN_FINISHED") {
			t.Errorf("%s: the stream is %s", name, stream)
		}
		f.Drain(t.Context())
	}
}

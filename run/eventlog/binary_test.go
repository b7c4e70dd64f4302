package eventlog

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

func inBinary(t testing.TB, frames string) string {
	t.Helper()
	out, _, err := appendBinary(nil, nil, []byte(frames))
	must.Do(t, err)
	return string(out)
}

// TestBinaryHidesNotes: the server's notes are empty events, as in the other framing; text that
// looks like a note is text.
func TestBinaryHidesNotes(t *testing.T) {
	note, err := agui.MarshalEvent(&agui.ActivitySnapshot{MessageID: "m", ActivityType: agui.NoteType, Content: []byte(`{"secret":1}`)})
	must.Do(t, err)
	text := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\"activityType\":\"` + agui.NoteType + `\""}`
	got := inBinary(t, fmt.Sprintf("id: r:1.1\ndata: %s\n\nid: r:1.2\ndata: %s\n\n", note, text))
	want := inBinary(t, fmt.Sprintf("id: r:1.1\ndata: %s\n\n", emptyNote)) + inBinary(t, fmt.Sprintf("id: r:1.2\ndata: %s\n\n", text))
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBinaryLog: whatever the batches and wherever a reader stands, what after returns is the same
// in the binary framing.
func TestBinaryLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.Int64Range(0, 5).Draw(t, "begin")
		l := New(rapid.SampledFrom([]int{0, blockSize, 1 << 20}).Draw(t, "limit"), begin)
		last := begin
		at := Position{Seq: begin}
		for range rapid.IntRange(1, 20).Draw(t, "batches") {
			var batch []byte
			n := rapid.IntRange(1, 6).Draw(t, "frames")
			for range n {
				last++
				batch = append(batch, testFrame(last, rapid.SampledFrom([]int{0, 50, blockSize - 60, blockSize}).Draw(t, "size"))...)
			}
			l.Publish(batch, n, false)
			for range rapid.IntRange(0, 3).Draw(t, "reads") {
				if rapid.Bool().Draw(t, "elsewhere") {
					at = Position{Seq: rapid.Int64Range(begin, last).Draw(t, "seq")}
				}
				frames, next, held, _ := l.After(at)
				if !held || len(frames) == 0 {
					at = Position{Seq: last}
					continue
				}
				got, err := l.binary(frames, at.Seq, next)
				want, _, _ := appendBinary(nil, nil, frames)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("after %d: %q, %v, want %q", at.Seq, got, err, want)
				}
				at = next
			}
		}
	})
}

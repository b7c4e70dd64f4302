package run

import (
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
)

// TestOnlyNotesAreWithheldFromClients: an event that merely speaks of notes is shown as it is.
func TestOnlyNotesAreWithheldFromClients(t *testing.T) {
	prefix := eventlog.Prefix("r1", 1)
	var frames, want []byte
	for i, e := range []agui.Event{
		&agui.TextMessageContent{MessageID: "m1", Delta: `"activityType":"pageside_note"`},
		&agui.ActivitySnapshot{MessageID: "m2", ActivityType: "plan", Content: rawJSON(`{"activityType":"pageside_note"}`)},
		agui.Note{Kind: agui.NotePage, Text: "secret"}.Event("m3"),
		&agui.Custom{Name: "x", Value: rawJSON("1")},
	} {
		var err error
		if frames, err = eventlog.AppendFrame(frames, prefix, int64(i+1), e); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			e = &agui.Custom{Name: agui.NoteType, Value: rawJSON("null")}
		}
		if want, err = eventlog.AppendFrame(want, prefix, int64(i+1), e); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := (eventlog.Piece{Frames: frames}).Shown(false, false); err != nil || string(got) != string(want) {
		t.Errorf("a client is sent\n%s\nwant\n%s", got, want)
	}
}

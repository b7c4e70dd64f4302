package run

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"golang.org/x/tools/txtar"
)

// TestReadersGetWhatWasSaid: a reader of a share gets what the conversation shows, and nothing that
// only the model or the owner needs.
func TestReadersGetWhatWasSaid(t *testing.T) {
	file := talk.File{Archive: must.Get(txtar.ParseFile("testdata/shared/messages.txtar"))(t)}
	var all []agui.Message
	for line := range strings.Lines(string(file.Section("thread"))) {
		all = append(all, must.Get(agui.UnmarshalMessage([]byte(line)))(t))
	}
	got := must.Get(encodeMessages(sharedMessages(all)))(t)
	messages := must.JSON[[]json.RawMessage](t, got)
	want := strings.Split(strings.TrimSpace(string(file.Section("reader"))), "\n")
	for i := range max(len(messages), len(want)) {
		if i >= len(messages) || i >= len(want) || string(messages[i]) != want[i] {
			t.Fatalf("message %d is wrong: a reader gets\n%s", i, strings.ReplaceAll(string(got), "},{", "},\n{"))
		}
	}
	if strings.Contains(strings.ToLower(string(got)), "secret") || bytes.Contains(got, []byte("U0VDUkVU")) {
		t.Errorf("a reader gets %s", got)
	}
}

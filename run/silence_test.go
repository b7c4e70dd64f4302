package run

import (
	"strings"
)

// metadata is that of all messages of a thread.
func (f *fixture) metadata(thread string) string {
	f.t.Helper()
	stored, err := f.store.Transcript(f.t.Context(), ada, thread, "")
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for i := range stored {
		if len(stored[i].Metadata) > 0 {
			out = append(out, string(stored[i].Metadata))
		}
	}
	return strings.Join(out, " ")
}

package sqlstore_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// TestForgottenWordsLeaveTheFile: after Forget no word of the person is in the database's files, be
// it in messages, in the search index or in free pages. Words of others are.
func TestForgottenWordsLeaveTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"ann": "zanzibarquetzal", "bob": "wolverinemarzipan"}
	for subject, word := range words {
		o := store.Owner{Tenant: "acme", Subject: subject}
		message := agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.TextContent("about the " + word)}
		if err := s.BeginRun(t.Context(), o, store.Run{ID: "r", ThreadID: "t", Agent: "default"}, []agui.Message{message}); err != nil {
			t.Fatal(err)
		}
		share := store.Share{ID: "s", ThreadID: "t", TokenHash: subject, Messages: json.RawMessage(`["shared ` + word + `"]`), ExpiresAt: time.Now().Add(time.Hour)}
		if err := s.PutShare(t.Context(), o, share); err != nil {
			t.Fatal(err)
		}
		if found, err := s.Threads(t.Context(), o, store.ThreadQuery{Text: word}); err != nil || len(found.Items) != 1 {
			t.Fatalf("%s finds %d threads, %v", subject, len(found.Items), err)
		}
	}
	if err := s.Forget(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // which folds the log into the file
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte(words["ann"])) {
		t.Error("the forgotten word is in the file")
	}
	if !bytes.Contains(raw, []byte(words["bob"])) {
		t.Error("nobody else's word is in the file")
	}
}

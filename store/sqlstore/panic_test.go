package sqlstore_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// A change that panics in the writer's goroutine fails, has written nothing, and the next write
// goes through.
func TestChangeThatPanics(t *testing.T) {
	st, err := sqlstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	o := store.Owner{Subject: "ada"}
	message := agui.Message{ID: "m1", Role: agui.RoleUser, Content: agui.TextContent("hello")}
	if err := st.BeginRun(t.Context(), o, store.Run{ID: "r1", ThreadID: "t1", Agent: "a", Fingerprint: "f"}, []agui.Message{message}); err != nil {
		t.Fatal(err)
	}
	err = st.SetMessageMetadata(t.Context(), o, "t1", "m1", func(agui.Message) (json.RawMessage, error) { panic("no luck") })
	if err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("the change that panics: %v", err)
	}
	if err := st.SetMessageMetadata(t.Context(), o, "t1", "m1", func(agui.Message) (json.RawMessage, error) { return json.RawMessage(`{"a":1}`), nil }); err != nil {
		t.Errorf("the next one: %v", err)
	}
	messages, err := st.Transcript(t.Context(), o, "t1", "")
	if err != nil || len(messages) != 1 || string(messages[0].Metadata) != `{"a":1}` {
		t.Errorf("then there is %+v, %v", messages, err)
	}
}

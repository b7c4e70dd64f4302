package storetest

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

func webhook(run, id string) store.Webhook {
	return store.Webhook{RunID: run, ID: id, Config: json.RawMessage(`{ "url": "https://a.example" }`), Told: "started", CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// testWebhooks: a webhook belongs to a run of its owner, and remembers what it was told.
func testWebhooks(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("m1", "hello"))
	begin(t, s, bob, "r1", "t9", user("m1", "hello"))
	first, second := webhook("r1", "w1"), webhook("r1", "w2")
	second.CreatedAt = second.CreatedAt.Add(time.Second)
	must(t, s.PutWebhook(t.Context(), ada, second))
	must(t, s.PutWebhook(t.Context(), ada, first))
	first.ThreadID, second.ThreadID = "t1", "t1"
	wantWebhooks(t, s, first, second)

	second.Config = json.RawMessage(`{}`)
	must(t, s.PutWebhook(t.Context(), ada, second)) // replaces it
	must(t, s.TellWebhook(t.Context(), ada, "r1", "w1", "ended", true))
	first.Told, first.Done = "ended", true
	wantWebhooks(t, s, first, second)
	open, err := s.OpenWebhooks(t.Context())
	if must(t, err); !reflect.DeepEqual(open, []store.OwnedWebhook{{Owner: ada, Webhook: second}}) {
		t.Errorf("open are %+v", open)
	}

	wantErr(t, "no run", s.PutWebhook(t.Context(), ada, webhook("r9", "w1")), store.ErrNotFound)
	wantErr(t, "no id", s.PutWebhook(t.Context(), ada, webhook("r1", "")), store.ErrInvalid)
	bad := webhook("r1", "w3")
	bad.Config = json.RawMessage(`{`)
	wantErr(t, "no JSON", s.PutWebhook(t.Context(), ada, bad), store.ErrInvalid)
	wantErr(t, "told somebody else's", s.TellWebhook(t.Context(), bob, "r1", "w1", "x", false), store.ErrNotFound)
	wantErr(t, "deleted somebody else's", s.DeleteWebhook(t.Context(), bob, "r1", "w1"), store.ErrNotFound)
	must(t, s.DeleteWebhook(t.Context(), ada, "r1", "w1"))
	wantErr(t, "deleted again", s.DeleteWebhook(t.Context(), ada, "r1", "w1"), store.ErrNotFound)
	wantWebhooks(t, s, second)
}

// testWebhooksGo: a webhook goes with its thread.
func testWebhooksGo(t *testing.T, s store.Store) {
	must(t, s.BeginRun(t.Context(), ada, run("r1", "t1"), []agui.Message{user("m1", "hello")}))
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
	must(t, s.PutWebhook(t.Context(), ada, webhook("r1", "w1")))
	_, err := s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(true)})
	must(t, err)
	wantWebhooks(t, s)
	wantErr(t, "of a deleted thread", s.PutWebhook(t.Context(), ada, webhook("r1", "w2")), store.ErrNotFound)
	if open, err := s.OpenWebhooks(t.Context()); err != nil || len(open) > 0 {
		t.Errorf("open are %+v, %v", open, err)
	}
	_, err = s.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(false)})
	must(t, err)
	if got, err := s.Webhooks(t.Context(), ada, "r1"); err != nil || len(got) != 1 {
		t.Errorf("restored, it has %+v, %v", got, err)
	}
	must(t, s.Forget(t.Context(), ada))
	must(t, s.BeginRun(t.Context(), ada, run("r1", "t1"), []agui.Message{user("m1", "hello")}))
	wantWebhooks(t, s)
}

func wantWebhooks(t *testing.T, s store.Store, want ...store.Webhook) {
	t.Helper()
	if got, err := s.Webhooks(t.Context(), ada, "r1"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the webhooks are %+v (%v), want %+v", got, err, want)
	}
}

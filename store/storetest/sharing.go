package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// share returns a share of the thread t1, with the secret's hash of its own id.
func share(id string) store.Share {
	return store.Share{
		ID: id, ThreadID: "t1", TokenHash: "hash of " + id, Title: "Walrus",
		Messages: json.RawMessage(`[{"id": "m1"}, "\u0000"]`), CreatedAt: in2020, ExpiresAt: later,
	}
}

func webhook(run, id string) store.Webhook {
	config := json.RawMessage(`{ "url": "https://a.example" }`)
	return store.Webhook{RunID: run, ID: id, Config: config, Told: "started", CreatedAt: in2020}
}

var ofSharing = []promise{
	{"shares are opened in their tenant and revoked", testShares},
	// an expired share is not there, makes room for others, and is purged
	{"shares expire", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t1")
		old := with(share("old"), func(s *store.Share) { s.ExpiresAt = in2020.Add(time.Hour) })
		must.Do(t, s.PutShare(ctx, ada, old))
		wantShares(t, s)
		must.FailWith(t, must.Err(s.OpenShare(ctx, "acme", old.TokenHash)), store.ErrNotFound, "opened after its end")
		must.FailWith(t, s.DeleteShare(ctx, ada, "t1", "old"), store.ErrNotFound, "revoked after its end")
		want(t, "purged shares", 0)(s.PurgeShares(ctx, old.ExpiresAt))
		want(t, "purged shares", 1)(s.PurgeShares(ctx, old.ExpiresAt.Add(time.Millisecond)))

		must.Do(t, s.PutShare(ctx, ada, old))
		for i := range store.MaxShares {
			must.Do(t, s.PutShare(ctx, ada, share(fmt.Sprint("s", i))))
		}
		must.FailWith(t, s.PutShare(ctx, ada, share("more")), store.ErrTooMany, "one too many")
		want(t, "purged shares", 0)(s.PurgeShares(ctx, time.Now()))
		must.Do(t, s.DeleteShare(ctx, ada, "t1", "s0"))
		must.Do(t, s.PutShare(ctx, ada, share("more")))
	}},
	{"webhooks of a run remember what they were told", testWebhooks},
}

// testShares: a share is listed and revoked by its owner, and opened by its hash in its tenant.
func testShares(t *testing.T, s Store) {
	begin(t, s, ada, "r1", "t1")
	begin(t, s, bob, "r1", "t1")
	wantShares(t, s)
	first := share("s1")
	second := with(share("s2"), func(s *store.Share) { s.CreatedAt = in2020.Add(time.Second) })
	must.Do(t, s.PutShare(ctx, ada, second), s.PutShare(ctx, ada, first))
	wantShares(t, s, first, second)
	want(t, "the share", store.OwnedShare{Owner: ada, Share: first})(s.OpenShare(ctx, "acme", first.TokenHash))
	for _, c := range [][2]string{{"other", first.TokenHash}, {"", first.TokenHash}, {"acme", "hash of s9"}} {
		must.FailWith(t, nothing(s.OpenShare(ctx, c[0], c[1])), store.ErrNotFound, "opened with %q", c)
	}
	must.Do(t, s.DeleteShare(ctx, ada, "t1", "s1"))
	must.FailWith(t, s.DeleteShare(ctx, ada, "t1", "s1"), store.ErrNotFound, "revoked again")
	must.FailWith(t, must.Err(s.OpenShare(ctx, "acme", first.TokenHash)), store.ErrNotFound, "opened")
	wantShares(t, s, second)
}

// wantShares checks the list of shares, which has neither hashes nor messages.
func wantShares(t *testing.T, s store.Store, shares ...store.Share) {
	t.Helper()
	for i := range shares {
		shares[i].TokenHash, shares[i].Messages = "", nil
	}
	want(t, "shares", shares)(s.Shares(ctx, ada, "t1"))
}

// testWebhooks: a webhook belongs to a run of its owner, and remembers what it was told.
func testWebhooks(t *testing.T, s Store) {
	wantWebhooks := func(all ...store.Webhook) {
		t.Helper()
		want(t, "webhooks", all)(s.Webhooks(ctx, ada, "r1"))
	}
	begin(t, s, ada, "r1", "t1")
	first, second := webhook("r1", "w1"), webhook("r1", "w2")
	second.CreatedAt = in2020.Add(time.Second)
	must.Do(t, s.PutWebhook(ctx, ada, second), s.PutWebhook(ctx, ada, first))
	first.ThreadID, second.ThreadID = "t1", "t1"
	wantWebhooks(first, second)

	second.Config, second.Told = json.RawMessage(`{}`), "begun"
	must.Do(t, s.PutWebhook(ctx, ada, second)) // replaces it
	must.Do(t, s.TellWebhook(ctx, ada, "r1", "w1", "ended", true))
	first.Told, first.Done = "ended", true
	wantWebhooks(first, second)
	want(t, "open webhooks", []store.OwnedWebhook{{Owner: ada, Webhook: second}})(s.OpenWebhooks(ctx))

	must.Do(t, s.DeleteWebhook(ctx, ada, "r1", "w1"))
	wantWebhooks(second)
}

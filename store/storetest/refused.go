package storetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofRefusals = []promise{
	{"what cannot be kept is refused by name", testInvalid},
	{"what is taken or missing is refused", testTakenOrMissing},
	{"ids that nothing can have find nothing", func(t *testing.T, s Store) {
		for _, id := range []string{"", "\x00", "\xff", strings.Repeat("x", store.MaxID+1)} {
			must.FailWith(t, must.Err(s.Thread(ctx, ada, id)), store.ErrNotFound, "thread %.9q", id)
			must.FailWith(t, must.Err(s.Run(ctx, ada, id)), store.ErrNotFound, "run %.9q", id)
		}
	}},
}

// testInvalid: the error names what is wrong, and nothing has changed.
func testInvalid(t *testing.T, s Store) {
	id := func(of string) string { return strings.Repeat(of, store.MaxID/len(of)) }
	begin(t, s, ada, id("é"), id("t"), user(id("m"), "")) // as long as an id may be
	fill(t, s, ada)
	before, held := everything(t, s, ada), must.Get(s.Holdings(ctx, ada))(t)
	const noText = "\xff"
	open, long := json.RawMessage(`{`), id("x")+"x"

	as := func(tenant, subject string) error {
		return s.BeginRun(ctx, store.Owner{Tenant: tenant, Subject: subject}, run("r", "t"), nil, noEvents)
	}
	begins := func(change func(*store.Run)) error {
		return s.BeginRun(ctx, ada, with(run("r", "t"), change), nil, noEvents)
	}
	brings := func(m agui.Message) error {
		return s.BeginRun(ctx, ada, run("r", "t"), []agui.Message{user("ok", ""), m}, noEvents)
	}
	says := func(content string) error {
		return brings(agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.RawContent([]byte(content))})
	}
	ends := func(r store.Run) error {
		r.ID, r.Status = "r1", store.RunFailed
		return s.EndRun(ctx, ada, r, nil, noEvents)
	}
	notes := func(metadata string) error {
		return s.SetMessageMetadata(ctx, ada, "t1", "m1", func(agui.Message) (json.RawMessage, error) {
			return json.RawMessage(metadata), nil
		})
	}
	allows := func(change func(*store.Allowance)) error {
		return s.GiveAllowance(ctx, ada, with(allowance("a9", "r1"), change))
	}
	acts := func(change func(*store.Action)) error {
		return must.Err(s.BeginAction(ctx, ada, with(action("k9"), change), ""))
	}
	for _, c := range []struct {
		names string
		err   error
	}{
		{"subject", as("acme", "")},
		{"subject", as("", "a\x00")},
		{"tenant", as(long, "a")},
		{"run id", begins(func(r *store.Run) { r.ID = "" })},
		{"run id", begins(func(r *store.Run) { r.ID = noText })},
		{"run id", begins(func(r *store.Run) { r.ID = long })},
		{"run id", begins(func(r *store.Run) { r.ID = store.RootRun })},
		{"thread id", begins(func(r *store.Run) { r.ThreadID = "" })},
		{"thread id", begins(func(r *store.Run) { r.ThreadID = "t\x00" })},
		{"thread id", begins(func(r *store.Run) { r.ThreadID = long })},
		{"agent", begins(func(r *store.Run) { r.Agent = "\x00" })},
		{"input", begins(func(r *store.Run) { r.Input = open })},
		{"state", begins(func(r *store.Run) { r.State = open })},
		{"messages[1]", brings(user("", ""))},
		{"messages[1]", brings(user(long, ""))},
		{"messages[1]", brings(agui.Message{ID: "m", Role: "nobody"})},
		{"messages[1]", brings(agui.Message{ID: "m", Role: agui.RoleUser, Metadata: []byte(`{"a":1,"a":2}`)})},
		{"messages[1]", says(`"open`)},
		{"messages[1]", says(`"\u0000"`)},
		{"messages[1]", says(`"\ud800"`)},
		{"messages[1]", says("\"\xff\"")},
		{"usage", ends(store.Run{Usage: open})},
		{"state", ends(store.Run{State: open})},
		{"interrupts", ends(store.Run{Interrupts: open})},
		{"pending[0]", ends(store.Run{Pending: []string{noText}})},

		{"begins with event 2", s.BeginRun(ctx, ada, run("r", "t"), nil, events("", 0, 2, "a gap"))},
		{"number 0", s.BeginRun(ctx, ada, run("r", "t"), nil, events("", 0, 0, "x"))},
		{"no frames", s.BeginRun(ctx, ada, run("r", "t"), nil, store.Batch{First: 1, Count: 1})},
		{"begins with event 3", appended(s, ada, events("r1", 1, 3, "a gap"))},
		{"begins with event 1", appended(s, ada, events("r1", 1, 1, "again"))},
		{"number 0", appended(s, ada, events("r1", 1, 0, "x"))},
		{"no frames", appended(s, ada, store.Batch{RunID: "r1", Epoch: 1, First: 2, Count: 1})},
		{"holds 0", appended(s, ada, store.Batch{RunID: "r1", Epoch: 1, First: 2, Frames: []byte("x")})},
		{"usage", appended(s, ada, with(events("r1", 1, 2, "x"), func(b *store.Batch) { b.Usage = open }))},
		{"subject", appended(s, store.Owner{}, events("r1", 1, 2, "x"))},
		{"begins with event 3", endWith(s, "r1", 0, events("r1", 1, 3, "a gap"))},
		{"no frames", endWith(s, "r1", 0, store.Batch{First: 2, Count: 1})},
		{"call id", s.PlanCalls(ctx, ada, "r1", []journal.ToolCall{{ID: "ok"}, {}}, true)},
		{"tool", s.PlanCalls(ctx, ada, "r1", []journal.ToolCall{{ID: "ok"}, {ID: "c9", Tool: noText}}, true)},

		{"title", setTitle(s, "t1", "\x00")},
		{"title", setTitle(s, "t1", noText)},
		{"metadata", notes(`[1]`)},
		{"metadata", notes(`{"a":1,"a":2}`)},
		{"rating 2", s.SetFeedback(ctx, ada, "t1", store.Feedback{MessageID: "m1", Rating: 2})},
		{"reason", s.SetFeedback(ctx, ada, "t1", store.Feedback{MessageID: "m1", Rating: 1, Reason: "incorrect"})},
		{"reason", s.SetFeedback(ctx, ada, "t1", store.Feedback{MessageID: "m1", Rating: -1, Reason: noText})},
		{"comment", s.SetFeedback(ctx, ada, "t1", store.Feedback{MessageID: "m1", Comment: noText})},

		{"allowance id", allows(func(a *store.Allowance) { a.ID = "" })},
		{"tool", allows(func(a *store.Allowance) { a.Tool = noText })},
		{"open[0]", allows(func(a *store.Allowance) { a.OpenArgs = []string{noText} })},
		{"args", allows(func(a *store.Allowance) { a.Args = open })},
		{"expiry", allows(func(a *store.Allowance) { a.ExpiresAt = time.Time{} })},
		{"key", acts(func(a *store.Action) { a.Key = "" })},
		{"fingerprint", acts(func(a *store.Action) { a.Fingerprint = noText })},
		{"expiry", acts(func(a *store.Action) { a.ExpiresAt = time.Time{} })},
		{"result", s.EndAction(ctx, ada, "k1", open)},
		{"approval id", s.OfferApproval(ctx, ada, store.ActionApproval{ExpiresAt: later})},
		{"expiry", s.OfferApproval(ctx, ada, store.ActionApproval{ID: "p9"})},
		{"scope kind", s.PutInstructions(ctx, ada, store.Instructions{ID: "1", Text: "x"})},
		{"scope id", s.PutInstructions(ctx, ada, store.Instructions{Kind: "k", Text: "x"})},
		{"instructions", s.PutInstructions(ctx, ada, store.Instructions{Kind: "k", ID: "1", Text: noText})},
		{"subject", s.PutInstructions(ctx, store.Owner{}, store.Instructions{Kind: "k", ID: "1"})},

		{"share id", s.PutShare(ctx, ada, with(share("s9"), func(s *store.Share) { s.ID = "" }))},
		{"hash", s.PutShare(ctx, ada, with(share("s9"), func(s *store.Share) { s.TokenHash = "" }))},
		{"messages", s.PutShare(ctx, ada, with(share("s9"), func(s *store.Share) { s.Messages = json.RawMessage(`{}`) }))},
		{"messages", s.PutShare(ctx, ada, with(share("s9"), func(s *store.Share) { s.Messages = json.RawMessage(`[`) }))},
		{"expiry", s.PutShare(ctx, ada, with(share("s9"), func(s *store.Share) { s.ExpiresAt = time.Time{} }))},
		{"webhook id", s.PutWebhook(ctx, ada, with(webhook("r1", "w9"), func(w *store.Webhook) { w.ID = "" }))},
		{"config", s.PutWebhook(ctx, ada, with(webhook("r1", "w9"), func(w *store.Webhook) { w.Config = open }))},

		{"run id", s.HoldUsage(ctx, ada, hold("", 1), store.Quotas{})},
		{"negative", s.HoldUsage(ctx, ada, hold("r", -1), store.Quotas{})},
		{"subject", s.AddUsage(ctx, store.Owner{}, "r", amount(1))},
		{"run id", s.AddUsage(ctx, ada, "", amount(1))},
		{"negative", s.AddUsage(ctx, ada, "r", store.Amount{Tokens: -1})},
		{"negative", s.AddUsage(ctx, ada, "r", store.Amount{MicroDollars: -1})},
		{"subject", s.Forget(ctx, store.Owner{Tenant: "acme"})},
	} {
		must.FailWith(t, c.err, store.ErrInvalid, "bad %s", c.names)
		must.Fail(t, c.err, c.names, "the error names it")
	}
	want(t, "what is stored", before)(everything(t, s, ada), nil)
	want(t, "holdings", held)(s.Holdings(ctx, ada))
}

// testTakenOrMissing: nothing takes the place of what is there, and what is not there stays so.
func testTakenOrMissing(t *testing.T, s Store) {
	fill(t, s, ada)
	begin(t, s, bob, "r1", "t1")
	before, held := everything(t, s, ada), must.Get(s.Holdings(ctx, ada))(t)
	approved := func(o store.Owner, fingerprint, approval string) error {
		a := with(action("k9"), func(a *store.Action) { a.Fingerprint = fingerprint })
		return must.Err(s.BeginAction(ctx, o, a, approval))
	}
	firstEvents := events("", 0, 1, "x")
	offered := store.ActionApproval{ID: "p1", Fingerprint: "sha256:f", ExpiresAt: later}
	sameHash := with(shareOf(ada), func(s *store.Share) { s.ID = "s9" })
	unseen := store.Feedback{MessageID: "m9", Rating: 1}
	unchanged := func(agui.Message) (json.RawMessage, error) { return nil, nil }
	for what, c := range map[string]struct{ err, want error }{
		"a run's id":         {s.BeginRun(ctx, ada, run("r1", "t1"), nil, firstEvents), store.ErrConflict},
		"an allowance's id":  {s.GiveAllowance(ctx, ada, allowance("a1", "r1")), store.ErrConflict},
		"a user-wide one's":  {s.GiveAllowance(ctx, ada, with(allowance("wide", "r1"), userWide)), store.ErrConflict},
		"an approval's id":   {s.OfferApproval(ctx, ada, offered), store.ErrConflict},
		"a share's id":       {s.PutShare(ctx, ada, share("s1")), store.ErrConflict},
		"a share's hash":     {s.PutShare(ctx, ada, sameHash), store.ErrConflict},
		"another's hash":     {s.PutShare(ctx, bob, shareOf(ada)), store.ErrConflict},
		"no allowance":       {s.RevokeAllowance(ctx, ada, "t1", "a9"), store.ErrNotFound},
		"no user-wide one":   {s.RevokeAllowance(ctx, ada, "", "a1"), store.ErrNotFound},
		"no approval":        {approved(ada, "sha256:f", "p9"), store.ErrNotFound},
		"for something else": {approved(ada, "sha256:other", "p1"), store.ErrNotFound},
		"somebody else's":    {approved(bob, "sha256:f", "p1"), store.ErrNotFound},
		"no action":          {s.EndAction(ctx, ada, "k9", []byte(`1`)), store.ErrNotFound},
		"no call to start":   {s.StartCall(ctx, ada, "r1", "c9", true), store.ErrNotFound},
		"no call to finish":  {s.FinishCall(ctx, ada, "r1", journal.ToolCall{ID: "c9"}, true), store.ErrNotFound},
		"no share":           {s.DeleteShare(ctx, ada, "t1", "s9"), store.ErrNotFound},
		"no webhook to tell": {s.TellWebhook(ctx, ada, "r1", "w9", "x", true), store.ErrNotFound},
		"no webhook":         {s.DeleteWebhook(ctx, ada, "r1", "w9"), store.ErrNotFound},
		"no message":         {s.SetFeedback(ctx, ada, "t1", unseen), store.ErrNotFound},
		"no message to note": {s.SetMessageMetadata(ctx, ada, "t1", "m9", unchanged), store.ErrNotFound},
	} {
		must.FailWith(t, c.err, c.want, "%s", what)
	}
	want(t, "what is stored", before)(everything(t, s, ada), nil)
	want(t, "holdings", held)(s.Holdings(ctx, ada))
}

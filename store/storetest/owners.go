package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofOwners = []promise{
	{"owners never meet", testIsolation},
	{"everything of an owner is forgotten", testForget},
	{"a cancelled context stops a write before it begins", func(t *testing.T, s Store) {
		fill(t, s, ada)
		before := everything(t, s, ada)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		for _, c := range calls(gone, s, ada) {
			if c.method != "AppendEvents" { // which waits for nothing
				must.FailWith(t, c.do(), context.Canceled, "%s", c.method)
			}
		}
		must.FailWith(t, must.Err(s.LiveRuns(gone)), context.Canceled, "LiveRuns")
		must.FailWith(t, s.Ping(gone), context.Canceled, "Ping")
		want(t, "what is stored", before)(everything(t, s, ada), nil)
	}},
	{"a closed store says so", func(t *testing.T, s Store) {
		must.Do(t, s.Ping(ctx))
		fill(t, s, ada)
		must.Do(t, s.Close())
		must.Do(t, s.Close())
		wantFail(t, calls(ctx, s, ada), store.ErrClosed, theThread, theRun, theUser, anybody)
		// nobody waits for it
		must.Do(t, s.PlanCalls(ctx, ada, "r1", []journal.ToolCall{{ID: "c"}}, false))
		for name, err := range map[string]error{
			"LiveRuns":    must.Err(s.LiveRuns(ctx)),
			"Ping":        s.Ping(ctx),
			"PurgeEvents": must.Err(s.PurgeEvents(ctx, later)),
			"Purge":       must.Err(s.Purge(ctx, later)),
		} {
			must.FailWith(t, err, store.ErrClosed, "%s", name)
		}
	}},
}

// fill gives an owner one of everything: the live run r1 on the thread t1, and what goes with both.
func fill(t *testing.T, s store.Store, o store.Owner) {
	t.Helper()
	r := with(run("r1", "t1"), func(r *store.Run) { r.State = []byte(`{"walrus":"state"}`) })
	wide := with(allowance("wide", "r1"), userWide)
	must.Do(t,
		s.BeginRun(ctx, o, r, []agui.Message{user("m1", "walrus")}, noEvents),
		s.PlanCalls(ctx, o, "r1", []journal.ToolCall{{ID: "c1", Tool: "f", Args: []byte(`{}`)}}, true),
		appended(s, o, events("r1", 1, 1, o.Subject+" of "+o.Tenant)),
		s.GiveAllowance(ctx, o, allowance("a1", "r1")),
		s.GiveAllowance(ctx, o, wide),
		s.OfferApproval(ctx, o, store.ActionApproval{ID: "p1", Fingerprint: "sha256:f", ExpiresAt: later}),
		must.Err(s.BeginAction(ctx, o, action("k1"), "")),
		s.PutWebhook(ctx, o, webhook("r1", "w1")),
		s.PutShare(ctx, o, shareOf(o)),
		s.SetFeedback(ctx, o, "t1", store.Feedback{MessageID: "m1", Rating: 1, Comment: "walrus"}),
		s.AddUsage(ctx, o, "r9", store.Amount{Tokens: 5}),
		s.PutInstructions(ctx, o, store.Instructions{Kind: "by", ID: o.Subject, Text: "be kind"}),
	)
}

// shareOf returns the share that fill gives an owner.
func shareOf(o store.Owner) store.Share {
	return with(share("s1"), func(s *store.Share) { s.TokenHash = "hash of " + o.Key() })
}

// belongings reads what an owner has with the thread t1 and the run r1.
func belongings(t *testing.T, s store.Store, o store.Owner) map[string]any {
	t.Helper()
	return map[string]any{
		"found":      must.Get(allThreads(s, o, store.ThreadQuery{Text: "walrus"}))(t),
		"messages":   must.Get(s.Messages(ctx, o, "t1", 0, 0))(t).Items,
		"calls":      must.Get(s.ToolCalls(ctx, o, "r1"))(t),
		"log":        must.Get(logOf(s, o, "r1", 0))(t),
		"allowances": must.Get(s.Allowances(ctx, o, "t1"))(t),
		"webhooks":   must.Get(s.Webhooks(ctx, o, "r1"))(t),
		"shares":     must.Get(s.Shares(ctx, o, "t1"))(t),
	}
}

// wantNothing checks that an owner's thread t1 and run r1 have nothing of what fill gives them.
func wantNothing(t *testing.T, s store.Store, o store.Owner) {
	t.Helper()
	for what, list := range belongings(t, s, o) {
		if reflect.ValueOf(list).Len() > 0 {
			t.Errorf("there are %s: %+v", what, list)
		}
	}
	must.FailWith(t, must.Err(s.OpenShare(ctx, o.Tenant, shareOf(o).TokenHash)), store.ErrNotFound, "the share")
}

// everything reads all that fill gives an owner.
func everything(t *testing.T, s store.Store, o store.Owner) map[string]any {
	t.Helper()
	all := belongings(t, s, o)
	all["run"] = must.Get(s.Run(ctx, o, "r1"))(t)
	all["threads"] = must.Get(s.Threads(ctx, o, store.ThreadQuery{}))(t)
	all["wide"] = must.Get(s.UserAllowances(ctx, o))(t)
	all["action"] = must.Get(s.BeginAction(ctx, o, action("k1"), ""))(t)
	all["instructions"] = must.Get(s.Instructions(ctx, o, "by", o.Subject))(t)
	return all
}

// call is one call, made as an owner, about what fill has given that owner, or somebody else.
type call struct {
	method string
	about  subject
	do     func() error
}

// subject is what a call is about. Who does not have it gets store.ErrNotFound.
type subject int

const (
	theThread subject = iota // nobody has it while it is deleted
	theRun                   // a live one goes on while its thread is deleted
	theUser                  // is there while the thread is deleted, too
	anybody                  // succeeds for everybody, about what is their own
)

// wantFail makes the calls about some subjects, which must all fail.
func wantFail(t *testing.T, calls []call, with error, about ...subject) {
	t.Helper()
	for _, c := range calls {
		if slices.Contains(about, c.about) {
			must.FailWith(t, c.do(), with, "%s", c.method)
		}
	}
}

// calls returns a call for every method that takes an owner.
func calls(ctx context.Context, s store.Store, o store.Owner) []call {
	// who begins something is somebody else, so that o stays without threads and actions
	own := store.Owner{Tenant: o.Tenant, Subject: o.Subject + "/begun"}
	stolen := []journal.ToolCall{{ID: "stolen"}}
	return []call{
		{"BeginRun", anybody, func() error {
			return errors.Join(s.BeginRun(ctx, own, run("r1", "t1"), many("own", 1), noEvents), onlyOwn(ctx, s, own))
		}},
		{"SaveMessages", theRun, func() error { return s.SaveMessages(ctx, o, "t1", "r1", many("m", 2)) }},
		{"EndRun", theRun, func() error { return s.EndRun(ctx, o, finished("r1"), many("m", 2), noEvents) }},
		{"TakeOver", theRun, func() error { return nothing(s.TakeOver(ctx, o, "r1")) }},
		{"TaintRun", theRun, func() error { return s.TaintRun(ctx, o, "r1") }},
		{"Run", theThread, func() error { return nothing(s.Run(ctx, o, "r1")) }},
		{"Runs", theThread, func() error { return nothing(s.Runs(ctx, o, "t1")) }},
		{"RecentRuns", anybody, func() error { return nothing(s.RecentRuns(ctx, o, store.RunQuery{Limit: 9})) }},
		{"RecentRuns", anybody, func() error {
			return nothing(s.RecentRuns(ctx, o, store.RunQuery{ThreadID: "t1", Limit: 9}))
		}},
		{"LastRun", theThread, func() error { return nothing(s.LastRun(ctx, o, "t1")) }},

		{"AppendEvents", theRun, func() error { return appended(s, o, events("r1", 1, 2, "stolen")) }},
		{"Events", theThread, func() error { return nothing(logIn(ctx, s, o, "r1", 0)) }},

		{"PlanCalls", theRun, func() error { return s.PlanCalls(ctx, o, "r1", stolen, true) }},
		{"StartCall", theRun, func() error { return s.StartCall(ctx, o, "r1", "c1", true) }},
		{"FinishCall", theRun, func() error { return s.FinishCall(ctx, o, "r1", journal.ToolCall{ID: "c1"}, true) }},
		{"ToolCalls", theThread, func() error { return nothing(s.ToolCalls(ctx, o, "r1")) }},
		{"ToolCall", theThread, func() error { return nothing(s.ToolCall(ctx, o, "t1", "c1")) }},

		{"Thread", theUser, func() error { return nothing(s.Thread(ctx, o, "t1")) }},
		{"Threads", anybody, func() error { return nothing(s.Threads(ctx, o, store.ThreadQuery{})) }},
		{"Threads", anybody, func() error { return nothing(s.Threads(ctx, o, store.ThreadQuery{Text: "walrus"})) }},
		{"Threads", anybody, func() error {
			// a cursor that was given to the owner shows nothing to anybody else
			from := store.ThreadPosition{UpdatedAt: store.FromMillis(1 << 50), ID: "t9"}
			return nothing(s.Threads(ctx, o, store.ThreadQuery{Cursor: from.Cursor()}))
		}},
		{"UpdateThread", theUser, func() error {
			return nothing(s.UpdateThread(ctx, o, "t1", store.ThreadChange{Title: new("stolen")}))
		}},
		{"Transcript", theThread, func() error { return nothing(s.Transcript(ctx, o, "t1", "")) }},
		{"Messages", theThread, func() error { return nothing(s.Messages(ctx, o, "t1", 0, 10)) }},
		{"MessageRun", theThread, func() error { return nothing(s.MessageRun(ctx, o, "t1", "m1")) }},
		{"HasMessages", theThread, func() error { return nothing(s.HasMessages(ctx, o, "t1", []string{"m1"})) }},
		{"SetFeedback", theThread, func() error {
			return s.SetFeedback(ctx, o, "t1", store.Feedback{MessageID: "m1", Rating: -1})
		}},
		{"SetMessageMetadata", theThread, func() error {
			return s.SetMessageMetadata(ctx, o, "t1", "m1", func(agui.Message) (json.RawMessage, error) {
				return json.RawMessage(`{"stolen":true}`), errShown
			})
		}},

		{"GiveAllowance", theRun, func() error { return s.GiveAllowance(ctx, o, allowance("stolen", "r1")) }},
		{"Allowances", theThread, func() error { return nothing(s.Allowances(ctx, o, "t1")) }},
		{"FindAllowances", theThread, func() error {
			return nothing(s.FindAllowances(ctx, o, "t1", allowance("a1", "r1")))
		}},
		{"UserAllowances", anybody, func() error { return nothing(s.UserAllowances(ctx, o)) }},
		{"RevokeAllowance", theThread, func() error { return s.RevokeAllowance(ctx, o, "t1", "a1") }},
		{"RevokeAllowance", theUser, func() error { return s.RevokeAllowance(ctx, o, "", "wide") }},

		{"OfferApproval", anybody, func() error {
			p1 := store.ActionApproval{ID: "p1", Fingerprint: "sha256:x", ExpiresAt: later}
			return s.OfferApproval(ctx, own, p1)
		}},
		{"BeginAction", anybody, func() error { return nothing(s.BeginAction(ctx, own, action("k1"), "")) }},
		{"EndAction", theUser, func() error { return s.EndAction(ctx, o, "k1", []byte(`"stolen"`)) }},

		{"PutWebhook", theThread, func() error { return s.PutWebhook(ctx, o, webhook("r1", "w1")) }},
		{"Webhooks", anybody, func() error { return nothing(s.Webhooks(ctx, o, "r1")) }},
		{"TellWebhook", theThread, func() error { return s.TellWebhook(ctx, o, "r1", "w1", "stolen", true) }},
		{"DeleteWebhook", theThread, func() error { return s.DeleteWebhook(ctx, o, "r1", "w1") }},

		{"PutShare", theThread, func() error { return s.PutShare(ctx, o, share("stolen")) }},
		{"Shares", theThread, func() error { return nothing(s.Shares(ctx, o, "t1")) }},
		{"DeleteShare", theThread, func() error { return s.DeleteShare(ctx, o, "t1", "s1") }},

		{"Holdings", anybody, func() error { return nothing(s.Holdings(ctx, o)) }},
		{"Forget", anybody, func() error { return s.Forget(ctx, o) }},
	}
}

var errShown = errors.New("another owner's data is shown")

// nothing takes what a call returns, which should be nothing but an error, or no error.
func nothing[T any](v T, err error) error {
	r := reflect.ValueOf(v)
	if !r.IsZero() && (r.Kind() != reflect.Slice || r.Len() > 0) {
		return errShown
	}
	return err
}

// onlyOwn checks that the thread t1 that o has begun holds nothing but o's own message.
func onlyOwn(ctx context.Context, s store.Store, o store.Owner) error {
	messages, err := s.Transcript(ctx, o, "t1", "")
	if err == nil && (len(messages) != 1 || messages[0].ID != "own00000") {
		err = errors.New("the new thread holds more than its own message")
	}
	return err
}

// strangers are owners that are nearly ada.
var strangers = []store.Owner{
	bob, other, {Tenant: "", Subject: "ada"}, {Tenant: "acme", Subject: "Ada"}, {Tenant: "acm", Subject: "eada"},
	{Tenant: "ada", Subject: "acme"}, {Tenant: "acme", Subject: "ada "}, {Tenant: "acme", Subject: "%"},
	{Tenant: "acme", Subject: "ad_"},
}

func testIsolation(t *testing.T, s Store) {
	fill(t, s, ada)
	before := everything(t, s, ada)
	tested := map[string]bool{}
	for _, o := range strangers {
		for _, c := range calls(ctx, s, o) {
			tested[c.method] = true
			wants := store.ErrNotFound
			if c.about == anybody {
				wants = nil
			}
			must.FailWith(t, c.do(), wants, "%s as %q: error", c.method, o)
			if after := everything(t, s, ada); !reflect.DeepEqual(after, before) {
				t.Fatalf("%s as %q changed what ada has from %+v to %+v", c.method, o, before, after)
			}
		}
	}
	for m := range reflect.TypeFor[store.Store]().Methods() {
		if !tested[m.Name] && !ownerless[m.Name] {
			t.Errorf("method %s is not tested with the ids of another owner: add it to the table", m.Name)
		}
	}
}

// ownerless are the methods that are about nobody's data, or about everybody's by intent.
var ownerless = map[string]bool{
	"LiveRuns": true, "OpenWebhooks": true, "Ping": true, "Close": true, "PurgeEvents": true, "Purge": true,
	"PutInstructions": true, "Instructions": true, // the tenant's
	"HoldUsage": true, "AddUsage": true, "UsageToday": true, // about no thread
	"OpenShare": true, "PurgeShares": true,
}

func testForget(t *testing.T, s Store) {
	full := store.Holdings{Threads: 3, Runs: 3, ToolCalls: 1, Allowances: 1, Feedback: 1, Other: 4}
	owners := []store.Owner{ada, bob, other}
	before := map[store.Owner]map[string]any{}
	for _, o := range owners {
		fill(t, s, o)
		begin(t, s, o, "r2", "t2", user("m1", "walrus"))
		end(t, s, o, "r2")
		begin(t, s, o, "r3", "t3", user("m1", "walrus"))
		must.Get(s.UpdateThread(ctx, o, "t3", store.ThreadChange{Deleted: new(true)}))(t)
		before[o] = everything(t, s, o)
		want(t, "holdings", full)(s.Holdings(ctx, o))
	}
	must.Do(t, s.Forget(ctx, ada))
	must.Do(t, s.Forget(ctx, ada)) // again
	want(t, "holdings", store.Holdings{})(s.Holdings(ctx, ada))
	for _, id := range []string{"t1", "t2", "t3"} {
		must.FailWith(t, must.Err(s.Thread(ctx, ada, id)), store.ErrNotFound, "thread %s", id)
	}
	wantFail(t, calls(ctx, s, ada), store.ErrNotFound, theThread, theRun, theUser)
	for of, by := range map[string]string{"bob": "bob", "ada": ""} { // they are the tenant's
		in := must.Get(s.Instructions(ctx, ada, "by", of))(t)
		want(t, "the instructions of "+of, "be kind by "+by)(in.Text+" by "+in.UpdatedBy, nil)
	}
	for _, o := range owners[1:] {
		want(t, "holdings", full)(s.Holdings(ctx, o))
		want(t, "what others have", before[o])(everything(t, s, o), nil)
	}
	begin(t, s, ada, "r1", "t1") // the ids are free again
	wantNothing(t, s, ada)
}

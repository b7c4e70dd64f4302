package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// allowance returns an allowance that was given in a run.
func allowance(id, runID string) store.Allowance {
	return store.Allowance{
		ID: id, RunID: runID, Agent: "default", Tool: "create", Definition: "sha256:d", Args: []byte(`{ "n": 1.0 }`),
		ArgsHash: "sha256:a", OpenArgs: []string{"title"}, CreatedAt: in2020, ExpiresAt: later,
	}
}

// Changes of an allowance.
func expire(a *store.Allowance)   { a.ExpiresAt = just() }
func userWide(a *store.Allowance) { a.UserWide = true }

func action(key string) store.Action {
	return store.Action{Key: key, Fingerprint: "sha256:f", CreatedAt: in2020, ExpiresAt: later}
}

var ofSettings = []promise{
	{"allowances are kept and revoked", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t")
		wantAllowances(t, s, "t")
		second := with(allowance("a1", "r1"), func(a *store.Allowance) {
			a.CreatedAt, a.Args = in2020.Add(time.Millisecond), nil
		})
		given := allowance("a2", "r1")
		give(t, s, second, given)
		given.Args[0], given.OpenArgs[0] = 'x', "x" // the store must not notice
		wantAllowances(t, s, "t", allowance("a2", "r1"), second)
		must.Do(t, s.RevokeAllowance(ctx, ada, "t", "a2"))
		must.FailWith(t, s.RevokeAllowance(ctx, ada, "t", "a2"), store.ErrNotFound, "revoked before")
		wantAllowances(t, s, "t", second)
	}},
	// agent, tool and definition count, and nothing else does
	{"allowances are found by what they are for", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t")
		begin(t, s, ada, "r2", "other")
		first, second := allowance("a2", "r1"), allowance("a3", "r1")
		give(t, s, allowance("a4", "r2"), first, second)
		for i, change := range []func(*store.Allowance){
			func(a *store.Allowance) { a.Agent = "x" },
			func(a *store.Allowance) { a.Tool = "x" },
			func(a *store.Allowance) { a.Definition = "x" },
		} {
			another := with(allowance(fmt.Sprint("b", i), "r1"), change)
			give(t, s, another)
			wantMatching(t, s, "t", another, another)
		}
		// with no other that is given after it, and would remove it
		give(t, s, with(allowance("a1", "r1"), expire))
		wantMatching(t, s, "t", allowance("", ""), first, second)
		must.Do(t, s.RevokeAllowance(ctx, ada, "t", "a2"))
		wantMatching(t, s, "t", allowance("", ""), second)
		wantMatching(t, s, "t", store.Allowance{})
	}},
	// an expired one does not exist, and its id is free when the next one is given
	{"allowances expire", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t")
		begin(t, s, ada, "r2", "other")
		give(t, s, with(allowance("a1", "r1"), expire), allowance("a1", "r2"))
		wantAllowances(t, s, "t")
		must.FailWith(t, s.RevokeAllowance(ctx, ada, "t", "a1"), store.ErrNotFound, "revoke")
		give(t, s, allowance("a1", "r1"))
		wantAllowances(t, s, "t", allowance("a1", "r1"))
		wantAllowances(t, s, "other", allowance("a1", "r2"))
	}},
	{"allowances may hold on all threads", testUserAllowances},
	{"an action has one effect", testActions},
	{"an action is approved once", func(t *testing.T, s Store) {
		approval := store.ActionApproval{ID: "p1", Fingerprint: "sha256:f", ExpiresAt: later}
		must.Do(t, s.OfferApproval(ctx, ada, approval))
		approval.ID, approval.ExpiresAt = "over", just()
		must.Do(t, s.OfferApproval(ctx, ada, approval))
		stored := action("k1")
		must.FailWith(t, must.Err(s.BeginAction(ctx, ada, stored, "over")), store.ErrNotFound, "an expired approval")
		want[*store.Action](t, "earlier action", nil)(s.BeginAction(ctx, ada, stored, "p1"))
		want(t, "the same click again", &stored)(s.BeginAction(ctx, ada, stored, "p1"))
		must.FailWith(t, must.Err(s.BeginAction(ctx, ada, action("k2"), "p1")), store.ErrNotFound, "the approval again")
	}},
	{"instructions belong to the tenant", testInstructions},
}

func give(t *testing.T, s store.Store, all ...store.Allowance) {
	t.Helper()
	for _, a := range all {
		must.Do(t, s.GiveAllowance(ctx, ada, a))
	}
}

// wantAllowances checks the allowances of a thread.
func wantAllowances(t *testing.T, s store.Store, thread string, all ...store.Allowance) {
	t.Helper()
	for i := range all {
		all[i].ThreadID = thread
	}
	want(t, "allowances of "+thread, all)(s.Allowances(ctx, ada, thread))
}

// wantMatching checks which allowances are found on a thread. They come without their arguments.
func wantMatching(t *testing.T, s store.Store, thread string, like store.Allowance, found ...store.Allowance) {
	t.Helper()
	for i := range found {
		found[i].ThreadID, found[i].Args = "t", nil
	}
	want(t, "found on "+thread, found)(s.FindAllowances(ctx, ada, thread, like))
}

// testUserAllowances: those of a user hold on every thread, and outlive the one they were given on.
func testUserAllowances(t *testing.T, s Store) {
	begin(t, s, ada, "r1", "t")
	begin(t, s, ada, "r2", "other")
	own := allowance("a1", "r1")
	wide := with(own, func(a *store.Allowance) { a.UserWide, a.OpenArgs = true, []string{"title", "n"} })
	over := with(wide, func(a *store.Allowance) { a.ID, a.ExpiresAt = "a2", just() })
	give(t, s, own, wide, over)
	wantAllowances(t, s, "t", own)
	wantAllowances(t, s, "other")
	wide.ThreadID = "t"
	want(t, "user-wide allowances", []store.Allowance{wide})(s.UserAllowances(ctx, ada))
	wantMatching(t, s, "t", own, own, wide)
	wantMatching(t, s, "other", own, wide)
	end(t, s, ada, "r1")
	setDeleted(t, s, "t", true)
	wantPurged(t, s, "t")
	wantMatching(t, s, "other", own, wide)
	must.FailWith(t, s.RevokeAllowance(ctx, ada, "", "a2"), store.ErrNotFound, "an expired one")
	must.Do(t, s.RevokeAllowance(ctx, ada, "", "a1"))
	want(t, "user-wide allowances", []store.Allowance{})(s.UserAllowances(ctx, ada))
	wantMatching(t, s, "other", own)
}

// testActions: a key stands for one action until it expires.
func testActions(t *testing.T, s Store) {
	wantEarlier := func(given store.Action, earlier *store.Action) {
		t.Helper()
		want(t, "earlier action of "+given.Key, earlier)(s.BeginAction(ctx, ada, given, ""))
	}
	const result = `{ "text": "done", "n": 1.0 }`
	stored := action("k")
	again := store.Action{Key: "k", Fingerprint: "sha256:other", ExpiresAt: later}
	wantEarlier(stored, nil)
	wantEarlier(again, &stored)
	given := []byte(result)
	must.Do(t, s.EndAction(ctx, ada, "k", given))
	given[0] = 'x' // the store must not notice
	stored.Result = []byte(result)
	wantEarlier(again, &stored)
	over := with(action("k3"), func(a *store.Action) { a.ExpiresAt = just() })
	wantEarlier(over, nil)
	wantEarlier(over, nil)
}

func testInstructions(t *testing.T, s Store) {
	scope := func(text string) store.Instructions { return store.Instructions{Kind: "stream", ID: "42", Text: text} }
	put := func(o store.Owner, text string) { must.Do(t, s.PutInstructions(ctx, o, scope(text))) }
	wantText := func(text, by string) {
		t.Helper()
		for _, o := range []store.Owner{ada, bob} { // they are the tenant's
			got := must.Get(s.Instructions(ctx, o, "stream", "42"))(t)
			must.Be(t, time.Since(got.UpdatedAt) < time.Minute, true, "whether they were written now, at %v", got.UpdatedAt)
			got.UpdatedAt = time.Time{}
			want(t, "instructions", with(scope(text), func(in *store.Instructions) { in.UpdatedBy = by }))(got, nil)
		}
	}
	missing := func(what string, o store.Owner, kind string) {
		t.Helper()
		must.FailWith(t, must.Err(s.Instructions(ctx, o, kind, "42")), store.ErrNotFound, "%s", what)
	}
	missing("none", ada, "stream")
	put(ada, "Be brief.\né")
	wantText("Be brief.\né", "ada")
	missing("another tenant's", other, "stream")
	missing("another kind's", ada, "report")
	put(bob, "Be long.")
	wantText("Be long.", "bob")
	put(other, "")
	wantText("Be long.", "bob")
	put(ada, "")
	put(ada, "")
	missing("deleted", ada, "stream")
}

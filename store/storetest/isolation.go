package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

// foreignCalls returns one call, made as o, for every method that takes an owner, about the thread
// t1 and the run r1 of somebody else. It must answer as if there were no such thread and run:
// store.ErrNotFound, except for the methods in allowedCalls.
func foreignCalls(ctx context.Context, s store.Store, o store.Owner) map[string]func() error {
	return map[string]func() error{
		"BeginRun": func() error {
			return errors.Join(s.BeginRun(ctx, o, run("r1", "t1"), many("own", 1)), onlyOwn(ctx, s, o))
		},
		"SaveMessages": func() error { return s.SaveMessages(ctx, o, "t1", "r1", many("m", 2)) },
		"EndRun":       func() error { return s.EndRun(ctx, o, finished("r1"), many("m", 2), store.Batch{}) },
		"TakeOver":     func() error { return nothing(s.TakeOver(ctx, o, "r1")) },
		"TaintRun":     func() error { return s.TaintRun(ctx, o, "r1") },
		"Run":          func() error { return nothing(s.Run(ctx, o, "r1")) },
		"Runs":         func() error { return none(s.Runs(ctx, o, "t1")) },
		"RecentRuns": func() error {
			return errors.Join(none(s.RecentRuns(ctx, o, store.RunQuery{Limit: 9})), none(s.RecentRuns(ctx, o, store.RunQuery{ThreadID: "t1", Limit: 9})))
		},
		"LastRun": func() error { return nothing(s.LastRun(ctx, o, "t1")) },

		"AppendEvents": func() error { return appended(s, o, events("r1", 1, 1, "stolen")) },
		"Events":       func() error { return nothing(logOf(ctx, s, o, "r1", 0)) },

		"PlanCalls":  func() error { return s.PlanCalls(ctx, o, "r1", []journal.ToolCall{{ID: "stolen"}}, true) },
		"StartCall":  func() error { return s.StartCall(ctx, o, "r1", "c1", true) },
		"FinishCall": func() error { return s.FinishCall(ctx, o, "r1", journal.ToolCall{ID: "c1"}, true) },
		"ToolCalls":  func() error { return none(s.ToolCalls(ctx, o, "r1")) },
		"ToolCall":   func() error { return nothing(s.ToolCall(ctx, o, "t1", "c1")) },

		"Thread": func() error { return nothing(s.Thread(ctx, o, "t1")) },
		"Threads": func() error {
			// A cursor that was given to the owner must show nothing to anybody else.
			cursor := store.ThreadPosition{UpdatedAt: store.FromMillis(1 << 50), ID: "t9"}.Cursor()
			for _, q := range []store.ThreadQuery{{Limit: 10}, {Limit: 10, Cursor: cursor}, {Text: "text"}} {
				if err := noPage(s.Threads(ctx, o, q)); err != nil {
					return err
				}
			}
			return nil
		},
		"UpdateThread": func() error { return setTitle(s, ctx, o, "t1", "stolen") },
		"Transcript":   func() error { return none(s.Transcript(ctx, o, "t1", "")) },
		"Messages":     func() error { return noPage(s.Messages(ctx, o, "t1", 0, 10)) },
		"MessageRun":   func() error { return nothing(s.MessageRun(ctx, o, "t1", "m00000")) },
		"HasMessages":  func() error { return nothing(s.HasMessages(ctx, o, "t1", []string{"m00000"})) },
		"SetFeedback": func() error {
			return s.SetFeedback(ctx, o, "t1", store.Feedback{MessageID: "m00000", Rating: -1})
		},
		"SetMessageMetadata": func() error {
			return s.SetMessageMetadata(ctx, o, "t1", "m00000", func(agui.Message) (json.RawMessage, error) {
				return json.RawMessage(`{"stolen":true}`), errors.New("a message is shown")
			})
		},

		"GiveAllowance":  func() error { return s.GiveAllowance(ctx, o, allowance("stolen", "r1")) },
		"Allowances":     func() error { return none(s.Allowances(ctx, o, "t1")) },
		"FindAllowances": func() error { return none(s.FindAllowances(ctx, o, "t1", allowance("a1", "r1"))) },
		"UserAllowances": func() error { return none(s.UserAllowances(ctx, o)) },
		"RevokeAllowance": func() error {
			return firstUnlike(store.ErrNotFound, s.RevokeAllowance(ctx, o, "t1", "a1"), s.RevokeAllowance(ctx, o, "", "wide"))
		},

		"OfferApproval": func() error {
			return s.OfferApproval(ctx, o, store.ActionApproval{ID: "p1", Fingerprint: "sha256:x", ExpiresAt: later})
		},
		"BeginAction": func() error { return nothing(s.BeginAction(ctx, o, action("k1"), "")) },
		"EndAction":   func() error { return s.EndAction(ctx, o, "k1", []byte(`"stolen"`)) },

		"PutWebhook":    func() error { return s.PutWebhook(ctx, o, webhook("r1", "w1")) },
		"Webhooks":      func() error { return none(s.Webhooks(ctx, o, "r1")) },
		"TellWebhook":   func() error { return s.TellWebhook(ctx, o, "r1", "w1", "stolen", true) },
		"DeleteWebhook": func() error { return s.DeleteWebhook(ctx, o, "r1", "w1") },

		"PutShare":    func() error { return s.PutShare(ctx, o, share("stolen")) },
		"Shares":      func() error { return none(s.Shares(ctx, o, "t1")) },
		"DeleteShare": func() error { return s.DeleteShare(ctx, o, "t1", "s1") },

		"Holdings": func() error { _, err := s.Holdings(ctx, o); return err },
		"Forget":   func() error { return s.Forget(ctx, o) },
	}
}

// allowedCalls are the methods that succeed for everybody, about what is their own.
var allowedCalls = map[string]bool{"BeginRun": true, "RecentRuns": true, "Threads": true, "UserAllowances": true, "Webhooks": true, "OfferApproval": true, "BeginAction": true, "Holdings": true, "Forget": true}

// begins are the methods that store something of the caller's own.
var begins = map[string]bool{"BeginRun": true, "OfferApproval": true, "BeginAction": true}

// firstUnlike returns the first error that is not want, or want.
func firstUnlike(want error, errs ...error) error {
	for _, err := range errs {
		if !errors.Is(err, want) {
			return err
		}
	}
	return want
}

var errShown = errors.New("another owner's data is shown")

func nothing(v any, err error) error {
	if !reflect.ValueOf(v).IsZero() {
		return errShown
	}
	return err
}

func none[T any](list []T, err error) error {
	if len(list) > 0 {
		return errShown
	}
	return err
}

func noPage[T any](page store.Page[T], err error) error {
	if len(page.Items) > 0 || page.Next != "" {
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
	bob, other, {Tenant: "", Subject: "ada"}, {Tenant: "acme", Subject: "Ada"}, {Tenant: "acm", Subject: "eada"}, {Tenant: "ada", Subject: "acme"},
	{Tenant: "acme", Subject: "ada "}, {Tenant: "acme", Subject: "%"}, {Tenant: "acme", Subject: "ad_"},
}

func testIsolation(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", many("m", 3)...)
	must(t, s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "c1", Tool: "f"}}, true))
	must(t, s.GiveAllowance(t.Context(), ada, allowance("a1", "r1")))
	wide := allowance("wide", "r1")
	wide.UserWide = true
	must(t, s.GiveAllowance(t.Context(), ada, wide))
	must(t, s.OfferApproval(t.Context(), ada, store.ActionApproval{ID: "p1", Fingerprint: "sha256:f", ExpiresAt: later}))
	must(t, nothing(s.BeginAction(t.Context(), ada, action("k1"), "")))
	must(t, s.PutWebhook(t.Context(), ada, webhook("r1", "w1")))
	must(t, s.PutShare(t.Context(), ada, share("s1")))
	before := everything(t, s)
	for m := range reflect.TypeFor[store.Store]().Methods() {
		if ownerless[m.Name] {
			continue
		}
		want := store.ErrNotFound
		if allowedCalls[m.Name] {
			want = nil
		}
		for _, o := range strangers {
			if begins[m.Name] {
				o.Subject += "/begun" // so that the others stay without threads and actions
			}
			call, ok := foreignCalls(t.Context(), s, o)[m.Name]
			if !ok {
				t.Errorf("method %s is not tested with the ids of another owner: add it to the table", m.Name)
				break
			}
			if err := call(); !errors.Is(err, want) {
				t.Errorf("%s as %q: error is %v, want %v", m.Name, o, err, want)
			}
			if after := everything(t, s); !reflect.DeepEqual(after, before) {
				t.Fatalf("%s as %q changed what ada has from %+v to %+v", m.Name, o, before, after)
			}
		}
	}
}

// ownerless are the methods that are about nobody's data, or about everybody's by intent.
var ownerless = map[string]bool{
	"LiveRuns": true, "OpenWebhooks": true, "Ping": true, "Close": true, "PurgeEvents": true, "Purge": true,
	"PutInstructions": true, "Instructions": true, // the tenant's: testInstructions
	"HoldUsage": true, "AddUsage": true, "UsageToday": true, // about no thread: testUsage
	"OpenShare": true, "PurgeShares": true, // testShares
	// the tenants': testAudit
	"AppendAudit": true, "AuditRecords": true, "AuditRows": true, "AuditHeads": true, "AuditOf": true, "PurgeAudit": true,
}

// everything is what ada sees of the thread t1 and the run r1.
func everything(t *testing.T, s store.Store) []any {
	t.Helper()
	r, err := s.Run(t.Context(), ada, "r1")
	must(t, err)
	threads, err := s.Threads(t.Context(), ada, store.ThreadQuery{Cursor: "", Limit: 0})
	must(t, err)
	messages, err := s.Messages(t.Context(), ada, "t1", 0, 0)
	must(t, err)
	calls, err := s.ToolCalls(t.Context(), ada, "r1")
	must(t, err)
	log, err := logOf(t.Context(), s, ada, "r1", 0)
	must(t, err)
	allowances, err := s.Allowances(t.Context(), ada, "t1")
	must(t, err)
	wide, err := s.UserAllowances(t.Context(), ada)
	must(t, err)
	act, err := s.BeginAction(t.Context(), ada, action("k1"), "")
	must(t, err)
	shares, err := s.Shares(t.Context(), ada, "t1")
	must(t, err)
	return []any{r, threads, messages, calls, log, allowances, wide, *act, shares}
}

func testSharedIDs(t *testing.T, s store.Store) {
	owners := []store.Owner{ada, bob, other}
	for _, o := range owners {
		begin(t, s, o, "r1", "t1", user("m1", o.Tenant+o.Subject))
	}
	for _, o := range owners {
		must(t, s.EndRun(t.Context(), o, finished("r1"), many("m", 1), store.Batch{}))
		wantTranscript(t, s, o, "t1", "m1="+o.Tenant+o.Subject, "m00000=text")
		wantErr(t, "own run id", s.BeginRun(t.Context(), o, run("r1", "t1"), nil), store.ErrConflict)
	}
}

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

// foreign is one call for every method that takes an owner, about the thread t1 and the run r1 of
// somebody else. want is what the caller must get, which is also what it gets where there is no
// such thread and run.
var foreign = map[string]struct {
	want error
	call func(context.Context, store.Store, store.Owner) error
}{
	"BeginRun": {nil, func(ctx context.Context, s store.Store, o store.Owner) error {
		return errors.Join(s.BeginRun(ctx, o, run("r1", "t1"), many("own", 1)), onlyOwn(ctx, s, o))
	}},
	"SaveMessages": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.SaveMessages(ctx, o, "t1", "r1", many("m", 2))
	}},
	"EndRun": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.EndRun(ctx, o, finished("r1"), many("m", 2), store.Batch{})
	}},
	"Run": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		r, err := s.Run(ctx, o, "r1")
		return nothing(r, err)
	}},
	"Thread": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		thread, err := s.Thread(ctx, o, "t1")
		return nothing(thread, err)
	}},
	"Threads": {nil, func(ctx context.Context, s store.Store, o store.Owner) error {
		// A cursor that was given to the owner must show nothing to anybody else.
		for _, cursor := range []string{"", store.ThreadPosition{UpdatedAt: store.FromMillis(1 << 50), ID: "t9"}.Cursor()} {
			if page, err := s.Threads(ctx, o, store.ThreadQuery{Cursor: cursor, Limit: 10}); err != nil || len(page.Items) > 0 || page.Next != "" {
				return errors.Join(err, errors.New("threads are listed"))
			}
		}
		if page, err := s.Threads(ctx, o, store.ThreadQuery{Text: "text"}); err != nil || len(page.Items) > 0 {
			return errors.Join(err, errors.New("threads are found"))
		}
		return nil
	}},
	"UpdateThread": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return setTitle(s, ctx, o, "t1", "stolen")
	}},
	"AppendEvents": {store.ErrNotFound, func(_ context.Context, s store.Store, o store.Owner) error {
		return appended(s, o, events("r1", 1, 1, "stolen"))
	}},
	"TakeOver": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		_, err := s.TakeOver(ctx, o, "r1")
		return err
	}},
	"TaintRun": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.TaintRun(ctx, o, "r1")
	}},
	"Events": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		got, err := logOf(ctx, s, o, "r1", 0)
		return nothing(got, err)
	}},
	"PlanCalls": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.PlanCalls(ctx, o, "r1", []journal.ToolCall{{ID: "stolen"}}, true)
	}},
	"StartCall": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.StartCall(ctx, o, "r1", "c1", true)
	}},
	"FinishCall": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.FinishCall(ctx, o, "r1", journal.ToolCall{ID: "c1"}, true)
	}},
	"ToolCalls": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		calls, err := s.ToolCalls(ctx, o, "r1")
		if len(calls) > 0 {
			return errors.New("calls are shown")
		}
		return err
	}},
	"ToolCall": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		call, err := s.ToolCall(ctx, o, "t1", "c1")
		return nothing(call, err)
	}},
	"Runs": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		runs, err := s.Runs(ctx, o, "t1")
		if len(runs) > 0 {
			return errors.New("runs are shown")
		}
		return err
	}},
	"MessageRun": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		r, err := s.MessageRun(ctx, o, "t1", "m00000")
		return nothing(r, err)
	}},
	"SetFeedback": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.SetFeedback(ctx, o, "t1", store.Feedback{MessageID: "m00000", Rating: -1})
	}},
	"SetMessageMetadata": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.SetMessageMetadata(ctx, o, "t1", "m00000", func(agui.Message) (json.RawMessage, error) {
			return json.RawMessage(`{"stolen":true}`), errors.New("a message is shown")
		})
	}},
	"GiveAllowance": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.GiveAllowance(ctx, o, allowance("stolen", "r1"))
	}},
	"Allowances": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		all, err := s.Allowances(ctx, o, "t1")
		if len(all) > 0 {
			return errors.New("allowances are shown")
		}
		return err
	}},
	"FindAllowances": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		found, err := s.FindAllowances(ctx, o, "t1", allowance("a1", "r1"))
		if len(found) > 0 {
			return errors.New("allowances are shown")
		}
		return err
	}},
	"RevokeAllowance": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		return s.RevokeAllowance(ctx, o, "t1", "a1")
	}},
	"LastRun": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		r, err := s.LastRun(ctx, o, "t1")
		return nothing(r, err)
	}},
	"Transcript": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		messages, err := s.Transcript(ctx, o, "t1", "")
		if len(messages) > 0 {
			return errors.New("messages are shown")
		}
		return err
	}},
	"Messages": {store.ErrNotFound, func(ctx context.Context, s store.Store, o store.Owner) error {
		page, err := s.Messages(ctx, o, "t1", 0, 10)
		if len(page.Items) > 0 || page.Next != "" {
			return errors.New("messages are shown")
		}
		return err
	}},
}

func nothing(v any, err error) error {
	if !reflect.ValueOf(v).IsZero() {
		return errors.New("something is shown")
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
	before := everything(t, s)
	for m := range reflect.TypeFor[store.Store]().Methods() {
		probe, ok := foreign[m.Name]
		if !ok {
			if !ownerless[m.Name] {
				t.Errorf("method %s is not tested with the ids of another owner: add it to the table", m.Name)
			}
			continue
		}
		for _, o := range strangers {
			if m.Name == "BeginRun" {
				o.Subject += "/begun" // so that the others stay without threads
			}
			if err := probe.call(t.Context(), s, o); !errors.Is(err, probe.want) {
				t.Errorf("%s as %q: error is %v, want %v", m.Name, o, err, probe.want)
			}
			if after := everything(t, s); !reflect.DeepEqual(after, before) {
				t.Fatalf("%s as %q changed what ada has from %+v to %+v", m.Name, o, before, after)
			}
		}
	}
}

// ownerless are the methods about nobody's data, or by intent about everybody's.
var ownerless = map[string]bool{
	"LiveRuns": true, "Ping": true, "Close": true, "PurgeEvents": true, "Purge": true,
	"PutInstructions": true, "Instructions": true, // the tenant's: testInstructions
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
	return []any{r, threads, messages, calls, log, allowances}
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

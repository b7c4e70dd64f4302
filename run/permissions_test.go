package run

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// editor is ada with a role.
var editor = auth.Principal{Tenant: ada.Tenant, Subject: ada.Subject, Roles: []string{"editor"}, Method: "test"}

func rulesOf(t *testing.T, list ...policy.Rule) *policy.Rules {
	t.Helper()
	r := value(policy.NewRules(list...))(t)
	return r
}

var anyAgent = policy.Rule{On: map[policy.Kind][]string{policy.Agent: {"*"}}, Then: policy.Allow}

// TestPrincipalSurvivesACrash: a run goes on for the principal that began it, roles included, and
// the policy is asked about that one.
func TestPrincipalSurvivesACrash(t *testing.T) {
	disk := temp.Store(t)
	st := &mortal{Store: disk, left: -1}
	look := func(do func(*tool.Call)) *tool.Tool {
		l := tool.New("look", "Looks.", func(_ context.Context, c *tool.Call, _ struct{}) (tool.Result, error) {
			do(c)
			return tool.Result{Text: "seen"}, nil
		})
		l.Effect = tool.Read
		return l
	}
	permissions := rulesOf(t, anyAgent, policy.Rule{Except: []string{"editor"}, On: map[policy.Kind][]string{policy.Tool: {"look"}}, Then: policy.Deny})
	a := agentWith(t, &steps{play: []step{call("c", "look", "{}")}}, look(func(*tool.Call) { st.die() }))
	a.Authorizer = permissions
	f := managerWith(t, st, a, nil)
	in := f.input("t1", "look")
	if _, err := f.Start(t.Context(), Request{Principal: editor, Agent: "default", Input: in, Fingerprint: "f"}); err != nil {
		t.Fatal(err)
	}
	f.admission.work.Wait()

	var mu sync.Mutex
	var ran []auth.Principal
	next := agentWith(t, &steps{play: []step{say("the rest")}}, look(func(c *tool.Call) {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, c.Principal)
	}))
	next.Authorizer = permissions
	managerWith(t, disk, next, nil).admission.work.Wait()
	if got, want := mustJSON(t, ran), mustJSON(t, []auth.Principal{editor}); got != want {
		t.Errorf("the call ran for %s, not %s", got, want)
	}
	if log := logOf(t, disk, in.RunID); strings.Contains(log, "unknown_outcome") || !strings.Contains(log, "the rest") {
		t.Errorf("the run went on like this:\n%s", log)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw := value(json.Marshal(v))(t)
	return string(raw)
}

// TestAgentsAndPlacesArePermitted: a run is refused before anything of it is stored.
func TestAgentsAndPlacesArePermitted(t *testing.T) {
	f := newFixture(t, temp.Store(t), func(cfg *Config) {
		deskOf(cfg.Agents[0]).Authorizer = rulesOf(t,
			policy.Rule{Roles: []string{"editor"}, On: map[policy.Kind][]string{policy.Agent: {"default"}, policy.Page: {"*"}}, Then: policy.Allow},
			policy.Rule{On: map[policy.Kind][]string{policy.Page: {"payroll"}}, When: "scope.unit != '7'", Then: policy.Deny, Reason: "ask personnel"})
	})
	for _, c := range []struct {
		name, place string
		who         auth.Principal
		want        string
	}{
		{"another role", `{"page":"orders"}`, adaPrincipal, `not permitted to ask the agent "default"`},
		{"no place", ``, editor, ""},
		{"a page", `{"page":"orders","tab":"open"}`, editor, ""},
		{"a refused page", `{"page":"payroll","tab":"salaries","scope":{"unit":"8"}}`, editor, `"payroll/salaries": ask personnel`},
		{"a page whose condition fails", `{"page":"payroll"}`, editor, `the policy failed`},
		{"a page for the scope", `{"page":"payroll","scope":{"unit":"7"}}`, editor, ""},
	} {
		in := f.input("t-"+c.name, "hello")
		if c.place != "" {
			in.ForwardedProps = json.RawMessage(`{"pageside":` + c.place + `}`)
		}
		_, err := f.Start(t.Context(), Request{Principal: c.who, Agent: "default", Input: in, Fingerprint: "f"})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		wantCode(t, err, CodeForbidden)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := f.store.Thread(t.Context(), ada, in.ThreadID); err == nil {
			t.Errorf("%s: the refused run left a thread", c.name)
		}
	}
}

// TestForgetALiveOwner cancels what is live and leaves nothing, in memory either; others keep
// theirs.
func TestForgetALiveOwner(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	ended := f.start(f.input("t1", "hello"))
	readAll(t, ended.Read(false))
	live := f.start(f.input("t2", "hang"))
	bob := auth.Principal{Tenant: ada.Tenant, Subject: "bob"}
	in := f.input("t1", "hello")
	kept := value(f.Start(t.Context(), Request{Principal: bob, Agent: "default", Input: in, Fingerprint: "f"}))(t)
	readAll(t, kept.Read(false))
	if h, err := f.Holdings(t.Context(), ada); err != nil || h.Threads != 2 {
		t.Fatalf("ada has %+v, %v", h, err)
	}
	must(t, f.Forget(t.Context(), ada))
	if !live.isOver() {
		t.Error("a run is still live")
	}
	if h, err := f.Holdings(t.Context(), ada); err != nil || h != (store.Holdings{}) {
		t.Errorf("ada has %+v, %v", h, err)
	}
	for _, id := range []string{ended.ID, live.ID} {
		_, err := f.Follow(t.Context(), FollowRequest{Owner: ada, RunID: id})
		wantCode(t, err, CodeNotFound)
	}
	if reader, err := f.Follow(t.Context(), FollowRequest{Owner: ownerOf(bob), RunID: kept.ID}); err != nil || !strings.Contains(readAll(t, reader), string(agui.TypeRunFinished)) {
		t.Errorf("bob's run is gone too: %v", err)
	}
}

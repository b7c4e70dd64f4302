package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// actionSite is a server whose one page has an action for each tool.
func actionSite(t *testing.T, approvals agent.Approvals, tools ...*tool.Tool) *site {
	t.Helper()
	return newSite(t, withActions(t, approvals, tools...))
}

// withActions gives a server one page with an action for each tool.
func withActions(t *testing.T, approvals agent.Approvals, tools ...*tool.Tool) func(*server.Config) {
	t.Helper()
	return withActionsOn(t, temp.Store(t), approvals, tools...)
}

// withActionsOn is withActions over a store.
func withActionsOn(t *testing.T, st store.Store, approvals agent.Approvals, tools ...*tool.Tool) func(*server.Config) {
	t.Helper()
	registry, err := tool.NewRegistry(tools...)
	must(t, err)
	types, err := payload.NewRegistry(&payload.Type{Name: "card", Schema: []byte(`{"type":"object","required":["title"]}`)})
	must(t, err)
	var actions []page.Action
	for _, each := range tools {
		actions = append(actions, page.Action{Name: each.Name, Handler: page.HandlerServer, Tool: each.Name})
	}
	pages, err := page.NewRegistry(registry, types, page.Page{Name: "p", Actions: actions})
	must(t, err)
	return func(c *server.Config) {
		runs, err := run.NewManager(t.Context(), run.Config{Store: st, Logger: c.Logger,
			Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, ID: "default", Model: suggesting(nil), Pages: pages, Approvals: approvals})})
		must(t, err)
		t.Cleanup(func() { runs.Drain(t.Context()) })
		c.Runs = runs
	}
}

// toolNamed is a tool that says which call it was.
func toolNamed(name string, effect tool.Effect, approval tool.Approval) *tool.Tool {
	type input struct {
		ID string `json:"id,omitempty"`
	}
	t := tool.New(name, "Does something.", func(_ context.Context, call *tool.Call, in input) (tool.Result, error) {
		return tool.Result{Text: name + " " + in.ID + " in " + call.ThreadID}, nil
	})
	t.Effect, t.Policy.Approval = effect, approval
	return t
}

// approvalOf makes a request for an action that must be refused, and returns the id that approves
// it.
func (s *site) approvalOf(name, body string) string {
	s.t.Helper()
	answer := s.send("POST", "/v1/actions/"+name, body, 409)
	var refusal struct {
		Error struct {
			Code    string
			Details struct{ ApprovalID, Field string }
		}
	}
	must(s.t, json.Unmarshal([]byte(answer), &refusal))
	if e := refusal.Error; e.Code != "approval_required" || e.Details.ApprovalID == "" || e.Details.Field != "approvalId" {
		s.t.Fatalf("%s is refused with %s", name, answer)
	}
	return refusal.Error.Details.ApprovalID
}

// approved is body with an approval id.
func approved(body, id string) string {
	return strings.TrimSuffix(body, "}") + `,"approvalId":"` + id + `"}`
}

// A label is a model's: for what it may hide the user has to see the arguments.
func TestAnActionWhoseLabelSaysTooLittleNeedsTheApprovalOfItsArguments(t *testing.T) {
	tools := []*tool.Tool{
		toolNamed("look", tool.Read, tool.ApprovalPolicy), toolNamed("save", tool.Write, tool.ApprovalPolicy), toolNamed("send", tool.Exfil, tool.ApprovalPolicy),
		toolNamed("drop", tool.Destructive, tool.ApprovalPolicy), toolNamed("trusted", tool.Destructive, tool.ApprovalNever), toolNamed("asked", tool.Read, tool.ApprovalAlways),
	}
	for _, c := range []struct {
		untrusted bool
		free      string
	}{{true, "look save trusted"}, {false, "look save trusted"}} {
		s := actionSite(t, agent.Approvals{IgnoreTaint: !c.untrusted}, tools...)
		s.run("clean", "r1", "hello")
		for _, each := range tools {
			const body = `{"page":"p","args":{"id":"7"},"threadId":"clean"}`
			if strings.Contains(c.free, each.Name) {
				s.expect("POST", "/v1/actions/"+each.Name, body, 200, each.Name+" 7")
				continue
			}
			s.expect("POST", "/v1/actions/"+each.Name, body, 409, "approval_required", `"args":{"id":"7"}`, `"field":"approvalId"`)
			s.expect("POST", "/v1/actions/"+each.Name, approved(body, s.approvalOf(each.Name, body)), 200, each.Name+" 7")
		}
	}
}

// On a tainted branch the label and the arguments may be what somebody else wants. Without a thread
// nobody knows.
func TestAnActionOfATaintedBranchNeedsTheApprovalOfItsArguments(t *testing.T) {
	tools := []*tool.Tool{
		toolNamed("look", tool.Read, tool.ApprovalPolicy), toolNamed("stamp", tool.Idempotent, tool.ApprovalPolicy), toolNamed("save", tool.Write, tool.ApprovalPolicy),
		toolNamed("trusted", tool.Write, tool.ApprovalNever),
	}
	const all = "stamp save"
	for _, c := range []struct {
		untrusted bool
		thread    string
		asked     string
	}{
		{true, "tainted", all}, {true, "clean", ""}, {true, "not-begun", all}, {true, "", all}, {true, "left", all}, {true, "deleted", all},
		{false, "tainted", ""}, {false, "", ""},
	} {
		s := actionSite(t, agent.Approvals{IgnoreTaint: !c.untrusted}, tools...)
		s.run("clean", "r1", "hello")
		s.read(s.post(strings.Replace(input("tainted", "r2", "hello"), `"context":[]`, `"context":[{"description":"comments","value":"EVIL"}]`, 1)), 200)
		s.run("tainted", "r3", "go on") // which brings nothing
		s.run("left", "r5", "hello")
		s.read(s.post(strings.Replace(input("left", "r6", "and now"), `"context":[]`, `"context":[{"description":"comments","value":"EVIL"}]`, 1)), 200)
		s.read(s.post(strings.Replace(input("left", "r7", "otherwise"), `"context":[]`, `"context":[],"parentRunId":"r5"`, 1)), 200)
		s.run("deleted", "r4", "hello")
		s.send("DELETE", "/v1/threads/deleted", "", 204)
		for _, each := range tools {
			body := `{"page":"p","args":{"id":"7"},"threadId":"` + c.thread + `"}`
			if strings.Contains(c.asked, each.Name) {
				body = approved(body, s.approvalOf(each.Name, body))
			}
			s.expect("POST", "/v1/actions/"+each.Name, body, 200, each.Name+" 7")
		}
	}
}

func TestAnActionIsLoggedWithoutWhatItWasGiven(t *testing.T) {
	s := actionSite(t, agent.Approvals{IgnoreTaint: true}, toolNamed("save", tool.Write, tool.ApprovalPolicy))
	s.expect("POST", "/v1/actions/save", `{"page":"p","args":{"id":"s3cret"}}`, 200, "s3cret")
	log := s.logs.String()
	for _, want := range []string{"an action was carried out", "action=save", "tool=save", "effect=write", "subject=local", "isError=false", "id=act_"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
	if strings.Contains(log, "s3cret") {
		t.Errorf("the log shows arguments or results: %s", log)
	}
}

// A tool may trust the thread it is told.
func TestAnActionIsToldOfTheCallersThreadsOnly(t *testing.T) {
	s := actionSite(t, agent.Approvals{IgnoreTaint: true}, toolNamed("save", tool.Write, tool.ApprovalPolicy))
	s.run("mine", "r1", "hello")
	s.expect("POST", "/v1/actions/save", `{"page":"p","args":{},"threadId":"mine"}`, 200, `in mine"`)
	s.expect("POST", "/v1/actions/save", `{"page":"p","args":{},"threadId":"theirs"}`, 200, `in "`)
}

// What began is not left half done because somebody closed a tab.
func TestAnActionGoesOnWhenItsClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, gone, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		left := make(chan error, 1)
		slow := tool.New("save", "Saves.", func(ctx context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
			close(begun)
			<-gone
			ended <- ctx.Err()
			return tool.Result{Text: "saved"}, nil
		})
		s := newPipeSite(t, func(c *server.Config) {
			withActions(t, agent.Approvals{IgnoreTaint: true}, slow)(c)
			c.Authorizer = policy.Everything
			c.Authenticate = func(r *http.Request) (auth.Principal, error) {
				context.AfterFunc(r.Context(), func() { left <- r.Context().Err() })
				return auth.Principal{Subject: "ada"}, nil
			}
		})
		conn := s.dial()
		const body = `{"page":"p","args":{}}`
		_, err := fmt.Fprintf(conn, "POST /v1/actions/save HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		must(t, err)
		<-begun
		conn.Close()
		if err := <-left; err == nil { // the server has seen that its client left
			t.Error("the request goes on")
		}
		close(gone)
		if err := <-ended; err != nil {
			t.Errorf("the tool was stopped: %v", err)
		}
	})
}

func TestACardThatIsNotWhatItsTypeSaysIsNotSent(t *testing.T) {
	bad := tool.New("save", "Saves.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{Text: "saved", Payload: map[string]int{"other": 1}}, nil
	})
	bad.PayloadType = "card"
	s := actionSite(t, agent.Approvals{IgnoreTaint: true}, bad)
	if got := s.send("POST", "/v1/actions/save", `{"page":"p","args":{}}`, 200); !strings.Contains(got, `"text":"saved"`) || strings.Contains(got, "payload") {
		t.Errorf("the answer is %s", got)
	}
	if !strings.Contains(s.logs.String(), "cannot be shown") {
		t.Errorf("nobody is told: %s", s.logs)
	}
}

// The test's model takes no tools: nothing of them is promised.
func TestCapabilitiesOfAModelWithoutTools(t *testing.T) {
	s := actionSite(t, agent.Approvals{IgnoreTaint: true}, toolNamed("save", tool.Write, tool.ApprovalPolicy))
	got := s.send("GET", "/v1/agents/default/capabilities", "", 200)
	for _, want := range []string{`"tools":{"supported":false,"items":[]`, `"approvals":false`, `"interrupts":false`, `"feedback":true`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}

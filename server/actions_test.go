package server_test

import (
	"context"
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
	"github.com/pageside/pageside/test/must"
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
	registry := must.Get(tool.NewRegistry(tools...))(t)
	types, err := payload.NewRegistry(&payload.Type{Name: "card", Schema: []byte(`{"type":"object","required":["title"]}`)})
	must.Do(t, err)
	var actions []page.Action
	for _, each := range tools {
		actions = append(actions, page.Action{Name: each.Name, Handler: page.HandlerServer, Tool: each.Name})
	}
	pages := must.Get(page.NewRegistry(registry, types, page.Page{Name: "p", Actions: actions}))(t)
	return func(c *server.Config) {
		runs, err := run.NewManager(t.Context(), run.Config{Store: st, Logger: c.Logger,
			Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, ID: "default", Model: suggesting(nil), Pages: pages, Approvals: approvals})})
		must.Do(t, err)
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
		must.Do(t, err)
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

// The test's model takes no tools: nothing of them is promised.
func TestCapabilitiesOfAModelWithoutTools(t *testing.T) {
	s := actionSite(t, agent.Approvals{IgnoreTaint: true}, toolNamed("save", tool.Write, tool.ApprovalPolicy))
	got := s.do("", "GET", "/v1/agents/default/capabilities", "", 200)
	for _, want := range []string{`"tools":{"supported":false,"items":[]`, `"approvals":false`, `"interrupts":false`, `"feedback":true`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}

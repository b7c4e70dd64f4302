package server_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// withActions gives a server one page with an action for each tool.
func withActions(t *testing.T, tools ...*tool.Tool) func(*server.Config) {
	t.Helper()
	registry := must.Get(tool.NewRegistry(tools...))(t)
	var actions []page.Action
	for _, each := range tools {
		actions = append(actions, page.Action{Name: each.Name, Handler: page.HandlerServer, Tool: each.Name})
	}
	pages := must.Get(page.NewRegistry(registry, nil, page.Page{Name: "p", Actions: actions}))(t)
	return withAgent(t, func(a *agent.Agent) { a.Pages = pages })
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
			withActions(t, slow)(c)
			c.Authorizer = policy.Everything
			c.Authenticate = func(r *http.Request) (auth.Principal, error) {
				context.AfterFunc(r.Context(), func() { left <- r.Context().Err() })
				return auth.Principal{Subject: "ada"}, nil
			}
		})
		conn := s.dial()
		s.request(conn, "POST", "/v1/actions/save", `{"page":"p","args":{}}`)
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

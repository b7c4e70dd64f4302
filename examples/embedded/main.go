// Command embedded is the shortest complete program with an assistant inside: a tool, a page and
// users of its own.
//
//	make web && go run ./examples/embedded
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log"
	"net/http"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/web"
)

//go:embed index.html answers.yaml
var files embed.FS

var orders = map[string]string{"1042": "packed, leaves today", "1050": "two days late"}

type order struct {
	Number string `json:"number" jsonschema:"the number of the order, four digits"`
}

// findOrder is the tool: arguments are validated before it runs, errors go to the model as data.
func findOrder(_ context.Context, call *tool.Call, in order) (tool.Result, error) {
	if orders[in.Number] == "" {
		return tool.Result{}, fmt.Errorf("%s has no order %s", call.Principal.Subject, in.Number)
	}
	return tool.Result{Text: fmt.Sprintf("Order %s of %s: %s.", in.Number, call.Principal.Subject, orders[in.Number])}, nil
}

// signedIn is the auth hook: whoever your own session says it is. Here it is a cookie.
func signedIn(r *http.Request) (auth.Principal, error) {
	if session, err := r.Cookie("user"); err == nil && session.Value != "" {
		return auth.Principal{Subject: session.Value}, nil
	}
	return auth.Principal{}, auth.ErrNoCredentials
}

func newApp(ctx context.Context, find *tool.Tool) (http.Handler, error) {
	rules, err := files.ReadFile("answers.yaml")
	model, err2 := script.Parse("orders", rules) // or openai.New(…): the packages beside llm/script
	tools, err3 := tool.NewRegistry(find)
	pages, err4 := page.NewRegistry(tools, nil, page.Page{Name: "orders", Tools: []string{"find_order"}})
	kept, err5 := sqlstore.OpenTemp(ctx) // sqlstore.Open keeps threads in a file
	shop := &agent.Agent{ID: "default", Description: "Knows the orders.", Model: model, Pages: pages}
	runs, err6 := run.NewManager(ctx, run.Config{Store: kept, Agents: run.Loops(shop)})
	if err := errors.Join(err, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	assistant, err := server.New(server.Config{
		Runs: runs, Web: web.Script(), Authenticate: signedIn, Protocols: []server.Protocol{agui.Protocol{}},
	})
	app := http.NewServeMux()
	app.Handle("/v1/", assistant)
	app.Handle("/pageside.js", assistant)
	app.Handle("/assets/", assistant)
	app.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		// your sign-in
		http.SetCookie(w, &http.Cookie{Name: "user", Value: "ada", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.ServeFileFS(w, r, files, "index.html")
	})
	return app, err
}

func main() {
	find := tool.New("find_order", "Finds an order by its number.", findOrder)
	find.Effect = tool.Read // others need permissions, and a person's approval
	app, err := newApp(context.Background(), find)
	if err != nil {
		log.Fatal(err)
	}
	log.Println("Orders with an assistant: http://127.0.0.1:8423")
	log.Fatal((&http.Server{Addr: "127.0.0.1:8423", Handler: app, ConnContext: server.ConnContext}).ListenAndServe())
}

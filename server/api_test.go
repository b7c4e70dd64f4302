package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

const pageRules = `
name: test
rules:
  - match: '^propose'
    steps: [{ text: "Here it is:\nPROPOSAL: {\"name\": \"x\"}\nDo you like it?" }]
  - match: '^hello'
    steps: [{ text: 'Hello, {{ .User }}' }]
  - fallback: true
    steps: [{ text: 'ok' }]
`

// newPageSite is a server with one page that has everything a page can have.
func newPageSite(t *testing.T, adjust func(*server.Config)) *site {
	t.Helper()
	model := must.Get(script.Parse("test", []byte(pageRules)))(t)
	type export struct {
		Format string `json:"format"`
	}
	exporter := tool.New("export", "Exports.", func(_ context.Context, _ *tool.Call, in export) (tool.Result, error) {
		if in.Format == "paper" {
			return tool.Result{}, errors.New("there is no printer")
		}
		return tool.Result{Text: "exported as " + in.Format, Payload: map[string]string{"name": in.Format}}, nil
	})
	exporter.PayloadType, exporter.Effect = "exported", tool.Read
	tools := must.Get(tool.NewRegistry(exporter))(t)
	payloads := must.Get(payload.NewRegistry(&payload.Type{Name: "exported"}, &payload.Type{
		Name: "proposal", Source: payload.FromLLM, Marker: "PROPOSAL:", Instructions: "Propose.",
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
	}))(t)
	pages, err := page.NewRegistry(tools, payloads, page.Page{
		Name: "reports", Title: "Reports", Instructions: "The user reads reports.", Payloads: []string{"proposal"},
		Actions:     []page.Action{{Name: "open", Handler: page.HandlerClient}, {Name: "export", Handler: page.HandlerServer, Tool: "export"}},
		Suggestions: []page.Suggestion{{Label: "Compare", Value: "Compare the reports"}},
	}, page.Page{Name: "many", Suggestions: []page.Suggestion{{Label: "One", Value: "1"}, {Label: "Two", Value: "2"}}})
	must.Do(t, err)
	return newSite(t, func(c *server.Config) {
		serves(t, c, temp.Store(t), &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Instructions: "Be brief.", Model: model, Pages: pages})
		if adjust != nil {
			adjust(c)
		}
	})
}

// suggesting is a model that suggests one thing, or fails.
func suggesting(failure error) llm.Model {
	answer := func(context.Context, *llm.Request) ([]llm.Part, error) {
		if failure != nil {
			return nil, failure
		}
		return dialects.Says(`[{"label":"Why?","value":"Why is that?"}]`), nil
	}
	return dialects.Fake{Is: llm.Info{Provider: "test", Model: "m"}, Answer: answer}
}

package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// TestUsersChooseTheModel: what a request chooses is what the provider is asked for. Clients are
// told what there is, and where it may go.
func TestUsersChooseTheModel(t *testing.T) {
	p := &strictProvider{}
	provider := httptest.NewServer(llmtest.Strict(llmtest.Chat, p))
	t.Cleanup(provider.Close)
	s := newSite(t, func(cfg *server.Config) {
		a := *cfg.Runs.Settings("default")
		open := func(name string) agent.Choice {
			info := a.Model.Info()
			info.Model, info.Reasoning = name, name == "gpt-5-mini"
			return agent.Choice{ID: name, Model: openai.New(openai.Config{Provider: "openai", BaseURL: provider.URL, Model: name, Info: info})}
		}
		a.Choices = agent.Choices{open("gpt-4o"), open("gpt-5-mini")}
		a.Choices[1].Label, a.Choices[1].Efforts = "Thorough", []string{"low", "high"}
		a.Model = a.Choices[0].Model
		must.Do(t, a.Validate())
		must.Do(t, cfg.Runs.SetAgents(run.Loops(&a)))
	})
	s.do("", "GET", "/v1/agents/default/capabilities", "", 200, `"choices":[{"id":"gpt-4o","label":"gpt-4o"},{"id":"gpt-5-mini","label":"Thorough","efforts":["low","high"]}]`)
	s.do("", "POST", "/v1/disclosure", `{}`, 200, `"name":"script/gpt-4o"`, `"name":"script/gpt-5-mini"`)

	asked := func(runID, pick string) string {
		body := strings.Replace(input("t1", runID, "hello"), `"forwardedProps":{}`, `"forwardedProps":{"pageside":`+pick+`}`, 1)
		if stream := s.read(s.post(body), http.StatusOK); !strings.Contains(stream, `"RUN_FINISHED"`) || strings.Contains(stream, "RUN_ERROR") {
			t.Fatalf("%s: %s", pick, stream)
		}
		sent := must.JSON[struct {
			Model  string
			Effort string `json:"reasoning_effort"`
		}](t, p.last())
		return strings.TrimSpace(sent.Model + " " + sent.Effort)
	}
	for _, step := range [][3]string{
		{"r1", `{}`, "gpt-4o"},
		{"r2", `{"model":"gpt-5-mini","effort":"high"}`, "gpt-5-mini high"},
		{"r3", `{}`, "gpt-5-mini high"},
		{"r4", `{"model":"gpt-4o"}`, "gpt-4o"},
	} {
		must.Be(t, asked(step[0], step[1]), step[2], "%s: the provider is asked for", step[1])
	}
	wrong := strings.Replace(input("t1", "r5", "hello"), `"forwardedProps":{}`, `"forwardedProps":{"pageside":{"model":"gpt-9"}}`, 1)
	if answer := s.read(s.post(wrong), http.StatusUnprocessableEntity); !strings.Contains(answer, `"field":"forwardedProps.pageside.model"`) || !strings.Contains(answer, "gpt-4o, gpt-5-mini") {
		t.Errorf("what is not offered is answered with %s", answer)
	}
}

// Package demotest plays questions to the demo's assistant, for tests: they stand for the page in
// the browser, which tells what is on it and runs its own tools.
package demotest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// App is what an application gives its assistant.
type App interface {
	Tools() []*tool.Tool
	Payloads() []*payload.Type
	AgentInstructions() string
}

// NewAgent returns the assistant of an application on its pages.
func NewAgent(t testing.TB, app App, model llm.Model, pages []page.Page) *agent.Agent {
	t.Helper()
	tools, wrongTools := tool.NewRegistry(app.Tools()...)
	types, wrongTypes := payload.NewRegistry(app.Payloads()...)
	must.Do(t, errors.Join(wrongTools, wrongTypes))
	all := must.Get(page.NewRegistry(tools, types, pages...))(t)
	return &agent.Agent{ID: "default", Instructions: app.AgentInstructions(), Model: dialects.Strict(model), Pages: all, AskUser: true}
}

// Browser is what a test has in place of the page and its user.
type Browser interface {
	Input() agent.Input                        // place, context and tools of the page
	RunTool(name, args string) any             // what a tool of the page returns
	Decide(i calls.Interrupt) agui.ResumeEntry // what the user says to what waits
}

// Answer is what became of a question.
type Answer struct {
	Text      string // of all steps
	Last      string // of the last one
	Metadata  json.RawMessage
	Suggested []string                  // what it offers to ask
	Calls     []string                  // every tool call: name and arguments
	Stages    []string                  // what tools told of their progress
	Payloads  map[string]map[string]any // by type
}

// Ask plays a question through the agent's loop until the answer is there.
func Ask(t testing.TB, a *agent.Agent, b Browser, question string) Answer {
	t.Helper()
	answer := Answer{Payloads: map[string]map[string]any{}}
	history := []agui.Message{{ID: "q", Role: "user", Content: agui.TextContent(question)}}
	var waiting []calls.Interrupt
	for range 10 {
		out := &listener{answer: &answer, transcript: agui.NewTranscript(history)}
		in := b.Input()
		in.ThreadID, in.RunID, in.History, in.Waiting.Interrupts = "t", "r", history, waiting
		for _, i := range waiting {
			in.Waiting.Resume = append(in.Waiting.Resume, b.Decide(i))
		}
		outcome, err := a.Run(t.Context(), in, out)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		history, waiting = out.transcript.Messages(), outcome.Interrupts
		if len(outcome.Pending)+len(waiting) == 0 {
			answer.read(t, history)
			return answer
		}
		for _, id := range outcome.Pending {
			history = append(history, agui.Message{ID: "r-" + id, Role: "tool", ToolCallID: id, Content: agui.TextContent(result(t, b, history, id))})
		}
	}
	t.Fatalf("%s: no answer", question)
	return answer
}

// result is what the page's tool returns for a call.
func result(t testing.TB, b Browser, history []agui.Message, id string) string {
	t.Helper()
	for _, m := range history {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return Compact(b.RunTool(c.Name, c.Arguments))
			}
		}
	}
	t.Fatalf("there is no call %s", id)
	return ""
}

func (a *Answer) read(t testing.TB, history []agui.Message) {
	t.Helper()
	for _, m := range history {
		for _, c := range m.ToolCalls {
			a.Calls = append(a.Calls, c.Name+" "+c.Arguments)
		}
		text := m.Content.Text()
		switch {
		case m.Role == "activity":
			var data map[string]any
			must.Be(t, json.Unmarshal(m.Activity, &data), nil, "payload %s", m.ActivityType)
			a.Payloads[m.ActivityType] = data
		case m.Role == "assistant" && text != "":
			a.Text += text + "\n"
			if m.Metadata != nil {
				a.Metadata = m.Metadata
			}
		}
		a.Last = text
	}
	if a.Text = strings.TrimSpace(a.Text); a.Text == "" {
		t.Errorf("no answer: %v", a.Calls)
	}
	for _, broken := range []string{"<no value>", "<nil>", "_SUGGESTION:", "_PROPOSAL:", "SUGGESTED_"} {
		if strings.Contains(a.Text, broken) {
			t.Errorf("%s stands in the answer %q", broken, a.Text)
		}
	}
	var m struct {
		Pageside struct{ SuggestedValues []struct{ Value string } }
	}
	if len(a.Metadata) > 0 {
		must.Do(t, json.Unmarshal(a.Metadata, &m))
	}
	for _, v := range m.Pageside.SuggestedValues {
		a.Suggested = append(a.Suggested, v.Value)
	}
}

// Refused reports whether the scripted model has no rule for what was asked.
func Refused(answer string) bool { return strings.HasPrefix(answer, "I cannot answer that") }

// Compact writes a JSON value for comparison.
func Compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

type listener struct {
	answer     *Answer
	transcript *agui.Transcript
}

func (l *listener) Emit(e agui.Event) error {
	if raw, err := json.Marshal(e); err == nil && bytes.Contains(raw, []byte(`"tool_progress"`)) {
		var p struct{ Value struct{ Stage string } }
		_ = json.Unmarshal(raw, &p)
		l.answer.Stages = append(l.answer.Stages, p.Value.Stage)
	}
	return l.transcript.Apply(e)
}

func (l *listener) EmitAll(events ...agui.Event) error {
	var problems []error
	for _, e := range events {
		problems = append(problems, l.Emit(e))
	}
	return errors.Join(problems...)
}
func (l *listener) Flush() error                 { return nil }
func (l *listener) Commit(context.Context) error { return nil }

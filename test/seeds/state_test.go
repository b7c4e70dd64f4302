package seeds

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

const sharing = `
models: {m: {use: test/fake}}
agents:
  - id: default
    model: m
    approvals: {untrusted: true}
    state:
      model: write
      initial: {currentStep: 1}
      schema:
        type: object
        properties:
          currentStep: {type: integer, minimum: 1}
          userIntent: {type: string}
          agentMemory: {type: object}
          pluginState: {type: object}
      predict: [{tool: write_document, argument: text, key: document}]
`

// sharedTools are a program's tools that read and change the shared state.
func sharedTools(o *config.Options) {
	advance := tool.New("advance", "Goes to the next step.", func(_ context.Context, call *tool.Call, _ struct{}) (tool.Result, error) {
		var state struct{ CurrentStep int }
		if err := json.Unmarshal(call.State(), &state); err != nil {
			return tool.Result{}, err
		}
		for _, e := range []tool.Event{
			{Type: tool.StepStarted, Name: "advance"}, {Type: tool.CustomEvent, Name: "moved", Value: json.RawMessage(`{"by":1}`)},
			{Type: tool.RawEvent, Value: json.RawMessage(`{"source":"wizard"}`), Name: "wizard"},
		} {
			if err := call.Emit(e); err != nil {
				return tool.Result{}, err
			}
		}
		err := call.PatchState(fmt.Appendf(nil, `[{"op":"replace","path":"/currentStep","value":%d}]`, state.CurrentStep+1))
		return tool.Result{Text: fmt.Sprintf("was at %d", state.CurrentStep)}, err
	})
	write := tool.New("write_document", "Writes.", func(context.Context, *tool.Call, struct {
		Text string `json:"text"`
	}) (tool.Result, error) {
		return tool.Result{Text: "written"}, nil
	})
	for _, t := range []*tool.Tool{advance, write} {
		t.Global, t.Policy.Approval = true, tool.ApprovalNever
		o.Tools = append(o.Tools, t)
	}
}

// stateOf returns the state that a client has after a run that it began with another.
func stateOf(t testing.TB, had string, all []event) string {
	t.Helper()
	tr := agui.NewTranscript(nil)
	if had != "" {
		tr.SetState(json.RawMessage(had))
	}
	for _, raw := range all {
		e := must.Get(agui.UnmarshalEvent(raw.Raw))(t)
		must.Do(t, tr.Apply(e))
	}
	return string(tr.State())
}

// TestStateIsTheAgentsMemory: the state that a client sends reaches the model and the tools; both
// change it; the changes are streamed, and are there after a reload and a restart.
func TestStateIsTheAgentsMemory(t *testing.T) {
	w := start(t, sharing, sharedTools)
	w.model.will(calls("c1", "advance", `{}`), calls("c2", "update_state", `{"patch":[{"op":"add","path":"/agentMemory","value":{"likes":"tea"}}]}`), says("Done."))
	const sent = `{"currentStep":4,"userIntent":"order <b>tea</b>"}`
	all := w.ask("t1", "r1", "Next step, please.", `"state":`+sent)
	const shown = `{"currentStep":4,"userIntent":"order \u003cb\u003etea\u003c/b\u003e"}`
	must.Have(t, prompt(w.model.asked()[0]), shown, "the model is asked")
	must.Have(t, prompt(w.model.asked()[1]), "was at 4", "what the tool has read")
	const want = `{"currentStep":5,"userIntent":"order <b>tea</b>","agentMemory":{"likes":"tea"}}`
	if got := stateOf(t, sent, all); got != want || len(named(all, "STATE_SNAPSHOT")) != 1 || len(named(all, "STATE_DELTA")) != 1 {
		t.Errorf("the client has %s, %v", got, all)
	}
	must.Be(t, len(named(all, "RUN_FINISHED")), 1, "ends of the run")
	must.Lack(t, string(all[len(all)-1].Raw), "interrupt", "the run ends with")

	w.restart()
	reload := w.run(`{"threadId":"t1","runId":"load","messages":[],"tools":[],"context":[],"state":{}}`)
	must.Be(t, stateOf(t, "{}", reload), want, "after a restart a client loads")
	must.Be(t, stateOf(t, "", events(t, w.get("/v1/threads/t1/events"))), want, "who connects is given")
	must.Be(t, stateOf(t, sent, events(t, w.get("/v1/runs/r1/events"))), want, "who replays the run has")
	// as a client does that has not loaded the thread
	w.ask("t1", "r2", "Where was I?", `"state":{}`)
	must.Have(t, w.last(), `"currentStep":5`, "the model is asked")
	for _, somebody := range []string{"acme/bob", "other/ada"} {
		all := w.run(`{"threadId":"t1","runId":"load","messages":[],"tools":[],"context":[]}`, "X-User", somebody)
		must.Be(t, len(named(all, "STATE_SNAPSHOT")), 0, "snapshots for %s", somebody)
	}
}

// TestStateFollowsTheBranch: editing an earlier question goes on from the state of that point.
func TestStateFollowsTheBranch(t *testing.T) {
	w := start(t, sharing, sharedTools)
	w.ask("t1", "r1", "One", `"state":{"currentStep":1,"userIntent":"first"}`)
	w.model.will(calls("c1", "advance", `{}`), says("Done."))
	w.ask("t1", "r2", "Two")
	all := w.ask("t1", "r3", "Two, differently", at(`{"replaces":"r2-q"}`))
	must.Be(t, stateOf(t, "", all), `{"currentStep":1,"userIntent":"first"}`, "the other branch has")
}

// TestStateConflictsArePredictable: what a client sends is compared with what it was given; of a
// path the last write wins, and nobody's run fails.
func TestStateConflictsArePredictable(t *testing.T) {
	w := start(t, sharing, sharedTools)
	w.ask("t1", "r1", "One", `"state":{"currentStep":1,"userIntent":"a"}`)
	w.model.will(calls("c1", "advance", `{}`), says("Done."))
	w.ask("t1", "r2", "Two")
	// A tab that has not seen r2 changes something else.
	all := w.ask("t1", "r3", "Three", `"state":{"currentStep":1,"userIntent":"b"}`, `"forwardedProps":{"pageside":{"stateBase":{"currentStep":1,"userIntent":"a"}}}`)
	got := stateOf(t, `{"currentStep":1,"userIntent":"b"}`, all)
	must.Be(t, got, `{"currentStep":2,"userIntent":"b"}`, "the stale tab has")
	// A stock client that was given nothing sends its own.
	all = w.ask("t1", "r4", "Four", `"state":{"agentMemory":{}}`)
	if got := stateOf(t, `{"agentMemory":{}}`, all); got != `{"currentStep":2,"userIntent":"b","agentMemory":{}}` {
		t.Errorf("the new client has %s", got)
	}
}

// TestStateIsBounded: what breaks the schema or a limit is refused to whoever made it, by name.
func TestStateIsBounded(t *testing.T) {
	w := start(t, sharing, sharedTools)
	for state, want := range map[string]struct {
		status int
		says   string
	}{
		`{"currentStep":0}`: {http.StatusUnprocessableEntity, `$.currentStep`},
		`{"userIntent":"` + strings.Repeat("x", 70_000) + `"}`: {http.StatusRequestEntityTooLarge, `65536`},
	} {
		body := `{"threadId":"t1","runId":"r1","messages":[{"id":"q","role":"user","content":"Hi"}],"tools":[],"context":[],"state":` + state + `}`
		w.refuses(want.status, want.says, http.MethodPost, runPath, body)
		w.refuses(want.status, `"state"`, http.MethodPost, runPath, body)
	}
	w.model.will(calls("c1", "update_state", `{"patch":[{"op":"replace","path":"/currentStep","value":"two"}]}`), says("I cannot."))
	all := w.ask("t1", "r2", "Break it")
	must.Be(t, len(named(all, "STATE_DELTA")), 0, "changes of the state")
	must.Have(t, w.last(), "$.currentStep: expected integer", "the model is told")
}

// TestStateIsPredicted: an argument that grows into the state is announced as stock clients expect,
// and is part of the state after the call.
func TestStateIsPredicted(t *testing.T) {
	w := start(t, sharing, sharedTools)
	w.model.will(calls("c1", "write_document", `{"text":"Once upon a time"}`), says("Done."))
	all := w.ask("t1", "r1", "Write", `"state":{"currentStep":1}`)
	const announced = `"name":"PredictState",` +
		`"value":[{"state_key":"document","tool":"write_document","tool_argument":"text"}]`
	must.Have(t, fmt.Sprintf("%s", named(all, "CUSTOM")), announced, "the custom events")
	must.Be(t, stateOf(t, `{"currentStep":1}`, all), `{"currentStep":1,"document":"Once upon a time"}`, "the state")
}

// TestToolsEmitSteps: steps, custom and raw events of a tool are streamed and replayed, and a step
// that is left open is finished.
func TestToolsEmitSteps(t *testing.T) {
	w := start(t, sharing, sharedTools)
	w.model.will(calls("c1", "advance", `{}`), says("Done."))
	all := w.ask("t1", "r1", "Go")
	replay := events(t, w.get("/v1/runs/r1/events"))
	for name, read := range map[string][]event{"the stream": all, "the replay": replay} {
		for _, kind := range []string{"STEP_STARTED", "STEP_FINISHED", "RAW"} {
			must.Be(t, len(named(read, kind)), 1, "%s in %s", kind, name)
		}
		must.Have(t, fmt.Sprintf("%s", named(read, "CUSTOM")), `"moved"`, "the custom events of %s", name)
	}
}

// TestStateCapabilities: a client can ask whether the agent shares state.
func TestStateCapabilities(t *testing.T) {
	w := start(t, sharing, sharedTools)
	body := w.get("/v1/agents/default/capabilities")
	must.Have(t, body, `"state":{"snapshots":true,"deltas":true,"persistentState":true}`, "the capabilities")
	must.Have(t, body, `"update_state"`, "the capabilities")
}

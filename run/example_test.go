package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/pageside/pageside/agui"
	aguihttp "github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
)

// booking is an agent of one's own: a small graph in place of a model with tools. It says where it
// is, looks something up, asks the user in a form of its own, and goes on with the answer.
type booking struct{}

func (booking) Info() run.Info {
	return run.Info{ID: "booking", Description: "Books seats."}
}

func (booking) Capabilities() *agui.Capabilities {
	return &agui.Capabilities{HumanInTheLoop: &agui.HumanInTheLoopCapabilities{Supported: new(true), Interrupts: new(true)}}
}

func (b booking) Run(ctx context.Context, in run.Input, out run.Output) (run.Outcome, error) {
	if len(in.Resume) > 0 {
		return run.Outcome{}, b.book(in.Resume[0], in.RunID, out)
	}
	err := out.Emit(
		&agui.StepStarted{StepName: "search"},
		&agui.ToolCallStart{ToolCallID: "search-" + in.RunID, ToolCallName: "free_seats"},
		&agui.ToolCallEnd{ToolCallID: "search-" + in.RunID},
		&agui.ToolCallResult{MessageID: "found-" + in.RunID, ToolCallID: "search-" + in.RunID, Content: agui.TextContent(`["12A","14C"]`)},
		&agui.StepFinished{StepName: "search"},
		&agui.StateSnapshot{Snapshot: json.RawMessage(`{"free":["12A","14C"]}`)},
	)
	ask := agui.Interrupt{
		ID: "seat-" + in.RunID, Reason: "booking:seat", Message: "Which seat?",
		ResponseSchema: json.RawMessage(`{"type":"object","properties":{"seat":{"type":"string","enum":["12A","14C"]}},"required":["seat"]}`),
	}
	return run.Outcome{Interrupts: []agui.Interrupt{ask}}, err
}

// book ends the booking. The payload has been checked against the schema.
func (booking) book(answer agui.ResumeEntry, runID string, out run.Output) error {
	said := "As you like: nothing is booked."
	if answer.Status == agui.ResumeResolved {
		var chosen struct{ Seat string }
		if err := json.Unmarshal(answer.Payload, &chosen); err != nil {
			return err
		}
		said = "Seat " + chosen.Seat + " is yours."
	}
	id := "said-" + runID
	return out.Emit(
		&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant},
		&agui.TextMessageContent{MessageID: id, Delta: said},
		&agui.TextMessageEnd{MessageID: id},
	)
}

// An agent of one's own behind Pageside: threads, logs, reconnects, approvals and limits are the
// server's.
func ExampleAgent() {
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	threads, err := sqlstore.OpenTemp(ctx) // or sqlstore.Open
	if err != nil {
		panic(err)
	}
	defer threads.Close()
	manager, err := run.NewManager(ctx, run.Config{
		Store:  threads,
		Agents: []run.Agent{booking{}}, // beside run.Loop(&agent.Agent{…}) and remote.New(…)
		Logger: log,
	})
	if err != nil {
		panic(err)
	}
	defer manager.Drain(ctx)
	handler, err := server.New(server.Config{Runs: manager, Protocols: []server.Protocol{aguihttp.Protocol{}}, Logger: log})
	if err != nil {
		panic(err)
	}
	defer handler.Close()

	ask(handler, `{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"A seat to Ulm, please."}]}`)
	ask(handler, `{"threadId":"t1","runId":"r2","messages":[],"resume":[{"interruptId":"seat-r1","status":"resolved","payload":{"seat":"14C"}}]}`)
	// Output:
	// RUN_STARTED
	// CUSTOM
	// STEP_STARTED
	// TOOL_CALL_START
	// TOOL_CALL_END
	// TOOL_CALL_RESULT
	// STEP_FINISHED
	// STATE_SNAPSHOT
	// RUN_FINISHED: Which seat?
	// RUN_STARTED
	// STATE_SNAPSHOT
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT: Seat 14C is yours.
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}

// ask posts a run and prints the events of its stream.
func ask(handler http.Handler, body string) {
	request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/agents/booking/run", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	for line := range strings.Lines(answer.Body.String()) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		e, err := agui.UnmarshalEvent([]byte(data))
		if err != nil {
			panic(err)
		}
		switch e := e.(type) {
		case *agui.TextMessageContent:
			fmt.Printf("%s: %s\n", e.Type(), e.Delta)
		case *agui.RunFinished:
			fmt.Println(strings.TrimSuffix(fmt.Sprintf("%s: %s", e.Type(), question(e)), ": "))
		default:
			fmt.Println(e.Type())
		}
	}
}

// question returns what a run has ended with, if it waits for the user.
func question(e *agui.RunFinished) string {
	if e.Outcome == nil || len(e.Outcome.Interrupts) == 0 {
		return ""
	}
	return e.Outcome.Interrupts[0].Message
}

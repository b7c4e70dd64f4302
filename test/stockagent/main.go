// Command stockagent is an AG-UI agent written with AG-UI's own Go SDK, as its example servers are:
// one address for each thing that an agent does. web/conformance/src/stock-agent.mjs is the same in
// TypeScript. It prints its address, and ends when its input does.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	for path, play := range map[string]func(*turn){
		"/agentic_chat": chat, "/agentic_generative_ui": plan, "/tool_based_generative_ui": paint, "/human_in_the_loop": book,
		"/thinking": think, "/snapshot": snapshot, "/fails": fail, "/dies": die,
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { serve(w, r, play) })
	}
	go func() { log.Fatal(http.Serve(listener, mux)) }()
	fmt.Printf("http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// turn is one run: what was asked, and what is said.
type turn struct {
	types.RunAgentInput
	ctx context.Context
	out http.ResponseWriter
	sse *sse.SSEWriter
}

func serve(w http.ResponseWriter, r *http.Request, play func(*turn)) {
	t := &turn{ctx: r.Context(), out: w, sse: sse.NewSSEWriter()}
	if err := json.NewDecoder(r.Body).Decode(&t.RunAgentInput); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	t.send(events.NewRunStartedEvent(t.ThreadID, t.RunID))
	play(t)
}

func (t *turn) send(all ...events.Event) {
	for _, e := range all {
		if err := e.Validate(); err != nil {
			log.Fatal(err)
		}
		if err := t.sse.WriteEvent(t.ctx, t.out, e); err != nil {
			panic(http.ErrAbortHandler) // the client has left
		}
	}
}

func (t *turn) finish(options ...events.RunFinishedOption) {
	t.send(events.NewRunFinishedEventWithOptions(t.ThreadID, t.RunID, options...))
}

func (t *turn) id(name string) string { return name + "-" + t.RunID }

func (t *turn) say(words ...string) {
	id := t.id("answer")
	t.send(events.NewTextMessageStartEvent(id, events.WithRole("assistant")))
	for _, word := range words {
		t.send(events.NewTextMessageContentEvent(id, word))
	}
	t.send(events.NewTextMessageEndEvent(id))
}

func (t *turn) last() types.Message { return t.Messages[len(t.Messages)-1] }

func chat(t *turn) {
	asked := 0
	for _, m := range t.Messages {
		if m.Role == types.RoleUser {
			asked++
		}
	}
	t.say("You have said ", fmt.Sprintf("%d things", asked), fmt.Sprintf(", and I see %d things.", len(t.Context)))
	t.finish()
}

func plan(t *turn) {
	step := func(status string) map[string]any { return map[string]any{"description": "Look", "status": status} }
	t.send(
		events.NewStateSnapshotEvent(map[string]any{"steps": []any{step("pending")}}),
		events.NewStepStartedEvent("look"),
		events.NewToolCallStartEvent(t.id("call"), "look_up"),
		events.NewToolCallArgsEvent(t.id("call"), `{"q":`), events.NewToolCallArgsEvent(t.id("call"), `1}`),
		events.NewToolCallEndEvent(t.id("call")),
		events.NewToolCallResultEvent(t.id("result"), t.id("call"), `{"found":3}`),
		events.NewStateDeltaEvent([]events.JSONPatchOperation{{Op: "replace", Path: "/steps/0/status", Value: "completed"}}),
		events.NewStepFinishedEvent("look"),
		events.NewActivitySnapshotEvent(t.id("plan"), "PLAN", map[string]any{"steps": 1}),
		events.NewCustomEvent("mine", events.WithValue(map[string]any{"a": 1})),
	)
	t.say("Found three.")
	t.finish()
}

func paint(t *turn) {
	if t.last().Role == types.RoleTool {
		t.say(fmt.Sprintf("The page says %v.", t.last().Content))
	} else {
		id := t.id("paint")
		t.send(events.NewToolCallStartEvent(id, t.Tools[0].Name), events.NewToolCallArgsEvent(id, `{"colour":"red"}`), events.NewToolCallEndEvent(id))
	}
	t.finish()
}

func book(t *turn) {
	if len(t.Resume) > 0 {
		payload, _ := json.Marshal(t.Resume[0].Payload)
		t.say(fmt.Sprintf("%s %s", t.Resume[0].Status, payload))
		t.finish()
		return
	}
	t.finish(events.WithInterruptOutcome([]types.Interrupt{{
		ID: t.id("seat"), Reason: "graph:seat", Message: "Which seat?", Metadata: map[string]any{"node": "book"},
		ResponseSchema: map[string]any{"type": "object", "properties": map[string]any{"seat": map[string]any{"type": "integer"}}, "required": []string{"seat"}},
	}}))
}

func think(t *turn) {
	t.send(events.NewThinkingStartEvent(), events.NewThinkingTextMessageStartEvent(), events.NewThinkingTextMessageContentEvent("Hm."),
		events.NewThinkingTextMessageEndEvent(), events.NewThinkingEndEvent())
	t.say("Yes.")
	t.finish()
}

func snapshot(t *turn) {
	var all []events.Message
	for _, m := range t.Messages {
		if m.Role != types.RoleSystem {
			all = append(all, m)
		}
	}
	t.send(events.NewMessagesSnapshotEvent(append(all, events.Message{ID: t.id("answer"), Role: types.RoleAssistant, Content: "All of it."})))
	t.finish()
}

func fail(t *turn) {
	t.send(events.NewTextMessageStartEvent(t.id("answer")), events.NewTextMessageContentEvent(t.id("answer"), "I begin."),
		events.NewRunErrorEvent("the graph broke", events.WithErrorCode("E7")))
}

func die(t *turn) {
	t.send(events.NewTextMessageStartEvent(t.id("answer")), events.NewTextMessageContentEvent(t.id("answer"), "I begin."))
	_ = http.NewResponseController(t.out).Flush()
	panic(http.ErrAbortHandler) // it cuts the connection
}

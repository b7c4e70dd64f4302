package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"

	"pgregory.net/rapid"
)

var errCrash = errors.New("the process is gone")

// world is a server's disk, and what tools have done outside of it. Processes come and go.
type world struct {
	t      *rapid.T
	thread []agui.Message // before the current run
	disk   []func(*process)
	synced int // of disk: a process that dies takes no more than what comes after
	open   []calls.Interrupt

	mu      sync.Mutex
	effects map[string]int    // by call: how often its effect happened
	keys    map[string]string // by call
}

// process executes one run until it ends or dies.
type process struct {
	w          *world
	verifier   *agui.Verifier
	transcript *agui.Transcript
	journal    map[string]journal.ToolCall

	mu   sync.Mutex
	dies int // operations from now; negative never
	dead bool
}

// do is one operation: it is written to the disk, or the process dies.
func (p *process) do(sync bool, apply func(*process)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dies == 0 {
		p.dead = true
	}
	p.dies--
	if p.dead {
		return errCrash
	}
	apply(p)
	p.w.disk = append(p.w.disk, apply)
	if sync {
		p.w.synced = len(p.w.disk)
	}
	return nil
}

func (p *process) Emit(e agui.Event) error { return p.emit(e) }

func (p *process) EmitAll(events ...agui.Event) error { return p.emit(events...) }

// emit writes events that are written together.
func (p *process) emit(events ...agui.Event) error {
	return p.do(false, func(p *process) {
		for _, e := range events {
			if err := errors.Join(p.verifier.Check(e), p.transcript.Apply(e)); err != nil {
				p.w.t.Fatalf("illegal event %s: %v", e.Type(), err)
			}
		}
	})
}

func (p *process) Flush() error                 { return nil }
func (p *process) Commit(context.Context) error { return p.do(true, func(*process) {}) }

func (p *process) Taint(context.Context) error { return p.do(true, func(*process) {}) }

func (p *process) Plan(_ context.Context, calls []journal.ToolCall) error {
	return p.do(false, func(p *process) {
		for _, c := range calls {
			if have, ok := p.journal[c.ID]; ok {
				p.w.t.Fatalf("call %s was %s and is planned again", c.ID, have.State)
			}
			p.journal[c.ID] = c
		}
	})
}

func (p *process) Start(_ context.Context, id string) error {
	p.mu.Lock()
	read := p.journal[id].Effect == string(tool.Read)
	p.mu.Unlock()
	return p.do(!read, func(p *process) { p.set(id, journal.Planned, journal.Started, "") })
}

func (p *process) Finish(_ context.Context, id string, c journal.ToolCall) error {
	return p.do(false, func(p *process) { p.set(id, journal.Started, journal.Finished, c.Result) })
}

func (p *process) set(id string, from, to journal.State, result string) {
	c := p.journal[id]
	if c.State != from {
		p.w.t.Fatalf("call %s is %q and becomes %s", id, c.State, to)
	}
	c.State, c.Result = to, result
	p.journal[id] = c
}

func (p *process) Result(context.Context, string) (string, error) { return "", errCrash }

// start is a process as it comes up: it knows what is on the disk.
func (w *world) start() *process {
	p := &process{w: w, verifier: agui.NewVerifier(), transcript: agui.NewTranscript(w.thread), journal: map[string]journal.ToolCall{}, dies: -1}
	must.Do(w.t, p.verifier.Check(&agui.RunStarted{ThreadID: "t1", RunID: "r1"}))
	for _, apply := range w.disk {
		apply(p)
	}
	return p
}

// crash loses some of what was not synced.
func (w *world) crash() {
	w.disk = w.disk[:rapid.IntRange(w.synced, len(w.disk)).Draw(w.t, "on disk")]
}

// processKey is where a handler finds the process it runs in: one that was left behind does not run
// in the next.
type processKey struct{}

// effect happens in the outside world while its process lives.
func (w *world) effect() tool.Handler {
	return func(ctx context.Context, call *tool.Call) (tool.Result, error) {
		alive := ctx.Value(processKey{}).(*process)
		alive.mu.Lock()
		defer alive.mu.Unlock()
		w.mu.Lock()
		defer w.mu.Unlock()
		if key, ok := w.keys[call.ID]; ok && key != call.Key {
			w.t.Fatalf("call %s had the key %s and has %s", call.ID, key, call.Key)
		}
		w.keys[call.ID] = call.Key
		if !alive.dead {
			w.effects[call.Tool+" "+call.ID]++
		}
		return tool.Result{Text: "done " + call.ID}, nil
	}
}

func (w *world) pages() *page.Registry {
	var tools []*tool.Tool
	for name, effect := range map[string]tool.Effect{"write": tool.Write, "read": tool.Read, "put": tool.Idempotent, "gated": tool.Destructive} {
		t := &tool.Tool{Name: name, Global: true, Effect: effect, Handler: w.effect()}
		if name == "gated" {
			t.Policy.Approval = tool.ApprovalAlways
		}
		t.Policy.Sequential = rapid.Bool().Draw(w.t, "sequential")
		tools = append(tools, t)
	}
	registry := must.Get(tool.NewRegistry(tools...))(w.t)
	return must.Get(page.NewRegistry(registry, nil))(w.t)
}

// crashStep is a step of calls, or an answer.
func crashStep(t *rapid.T) []fakePart {
	if rapid.IntRange(0, 4).Draw(t, "answer") == 0 {
		return textStep("Done.")
	}
	step := []fakePart{{part: llm.Part{Kind: llm.TextDelta, Delta: "On it."}}}
	for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
		name := rapid.SampledFrom([]string{"write", "write", "read", "put", "gated", "front", "held", "held", "nosuch", "ask_user"}).Draw(t, "tool")
		args := "{}"
		if name == "ask_user" {
			args = `{"kind":"text","question":"?"}`
		}
		step = append(step, fakePart{part: llm.Part{Kind: llm.ToolStart, Index: i + 1, Name: name}},
			fakePart{part: llm.Part{Kind: llm.ToolArgs, Index: i + 1, Delta: args}}, fakePart{part: llm.Part{Kind: llm.ToolEnd, Index: i + 1}})
	}
	return append(step, fakePart{part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}})
}

// Wherever a process dies, however often, and with whatever loss of what was not yet durable:
// another one goes on from the thread and the journal, what is emitted is one legal run, the thread
// it leaves can be sent to a model, no call of a write tool has its effect twice, and none that
// needs approval runs, or is given to the page, without. Nobody is asked about an approved call
// again.
func TestAnyCrash(t *testing.T) {
	quiet(t)
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, effects: map[string]int{}, keys: map[string]string{}}
		model := &fakeModel{}
		for range 12 {
			model.steps = append(model.steps, crashStep(t))
		}
		model.steps = append(model.steps, textStep("Done."), textStep("Done."), textStep("Done."), textStep("Done."), textStep("Done."))
		a := &Agent{ID: "test", Model: model, Pages: w.pages(), AskUser: true, Limits: Limits{Steps: 3}}
		w.thread = []agui.Message{user("Go")}
		approved := map[string]bool{}
		var resume []agui.ResumeEntry
		for run := range 3 {
			outcome := w.live(t, a, run, resume)
			resume = w.answer(t, outcome, approved)
		}
		for call, n := range w.effects {
			name, id, _ := strings.Cut(call, " ")
			if n > 1 && (name == "write" || name == "gated") {
				t.Fatalf("%s had its effect %d times", call, n)
			}
			if name == "gated" && !approved[id] {
				t.Fatalf("%s ran without approval", call)
			}
		}
	})
}

// live executes a run to its end, over any number of crashes.
func (w *world) live(t *rapid.T, a *Agent, run int, resume []agui.ResumeEntry) Outcome {
	w.disk, w.synced = nil, 0
	for attempt := 0; ; attempt++ {
		p := w.start()
		in := Input{
			Owner: "me", ThreadID: "t1", RunID: fmt.Sprint("r", run), Frontend: []agui.Tool{{Name: "front"}, {Name: "held", Metadata: []byte(`{"pageside":{"approval":"always"}}`)}},
			Waiting: Waiting{Interrupts: w.open, Resume: resume}, Journal: p,
		}
		if attempt > 0 {
			w.takeUp(p, &in)
		}
		in.History = p.transcript.Messages()
		if attempt < 4 {
			p.dies = rapid.IntRange(-1, 30).Draw(t, "dies")
		}
		outcome, err := a.Run(context.WithValue(t.Context(), processKey{}, p), in, p)
		if p.dead {
			w.crash()
			continue
		}
		if err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		w.end(t, p, outcome)
		return outcome
	}
}

// takeUp closes what a crash left open, as a server does.
func (w *world) takeUp(p *process, in *Input) {
	in.Crash = &Crash{Calls: map[string]journal.ToolCall{}}
	for _, e := range p.verifier.Close() {
		if end, ok := e.(*agui.ToolCallEnd); ok {
			in.Crash.Cut = append(in.Crash.Cut, end.ToolCallID)
		}
		must.Do(w.t, p.Emit(e))
	}
	for id, c := range p.journal {
		in.Crash.Calls[id] = c
	}
}

// end checks the end of a run, and that the thread is balanced once what waits is answered.
func (w *world) end(t *rapid.T, p *process, outcome Outcome) {
	end := &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: p.verifier.Pending()}
	if len(outcome.Interrupts) > 0 {
		end = &agui.Outcome{Type: agui.OutcomeInterrupt}
	}
	must.Do(t, p.verifier.Check(&agui.RunFinished{ThreadID: "t1", RunID: "r1", Outcome: end}))
	w.thread = p.transcript.Messages()
	open := slices.Clone(outcome.Pending)
	for _, i := range outcome.Interrupts {
		open = append(open, i.ToolCallID)
	}
	thread := slices.Clone(w.thread)
	for _, id := range open {
		thread = append(thread, agui.Message{Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("x")})
	}
	if err := llm.Balance(prompted(thread)); err != nil {
		t.Fatalf("%v\nwaits: %v", err, open)
	}
}

// nameOf returns the tool of a call in the thread.
func (w *world) nameOf(id string) string {
	for _, m := range w.thread {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return c.Name
			}
		}
	}
	return ""
}

// answer answers what waits: frontend calls with results, interrupts with anything, or all with a
// new message.
func (w *world) answer(t *rapid.T, outcome Outcome, approved map[string]bool) (resume []agui.ResumeEntry) {
	w.open = outcome.Interrupts
	for _, id := range outcome.Pending {
		if w.nameOf(id) == "held" && !approved[id] {
			t.Fatalf("the page was given %s without approval", id)
		}
		w.thread = append(w.thread, agui.Message{ID: "t" + id, Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("pressed")})
	}
	for _, i := range outcome.Interrupts {
		if approved[i.ToolCallID] && i.Tool == "held" {
			t.Fatalf("%s was asked about again after its approval", i.ToolCallID)
		}
		payload := rapid.SampledFrom([]string{`{"approved":true}`, `{"approved":true}`, `{"approved":false}`, `{"answer":"yes"}`, `7`, ``}).Draw(t, "payload")
		if payload == "" {
			continue
		}
		if payload == `{"approved":true}` {
			approved[i.ToolCallID] = true
		}
		resume = append(resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: []byte(payload)})
	}
	if len(outcome.Pending)+len(outcome.Interrupts) == 0 || rapid.IntRange(0, 3).Draw(t, "message") == 0 {
		w.thread = append(w.thread, user(fmt.Sprint("More ", len(w.thread))))
	}
	return resume
}

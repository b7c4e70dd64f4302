package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const rules = `
name: test
rules:
  - match: '^hello'
    steps: [{ text: 'Hello to you too.' }]
  - match: '^slow'
    steps: [{ text: 'one two three four five six seven eight', delay: 1s }]
  - match: '^fail'
    steps: [{ text: 'This breaks', error: { kind: overloaded, message: it broke, afterText: true } }]
  - match: '^paint'
    steps:
      - calls: [{ tool: paint, args: { colour: red } }]
      - text: 'It is {{ get (index .Results 0) "colour" }}.'
  - match: '^hang'
    steps:
      - calls: [{ tool: hang, args: {} }]
`

var (
	ada          = store.Owner{Tenant: "t", Subject: "ada"}
	adaPrincipal = auth.Principal{Tenant: "t", Subject: "ada"}
)

// fixture is a manager with a scripted agent and a store.
type fixture struct {
	*Manager
	t     *testing.T
	store store.Store
	n     int
}

func newFixture(t *testing.T, st store.Store, adjust func(*Config)) *fixture {
	t.Helper()
	model := must.Get(script.Parse("test", []byte(rules)))(t)
	return newFixtureWith(t, st, model, adjust)
}

func newFixtureWith(t *testing.T, st store.Store, model llm.Model, adjust func(*Config)) *fixture {
	t.Helper()
	hang := tool.New("hang", "Waits for its context.", func(ctx context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	hang.Global = true
	tools := must.Get(tool.NewRegistry(hang))(t)
	pages := must.Get(page.NewRegistry(tools, nil))(t)
	cfg := Config{Store: st, Agents: Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model, Pages: pages}), Logger: slog.New(slog.DiscardHandler)}
	if adjust != nil {
		adjust(&cfg)
	}
	audited(&cfg)
	m := must.Get(NewManager(t.Context(), cfg))(t)
	return &fixture{Manager: m, t: t, store: st}
}

// input is a request with one user message.
func (f *fixture) input(thread, text string) *agui.RunAgentInput {
	f.n++
	in := &agui.RunAgentInput{ThreadID: thread, RunID: fmt.Sprintf("run%d", f.n), ProtocolVersion: "1.0",
		Tools: []agui.Tool{{Name: "paint", Description: "Paints.", Parameters: json.RawMessage(`{"type":"object","properties":{"colour":{"type":"string"}}}`)}}}
	if text != "" {
		in.Messages = []agui.Message{{ID: fmt.Sprintf("u%d", f.n), Role: agui.RoleUser, Content: agui.TextContent(text)}}
	}
	return in
}

func (f *fixture) start(in *agui.RunAgentInput) *Run {
	f.t.Helper()
	r, err := f.Start(f.t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f" + in.RunID})
	must.Do(f.t, err)
	return r
}

// events reads a run to its end.
func events(t *testing.T, r *Run, legacy bool) []agui.Event {
	t.Helper()
	stream := readAll(t, r.Read(legacy))
	n := int64(0)
	for id := range eventlog.Frames([]byte(stream)) {
		n++
		if p, err := eventlog.ParseID(id); err != nil || p.Run != r.ID || p.Seq != n {
			t.Fatalf("frame %d has the id %q", n, id)
		}
	}
	all := decode(t, stream)
	if r.hasBegun() && r.w.epoch == 1 { // what an earlier process has done is in its log
		wantAudited(t, r, all)
	}
	return all
}

// readAll reads a stream to its end.
func readAll(t *testing.T, reader *Reader) string {
	t.Helper()
	defer reader.Close()
	var stream strings.Builder
	for {
		frames, done := reader.Next()
		stream.Write(frames)
		switch {
		case len(frames) > 0:
		case done:
			must.Be(t, reader.Err(), nil, "the stream")
			return stream.String()
		default:
			awaken(t, reader, &stream)
		}
	}
}

// awaken waits until a reader may have more, and says what it has where nothing ever comes.
func awaken(t testing.TB, reader *Reader, stream *strings.Builder) {
	t.Helper()
	never := time.NewTimer(5 * time.Minute)
	defer never.Stop()
	select {
	case <-reader.Wake():
	case <-never.C:
		t.Fatalf("a stream neither goes on nor ends, behind\n%s", stream.String())
	}
}

// decode returns the events of a stream.
func decode(t *testing.T, stream string) (all []agui.Event) {
	t.Helper()
	for id, data := range eventlog.Frames([]byte(stream)) {
		e, err := agui.UnmarshalEvent(data)
		if err != nil {
			t.Fatalf("%s %s: %v", id, data, err)
		}
		all = append(all, e)
	}
	return all
}

func typesOf(all []agui.Event) string {
	var out []string
	for _, e := range all {
		if t := string(e.Type()); len(out) == 0 || out[len(out)-1] != t {
			out = append(out, t) // runs of one type once
		}
	}
	return strings.Join(out, " ")
}

// endOf is how a stream ended: its outcome, success where it names none, or the code and the words
// of an error.
func endOf(all []agui.Event) string {
	switch end := all[len(all)-1].(type) {
	case *agui.RunFinished:
		if end.Outcome == nil {
			return agui.OutcomeSuccess
		}
		return end.Outcome.Type
	case *agui.RunError:
		return end.Code + ": " + end.Message
	}
	return "nothing"
}

func (f *fixture) thread(id string) string {
	f.t.Helper()
	stored := must.Get(f.store.Transcript(f.t.Context(), ada, id, ""))(f.t)
	var out []string
	for _, m := range stored {
		out = append(out, m.Role+"="+m.Content.Text())
	}
	return strings.Join(out, " | ")
}

func wantCode(t *testing.T, err error, code refusal.Code) {
	t.Helper()
	if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code != code {
		t.Errorf("error is %v, want code %s", err, code)
	}
}

func TestAnswerIsStoredBeforeTheTerminalEvent(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	r := f.start(f.input("t1", "hello there"))
	reader := r.Read(false)
	defer reader.Close()
	var seen strings.Builder
	for {
		frames, done := reader.Next()
		if strings.Contains(string(frames), "RUN_FINISHED") {
			break
		}
		seen.Write(frames)
		if done {
			t.Fatal("no RUN_FINISHED")
		}
		if len(frames) == 0 {
			<-reader.Wake()
		}
	}
	const now = "when RUN_FINISHED arrives"
	must.Be(t, f.thread("t1"), "user=hello there | assistant=Hello to you too.", now+" the thread holds")
	must.Be(t, must.Get(f.store.Run(t.Context(), ada, r.ID))(t).Status, store.RunFinished, now+" the run is")
	want := "RUN_STARTED CUSTOM TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
	must.Be(t, typesOf(events(t, r, false)), want, "events")
	must.Be(t, must.Get(f.store.Thread(t.Context(), ada, "t1"))(t).Title, "hello there", "title")
}

// TestDrainLeavesBehindWhatDoesNotStop: what does not end holds up no shutdown.
func TestDrainLeavesBehindWhatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		release := make(chan struct{})
		f.admission.Go(func() { <-release })
		grace, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		begun := time.Now()
		f.Drain(grace)
		must.Be(t, time.Since(begun), 4*time.Second+handOverTime, "draining took")
		close(release)
	})
}

// TestEndedRunsAreForgotten: what ended runs may occupy is bounded.
func TestEndedRunsAreForgotten(t *testing.T) {
	f := newFixture(t, temp.Store(t), func(c *Config) { c.Keep = 3 * 4 << 10 })
	for range 10 {
		events(t, f.start(f.input("t1", "hello")), false)
	}
	f.Drain(t.Context())
	if n := len(f.cache.runs); n > 3 {
		t.Errorf("%d runs are kept", n)
	}
}

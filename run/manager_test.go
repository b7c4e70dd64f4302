package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
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
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
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
	model := value(script.Parse("test", []byte(rules)))(t)
	return newFixtureWith(t, st, model, adjust)
}

func newFixtureWith(t *testing.T, st store.Store, model llm.Model, adjust func(*Config)) *fixture {
	t.Helper()
	hang := tool.New("hang", "Waits for its context.", func(ctx context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	hang.Global = true
	tools := value(tool.NewRegistry(hang))(t)
	pages := value(page.NewRegistry(tools, nil))(t)
	cfg := Config{Store: st, Agents: Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model, Pages: pages}), Logger: slog.New(slog.DiscardHandler)}
	if adjust != nil {
		adjust(&cfg)
	}
	audited(&cfg)
	m := value(NewManager(t.Context(), cfg))(t)
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
	if err != nil {
		f.t.Fatal(err)
	}
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
			if reader.Err() != nil {
				t.Errorf("the stream broke off: %v", reader.Err())
			}
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

func (f *fixture) thread(id string) string {
	f.t.Helper()
	stored, err := f.store.Transcript(f.t.Context(), ada, id, "")
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, m := range stored {
		out = append(out, m.Role+"="+m.Content.Text())
	}
	return strings.Join(out, " | ")
}

func wantCode(t *testing.T, err error, code Code) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != code {
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
	if got := f.thread("t1"); got != "user=hello there | assistant=Hello to you too." {
		t.Errorf("when RUN_FINISHED arrives the thread holds %q", got)
	}
	row, err := f.store.Run(t.Context(), ada, r.ID)
	if err != nil || row.Status != store.RunFinished {
		t.Errorf("and the run is %+v, %v", row, err)
	}
	want := "RUN_STARTED CUSTOM TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
	if got := typesOf(events(t, r, false)); got != want {
		t.Errorf("events are %s, want %s", got, want)
	}
	thread, err := f.store.Thread(t.Context(), ada, "t1")
	if err != nil || thread.Title != "hello there" {
		t.Errorf("title is %q, %v", thread.Title, err)
	}
}

func TestFrontendCallWaitsAndIsAnsweredByTheNextRun(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	first := events(t, f.start(f.input("t1", "paint it")), false)
	done := first[len(first)-1].(*agui.RunFinished)
	if done.Outcome == nil || len(done.Outcome.PendingToolCallIDs) != 1 {
		t.Fatalf("outcome is %+v", done.Outcome)
	}
	call := done.Outcome.PendingToolCallIDs[0]
	in := f.input("t1", "")
	in.Messages = []agui.Message{{ID: "r1", Role: agui.RoleTool, ToolCallID: call, Content: agui.TextContent(`{"colour":"red"}`)}}
	events(t, f.start(in), false)
	if got := f.thread("t1"); !strings.HasSuffix(got, `tool={"colour":"red"} | assistant=It is red.`) {
		t.Errorf("thread is %q", got)
	}
}

// TestOneOfTwoResults: a client that answers one of two calls is told that the other one waits.
func TestOneOfTwoResults(t *testing.T) {
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{call("c", "paint", "{}", "paint", "{}")}}), nil)
	events(t, f.start(f.input("t1", "paint twice")), false)
	for _, tt := range []struct{ answered, waits string }{{"c2", "c1"}, {"c1", ""}} {
		in := f.input("t1", "")
		in.Messages = []agui.Message{{ID: "r" + tt.answered, Role: agui.RoleTool, ToolCallID: tt.answered, Content: agui.TextContent("done")}}
		all := events(t, f.start(in), false)
		legal(t, all)
		if got := strings.Join(pendingOf(all), " "); got != tt.waits {
			t.Errorf("after the result of %s, %q waits, want %q", tt.answered, got, tt.waits)
		}
	}
	if got := f.thread("t1"); !strings.HasSuffix(got, "assistant=done") {
		t.Errorf("the thread is %q", got)
	}
}

func TestOldClientsReadWhatTheyKnow(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	r := f.start(f.input("t1", "paint it"))
	now, old := events(t, r, false), events(t, r, true)
	if len(now) != len(old) {
		t.Fatalf("%d and %d events", len(now), len(old))
	}
	if o := old[len(old)-1].(*agui.RunFinished).Outcome; o != nil && o.PendingToolCallIDs != nil {
		t.Errorf("a 0.x client is told %+v", o)
	}
}

func TestSameRunAgain(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	in := f.input("t1", "hello")
	first := f.start(in)
	want := typesOf(events(t, first, false))
	t.Run("while it is in memory it is followed", func(t *testing.T) {
		if again := f.start(in); again != first {
			t.Error("another run was started")
		}
	})
	t.Run("with another body it is refused", func(t *testing.T) {
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "other"})
		wantCode(t, err, CodeRunConflict)
	})
	t.Run("another owner's run is another run", func(t *testing.T) {
		r := value(f.Start(t.Context(), Request{Principal: auth.Principal{Subject: "eve"}, Agent: "default", Input: in, Fingerprint: "other"}))(t)
		if got := typesOf(events(t, r, false)); got != want {
			t.Errorf("events are %s, want %s", got, want)
		}
	})
	t.Run("after a restart it is read from the log", func(t *testing.T) {
		g := newFixture(t, f.store, nil)
		if got := typesOf(events(t, g.start(in), false)); got != want {
			t.Errorf("events are %s, want %s", got, want)
		}
		_, err := g.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t9", "hello"), Fingerprint: "f" + in.RunID})
		if err != nil {
			t.Fatal(err)
		}
		in := *in
		g = newFixture(t, f.store, nil)
		_, err = g.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: &in, Fingerprint: "other"})
		wantCode(t, err, CodeRunConflict)
	})
}

func TestManyPostsOfOneRunAreOneRun(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	in := f.input("t1", "hello")
	var all sync.WaitGroup
	got := make([]*Run, 16)
	for i := range got {
		all.Go(func() { got[i] = f.start(in) })
	}
	all.Wait()
	for _, r := range got {
		if r != got[0] {
			t.Fatal("more than one run")
		}
	}
	events(t, got[0], false)
	if thread := f.thread("t1"); strings.Count(thread, "assistant") != 1 {
		t.Errorf("thread is %q", thread)
	}
}

func TestOneLiveRunPerThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Queue = 5 * time.Second })
		f.start(f.input("t1", "slow")) // eight seconds
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t1", "hello"), Fingerprint: "x"})
		wantCode(t, err, CodeThreadBusy)
		events(t, f.start(f.input("t2", "hello")), false) // other threads go on
		// now the first one ends within the five seconds
		r := f.start(f.input("t1", "hello"))
		events(t, r, false)
		if got := f.thread("t1"); !strings.HasSuffix(got, "eight | user=hello | assistant=Hello to you too.") {
			t.Errorf("thread is %q", got)
		}
	})
}

func TestCancelKeepsWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		r := f.start(f.input("t1", "slow"))
		time.Sleep(2500 * time.Millisecond)
		must(t, f.Cancel(t.Context(), ada, r.ID))
		all := events(t, r, false)
		end := all[len(all)-1].(*agui.RunFinished)
		if end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
			t.Errorf("outcome is %+v", end.Outcome)
		}
		if got := f.thread("t1"); !strings.Contains(got, "assistant=one") || strings.Contains(got, "eight") {
			t.Errorf("thread is %q", got)
		}
		row, err := f.store.Run(t.Context(), ada, r.ID)
		if err != nil || row.Status != store.RunCancelled {
			t.Errorf("run is %+v, %v", row, err)
		}
		if err := f.Cancel(t.Context(), ada, r.ID); err != nil {
			t.Errorf("a late cancel: %v", err)
		}
		wantCode(t, f.Cancel(t.Context(), ada, "nonsense"), CodeNotFound)
		wantCode(t, f.Cancel(t.Context(), store.Owner{Subject: "eve"}, r.ID), CodeNotFound)
	})
}

func TestCancelStopsATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		r := f.start(f.input("t1", "hang"))
		synctest.Wait()
		must(t, f.Cancel(t.Context(), ada, r.ID))
		events(t, r, false)
		stored := value(f.store.Transcript(t.Context(), ada, "t1", ""))(t)
		if open := history.OpenCalls(stored); len(open) > 0 {
			t.Errorf("calls %v have no result", open)
		}
		events(t, f.start(f.input("t1", "hello")), false) // and the thread goes on
	})
}

func TestModelErrorAndRetry(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	in := f.input("t1", "fail")
	all := events(t, f.start(in), false)
	end, ok := all[len(all)-1].(*agui.RunError)
	if !ok || end.Code != "llm_overloaded" || !strings.Contains(end.Message, "it broke") {
		t.Fatalf("ends with %+v", all[len(all)-1])
	}
	retry := *in
	retry.RunID = "retry"
	events(t, f.start(&retry), false)
	if got := f.thread("t1"); strings.Count(got, "user=fail") != 1 || strings.Count(got, "assistant=This breaks") != 2 {
		t.Errorf("thread is %q", got)
	}
}

func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Timeout = 3 * time.Second })
		all := events(t, f.start(f.input("t1", "slow")), false)
		if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "timeout" {
			t.Errorf("ends with %+v", all[len(all)-1])
		}
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		slow, fast := f.start(f.input("t1", "slow")), f.start(f.input("t2", "hello"))
		grace, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		begun := time.Now()
		f.Drain(grace)
		if took := time.Since(begun); took != 4*time.Second {
			t.Errorf("draining took %s", took)
		}
		all := events(t, slow, false)
		if end, ok := all[len(all)-1].(*agui.TextMessageContent); !ok {
			t.Errorf("the slow run ends with %+v, and should break off in the middle of its answer", end)
		}
		if row, err := f.store.Run(t.Context(), ada, slow.ID); err != nil || row.Status != store.RunLive {
			t.Errorf("and is left as %+v, %v", row, err)
		}
		events(t, fast, false)
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t3", "hello"), Fingerprint: "x"})
		wantCode(t, err, CodeDraining)
	})
}

// TestDrainLeavesBehindWhatDoesNotStop: what does not end holds up no shutdown.
func TestDrainLeavesBehindWhatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		release := make(chan struct{})
		f.admission.work.Go(func() { <-release })
		grace, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		begun := time.Now()
		f.Drain(grace)
		if took := time.Since(begun); took != 4*time.Second+handOverTime {
			t.Errorf("draining took %s", took)
		}
		close(release)
	})
}

func TestBadFrontendToolIsRefused(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	in := f.input("t1", "hello")
	in.Tools[0].Parameters = json.RawMessage(`{"$ref":"#"}`)
	_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "x"})
	wantCode(t, err, CodeInvalid)
	if e, ok := errors.AsType[*Error](err); !ok || e.Field != "tools[0].parameters" {
		t.Errorf("error is %v", err)
	}
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

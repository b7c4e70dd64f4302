package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// shared returns the state that a thread has after its last run.
func (f *fixture) shared(thread string) string {
	f.t.Helper()
	row, err := f.store.LastRun(f.t.Context(), ada, thread)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(row.State)
}

// send runs a question with a state, which "" leaves out, and returns the run's events.
func (f *fixture) send(thread, state string, adjust func(*agui.RunAgentInput)) []agui.Event {
	f.t.Helper()
	in := f.input(thread, "hello")
	if state != "" {
		in.State = json.RawMessage(state)
	}
	if adjust != nil {
		adjust(in)
	}
	return events(f.t, f.start(in), false)
}

// snapshotOf returns the state that a stream tells whole, "" for none.
func snapshotOf(all []agui.Event) (state string) {
	for _, e := range all {
		if s, ok := e.(*agui.StateSnapshot); ok {
			state = string(s.Snapshot)
		}
	}
	return state
}

func wantSame(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want || got != "" && want != "" && jsonx.Equal(json.RawMessage(got), json.RawMessage(want)) {
		return
	}
	t.Errorf("%s is %s, want %s", what, got, want)
}

// TestWhatAClientSendsIsADifference: a client's state is compared with the one it was given last.
func TestWhatAClientSendsIsADifference(t *testing.T) {
	const has = `{"a":1,"b":{"c":[1,2],"d":2},"e":"x"}`
	sdk := func(members string) func(*agui.RunAgentInput) { return forwarded(`{` + members + `}`) }
	for name, c := range map[string]struct {
		send   string
		with   func(*agui.RunAgentInput)
		want   string
		silent bool // the client already has it
	}{
		"nothing":                      {send: "", want: has},
		"an empty object":              {send: `{ }`, want: has},
		"null":                         {send: `null`, want: has},
		"an empty object from the SDK": {send: `{}`, with: sdk(""), want: has},
		"the same":                     {send: `{"e":"x","b":{"d":2.0,"c":[1,2]},"a":1}`, want: has, silent: true},
		"something new, from a client that was given nothing": {send: `{"f":0}`, want: `{"a":1,"b":{"c":[1,2],"d":2},"e":"x","f":0}`},
		"something changed below":                             {send: `{"b":{"c":[2]}}`, want: `{"a":1,"b":{"c":[2],"d":2},"e":"x"}`},
		"something taken away, by the SDK":                    {send: `{"a":1,"b":{"d":2},"e":"x"}`, with: sdk(""), want: `{"a":1,"b":{"d":2},"e":"x"}`, silent: true},
		"what it was given before the last run":               {send: `{"a":0,"g":1}`, with: sdk(`"stateBase":{"a":0}`), want: `{"a":1,"b":{"c":[1,2],"d":2},"e":"x","g":1}`},
		"the same path as the agent has changed":              {send: `{"a":5}`, with: sdk(`"stateBase":{"a":0}`), want: `{"a":5,"b":{"c":[1,2],"d":2},"e":"x"}`},
		"it was given nothing, as it says":                    {send: `{"f":0}`, with: sdk(`"stateBase":null`), want: `{"a":1,"b":{"c":[1,2],"d":2},"e":"x","f":0}`},
		"it was given nothing, as it says with {}":            {send: `{"f":0}`, with: sdk(`"stateBase":{}`), want: `{"a":1,"b":{"c":[1,2],"d":2},"e":"x","f":0}`},
		"a list instead of an object":                         {send: `[1]`, with: sdk(""), want: `[1]`, silent: true},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			f := newFixture(t, temp.Store(t), nil)
			f.send("t1", has, nil)
			wantSame(t, "the first state", f.shared("t1"), has)
			told := snapshotOf(f.send("t1", c.send, c.with))
			wantSame(t, "the state", f.shared("t1"), c.want)
			if c.silent {
				wantSame(t, "the client is told a state that", told, "")
			} else {
				wantSame(t, "the client is told a state that", told, c.want)
			}
		})
	}
}

// TestStockClientsWriteSinceWhatTheyHave: what a client that sends its whole history was given last
// is known by the messages it has, or by the parent that it names.
func TestStockClientsWriteSinceWhatTheyHave(t *testing.T) {
	st := temp.Store(t)
	f := newFixture(t, st, nil)
	first := f.send("t1", `{"a":1,"gone":true}`, nil)
	have := agui.NewTranscript(nil)
	for _, e := range first {
		must(t, have.Apply(e))
	}
	f.send("t1", `{"a":2,"gone":true,"new":1}`, forwarded(`{}`)) // another tab
	stale := func(in *agui.RunAgentInput) {
		in.Messages = append(have.Messages(), in.Messages...)
	}
	f.send("t1", `{"a":1,"own":1}`, stale)
	wantSame(t, "the state", f.shared("t1"), `{"a":2,"new":1,"own":1}`)

	head := value(st.LastRun(t.Context(), ada, "t1"))(t)
	f.send("t1", `{"a":2,"own":2}`, func(in *agui.RunAgentInput) { in.ParentRunID = head.ID })
	wantSame(t, "the state after a named parent", f.shared("t1"), `{"a":2,"own":2}`)
}

// TestStateFollowsItsBranch: editing an earlier message brings back the state of that point, and so
// does showing another branch.
func TestStateFollowsItsBranch(t *testing.T) {
	restart := restarts(t)
	f := newFixture(t, restart(), nil)
	first := f.input("t1", "hello")
	first.State = json.RawMessage(`{"n":1}`)
	events(t, f.start(first), false)
	second := f.input("t1", "hello")
	second.State = json.RawMessage(`{"n":2}`)
	events(t, f.start(second), false)
	f.send("t1", `{"n":3}`, forwarded(`{}`))
	edited := f.send("t1", "", forwarded(`{"replaces":"`+second.Messages[0].ID+`"}`))
	wantSame(t, "the state of the new branch", snapshotOf(edited), `{"n":1}`)
	wantSame(t, "the stored state", f.shared("t1"), `{"n":1}`)

	f.Drain(t.Context())
	f = newFixture(t, restart(), nil)
	wantSame(t, "the state after a restart", f.shared("t1"), `{"n":1}`)
	if _, err := f.store.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Head: &second.RunID}); err != nil {
		t.Fatal(err)
	}
	for who, all := range map[string][]agui.Event{
		"a client that asks for the thread": events(t, f.start(&agui.RunAgentInput{ThreadID: "t1", RunID: "show"}), true),
		"a client that connects":            decode(t, readAll(t, f.follow(t, FollowRequest{Owner: ada, ThreadID: "t1"}))),
	} {
		wantSame(t, who+" is told a state that", snapshotOf(all), `{"n":2}`)
		if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT STATE_SNAPSHOT RUN_FINISHED" {
			t.Errorf("%s reads %s", who, got)
		}
	}
}

// TestARunFoldsByItself: the events of a run give its state to those who do not know with which it
// began. CopilotKit's runtime folds each run alone, and a patch that does not fit ends its process.
func TestARunFoldsByItself(t *testing.T) {
	play := []step{call("c", "set", `{"patch":[{"op":"replace","path":"/n","value":2}]}`), call("d", "set", `{"patch":[{"op":"add","path":"/list/-","value":1}]}`), say("set")}
	for began, c := range map[string]struct{ told, want string }{
		`{"n":1,"list":[]}`: {"STATE_SNAPSHOT STATE_DELTA", `{"n":2,"list":[1]}`},
		`{}`:                {"", ""}, // both patches are refused
	} {
		f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: play}, setTool()), nil)
		all := f.send("t1", began, nil)
		wantSame(t, "the state", folded(t, nil, all), c.want)
		var told []string
		for _, name := range strings.Fields(typesOf(all)) {
			if strings.HasPrefix(name, "STATE_") {
				told = append(told, name)
			}
		}
		if got := strings.Join(told, " "); got != c.told {
			t.Errorf("a run that begins with %s tells %q, want %q", began, got, c.told)
		}
	}
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{call("c", "set", `{"patch":[{"op":"add","path":"/n","value":2}]}`), say("set")}}, setTool()), nil)
	if all := f.send("t1", "", nil); snapshotOf(all) != "" || folded(t, nil, all) != `{"n":2}` {
		t.Errorf("without a state, a patch is sent as it is, not as %s", typesOf(all))
	}
}

// TestThreadsWithoutAState say nothing of one.
func TestThreadsWithoutAState(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	all := f.send("t1", `{}`, nil)
	all = append(all, events(t, f.start(&agui.RunAgentInput{ThreadID: "t1", RunID: "show"}), false)...)
	if strings.Contains(typesOf(all), "STATE_") {
		t.Errorf("got %s", typesOf(all))
	}
	if got := f.shared("t1"); got != "" {
		t.Errorf("the thread has the state %s", got)
	}
}

// TestAFollowerIsGivenTheState that a run begins with: another tab has sent it.
func TestAFollowerIsGivenTheState(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	f.send("t1", `{"n":1}`, nil)
	f.send("t1", `{"n":2}`, nil) // nobody tells its sender
	in := f.input("t1", "hang")
	in.State = json.RawMessage(`{"n":3}`)
	live := f.start(in)
	follower := f.follow(t, FollowRequest{Owner: ada, ThreadID: "t1"})
	var stream strings.Builder
	for !strings.Contains(stream.String(), `"STATE_SNAPSHOT"`) {
		frames, done := follower.Next()
		if stream.Write(frames); done {
			t.Fatal("no state:", stream.String())
		} else if len(frames) == 0 {
			awaken(t, follower, &stream)
		}
	}
	follower.Close()
	wantSame(t, "the follower's state", snapshotOf(decode(t, stream.String())), `{"n":3}`)
	must(t, f.Cancel(t.Context(), ada, live.ID))
	<-live.over
}

// TestStatesAreBounded: in bytes and depth, and by the agent's schema. The error names the field.
func TestStatesAreBounded(t *testing.T) {
	schema := value(tool.CompileSchema(json.RawMessage(`{"properties":{"n":{"type":"integer"},"x":{}},"additionalProperties":false,"not":{"required":["n","x"]}}`)))(t)
	f := newFixture(t, temp.Store(t), func(cfg *Config) {
		deskOf(cfg.Agents[0]).State = agent.State{Schema: schema, Initial: json.RawMessage(`{"n":1}`), MaxBytes: 200}
	})
	if got := snapshotOf(f.send("t1", "", nil)); got != `{"n":1}` {
		t.Errorf("the initial state is %s", got)
	}
	for _, c := range []struct {
		state, forwarded string
		code             Code
		field, says      string
	}{
		{`{"x":"` + strings.Repeat("y", 200) + `"}`, `{}`, CodeTooLarge, "state", "at most 200"},
		{`{"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `{}`, CodeInvalid, "state", "41 levels"},
		{`{"n":"one"}`, `{}`, CodeInvalid, "state", "$.n: expected integer"},
		{`{"n":1}`, `{"stateBase":"` + strings.Repeat("y", 200) + `"}`, CodeTooLarge, "forwardedProps.pageside.stateBase", "at most 200"},
	} {
		in := f.input("t1", "hello")
		in.State = json.RawMessage(c.state)
		forwarded(c.forwarded)(in)
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: in.RunID})
		if e, ok := err.(*Error); !ok || e.Code != c.code || e.Field != c.field || !strings.Contains(e.Message, c.says) {
			t.Errorf("%.40s: %v", c.state, err)
		}
	}
	// Each is fine alone, and both together are not: the state that was there stays.
	all := f.send("t1", `{"x":1}`, forwarded(`{"stateBase":null}`))
	wantSame(t, "the client is told a state that", snapshotOf(all), `{"n":1}`)
	if !strings.HasSuffix(typesOf(all), "RUN_FINISHED") {
		t.Errorf("the run: %s", typesOf(all))
	}
}

package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store/storetest/temp"
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

package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// setTool is a tool whose arguments are a patch of the shared state.
func setTool() *tool.Tool {
	return &tool.Tool{Name: "set", Handler: func(_ context.Context, call *tool.Call) (tool.Result, error) {
		return tool.Result{Text: "ok"}, call.PatchState(jsonx.Find(call.Args, "patch"))
	}}
}

// folded returns the state after the events of a run that began with another.
func folded(t testing.TB, start json.RawMessage, all []agui.Event) string {
	t.Helper()
	tr := agui.NewTranscript(nil)
	tr.SetState(start)
	for _, e := range all {
		must.Be(t, tr.Apply(e), nil, "%s", e.Type())
	}
	return string(tr.State())
}

// wantFolded checks that the log of a run, folded, gives the state that is stored with it.
func wantFolded(t *testing.T, st store.Store, runID string) string {
	t.Helper()
	row := must.Get(st.Run(t.Context(), ada, runID))(t)
	wantSame(t, "the stored state of "+runID, string(row.State), folded(t, row.StartState, decode(t, logOf(t, st, runID))))
	return string(row.State)
}

// leaves is a state as its values by path, such as a or o.x.
type leaves map[string]int

func (l leaves) json() json.RawMessage {
	state, inner := map[string]any{}, map[string]any{}
	for path, n := range l {
		if name, ok := strings.CutPrefix(path, "o."); ok {
			inner[name] = n
		} else {
			state[path] = n
		}
	}
	state["o"] = inner
	raw, _ := json.Marshal(state) // numbers: cannot fail
	return raw
}

func leavesOf(t *rapid.T, raw json.RawMessage) leaves {
	l := leaves{}
	state := must.JSON[map[string]any](t, raw)
	for name, v := range state {
		if inner, ok := v.(map[string]any); ok {
			for k, n := range inner {
				l[name+"."+k] = int(n.(float64))
			}
			continue
		}
		l[name] = int(v.(float64))
	}
	return l
}

var paths = []string{"a", "b", "o.x", "o.y"}

// TestNoWriteIsLost: two tabs and the agent write at random, the tabs from states that may be
// stale, and the server starts anew at random. Of each path the last write is there, and whoever
// reads gets that.
func TestNoWriteIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		st, model := temp.Store(t), &steps{}
		f := managerWith(t, st, agentWith(t, model, setTool()), nil)
		truth := leaves{"a": 0}
		tabs := []leaves{truth, truth} // as each was given it last
		events(t, f.start(withState(f.input("t1", "begin"), truth, nil)), false)
		for i := range rapid.IntRange(1, 8).Draw(rt, "runs") {
			tab := rapid.IntRange(0, 1).Draw(rt, "tab")
			mine, patch := maps.Clone(tabs[tab]), []string(nil)
			for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 0, 3, rapid.ID).Draw(rt, "writes") {
				if value := 10*i + rapid.IntRange(0, 3).Draw(rt, "value"); value%3 == 0 {
					delete(mine, path)
				} else {
					mine[path] = value
				}
			}
			truth = written(truth, tabs[tab], mine)
			for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 0, 2, rapid.ID).Draw(rt, "agent") {
				truth[path] = 1000 + i
				patch = append(patch, fmt.Sprintf(`{"op":"add","path":"/%s","value":%d}`, strings.ReplaceAll(path, ".", "/"), 1000+i))
			}
			model.mu.Lock()
			model.play = []step{call("c", "set", `{"patch":[`+strings.Join(patch, ",")+`]}`), say("done")}
			model.mu.Unlock()
			r := f.start(withState(f.input("t1", "write"), mine, tabs[tab]))
			tabs[tab] = leavesOf(rt, json.RawMessage(folded(t, mine.json(), events(t, r, rapid.Bool().Draw(rt, "0.x")))))
			same(rt, "the tab that wrote", tabs[tab], truth)
			same(rt, "the store", leavesOf(rt, json.RawMessage(f.shared("t1"))), truth)
			switch rapid.IntRange(0, 3).Draw(rt, "then") {
			case 0: // the other tab catches up
				stream := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))
				tabs[1-tab] = leavesOf(rt, json.RawMessage(folded(t, nil, decode(t, stream))))
				same(rt, "the tab that follows", tabs[1-tab], truth)
			case 1:
				n := f.n
				f.Drain(t.Context())
				f = managerWith(t, st, agentWith(t, model, setTool()), nil)
				f.n = n
			}
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// withState adds a state to an input, and the one that it comes from.
func withState(in *agui.RunAgentInput, state, base leaves) *agui.RunAgentInput {
	in.State = state.json()
	if base != nil {
		in.ForwardedProps = rawJSON(`{"pageside":{"stateBase":` + string(base.json()) + `}}`)
	}
	return in
}

// written returns the state after a tab has made mine of what it was given.
func written(truth, given, mine leaves) leaves {
	next := maps.Clone(truth)
	for _, path := range paths {
		before, had := given[path]
		now, has := mine[path]
		switch {
		case had == has && before == now:
		case has:
			next[path] = now
		default:
			delete(next, path)
		}
	}
	return next
}

func same(t *rapid.T, who string, got, want leaves) {
	if !maps.Equal(got, want) {
		t.Fatalf("%s has %v, want %v (%v)", who, got, want, slices.Sorted(maps.Keys(want)))
	}
}

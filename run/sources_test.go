package run

import (
	"context"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// sourcesOf returns the sources of a stored thread as text.
func sourcesOf(t *testing.T, st store.Store) string {
	t.Helper()
	stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
	var all []string
	for i := range stored {
		if _, ok := agui.ReadSources(&stored[i]); ok {
			all = append(all, string(stored[i].Activity))
		}
	}
	return strings.Join(all, "\n")
}

// TestOwnAgentNamesSources: somebody else's agent names what its answer rests on, with the numbers
// of its marks. It cannot name what must not be followed, nor change the sources of an earlier
// answer.
func TestOwnAgentNamesSources(t *testing.T) {
	st := temp.Store(t)
	play := func(_ context.Context, in Input, out Output) (Outcome, error) {
		title := map[bool]string{true: "First", false: "Second"}[len(in.Messages) < 2]
		number := map[bool]string{true: "5", false: "9"}[title == "First"]
		for _, content := range []string{`{"sources":[{"number":` + number + `,"title":"` + title + `","url":"data:x","snippet":"s"}]}`, `{"sources":"x"}`, `{"sources":[{"url":"data:x"}]}`} {
			if err := out.Emit(&agui.ActivitySnapshot{MessageID: "mine", ActivityType: agui.SourcesType, Content: []byte(content)}); err != nil {
				return Outcome{}, err
			}
		}
		return Outcome{}, out.Emit(says("m"+number, "So it is ["+number+"].")...)
	}
	f := ownManager(t, st, &ownAgent{play: play}, &agent.Agent{Authorizer: policy.Everything})
	f.tell("t1", "u1", "")
	f.tell("t1", "u2", "")
	want := `{"sources":[{"number":5,"title":"First","snippet":"s"}]}` + "\n" + `{"sources":[{"number":9,"title":"Second","snippet":"s"}]}`
	if got := sourcesOf(t, st); got != want {
		t.Errorf("the thread has %s", got)
	}
}

package remote_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/remote"
	"github.com/pageside/pageside/test/must"
)

// startStock starts an agent of AG-UI's own SDK, and returns its address.
func startStock(t *testing.T, language string) string {
	t.Helper()
	cmd := exec.Command("node", "../../web/conformance/src/stock-agent.mjs")
	if language == "Go" {
		program := filepath.Join(t.TempDir(), "stockagent")
		build := exec.Command("go", "build", "-o", program, ".")
		build.Dir = "../../test/stockagent"
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		cmd = exec.Command(program)
	}
	cmd.Stderr = os.Stderr
	stdin := must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	line := must.Get(bufio.NewReader(stdout).ReadString('\n'))(t)
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return strings.TrimSpace(line)
}

// TestStockAgents: agents written with AG-UI's own SDKs, as its example servers are, run behind the
// server, whichever version they are taken for.
func TestStockAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program and starts Node: only in the long version")
	}
	for _, language := range []string{"Go", "TypeScript"} {
		url := startStock(t, language)
		for _, protocol := range []remote.Protocol{remote.AGUI1, remote.AGUI0} {
			for name, play := range stockAgents {
				t.Run(fmt.Sprintf("%s %s %s", language, protocol, name), func(t *testing.T) {
					s := newSite(t, open(agentAt(t, url+"/"+name, func(c *remote.Config) { c.Protocol = protocol })))
					play(t, s)
				})
			}
		}
	}
}

// stockAgents are what is asked of each agent, and what must come.
var stockAgents = map[string]func(*testing.T, *site){
	"agentic_chat": func(t *testing.T, s *site) {
		s.ask("far", "r1", user("u1", "hello"), "")
		expectText(t, s.ask("far", "r2", user("u2", "and?"), ""), "You have said 2 things, and I see 1 things.")
	},
	"agentic_generative_ui": func(t *testing.T, s *site) {
		all := s.ask("far", "r1", user("u1", "look"), "")
		expectText(t, all, "Found three.")
		for _, want := range []agui.EventType{agui.TypeStepStarted, agui.TypeToolCallResult, agui.TypeActivitySnapshot, agui.TypeCustom} {
			if !slices.ContainsFunc(all, func(e agui.Event) bool { return e.Type() == want }) {
				t.Errorf("%s is missing in %s", want, typesOf(all))
			}
		}
		// the second run is sent the state that the first has made, and makes it anew
		if again := s.ask("far", "r2", user("u2", "again"), ""); errorCode(again) != "" {
			t.Errorf("again: %s", typesOf(again))
		}
	},
	"tool_based_generative_ui": func(t *testing.T, s *site) {
		all := s.ask("far", "r1", user("u1", "paint"), "")
		end, _ := all[len(all)-1].(*agui.RunFinished)
		if end == nil || end.Outcome == nil || len(end.Outcome.PendingToolCallIDs) != 1 {
			t.Fatalf("it ends with %+v", all[len(all)-1])
		}
		result := fmt.Sprintf(`{"id":"res1","role":"tool","toolCallId":%q,"content":"red"}`, end.Outcome.PendingToolCallIDs[0])
		expectText(t, s.ask("far", "r2", result, ""), "The page says red.")
	},
	"human_in_the_loop": func(t *testing.T, s *site) {
		all := s.ask("far", "r1", user("u1", "book"), "")
		end, _ := all[len(all)-1].(*agui.RunFinished)
		if end == nil || end.Outcome == nil || len(end.Outcome.Interrupts) != 1 || end.Outcome.Interrupts[0].Reason != "graph:seat" {
			t.Fatalf("it ends with %+v", all[len(all)-1])
		}
		answer := fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":"resolved","payload":{"seat":7}}]`, end.Outcome.Interrupts[0].ID)
		expectText(t, s.ask("far", "r2", "", answer), `resolved {"seat":7}`)
	},
	"thinking": func(t *testing.T, s *site) {
		expectText(t, s.ask("far", "r1", user("u1", "think"), ""), "[Hm.]Yes.")
	},
	"snapshot": func(t *testing.T, s *site) {
		expectText(t, s.ask("far", "r1", user("u1", "tell"), ""), "All of it.")
		expectText(t, s.ask("far", "r2", user("u2", "more"), ""), "All of it.")
	},
	"fails": func(t *testing.T, s *site) {
		all := s.ask("far", "r1", user("u1", "go"), "")
		if code, message := errorOf(all); code != "agent_error" || !strings.Contains(message, "the graph broke") || textOf(all) != "I begin." {
			t.Errorf("%s: %s (%s)", code, message, typesOf(all))
		}
	},
	"dies": func(t *testing.T, s *site) {
		all := s.ask("far", "r1", user("u1", "go"), "")
		if code := errorCode(all); code != "agent_broke_off" || textOf(all) != "I begin." {
			t.Errorf("%s (%s)", code, typesOf(all))
		}
	},
}

func expectText(t *testing.T, all []agui.Event, want string) {
	t.Helper()
	if got := textOf(all); got != want || errorCode(all) != "" {
		code, message := errorOf(all)
		t.Errorf("%q, want %q: %s %s %s", got, want, typesOf(all), code, message)
	}
}

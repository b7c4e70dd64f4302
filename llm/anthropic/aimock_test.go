package anthropic_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// chunkSizes are the sizes of the pieces in which the mock streams, in characters.
var chunkSizes = []string{"1", "7", "1000"}

// aimock starts the mock of the three vendors' APIs that CopilotKit publishes, once for each chunk
// size, and returns the addresses. The test is skipped where it is not installed.
func aimock(t *testing.T) (urls []string) {
	t.Helper()
	dir := filepath.Join("..", "..", "web", "conformance")
	if _, err := os.Stat(filepath.Join(dir, "..", "node_modules", "@copilotkit", "aimock")); err != nil {
		t.Skip("aimock is not installed, run npm ci in web: ", err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node: ", err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{"aimock.mjs"}, chunkSizes...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := cmd.Start(); err1 != nil || err2 != nil || err != nil {
		t.Fatal(err1, err2, err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("the mock did not start: %v", err)
	}
	if err := json.Unmarshal(line, &urls); err != nil || len(urls) != len(chunkSizes) {
		t.Fatalf("the mock's addresses: %q, %v", line, err)
	}
	return urls
}

// adapters are the models behind one mock, by provider.
func adapters(url string) map[string]llm.Model {
	return map[string]llm.Model{
		"anthropic": anthropic.New(anthropic.Config{BaseURL: url, APIKey: "sk-ant-mock", Model: "claude-sonnet-4-6"}),
		"gemini":    gemini.New(gemini.Config{BaseURL: url, APIKey: "mock", Model: "gemini-3-flash"}),
		"openai":    openai.New(openai.Config{BaseURL: url + "/v1", APIKey: "sk-mock", Model: "gpt-5"}),
	}
}

var mockTools = []llm.ToolDecl{
	{Name: "add", Description: "Adds.", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"},"note":{"type":"string"}},"required":["a","b"]}`)},
	{Name: "now", Description: "Tells the time."},
}

// Whatever the vendor's format and however it is cut, the parts say the same, and so does the
// history that goes back.
func TestAllAdaptersAgree(t *testing.T) {
	for i, url := range aimock(t) {
		for name, m := range adapters(url) {
			t.Run(name+" in pieces of "+chunkSizes[i], func(t *testing.T) {
				checkTwoTools(t, m)
				checkPlain(t, m)
				checkErrors(t, m)
			})
		}
		checkJournal(t, url)
	}
}

func checkTwoTools(t *testing.T, m llm.Model) {
	t.Helper()
	req := &llm.Request{System: []llm.Block{{Text: "Be brief.", Cache: true}}, Tools: mockTools, Messages: []llm.Message{llmtest.User("two tools")}, Effort: "high"}
	a := llmtest.Ask(t, t.Context(), m, req)
	if a.Err != nil {
		t.Fatal(a.Err, a.Err.Err)
	}
	if a.Text != "I'll add — and look at the clock." || a.Reasoning != "Two tools, both at once." || a.Finish != llm.FinishTools {
		t.Errorf("%q, thought %q, finish %q", a.Text, a.Reasoning, a.Finish)
	}
	if len(a.Calls) != 2 || !a.Calls[0].Ended || !a.Calls[1].Ended || a.Calls[0].Name != "add" || a.Calls[1].Name != "now" || a.Calls[1].Args != "{}" ||
		!llmtest.EqualJSON(a.Calls[0].Args, `{"a":2,"b":3,"note":"ü \"五\""}`) {
		t.Fatalf("calls %+v", a.Calls)
	}
	req.Messages = append(req.Messages, a.Message(), llm.Message{Role: llm.RoleTool, Content: []llm.Content{
		llm.ToolResult{ID: a.Calls[0].ID, Content: llm.Text{Text: "5"}},
		llm.ToolResult{ID: a.Calls[1].ID, Content: llm.Text{Quoted: json.RawMessage(`"noon"`)}},
	}})
	must.Do(t, llm.Balance(req.Messages))
	if a = llmtest.Ask(t, t.Context(), m, req); a.Text != "Five, at noon.\n\n**Ünïcode**" || a.Finish != llm.FinishStop {
		t.Errorf("after the results: %+v", a)
	}
}

func checkPlain(t *testing.T, m llm.Model) {
	t.Helper()
	a := llmtest.Ask(t, t.Context(), m, &llm.Request{Messages: []llm.Message{llmtest.User("plain")}})
	if a.Text != "One two three, four 五." || a.Finish != llm.FinishStop || len(a.Calls) > 0 {
		t.Errorf("plain: %+v", a)
	}
	a = llmtest.Ask(t, t.Context(), m, &llm.Request{Messages: []llm.Message{llmtest.User("cut off")}})
	if a.Text != "This answer ends before its end." || a.Finish != llm.FinishLength {
		t.Errorf("cut off: %q, %q, %v", a.Text, a.Finish, a.Err)
	}
}

func checkErrors(t *testing.T, m llm.Model) {
	t.Helper()
	for question, want := range map[string]llm.ErrorKind{"too many": llm.KindRateLimited, "busy": llm.KindOverloaded, "no key": llm.KindAuth, "torn": llm.KindNetwork} {
		a := llmtest.Ask(t, t.Context(), m, &llm.Request{Messages: []llm.Message{llmtest.User(question)}})
		if question == "torn" && len(a.Text) > 7 && a.Err == nil {
			continue // the whole answer was in fewer pieces than it is torn after
		}
		if a.Kind() != want {
			t.Errorf("%s: %+v %+v, want %q", question, a.Err, a, want)
		}
		if question == "too many" && a.Err.RetryAfter != time.Second {
			t.Errorf("too many: to be tried again after %v", a.Err.RetryAfter)
		}
	}
}

// checkJournal compares what the mock understood of the histories: it reads all three formats into
// one.
func checkJournal(t *testing.T, url string) {
	t.Helper()
	resp := must.Get(http.Get(url + "/__aimock/journal"))(t)
	defer resp.Body.Close()
	var entries []struct {
		Path string
		Body struct {
			Messages []map[string]any
			Tools    []any
		}
	}
	must.Do(t, json.NewDecoder(resp.Body).Decode(&entries))
	understood := map[string]int{}
	for _, e := range entries {
		if len(e.Body.Tools) != 2 || !slices.ContainsFunc(e.Body.Messages, func(m map[string]any) bool { return m["role"] == "tool" }) {
			continue
		}
		var said []string
		for _, m := range e.Body.Messages {
			said = append(said, told(m))
		}
		understood[strings.Join(said, "\n")]++
	}
	if len(understood) != 1 || slices.Max(slices.Collect(maps.Values(understood))) != 3 {
		t.Errorf("the three histories were not understood alike: %v", understood)
	}
}

// told is a message without what differs between vendors: ids, the key order of arguments, how a
// result is wrapped.
func told(m map[string]any) string {
	text := fmt.Sprint(m["role"], ": ", m["content"])
	if m["role"] == "tool" {
		text = strings.NewReplacer(`{"output":"`, "", `"}`, "").Replace(text)
	}
	calls, _ := m["tool_calls"].([]any)
	for _, c := range calls {
		f := c.(map[string]any)["function"].(map[string]any)
		text += fmt.Sprint(" ", f["name"], " ", f["arguments"])
	}
	return text
}

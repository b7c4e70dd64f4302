package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// Limits on repeated calls.
const (
	repeatWindow = 8 // number of recent steps looked at
	maxRepeats   = 3 // same call with the same result: the model is warned
	// maxFrontendRepeats is higher because the user may want the same button pressed again.
	maxFrontendRepeats = 5
	// maxStepsFactor bounds the steps without a new user message when frontend calls split a task
	// into many runs.
	maxStepsFactor = 4
	// maxFailures is how often in a row a model may fail to call a tool before it is told to stop
	// using it. After one more failure it must answer without tools.
	maxFailures = 2
)

// loopGuard detects a model that repeats itself, or calls more tools than one question may, and
// makes it answer without tools.
type loopGuard struct {
	maxSteps int // of a run
	maxCalls int // of a question
	calls    int // for the question so far
	repeats  repeats
	failures map[string]int // by tool name: invalid calls in a row
	stuck    string         // the code of the Failure for which the model must answer now
}

// giveUp makes the model answer without tools from here on. The first reason stays.
func (g *loopGuard) giveUp(code string) { g.stuck = cmp.Or(g.stuck, code) }

// uncounted are the tools that bring what the model was promised: what was left out of its prompt.
var uncounted = []string{prompt.ReadResult, prompt.RetrieveItems}

// admit counts a call. It returns the refusal of one that is beyond the limit of its question, and
// then the model must answer.
func (g *loopGuard) admit(name string) *tool.Error {
	if slices.Contains(uncounted, name) {
		return nil
	}
	if g.calls++; g.calls <= g.maxCalls {
		return nil
	}
	g.giveUp(CodeStepsExhausted)
	return &tool.Error{
		Code:    tool.CodeNotExecuted,
		Message: fmt.Sprintf("not executed: limit: one question may make %d tool calls", g.maxCalls),
		Hint:    "Answer with what you have, and say what is missing.",
	}
}

// failed counts a call that could not run. If there were too many, it adds to the problem that the
// model should stop using the tool.
func (g *loopGuard) failed(name string, problem *tool.Error) {
	if g.failures == nil {
		g.failures = map[string]int{}
	}
	g.failures[name]++
	n := g.failures[name]
	if n < maxFailures {
		return
	}
	problem.Retryable = false
	problem.Hint = fmt.Sprintf("This was attempt %d. Do not call %s again: go on without it, and tell the user what is missing.",
		n, name)
	if n > maxFailures {
		g.giveUp(CodeToolLoop)
	}
}

// repeats remembers the calls and results of the last steps.
type repeats struct {
	steps  [][]fingerprint // newest last
	warned map[fingerprint]bool
}

// fingerprint identifies a tool's name, arguments and result.
type fingerprint [sha256.Size]byte

func fingerprintOf(name string, args json.RawMessage, result string) fingerprint {
	canonical := jsontext.Value(slices.Clone(args))
	if canonical.Canonicalize() != nil {
		canonical = jsontext.Value(args)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %d %s ", len(name), name, len(canonical), canonical)
	h.Write([]byte(result))
	return fingerprint(h.Sum(nil))
}

// add counts a call and returns how often it is in the window, including this time.
func (s *repeats) add(f fingerprint) int {
	if len(s.steps) == 0 {
		s.nextStep()
	}
	last := len(s.steps) - 1
	s.steps[last] = append(s.steps[last], f)
	n := 0
	for _, step := range s.steps {
		for _, seen := range step {
			if seen == f {
				n++
			}
		}
	}
	return n
}

func (s *repeats) nextStep() {
	s.steps = append(s.steps, nil)
	if len(s.steps) > repeatWindow {
		s.steps = s.steps[1:]
	}
}

// watch detects a backend call that keeps returning the same result. The third time the model gets
// a warning in place of the result; after one more it must answer.
func (g *loopGuard) watch(c *call) {
	f := fingerprintOf(c.name, c.ready.args, c.result.Text)
	n := g.repeats.add(f)
	if n < maxRepeats {
		return
	}
	if g.repeats.warned[f] {
		g.giveUp(CodeToolLoop)
	}
	if g.repeats.warned == nil {
		g.repeats.warned = map[fingerprint]bool{}
	}
	g.repeats.warned[f] = true
	warning := (&tool.Error{
		Code: tool.CodeRepeated, Message: fmt.Sprintf("the same call has now given the same result %d times", n),
		Hint: "Do not call it again. Use the result you have, try something else, or answer.",
	}).Result()
	c.result = &warning
}

// recall counts the steps and calls since the client last went on, or since the answer that the
// user has asked to continue: frontend calls split one question into many runs, and a loop may go
// through the browser.
func (g *loopGuard) recall(history []agui.Message, continues string) {
	g.repeats, g.calls = repeats{}, 0
	asked := 0
	for i, m := range history {
		if m.IsFromClient() || continues != "" && m.ID == continues {
			asked = i + 1
		}
	}
	steps, results := 0, resultsByCall(history[asked:])
	for _, m := range history[asked:] {
		if len(m.ToolCalls) == 0 {
			continue
		}
		steps++
		for _, c := range m.ToolCalls {
			_ = g.admit(c.Name)
			n := g.repeats.add(fingerprintOf(c.Name, json.RawMessage(c.Arguments), results[c.ID]))
			if n >= maxFrontendRepeats {
				g.giveUp(CodeToolLoop)
			}
		}
		g.repeats.nextStep()
	}
	if steps >= maxStepsFactor*g.maxSteps {
		g.giveUp(CodeStepsExhausted)
	}
}

func resultsByCall(history []agui.Message) map[string]string {
	results := map[string]string{}
	for _, m := range history {
		if m.Role == agui.RoleTool {
			results[m.ToolCallID] = string(m.Content.Raw())
		}
	}
	return results
}

// noAnswer returns the failure of a model that kept calling tools when it had to answer.
func noAnswer(code string) *Failure {
	f := &Failure{Code: code, Message: "the assistant took as many steps as it may and did not answer"}
	if code == CodeToolLoop {
		f.Message = "the assistant repeated the same tool calls and did not answer"
	}
	return f
}

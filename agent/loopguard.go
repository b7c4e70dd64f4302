package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// The bounds on going round in circles.
const (
	repeatWindow = 8 // steps that are looked back on
	maxRepeats   = 3 // the same call with the same result: the model is told
	// maxFrontendRepeats is more patient, because pressing the same button again can be what the
	// user wants.
	maxFrontendRepeats = 5
	// maxStepsFactor bounds the steps that may pass without a word of the user when frontend calls
	// split them into many runs.
	maxStepsFactor = 4
	// maxFailures is how often in a row a model may get a call of one tool wrong before it is told
	// to leave it. Once more, and it has to answer without tools.
	maxFailures = 2
)

// loopGuard notices a model that goes round in circles, and then has it answer without tools.
type loopGuard struct {
	repeats  repeats
	failures map[string]int // by tool name: calls in a row that could not be executed
	stuck    string         // why the model must answer now, as the code of a NoAnswerError
}

// giveUp has the model answer without tools from here on. The first reason stays.
func (g *loopGuard) giveUp(code string) { g.stuck = cmp.Or(g.stuck, code) }

// failed counts a call that could not be executed, and says in its problem when it is time to leave
// the tool.
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
	problem.Hint = fmt.Sprintf("This was attempt %d. Do not call %s again: go on without it, and tell the user what is missing.", n, name)
	if n > maxFailures {
		g.giveUp(CodeToolLoop)
	}
}

// repeats remembers which calls gave which results in the last steps.
type repeats struct {
	steps  [][]fingerprint // the newest last
	warned map[fingerprint]bool
}

// fingerprint stands for a tool's name, its arguments and its result.
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

// add counts a call and returns how often it was seen in the window, this time included.
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

// watch notices a backend call that keeps giving the same result. The third time the model is told
// so in place of the result; if it does it yet again, it must answer.
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

// recall counts the steps and calls since the user last said something: frontend calls split one
// question into many runs, and a circle that goes through the browser is still one.
func (g *loopGuard) recall(history []agui.Message, maxSteps int) {
	g.repeats = repeats{}
	asked := 0
	for i, m := range history {
		if m.Role == agui.RoleUser {
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
			n := g.repeats.add(fingerprintOf(c.Name, json.RawMessage(c.Arguments), results[c.ID]))
			if n >= maxFrontendRepeats {
				g.giveUp(CodeToolLoop)
			}
		}
		g.repeats.nextStep()
	}
	if steps >= maxStepsFactor*maxSteps {
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

// NoAnswerError ends a run whose model went on calling tools where it had to answer. Code is that
// of RUN_ERROR.
type NoAnswerError struct {
	Code    string
	Message string // can be shown to the user
}

// Error implements error.
func (e *NoAnswerError) Error() string { return e.Message }

// The codes of a NoAnswerError.
const (
	CodeStepsExhausted = "steps_exhausted" // the run made as many model calls as it may
	// the same calls brought the same results, or failed, again and again
	CodeToolLoop = "tool_loop"
)

func noAnswer(code string) *NoAnswerError {
	if code == CodeToolLoop {
		return &NoAnswerError{code, "the assistant repeated the same tool calls and did not answer"}
	}
	return &NoAnswerError{code, "the assistant took as many steps as it may and did not answer"}
}

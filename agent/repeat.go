package agent

import (
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
)

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
func (r *run) watch(c *call) {
	f := fingerprintOf(c.name, c.ready.args, c.result.Text)
	n := r.repeats.add(f)
	if n < maxRepeats {
		return
	}
	if r.repeats.warned[f] {
		r.giveUp(CodeToolLoop)
	}
	if r.repeats.warned == nil {
		r.repeats.warned = map[fingerprint]bool{}
	}
	r.repeats.warned[f] = true
	warning := (&tool.Error{
		Code: tool.CodeRepeated, Message: fmt.Sprintf("the same call has now given the same result %d times", n),
		Hint: "Do not call it again. Use the result you have, try something else, or answer.",
	}).Result()
	c.result = &warning
}

// recall counts the steps and calls since the user last said something: frontend calls split one
// question into many runs, and a circle that goes through the browser is still one.
func (r *run) recall(history []agui.Message) {
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
			n := r.repeats.add(fingerprintOf(c.Name, json.RawMessage(c.Arguments), results[c.ID]))
			if n >= maxFrontendRepeats {
				r.giveUp(CodeToolLoop)
			}
		}
		r.repeats.nextStep()
	}
	if steps >= maxStepsFactor*r.agent.maxSteps() {
		r.giveUp(CodeStepsExhausted)
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

package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// of returns the predictions about a tool.
func (p *predictions) of(name string) (list []Prediction) {
	for _, one := range p.list {
		if one.Tool == name {
			list = append(list, one)
		}
	}
	return list
}

// predict tells clients of the predictions before the first call that they are about.
func (s *sharedState) predict(name string) error {
	p := s.predictions
	if p.told || !slices.ContainsFunc(p.list, func(one Prediction) bool { return one.Tool == name }) {
		return nil
	}
	p.told = true
	value, err := json.Marshal(p.list)
	if err != nil {
		return err
	}
	return s.out.Emit(&agui.Custom{Name: predictEvent, Value: value})
}

// foresee returns the error for a call whose arguments would break the state.
func (s *sharedState) foresee(name string, args json.RawMessage) *tool.Error {
	patch := s.outcome(name, args)
	if patch == nil {
		return nil
	}
	_, refused := s.patched(patch)
	return refused
}

// settle stores what a call has predicted, once it has run. If it has not, or the state has changed
// so that it no longer fits, the client is told the state as it is.
func (s *sharedState) settle(c *call) error {
	if len(s.predictions.of(c.name)) == 0 {
		return nil
	}
	args := json.RawMessage(c.args.String())
	if c.ready != nil {
		args = c.ready.args
	}
	return s.store(c.name, c.id, args, c.result.IsError)
}

func (s *sharedState) store(name, id string, args json.RawMessage, failed bool) error {
	patch := s.outcome(name, args)
	if failed || patch == nil {
		return s.tell()
	}
	refused, err := s.patch(patch)
	if refused == nil || err != nil {
		return err
	}
	s.log.Warn("the state that a call predicted was refused", "tool", name, "toolCallId", id, "runId", s.runID,
		"error", refused)
	return s.tell()
}

// settlePage does the same for calls of the page, whose results a run brings: they stand behind the
// last words of the assistant.
func (s *sharedState) settlePage(history []agui.Message, tools toolset) error {
	called := map[string]agui.ToolCall{}
	answered := 0
	for i := range history {
		if history[i].Role == agui.RoleAssistant {
			answered = i
		}
		for _, c := range history[i].ToolCalls {
			if len(s.predictions.of(c.Name)) > 0 && tools.backend(c.Name) == nil {
				called[c.ID] = c
			}
		}
	}
	for i := range history[min(answered, len(history)):] {
		m := &history[answered+i]
		c, predicts := called[m.ToolCallID]
		if !predicts || m.Role != agui.RoleTool {
			continue
		}
		failed := m.Error != "" || m.Content.IsText() && tool.IsErrorJSON(m.Content.Raw())
		if err := s.store(c.Name, c.ID, json.RawMessage(c.Arguments), failed); err != nil {
			return err
		}
	}
	return nil
}

// retract tells the client the state as it is if a call that predicts waits for a person: until
// then nothing is stored. A call that the page makes now goes on to be shown.
func (s *sharedState) retract(c *call) error {
	if len(s.predictions.of(c.name)) == 0 {
		return nil
	}
	return s.tell()
}

// outcome returns the patch that a call of a tool makes to the state, nil for none.
func (s *sharedState) outcome(name string, args json.RawMessage) json.RawMessage {
	var ops []patchOp
	for _, p := range s.predictions.of(name) {
		value := args
		if p.Argument != "" && json.Valid(args) {
			value = jsonx.Find(args, p.Argument)
		}
		if len(value) > 0 && json.Valid(value) {
			ops = append(ops, patchOp{"add", "/" + escapePointer(p.Key), value})
		}
	}
	if ops == nil {
		return nil
	}
	return jsonx.Marshal(ops)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(key string) string { return pointerEscapes.Replace(key) }

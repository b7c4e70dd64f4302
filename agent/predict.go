package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// predict tells clients of the predictions before the first call that they are about.
func (s *sharedState) predict(name string) error {
	if s.predicted || !s.config.Predicts(name) {
		return nil
	}
	s.predicted = true
	value, err := json.Marshal(s.config.Predict)
	if err != nil {
		return err
	}
	return s.out.Emit(&agui.Custom{Name: predictEvent, Value: value})
}

// foresee returns the error for a call whose arguments would break the state.
func (s *sharedState) foresee(name string, args json.RawMessage) *tool.Error {
	patch := s.config.PatchOf(name, args)
	if patch == nil {
		return nil
	}
	if _, problem := s.document.Patched(patch); problem != nil {
		return invalidState(problem)
	}
	return nil
}

// settle stores what a call has predicted, once it has run. If it has not, or the state has changed
// so that it no longer fits, the client is told the state as it is.
func (s *sharedState) settle(c *call) error {
	if !s.config.Predicts(c.name) {
		return nil
	}
	args := json.RawMessage(c.args.String())
	if c.ready != nil {
		args = c.ready.args
	}
	return s.store(c.name, c.id, args, c.result.IsError)
}

func (s *sharedState) store(name, id string, args json.RawMessage, failed bool) error {
	patch := s.config.PatchOf(name, args)
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
			if s.config.Predicts(c.Name) && tools.backend(c.Name) == nil {
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
	if !s.config.Predicts(c.name) {
		return nil
	}
	return s.tell()
}

package config

import (
	"encoding/json"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/tool"
)

// stateAt returns how an agent shares state with the page. agent.Agent.Validate checks the rest.
func (b *builder) stateAt(field string, s *State) agent.State {
	if s == nil {
		return agent.State{}
	}
	out := agent.State{Model: agent.StateAccess(s.Model), MaxBytes: s.MaxBytes}
	for _, p := range s.Predict {
		out.Predict = append(out.Predict, agent.Prediction{Key: p.Key, Tool: p.Tool, Argument: p.Argument})
	}
	if s.Schema != nil {
		schema, err := tool.CompileSchema(b.objectAt(field+".schema", s.Schema))
		b.sound(field+".schema", err)
		out.Schema = schema
	}
	if s.Initial != nil {
		if out.Initial = b.objectAt(field+".initial", s.Initial); !json.Valid(out.Initial) {
			b.fail(field+".initial", "is not valid JSON")
		}
	}
	return out
}

package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agent"
)

// agentSet is the agents of a manager. It is immutable: SetAgents replaces it.
type agentSet struct {
	list []*agent.Agent
	byID map[string]*agent.Agent
}

func newAgentSet(agents []*agent.Agent) (*agentSet, error) {
	r := &agentSet{list: slices.Clone(agents), byID: make(map[string]*agent.Agent, len(agents))}
	for _, a := range agents {
		if _, twice := r.byID[a.ID]; twice {
			return nil, fmt.Errorf("agent %q is defined twice", a.ID)
		}
		r.byID[a.ID] = a
	}
	if len(agents) == 0 {
		return nil, errors.New("there is no agent")
	}
	return r, nil
}

// Agents returns the agents in the order given.
func (m *Manager) Agents() []*agent.Agent { return m.agents.Load().list }

// Agent returns one agent, or nil.
func (m *Manager) Agent(id string) *agent.Agent { return m.agents.Load().byID[id] }

// SetAgents replaces the agents. Runs that have begun keep their agent.
func (m *Manager) SetAgents(agents []*agent.Agent) error {
	r, err := newAgentSet(agents)
	if err == nil {
		m.agents.Store(r)
	}
	return err
}

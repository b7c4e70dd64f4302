package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// SetPolicies replaces what Config.Policies says. It returns an error if there is no such agent or
// policy; then nothing changes.
func (m *Manager) SetPolicies(policies map[string]Policy) error {
	for _, id := range slices.Sorted(maps.Keys(policies)) {
		if m.Agent(id) == nil {
			return fmt.Errorf("the policy of agent %q: there is no such agent", id)
		}
		if err := policies[id].check(); err != nil {
			return fmt.Errorf("agent %q: %w", id, err)
		}
	}
	policies = maps.Clone(policies)
	m.policies.Store(&policies)
	return nil
}

// policyOf returns what happens to a run of an agent whose thread has a live run.
func (m *Manager) policyOf(agentID string) Policy {
	return cmp.Or((*m.policies.Load())[agentID], m.cfg.Policy)
}

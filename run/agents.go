package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/guest"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

// Agent answers the runs of threads. Loop makes one of the built-in agent; any other type is an
// agent of one's own. The manager does the rest for it: it stores the thread and the log of events,
// follows, resumes and cancels runs, holds calls of the page's tools that a person must approve,
// and keeps limits, titles, permissions and the audit log. Methods are called concurrently.
type Agent interface {
	// Info names the agent. It is constant.
	Info() Info
	// Capabilities describes the agent for clients that ask; nil says nothing.
	Capabilities() *agui.Capabilities
	// Run answers the last message of in.Messages, or continues after in.Resume. It emits its
	// events to out and returns when it is done. It should return soon after ctx has ended; if it
	// does not, the run ends without it.
	//
	// An error ends the run with RUN_ERROR: a *Failure with its own code and message, any other
	// error, or a panic, with the code agent_failed. The log has the details.
	Run(ctx context.Context, in Input, out Output) (Outcome, error)
}

// Info names an agent.
type Info struct {
	ID          string // names it in URLs: "default"
	Description string // one sentence for people
	Host        string // that the runs' input goes to; "" if the agent answers here
}

// Input is what an agent is given for a run.
type Input = guest.Input

// Output takes what an agent has to say.
type Output = guest.Output

// Outcome is how an agent ended a run without an error.
type Outcome = guest.Outcome

// Failure ends a run of an agent with a code and a message for the user. Err is for the log.
type Failure = agent.Failure

// Loop returns the built-in agent as an Agent. It runs in a Manager only.
func Loop(a *agent.Agent) Agent { return &loop{a} }

// Loops is Loop for several agents.
func Loops(agents ...*agent.Agent) []Agent {
	list := make([]Agent, len(agents))
	for i, a := range agents {
		list[i] = Loop(a)
	}
	return list
}

type loop struct{ *agent.Agent }

func (l *loop) Info() Info                       { return Info{ID: l.ID, Description: l.Description} }
func (l *loop) Capabilities() *agui.Capabilities { return nil }

// Run implements Agent. A manager knows the loop, and gives it more than an Input.
func (l *loop) Run(context.Context, Input, Output) (Outcome, error) {
	return Outcome{}, errors.New("run: an agent made by Loop runs in a Manager only")
}

// agentSet is the agents of a manager. It is immutable: SetAgents replaces it.
type agentSet struct {
	list []*Served
	byID map[string]*Served
}

func newAgentSet(agents []Agent, cfg *Config, kept *stored) (*agentSet, error) {
	r := &agentSet{byID: make(map[string]*Served, len(agents))}
	for _, a := range agents {
		s := serve(a, cfg)
		s.ID, s.Description, s.Pages, s.kept = s.desk.ID, s.desk.Description, s.desk.Pages, kept
		if _, twice := r.byID[s.ID]; twice {
			return nil, fmt.Errorf("agent %q is defined twice", s.ID)
		}
		r.byID[s.ID] = s
		r.list = append(r.list, s)
	}
	if len(agents) == 0 {
		return nil, errors.New("there is no agent")
	}
	return r, nil
}

// serve returns an agent with what the server knows about it.
func serve(a Agent, cfg *Config) *Served {
	switch a := a.(type) {
	case *loop:
		return &Served{impl: a, desk: a.Agent}
	case *hosted:
		return &Served{impl: a.Agent, desk: a.desk, own: true}
	}
	settings := &agent.Agent{Audit: cfg.Audit, Logger: cfg.Logger}
	return serve(Host(settings, a), cfg)
}

// roster has the manager's agents, and what happens to a run whose thread has a live one.
type roster struct {
	cfg      *Config
	kept     *stored
	current  atomic.Pointer[agentSet]
	policies atomic.Pointer[map[string]Policy] // by agent
}

// Agents returns the agents, in the order given.
func (r *roster) Agents() []*Served { return slices.Clone(r.current.Load().list) }

// Agent returns one agent, or a *refusal.Error if there is none.
func (r *roster) Agent(id string) (*Served, error) {
	if a := r.served(id); a != nil {
		return a, nil
	}
	return nil, &refusal.Error{Code: refusal.UnknownAgent, Message: fmt.Sprintf("there is no agent %q", id)}
}

// Settings returns what the server knows about one agent, or nil, for the program that has made it.
func (r *roster) Settings(id string) *agent.Agent {
	if s := r.served(id); s != nil {
		return s.desk
	}
	return nil
}

func (r *roster) served(id string) *Served { return r.current.Load().byID[id] }

// SetAgents replaces the agents. Runs that have begun keep their agent.
func (r *roster) SetAgents(agents []Agent) error {
	set, err := newAgentSet(agents, r.cfg, r.kept)
	if err == nil {
		r.current.Store(set)
	}
	return err
}

// SetPolicies replaces what Config.Policies says. It returns an error if there is no such agent or
// policy; then nothing changes.
func (r *roster) SetPolicies(policies map[string]Policy) error {
	for _, id := range slices.Sorted(maps.Keys(policies)) {
		if r.served(id) == nil {
			return fmt.Errorf("the policy of agent %q: there is no such agent", id)
		}
		if err := policies[id].check(); err != nil {
			return fmt.Errorf("agent %q: %w", id, err)
		}
	}
	policies = maps.Clone(policies)
	r.policies.Store(&policies)
	return nil
}

// policyOf returns what happens to a run of an agent whose thread has a live run.
func (r *roster) policyOf(agentID string) Policy {
	return cmp.Or((*r.policies.Load())[agentID], r.cfg.Policy)
}

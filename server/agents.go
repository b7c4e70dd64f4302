package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// getAgents lists the agents that the caller may ask.
func (s *Server) getAgents(c call) error {
	type agentJSON struct {
		ID          string `json:"id"`
		Description string `json:"description"`
	}
	out := struct {
		Agents []agentJSON `json:"agents"`
	}{[]agentJSON{}}
	for _, a := range s.cfg.Runs.Agents() {
		if s.mayVisit(c, a.ID, page.Place{}) == nil {
			out.Agents = append(out.Agents, agentJSON{a.ID, a.Description})
		}
	}
	writeJSON(c.w, out)
	return nil
}

// describe returns an agent that the caller may ask, and its capabilities.
func (s *Server) describe(c call, id string) (*agent.Agent, *agui.Capabilities, error) {
	a := s.cfg.Runs.Agent(id)
	if a == nil {
		return nil, nil, &Error{
			Status: http.StatusNotFound, Code: "unknown_agent",
			Message: fmt.Sprintf("there is no agent %q", id) + agentsAt,
		}
	}
	if err := s.mayVisit(c, a.ID, page.Place{}); err != nil {
		return nil, nil, err
	}
	capabilities, err := capabilitiesOf(a, a.Tools(c.r.Context(), c.principal), s.offers(c))
	if said, own := s.cfg.Runs.Capabilities(a.ID); own && err == nil {
		capabilities, err = ownCapabilities(a, said, s.offers(c))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("describe agent %q: %w", a.ID, err)
	}
	return a, capabilities, nil
}

// offers is what clients are told of the server besides its agents.
func (s *Server) offers(c call) map[string]any {
	return map[string]any{"rights": s.rights(c), "sharing": s.offersSharing(c)}
}

// capabilitiesOf returns only what the agent supports today, with the tools that the caller may
// use.
func capabilitiesOf(a *agent.Agent, tools []*tool.Tool, offers map[string]any) (*agui.Capabilities, error) {
	info := a.Model.Info()
	offers["model"], offers["scripted"] = info.Name(), info.Scripted
	if choices := choicesOf(a); len(choices) > 0 {
		offers["choices"] = choices
	}
	custom, err := json.Marshal(map[string]any{"pageside": offers})
	if err != nil {
		return nil, err
	}
	yes, no := new(true), new(false)
	items := []agui.Tool{}
	if info.Tools {
		for _, t := range tools {
			items = append(items, agui.Tool{Name: t.Name, Description: t.Description, Parameters: t.Declaration()})
		}
		for _, t := range a.Builtins() {
			if _, taken := a.Pages.Tools().Get(t.Name); !taken {
				items = append(items, agui.Tool{Name: t.Name, Description: t.Description, Parameters: t.Declaration()})
			}
		}
	}
	return &agui.Capabilities{
		Identity:  &agui.Identity{Name: a.ID, Type: "pageside", Description: a.Description, Provider: info.Provider},
		Transport: &agui.TransportCapabilities{Streaming: yes, WebSocket: no, HTTPBinary: yes, PushNotifications: no},
		Tools: &agui.ToolCapabilities{
			Supported: &info.Tools, ParallelCalls: &info.ParallelTools, ClientProvided: &info.Tools,
			Items: items,
		},
		State: &agui.StateCapabilities{Snapshots: yes, Deltas: yes, PersistentState: yes},
		Reasoning: &agui.ReasoningCapabilities{
			Supported: &info.Reasoning, Streaming: &info.Reasoning, Encrypted: &info.Reasoning,
		},
		MultiAgent: &agui.MultiAgentCapabilities{Supported: no},
		Multimodal: &agui.MultimodalCapabilities{Input: &agui.MediaInput{
			Image: &info.Images, Audio: &info.Audio, Video: &info.Video, PDF: &info.PDF, File: yes,
		}},
		Execution: &agui.ExecutionCapabilities{MaxIterations: new(int64(cmp.Or(a.MaxSteps, agent.DefaultMaxSteps)))},
		// approvals are of tool calls
		HumanInTheLoop: &agui.HumanInTheLoopCapabilities{
			Supported: yes, Approvals: &info.Tools, ApproveWithEdits: &info.Tools, Interrupts: &info.Tools,
			Feedback: yes, Interventions: no,
		},
		Custom: custom,
	}, nil
}

// offeredModel is a model that the caller may choose.
type offeredModel struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Efforts []string `json:"efforts,omitempty"`
}

func choicesOf(a *agent.Agent) (list []offeredModel) {
	for _, c := range a.Choices {
		list = append(list, offeredModel{c.ID, cmp.Or(c.Label, c.Model.Info().Model), c.Efforts})
	}
	return list
}

// ownCapabilities returns what an agent that is not the built-in one says of itself, with what the
// server adds: threads, state and calls of the page's tools do not depend on the agent.
func ownCapabilities(a *agent.Agent, said *agui.Capabilities, offers map[string]any) (*agui.Capabilities, error) {
	custom, err := json.Marshal(map[string]any{"pageside": offers})
	if err != nil {
		return nil, err
	}
	var c agui.Capabilities
	if said != nil {
		c = *said
	}
	if c.Identity == nil {
		c.Identity = &agui.Identity{Description: a.Description}
	}
	identity := *c.Identity
	identity.Name = a.ID
	yes, no := new(true), new(false)
	c.Identity = &identity
	c.Transport = &agui.TransportCapabilities{Streaming: yes, WebSocket: no, HTTPBinary: yes, PushNotifications: no}
	c.Custom = custom
	return &c, nil
}

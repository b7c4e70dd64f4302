package agent

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
)

// Capabilities returns only what the agent supports today, with the tools that the principal may
// use. offers is what clients are told besides, in Pageside's own words.
func (a *Agent) Capabilities(ctx context.Context, p auth.Principal, offers map[string]any) *agui.Capabilities {
	info := a.Model.Info()
	offers["model"], offers["scripted"] = info.Name(), info.Scripted
	if choices := choicesOf(a); len(choices) > 0 {
		offers["choices"] = choices
	}
	yes, no := new(true), new(false)
	items := []agui.Tool{}
	if info.Tools {
		for _, t := range a.Tools(ctx, p) {
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
		Execution: &agui.ExecutionCapabilities{MaxIterations: new(int64(a.Limits.effective().Steps))},
		// approvals are of tool calls
		HumanInTheLoop: &agui.HumanInTheLoopCapabilities{
			Supported: yes, Approvals: &info.Tools, ApproveWithEdits: &info.Tools, Interrupts: &info.Tools,
			Feedback: yes, Interventions: no,
		},
		Custom: customOf(offers),
	}
}

// offeredModel is a model that the caller may choose.
type offeredModel struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Efforts []string `json:"efforts,omitempty"`
}

func choicesOf(a *Agent) (list []offeredModel) {
	for _, c := range a.Choices {
		list = append(list, offeredModel{c.ID, cmp.Or(c.Label, c.Model.Info().Model), c.Efforts})
	}
	return list
}

// OwnCapabilities returns what an agent that is not the built-in one says of itself, with what
// Pageside adds: threads, state and calls of the page's tools do not depend on the agent.
func (a *Agent) OwnCapabilities(said *agui.Capabilities, offers map[string]any) *agui.Capabilities {
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
	c.Custom = customOf(offers)
	return &c
}

func customOf(offers map[string]any) json.RawMessage {
	custom, _ := json.Marshal(map[string]any{"pageside": offers}) // texts and bools: cannot fail
	return custom
}

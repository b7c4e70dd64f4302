package agui

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
)

// Capabilities describes what an agent can do. Everything is optional; a nil boolean means unknown,
// not false. AG-UI defines no address for it; by convention it is GET {agent}/capabilities.
type Capabilities struct {
	Identity       *Identity
	Transport      *TransportCapabilities
	Tools          *ToolCapabilities
	Output         *OutputCapabilities
	State          *StateCapabilities
	MultiAgent     *MultiAgentCapabilities
	Reasoning      *ReasoningCapabilities
	Multimodal     *MultimodalCapabilities
	Execution      *ExecutionCapabilities
	HumanInTheLoop *HumanInTheLoopCapabilities
	Custom         json.RawMessage // an object
}

type (
	// Identity identifies the agent.
	Identity struct {
		Name, Type, Description, Version, Provider string
		DocumentationURL                           string
		Metadata                                   json.RawMessage
	}
	// TransportCapabilities describes how the agent can be reached.
	TransportCapabilities struct {
		Streaming, WebSocket, HTTPBinary, PushNotifications *bool
		// reserved: AG-UI 1.0 gives it no meaning
		Resumable *bool
	}
	// ToolCapabilities describes the agent's use of tools. Items are its own tools.
	ToolCapabilities struct {
		Supported, ParallelCalls *bool
		ClientProvided           *bool // it calls tools the client declares
		Items                    []Tool
	}
	// OutputCapabilities describes the form of answers.
	OutputCapabilities struct {
		StructuredOutput   *bool
		SupportedMimeTypes []string
	}
	// StateCapabilities describes the agent's use of shared state.
	StateCapabilities struct {
		Snapshots, Deltas, Memory, PersistentState *bool
	}
	// MultiAgentCapabilities describes how the agent works with others.
	MultiAgentCapabilities struct {
		Supported, Delegation, Handoffs *bool
		Subagents                       []Subagent
	}
	// Subagent is an agent that the agent may delegate to.
	Subagent struct {
		Name, Description string
	}
	// ReasoningCapabilities describes what the agent shows of its reasoning.
	ReasoningCapabilities struct {
		Supported, Streaming, Encrypted *bool
	}
	// MultimodalCapabilities describes the media the agent takes and returns.
	MultimodalCapabilities struct {
		Input  *MediaInput
		Output *MediaOutput
	}
	// MediaInput lists the media the agent takes.
	MediaInput struct {
		Image, Audio, Video, PDF, File *bool
	}
	// MediaOutput lists the media the agent returns.
	MediaOutput struct {
		Image, Audio *bool
	}
	// ExecutionCapabilities describes what the agent runs, and its limits.
	ExecutionCapabilities struct {
		CodeExecution, Sandboxed *bool
		MaxIterations            *int64
		MaxExecutionTime         *int64 // milliseconds
	}
	// HumanInTheLoopCapabilities describes how a person can take part.
	HumanInTheLoopCapabilities struct {
		Supported, Approvals, Interventions, Feedback, Interrupts, ApproveWithEdits *bool
	}
)

// MarshalCapabilities returns c as JSON.
func MarshalCapabilities(c *Capabilities) ([]byte, error) {
	out, err := write(nil, c)
	if err != nil {
		return nil, fmt.Errorf("agui: encode capabilities: %w", err)
	}
	return out, nil
}

// UnmarshalCapabilities reads capabilities. Errors are *FieldError. It also knows
// multiAgent.subAgents, as 0.x spelled it.
func UnmarshalCapabilities(data []byte) (*Capabilities, error) {
	if err := validate(data, jsonx.Limits{}); err != nil {
		return nil, err
	}
	c := new(Capabilities)
	if err := read(data, c, true); err != nil {
		return nil, err
	}
	return c, nil
}

func (p *Capabilities) fields(c *codec) {
	one(c, "identity", &p.Identity, optional)
	one(c, "transport", &p.Transport, optional)
	one(c, "tools", &p.Tools, optional)
	one(c, "output", &p.Output, optional)
	one(c, "state", &p.State, optional)
	one(c, "multiAgent", &p.MultiAgent, optional)
	one(c, "reasoning", &p.Reasoning, optional)
	one(c, "multimodal", &p.Multimodal, optional)
	one(c, "execution", &p.Execution, optional)
	one(c, "humanInTheLoop", &p.HumanInTheLoop, optional)
	c.opaque("custom", &p.Custom, jsonx.Object, optional)
}

func (p *Identity) fields(c *codec) {
	c.str("name", &p.Name, optional)
	c.str("type", &p.Type, optional)
	c.str("description", &p.Description, optional)
	c.str("version", &p.Version, optional)
	c.str("provider", &p.Provider, optional)
	c.str("documentationUrl", &p.DocumentationURL, optional)
	c.metadata(&p.Metadata)
}

func (p *TransportCapabilities) fields(c *codec) {
	c.boolean("streaming", &p.Streaming)
	c.boolean("websocket", &p.WebSocket)
	c.boolean("httpBinary", &p.HTTPBinary)
	c.boolean("pushNotifications", &p.PushNotifications)
	c.boolean("resumable", &p.Resumable)
}

func (p *ToolCapabilities) fields(c *codec) {
	c.boolean("supported", &p.Supported)
	list(c, "items", &p.Items, optional)
	c.boolean("parallelCalls", &p.ParallelCalls)
	c.boolean("clientProvided", &p.ClientProvided)
}

func (p *OutputCapabilities) fields(c *codec) {
	c.boolean("structuredOutput", &p.StructuredOutput)
	c.words("supportedMimeTypes", &p.SupportedMimeTypes)
}

func (p *StateCapabilities) fields(c *codec) {
	c.boolean("snapshots", &p.Snapshots)
	c.boolean("deltas", &p.Deltas)
	c.boolean("memory", &p.Memory)
	c.boolean("persistentState", &p.PersistentState)
}

func (p *MultiAgentCapabilities) fields(c *codec) {
	c.boolean("supported", &p.Supported)
	c.boolean("delegation", &p.Delegation)
	c.boolean("handoffs", &p.Handoffs)
	list(c, "subagents", &p.Subagents, optional)
	list(c, "subAgents", &p.Subagents, readOnly)
}

func (p *Subagent) fields(c *codec) {
	c.str("name", &p.Name, required)
	c.str("description", &p.Description, optional)
}

func (p *ReasoningCapabilities) fields(c *codec) {
	c.boolean("supported", &p.Supported)
	c.boolean("streaming", &p.Streaming)
	c.boolean("encrypted", &p.Encrypted)
}

func (p *MultimodalCapabilities) fields(c *codec) {
	one(c, "input", &p.Input, optional)
	one(c, "output", &p.Output, optional)
}

func (p *MediaInput) fields(c *codec) {
	c.boolean("image", &p.Image)
	c.boolean("audio", &p.Audio)
	c.boolean("video", &p.Video)
	c.boolean("pdf", &p.PDF)
	c.boolean("file", &p.File)
}

func (p *MediaOutput) fields(c *codec) {
	c.boolean("image", &p.Image)
	c.boolean("audio", &p.Audio)
}

func (p *ExecutionCapabilities) fields(c *codec) {
	c.boolean("codeExecution", &p.CodeExecution)
	c.boolean("sandboxed", &p.Sandboxed)
	c.integer("maxIterations", &p.MaxIterations, 0)
	c.integer("maxExecutionTime", &p.MaxExecutionTime, 0)
}

func (p *HumanInTheLoopCapabilities) fields(c *codec) {
	c.boolean("supported", &p.Supported)
	c.boolean("approvals", &p.Approvals)
	c.boolean("interventions", &p.Interventions)
	c.boolean("feedback", &p.Feedback)
	c.boolean("interrupts", &p.Interrupts)
	c.boolean("approveWithEdits", &p.ApproveWithEdits)
}

package agui

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
)

// Capabilities describes what an agent can do. Everything is optional; a nil boolean means unknown,
// not false. AG-UI defines no address for it; by convention it is GET {agent}/capabilities.
type Capabilities struct {
	Identity       *Identity                   `agui:"identity"`
	Transport      *TransportCapabilities      `agui:"transport"`
	Tools          *ToolCapabilities           `agui:"tools"`
	Output         *OutputCapabilities         `agui:"output"`
	State          *StateCapabilities          `agui:"state"`
	MultiAgent     *MultiAgentCapabilities     `agui:"multiAgent"`
	Reasoning      *ReasoningCapabilities      `agui:"reasoning"`
	Multimodal     *MultimodalCapabilities     `agui:"multimodal"`
	Execution      *ExecutionCapabilities      `agui:"execution"`
	HumanInTheLoop *HumanInTheLoopCapabilities `agui:"humanInTheLoop"`
	Custom         json.RawMessage             `agui:"custom,object"` // an object
}

type (
	// Identity identifies the agent.
	Identity struct {
		Name             string          `agui:"name"`
		Type             string          `agui:"type"`
		Description      string          `agui:"description"`
		Version          string          `agui:"version"`
		Provider         string          `agui:"provider"`
		DocumentationURL string          `agui:"documentationUrl"`
		Metadata         json.RawMessage `agui:"metadata,object"`
	}
	// TransportCapabilities describes how the agent can be reached.
	TransportCapabilities struct {
		Streaming         *bool `agui:"streaming"`
		WebSocket         *bool `agui:"websocket"`
		HTTPBinary        *bool `agui:"httpBinary"`
		PushNotifications *bool `agui:"pushNotifications"`
		Resumable         *bool `agui:"resumable"` // reserved: AG-UI 1.0 gives it no meaning
	}
	// ToolCapabilities describes the agent's use of tools. Items are its own tools.
	ToolCapabilities struct {
		Supported      *bool  `agui:"supported"`
		Items          []Tool `agui:"items"`
		ParallelCalls  *bool  `agui:"parallelCalls"`
		ClientProvided *bool  `agui:"clientProvided"` // it calls tools the client declares
	}
	// OutputCapabilities describes the form of answers.
	OutputCapabilities struct {
		StructuredOutput   *bool    `agui:"structuredOutput"`
		SupportedMimeTypes []string `agui:"supportedMimeTypes"`
	}
	// StateCapabilities describes the agent's use of shared state.
	StateCapabilities struct {
		Snapshots       *bool `agui:"snapshots"`
		Deltas          *bool `agui:"deltas"`
		Memory          *bool `agui:"memory"`
		PersistentState *bool `agui:"persistentState"`
	}
	// MultiAgentCapabilities describes how the agent works with others.
	MultiAgentCapabilities struct {
		Supported  *bool      `agui:"supported"`
		Delegation *bool      `agui:"delegation"`
		Handoffs   *bool      `agui:"handoffs"`
		Subagents  []Subagent `agui:"subagents"`
	}
	// Subagent is an agent that the agent may delegate to.
	Subagent struct {
		Name        string `agui:"name,required"`
		Description string `agui:"description"`
	}
	// ReasoningCapabilities describes what the agent shows of its reasoning.
	ReasoningCapabilities struct {
		Supported *bool `agui:"supported"`
		Streaming *bool `agui:"streaming"`
		Encrypted *bool `agui:"encrypted"`
	}
	// MultimodalCapabilities describes the media the agent takes and returns.
	MultimodalCapabilities struct {
		Input  *MediaInput  `agui:"input"`
		Output *MediaOutput `agui:"output"`
	}
	// MediaInput lists the media the agent takes.
	MediaInput struct {
		Image *bool `agui:"image"`
		Audio *bool `agui:"audio"`
		Video *bool `agui:"video"`
		PDF   *bool `agui:"pdf"`
		File  *bool `agui:"file"`
	}
	// MediaOutput lists the media the agent returns.
	MediaOutput struct {
		Image *bool `agui:"image"`
		Audio *bool `agui:"audio"`
	}
	// ExecutionCapabilities describes what the agent runs, and its limits.
	ExecutionCapabilities struct {
		CodeExecution    *bool  `agui:"codeExecution"`
		Sandboxed        *bool  `agui:"sandboxed"`
		MaxIterations    *int64 `agui:"maxIterations"`
		MaxExecutionTime *int64 `agui:"maxExecutionTime"` // milliseconds
	}
	// HumanInTheLoopCapabilities describes how a person can take part.
	HumanInTheLoopCapabilities struct {
		Supported        *bool `agui:"supported"`
		Approvals        *bool `agui:"approvals"`
		Interventions    *bool `agui:"interventions"`
		Feedback         *bool `agui:"feedback"`
		Interrupts       *bool `agui:"interrupts"`
		ApproveWithEdits *bool `agui:"approveWithEdits"`
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

func (p *MultiAgentCapabilities) fields(c *codec) {
	c.tagged(p)
	c.list("subAgents", &p.Subagents, readOnly)
}

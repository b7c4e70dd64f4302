package copilotkit

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/agui"
)

// infoJSON describes the runtime. The front end does not ask for what is false.
type infoJSON struct {
	Version           string               `json:"version"`
	Agents            map[string]agentJSON `json:"agents"`
	Mode              string               `json:"mode"` // sse
	ThreadEndpoints   threadEndpoints      `json:"threadEndpoints"`
	SingleRoute       *singleRoute         `json:"singleRoute,omitempty"`
	Suggestions       bool                 `json:"suggestions"`
	Transcription     bool                 `json:"audioFileTranscriptionEnabled"`
	A2UIEnabled       bool                 `json:"a2uiEnabled"`
	OpenGenerativeUI  bool                 `json:"openGenerativeUIEnabled"`
	TelemetryDisabled bool                 `json:"telemetryDisabled"`
}

type agentJSON struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	ClassName    string          `json:"className"`
	Capabilities json.RawMessage `json:"capabilities"`
}

type threadEndpoints struct {
	List             bool `json:"list"`
	Inspect          bool `json:"inspect"`
	Mutations        bool `json:"mutations"`
	RealtimeMetadata bool `json:"realtimeMetadata"` // a list of threads that is pushed
}

// singleRoute lists what the single address serves besides runs.
type singleRoute struct {
	ResourceOperations bool            `json:"resourceOperations"`
	ThreadEndpoints    threadEndpoints `json:"threadEndpoints"`
}

func info(r *request) error {
	out, err := r.describe()
	if err == nil {
		r.JSON(out)
	}
	return err
}

// infoOfEnvelopes is info for front ends that use one address.
func infoOfEnvelopes(r *request) error {
	out, err := r.describe()
	if err == nil {
		out.SingleRoute = &singleRoute{true, out.ThreadEndpoints}
		r.JSON(out)
	}
	return err
}

// describe returns what the caller may ask.
func (r *request) describe() (*infoJSON, error) {
	out := &infoJSON{
		Version: Version, Agents: map[string]agentJSON{}, Mode: "sse", Suggestions: true, TelemetryDisabled: true,
		ThreadEndpoints: threadEndpoints{List: true, Inspect: true, Mutations: true},
	}
	for _, id := range r.Agents() {
		description, capabilities, err := r.Describe(id)
		if err != nil {
			return nil, err
		}
		body, err := agui.MarshalCapabilities(capabilities)
		if err != nil {
			return nil, fmt.Errorf("describe agent %q: %w", id, err)
		}
		out.Agents[id] = agentJSON{id, description, "Pageside", body}
	}
	// hooks that name no agent ask for this one
	if first, ok := out.Agents[r.agentOf(anyAgent)]; ok {
		first.Name = anyAgent
		out.Agents[anyAgent] = first
	}
	return out, nil
}

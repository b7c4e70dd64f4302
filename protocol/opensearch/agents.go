package opensearch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
)

const agentsIndex = ".plugins-ml-agent"

// agentJSON is an agent as ml-commons describes one.
type agentJSON struct {
	Name        string            `json:"name"`
	Type        string            `json:"type"`
	Description string            `json:"description"`
	LLM         *llmJSON          `json:"llm,omitempty"` // absent unless the model is known
	Tools       []toolJSON        `json:"tools"`
	Parameters  map[string]string `json:"parameters"`
	Memory      memoryJSON        `json:"memory"`
	IsHidden    bool              `json:"is_hidden"`
}

type llmJSON struct {
	ModelID string `json:"model_id"`
}

type toolJSON struct {
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Attributes  map[string]string `json:"attributes"`
}

type memoryJSON struct {
	Type        string `json:"type"`
	ContainerID string `json:"memory_container_id"`
}

const (
	typeAGUI      = "AG_UI"
	agenticMemory = "agentic_memory"
	llmInterface  = "_llm_interface"
)

// provider is how ml-commons names one of our providers.
type provider struct{ ours, connector, llmInterface string }

var providers = []provider{
	{"bedrock", "bedrock/converse", "bedrock/converse/claude"},
	{"openai", "openai/v1/chat/completions", "openai/v1/chat/completions"},
	{"gemini", "gemini/v1beta/generatecontent", "gemini/v1beta/generatecontent"},
}

// find refuses an agent that the caller may not ask.
func find(x *server.Exchange, id string) error { return known(id, x.Permit(id, &agui.RunAgentInput{})) }

// known returns an error as ml-commons words it, if it says that there is no such agent.
func known(id string, err error) error {
	if refusal.CodeOf(err) == refusal.UnknownAgent {
		return notFound("Failed to find agent with the provided agent id: %s", id)
	}
	return err
}

// describe describes an agent that the caller may ask.
func describe(x *server.Exchange, id string) (out agentJSON, err error) {
	_, c, err := x.Describe(id)
	if err != nil {
		return out, known(id, err)
	}
	out = agentJSON{
		Name: id, Type: typeAGUI, Description: c.Identity.Description, Tools: []toolJSON{},
		Parameters: map[string]string{}, Memory: memoryJSON{agenticMemory, container},
	}
	var custom struct{ Pageside struct{ Model string } }
	if json.Unmarshal(c.Custom, &custom) == nil && custom.Pageside.Model != "" {
		out.LLM = &llmJSON{custom.Pageside.Model}
	}
	for _, p := range providers {
		if p.ours == c.Identity.Provider {
			out.Parameters[llmInterface] = p.llmInterface
		}
	}
	if c.Tools != nil {
		for _, t := range c.Tools.Items {
			out.Tools = append(out.Tools, toolJSON{
				t.Name, t.Name, t.Description, map[string]string{"input_schema": string(t.Parameters)},
			})
		}
	}
	return out, nil
}

func getAgent(x *server.Exchange) error {
	doc, err := describe(x, x.Request.PathValue("agent"))
	if err == nil {
		x.JSON(doc)
	}
	return err
}

// searchAgents lists the agents that the caller may ask.
func searchAgents(x *server.Exchange) error {
	q, err := readSearch(x, "")
	if err != nil {
		return err
	}
	list := []object{}
	for _, id := range x.Agents() {
		doc, err := describe(x, id)
		if err != nil {
			return err
		}
		is, err := q.matches(map[string]string{
			"_id": id, "name": doc.Name, "type": doc.Type, "description": doc.Description,
		})
		if err != nil {
			return err
		}
		if is {
			list = append(list, object{"_id": id, "_source": doc})
		}
	}
	total := len(list)
	x.JSON(hits(agentsIndex, total, false, list[min(q.from, total):min(q.from+q.size, total)]))
	return nil
}

// deleteAgent refuses: agents are the operator's.
func deleteAgent(x *server.Exchange) error {
	id := x.Request.PathValue("agent")
	if err := find(x, id); err != nil {
		return err
	}
	return &server.Error{
		Status: http.StatusForbidden, Code: "not_permitted",
		Message: fmt.Sprintf("agent %s is configured in pageside.yaml and cannot be deleted here", id),
	}
}

// registration is the body of a registration.
type registration struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	AgentID     string `json:"agent_id"`
	Model       *struct {
		ModelID    string                     `json:"model_id"`
		Provider   string                     `json:"model_provider"`
		Credential map[string]json.RawMessage `json:"credential"`
		Parameters map[string]json.RawMessage `json:"model_parameters"`
	} `json:"model"`
	LLM *struct {
		ModelID    string                     `json:"model_id"`
		Parameters map[string]json.RawMessage `json:"parameters"`
	} `json:"llm"`
	Tools []struct {
		Type        string                     `json:"type"`
		Name        string                     `json:"name"`
		Description string                     `json:"description"`
		Parameters  map[string]json.RawMessage `json:"parameters"`
		Attributes  map[string]json.RawMessage `json:"attributes"`
		Config      map[string]json.RawMessage `json:"config"`
		Included    *bool                      `json:"include_output_in_agent_response"`
	} `json:"tools"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Memory     *memoryJSON                `json:"memory"`
	AppType    json.RawMessage            `json:"app_type"`
	Context    json.RawMessage            `json:"context_management"`
	ContextBy  json.RawMessage            `json:"context_management_name"`
}

const maxName = 128

// registerAgent finds the configured agent that a registration describes and returns its id. It
// makes none: which models there are, with which keys and tools, is the operator's decision. A
// registration that asks for anything the agent does not have is refused; the header
// Pageside-Ignored names the settings that pageside.yaml has instead.
func registerAgent(x *server.Exchange) error {
	var r registration
	if err := x.Decode(&r); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	id, err := r.apply(x)
	if err == nil {
		x.JSON(object{"agent_id": id})
	}
	return err
}

// updateAgent compares an agent with what it should become, which must be what it is.
func updateAgent(x *server.Exchange) error {
	id := x.Request.PathValue("agent")
	if err := find(x, id); err != nil {
		return err
	}
	var r registration
	if err := x.Decode(&r); err != nil {
		return err
	}
	if r.Name != "" && r.Name != id {
		return server.BadField("name", "is not the agent's in pageside.yaml")
	}
	r.AgentID, r.Name, r.Type = id, id, cmp.Or(r.Type, typeAGUI)
	if err := r.check(); err != nil {
		return err
	}
	if _, err := r.apply(x); err != nil {
		return err
	}
	x.JSON(object{
		"_index": agentsIndex, "_id": id, "_version": 1, "result": "noop",
		"_shards": object{"total": 0, "successful": 0, "failed": 0}, "_seq_no": 0, "_primary_term": 1,
	})
	return nil
}

// apply finds the agent and names what is ignored.
func (r *registration) apply(x *server.Exchange) (id string, err error) {
	id, doc, err := r.find(x)
	if err != nil {
		return "", err
	}
	if err := r.compare(&doc); err != nil {
		return "", err
	}
	x.Ignore(r.ignored())
	return id, nil
}

// types are ml-commons' kinds of agents. An agent here is what each of them does: it answers.
var types = []string{
	"flow", "conversational", "conversational_flow", "conversational_v2", "plan_execute_and_reflect", "ag_ui",
}

// check refuses what no agent could have.
func (r *registration) check() error {
	switch {
	case r.Name == "":
		return server.BadField("name", "Agent name can't be null")
	case len(r.Name) > maxName:
		return server.BadField("name", fmt.Sprintf("must be at most %d bytes", maxName))
	case !slices.Contains(types, strings.ToLower(r.Type)):
		return server.BadField("type", "Invalid Agent Type: must be one of "+strings.Join(types, ", "))
	case r.Model != nil && r.LLM != nil:
		return server.BadField("llm", "must be absent if there is a model")
	}
	return nil
}

// ignored names the settings that the operator's configuration has instead.
func (r *registration) ignored() (names server.Ignored) {
	add := func(field string, members map[string]json.RawMessage) {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if name != llmInterface {
				names.Add(field+".", name)
			}
		}
	}
	if r.Model != nil {
		add("model.credential", r.Model.Credential)
		add("model.model_parameters", r.Model.Parameters)
	}
	if r.LLM != nil {
		add("llm.parameters", r.LLM.Parameters)
	}
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		add(at+".parameters", t.Parameters)
		add(at+".attributes", t.Attributes)
		add(at+".config", t.Config)
		if t.Included != nil {
			names.Add(at+".", "include_output_in_agent_response")
		}
	}
	add("parameters", r.Parameters)
	for name, raw := range map[string]json.RawMessage{
		"app_type": r.AppType, "context_management": r.Context, "context_management_name": r.ContextBy,
	} {
		if !absent(raw) {
			names.Add("", name)
		}
	}
	slices.Sort(names)
	return names
}

// model returns the name of the registration's model, as Pageside calls it, and the field that has
// it; "" if it names none.
func (r *registration) model() (name, field string, err error) {
	switch {
	case r.LLM != nil:
		return r.LLM.ModelID, "llm.model_id", nil
	case r.Model == nil:
		return "", "", nil
	case r.Model.Provider == "":
		return r.Model.ModelID, "model.model_id", nil
	}
	for _, p := range providers {
		if p.connector == r.Model.Provider {
			return p.ours + "/" + r.Model.ModelID, "model.model_id", nil
		}
	}
	return "", "", server.BadField("model.model_provider",
		"must be one of bedrock/converse, openai/v1/chat/completions and gemini/v1beta/generatecontent")
}

// find returns the agent that is meant: by its id, by its name, or by its model.
func (r *registration) find(x *server.Exchange) (id string, doc agentJSON, err error) {
	model, field, err := r.model()
	if err != nil {
		return "", doc, err
	}
	if id := cmp.Or(r.AgentID, r.Name); x.Knows(id) { // any other name is the client's own
		if err := x.Permit(id, &agui.RunAgentInput{}); err != nil {
			return "", doc, err
		}
	}
	for _, id := range x.Agents() {
		if doc, err = describe(x, id); err != nil {
			return "", doc, err
		}
		matches := model == "" || doc.LLM != nil && doc.LLM.ModelID == model
		switch {
		case r.AgentID == id, r.AgentID == "" && r.Name == id:
			if !matches {
				return "", doc, server.BadField(field, fmt.Sprintf("is not the model of agent %s in pageside.yaml", id))
			}
			return id, doc, nil
		case r.AgentID == "" && model != "" && matches:
			return id, doc, nil
		}
	}
	if r.AgentID != "" {
		return "", doc, server.BadField("agent_id", "is no agent of pageside.yaml")
	}
	return "", doc, server.BadField("name", "is no agent of pageside.yaml, and no agent there has this model")
}

// compare refuses what the agent does not have.
func (r *registration) compare(doc *agentJSON) error {
	if r.Description != "" && r.Description != doc.Description {
		return server.BadField("description", "is not the agent's in pageside.yaml")
	}
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		has := slices.IndexFunc(doc.Tools, func(d toolJSON) bool {
			return d.Name == t.Name || t.Name == "" && d.Type == t.Type
		})
		switch {
		case has < 0:
			return server.BadField(at+".name", "is no tool of the agent in pageside.yaml")
		case t.Description != "" && t.Description != doc.Tools[has].Description:
			return server.BadField(at+".description", "is not the tool's in pageside.yaml")
		}
	}
	if raw, ok := r.Parameters[llmInterface]; ok {
		if want, _ := json.Marshal(doc.Parameters[llmInterface]); string(raw) != string(want) {
			return server.BadField("parameters."+llmInterface,
				"Invalid _llm_interface: it is not that of the agent's model")
		}
	}
	return r.compareMemory()
}

func (r *registration) compareMemory() error {
	switch m := r.Memory; {
	case m == nil:
		return nil
	case m.Type != agenticMemory && m.Type != "conversation_index":
		return server.BadField("memory.type", "must be agentic_memory or conversation_index")
	case m.ContainerID != "" && m.ContainerID != container:
		return server.BadField("memory.memory_container_id", "must be "+container)
	}
	return nil
}

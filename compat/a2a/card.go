package a2a

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// agentCard describes an agent. It has nothing that permissions decide about: neither tools nor
// pages.
type agentCard struct {
	Name         string           `json:"name"`
	Description  string           `json:"description"`
	Version      string           `json:"version"`
	Interfaces   []agentInterface `json:"supportedInterfaces"`
	Capabilities capabilities     `json:"capabilities"`
	InputModes   []string         `json:"defaultInputModes"`
	OutputModes  []string         `json:"defaultOutputModes"`
	Skills       []skill          `json:"skills"`
	// There are no securityRequirements, which are optional: a2a-go reads another form of them than
	// the specification's.
	Schemes map[string]any `json:"securitySchemes,omitempty"`
}

type agentInterface struct {
	URL     string `json:"url"`
	Binding string `json:"protocolBinding"`
	Version string `json:"protocolVersion"`
}

type capabilities struct {
	Streaming    bool `json:"streaming"`
	Push         bool `json:"pushNotifications"`
	ExtendedCard bool `json:"extendedAgentCard"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
}

// Media types of parts.
const (
	textType = "text/plain"
	jsonType = "application/json"
)

// getCard describes the first agent to anybody: a client learns here how to authenticate.
func (p Protocol) getCard(x *server.Exchange) error {
	x.JSON(p.cardOf(x, x.Agent()))
	return nil
}

// getAgentCard describes any agent that the caller may ask.
func (p Protocol) getAgentCard(x *server.Exchange) error {
	if err := permit(x); err != nil {
		return err
	}
	x.JSON(p.cardOf(x, x.Request.PathValue("agent")))
	return nil
}

// permit refuses agents that the caller may not ask, and those that do not exist.
func permit(x *server.Exchange) error {
	id := x.Request.PathValue("agent")
	if err := x.Permit(id, &agui.RunAgentInput{}); err != nil {
		return err
	}
	if !slices.Contains(x.Agents(), id) {
		return &server.Error{Status: http.StatusNotFound, Code: string(run.CodeUnknownAgent), Message: "there is no such agent"}
	}
	return nil
}

func (p Protocol) cardOf(x *server.Exchange, id string) agentCard {
	about := x.Description(id)
	if about == "" {
		about = "The agent " + id + "."
	}
	modes := []string{textType, jsonType}
	c := agentCard{
		Name: id, Description: about, Version: version, InputModes: modes, OutputModes: modes,
		Interfaces:   []agentInterface{{p.baseOf(x.Request) + prefix + url.PathEscape(id), "JSONRPC", version}},
		Capabilities: capabilities{Streaming: true, Push: p.Push != nil},
		Skills:       []skill{{ID: id, Name: id, Description: about, Tags: []string{"chat"}}},
	}
	if x.Authenticates() {
		c.Schemes = map[string]any{"bearer": map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "Bearer"}}}
	}
	return c
}

// baseOf returns the server's address: PublicURL, or what the client has used. Only the client
// itself reads that, as long as no cache keeps the answer, which says that it must not.
func (p Protocol) baseOf(r *http.Request) string {
	if p.PublicURL != "" {
		return strings.TrimRight(p.PublicURL, "/")
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

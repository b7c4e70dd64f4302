package a2a

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/server"
)

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
	return x.Permit(x.Request.PathValue("agent"), &agui.RunAgentInput{})
}

// cardOf describes an agent. It has nothing that permissions decide about: neither tools nor pages.
func (p Protocol) cardOf(x *server.Exchange, id string) *a2a.AgentCard {
	about := x.Description(id)
	if about == "" {
		about = "The agent " + id + "."
	}
	modes := []string{textType, jsonType}
	address := p.baseOf(x.Request) + prefix + url.PathEscape(id)
	c := &a2a.AgentCard{
		Name: id, Description: about, Version: version, DefaultInputModes: modes, DefaultOutputModes: modes,
		SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(address, a2a.TransportProtocolJSONRPC)},
		Capabilities:        a2a.AgentCapabilities{Streaming: true, PushNotifications: p.Push != nil},
		Skills:              []a2a.AgentSkill{{ID: id, Name: id, Description: about, Tags: []string{"chat"}}},
	}
	// There are no securityRequirements, which are optional: the library writes another form of
	// them than the specification's.
	if x.Authenticates() {
		c.SecuritySchemes = a2a.NamedSecuritySchemes{"bearer": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"}}
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

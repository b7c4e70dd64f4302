package agui

import (
	"encoding/json"
	"fmt"
	"net/http"

	wire "github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// Protocol is AG-UI, for clients of version 1.0 and of 0.x.
type Protocol struct{ server.StandardError }

// Routes is part of server.Protocol.
func (Protocol) Routes() []server.Route {
	const agent = "/v1/agents/{agent}"
	return []server.Route{
		{Pattern: "POST " + agent + "/run", Starts: true, Repeats: true, Handle: postRun},
		{Pattern: "GET " + agent + "/run/capabilities", Handle: getCapabilities},
		{Pattern: "GET " + agent + "/capabilities", Handle: getCapabilities},
		{Pattern: "GET /v1/threads/{thread}/events", Handle: getThreadEvents},
		{Pattern: "GET /v1/runs/{run}/events", Handle: getRunEvents},
		{Pattern: "POST /v1/runs/{run}/cancel", Handle: postCancel},
	}
}

// postRun starts a run, or joins the one with the same id, and streams its events.
func postRun(x *server.Exchange) error {
	if err := x.Count(); err != nil { // before the body is read
		return err
	}
	body, err := x.Body()
	if err != nil {
		return err
	}
	r, in, err := x.StartBody(x.Request.PathValue("agent"), body)
	if err != nil {
		return err
	}
	return send(x, r.Read(in.ProtocolVersion == ""))
}

// send streams events in the framing that the request asks for.
func send(x *server.Exchange, reader *run.Reader) error {
	if asked, alone := acceptsBinary(x.Request); asked {
		reader.Binary(alone)
	}
	return x.Stream(reader, nil)
}

// getCapabilities returns the capabilities of an agent.
func getCapabilities(x *server.Exchange) error {
	id := x.Request.PathValue("agent")
	_, capabilities, err := x.Describe(id)
	if err != nil {
		return err
	}
	body, err := wire.MarshalCapabilities(capabilities)
	if err != nil {
		return fmt.Errorf("describe agent %q: %w", id, err)
	}
	x.JSON(json.RawMessage(body))
	return nil
}

// postCancel stops a run.
func postCancel(x *server.Exchange) error {
	if err := x.Cancel(x.Request.PathValue("run")); err != nil {
		return err
	}
	x.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

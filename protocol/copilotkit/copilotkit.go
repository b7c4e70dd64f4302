package copilotkit

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pageside/pageside/server"
)

// Version is the version of CopilotKit whose protocol this is.
const Version = "1.74.0"

// base is the runtimeUrl of front ends.
const base = "/copilotkit"

// Protocol is the drop-in.
type Protocol struct{}

// request is what a front end asks for, at whichever address it has been sent to.
type request struct {
	*server.Exchange
	agent, thread string // as in the path; may be empty
	query         url.Values
	body          []byte
}

type operation func(*request) error

// calls are what a front end does with an agent, by the end of their paths and by their names in an
// envelope.
var calls = map[string]operation{"run": start, "connect": connect, "suggest": suggest, "stop": stop}

// resources are what a front end does with threads. The * stands for a thread's id.
var resources = map[string]operation{
	"GET /threads":            list,
	"PATCH /threads/*":        update,
	"DELETE /threads/*":       remove,
	"POST /threads/*/archive": archive,
	"GET /threads/*/messages": messages,
	"GET /threads/*/state":    state,
	"GET /threads/*/events":   events,
}

// Routes is part of server.Protocol.
func (Protocol) Routes() []server.Route {
	routes := []server.Route{
		{Pattern: "GET " + base + "/info", Handle: at(info)},
		{Pattern: "POST " + base, Repeats: true, Handle: postEnvelope},
		{Pattern: "POST " + base + "/{$}", Repeats: true, Handle: postEnvelope},
		{Pattern: "POST " + base + "/agent/{agent}/run", Starts: true, Repeats: true, Handle: at(start)},
		{Pattern: "POST " + base + "/agent/{agent}/connect", Handle: at(connect)},
		{Pattern: "POST " + base + "/agent/{agent}/suggest", Handle: at(suggest)},
		{Pattern: "POST " + base + "/agent/{agent}/stop/{thread}", Handle: at(stop)},
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		method, path, _ := strings.Cut(strings.Replace(name, "*", "{thread}", 1), " ")
		routes = append(routes, server.Route{Pattern: method + " " + base + path, Handle: at(resources[name])})
	}
	return routes
}

// at returns the handler of an operation that has an address of its own.
func at(op operation) func(*server.Exchange) error {
	return func(x *server.Exchange) error {
		req := &request{
			Exchange: x, agent: x.Request.PathValue("agent"), thread: x.Request.PathValue("thread"),
			query: x.Request.URL.Query(),
		}
		if x.Request.Method != http.MethodGet {
			var err error
			if req.body, err = x.Body(); err != nil {
				return err
			}
		}
		return op(req)
	}
}

// Error is part of server.Protocol.
func (Protocol) Error(e *server.Error) any {
	body := map[string]any{"error": e.Code, "message": e.Message}
	if len(e.Details) > 0 {
		body["details"] = e.Details
	}
	return body
}

// envelope is a request to the one address.
type envelope struct {
	Method string `json:"method"`
	Params struct {
		AgentID    string `json:"agentId"`
		ThreadID   string `json:"threadId"`
		Path       string `json:"path"` // of a resource, with its query
		HTTPMethod string `json:"httpMethod"`
	} `json:"params"`
	Body json.RawMessage `json:"body"`
}

// postEnvelope does what an envelope asks for.
func postEnvelope(x *server.Exchange) error {
	var e envelope
	if err := x.Decode(&e); err != nil {
		return err
	}
	req := &request{Exchange: x, agent: e.Params.AgentID, thread: e.Params.ThreadID, body: e.Body}
	name, ofAgent := strings.CutPrefix(e.Method, "agent/")
	op := calls[name]
	switch {
	case e.Method == "info":
		op = infoOfEnvelopes
	case e.Method == "resource/request":
		return req.resource(e.Params.HTTPMethod, e.Params.Path)
	case !ofAgent || op == nil:
		return server.BadField("method",
			"must be info, agent/run, agent/connect, agent/suggest, agent/stop or resource/request")
	case req.agent == "":
		return server.BadField("params.agentId", "must not be empty")
	case name == "stop" && req.thread == "":
		return server.BadField("params.threadId", "must not be empty")
	}
	return op(req)
}

// resource does what an envelope asks for about a thread.
func (r *request) resource(method, path string) error {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" {
		return server.BadField("params.path", "must be a path below the runtime's")
	}
	parts := strings.Split(u.EscapedPath(), "/")
	if len(parts) > 2 {
		if r.thread, err = url.PathUnescape(parts[2]); err != nil || r.thread == "" {
			return server.BadField("params.path", "must name a thread")
		}
		parts[2] = "*"
	}
	op := resources[strings.ToUpper(cmp.Or(method, http.MethodGet))+" "+strings.Join(parts, "/")]
	if op == nil {
		return &server.Error{
			Status: http.StatusNotFound, Code: "not_found", Message: "there is no such resource",
			Details: map[string]any{"field": "params.path"},
		}
	}
	r.query = u.Query()
	return op(r)
}

// decode reads the body into a struct. Unknown names are refused. No body is an empty one.
func (r *request) decode(into any) error {
	if len(r.body) == 0 {
		return nil
	}
	return server.DecodeField("", r.body, into)
}

// anyAgent is the agent of front ends that name none.
const anyAgent = "default"

// agentOf returns the agent that a front end means: unless there is one called default, that is the
// first.
func (r *request) agentOf(id string) string {
	if id == anyAgent && !r.Knows(id) {
		return r.Agent()
	}
	return id
}

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

// request is what a front end asks for. One from an envelope has the path, the query and the body
// that it would have at an address of its own.
type request struct {
	*server.Exchange
	body []byte
}

// agent returns the agent that the path names, as the server calls it.
func (r *request) agent() string { return r.agentOf(r.Request.PathValue("agent")) }

// thread returns the thread that the path names.
func (r *request) thread() string { return r.Request.PathValue("thread") }

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
	return func(x *server.Exchange) (err error) {
		req := &request{Exchange: x}
		if x.Request.Method != http.MethodGet {
			req.body, err = x.Body()
		}
		if err != nil {
			return err
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
	x.Request = x.Request.WithContext(x.Context()) // a copy, to have the path and the query
	x.Request.SetPathValue("agent", e.Params.AgentID)
	x.Request.SetPathValue("thread", e.Params.ThreadID)
	req := &request{Exchange: x, body: e.Body}
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
	case e.Params.AgentID == "":
		return server.BadField("params.agentId", "must not be empty")
	case name == "stop" && e.Params.ThreadID == "":
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
		thread, err := url.PathUnescape(parts[2])
		if err != nil || thread == "" {
			return server.BadField("params.path", "must name a thread")
		}
		r.Request.SetPathValue("thread", thread)
		parts[2] = "*"
	}
	op := resources[strings.ToUpper(cmp.Or(method, http.MethodGet))+" "+strings.Join(parts, "/")]
	if op == nil {
		e := server.NotFound("there is no such resource")
		e.Details = map[string]any{"field": "params.path"}
		return e
	}
	r.Request.URL = u
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

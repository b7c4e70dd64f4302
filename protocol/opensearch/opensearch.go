package opensearch

import (
	"net/http"

	"github.com/pageside/pageside/server"
)

// Protocol is the drop-in.
type Protocol struct{}

const (
	plugin     = "/_plugins/_ml/"
	agents     = plugin + "agents/"
	containers = plugin + "memory_containers/"
	sessions   = containers + "{container}/memories/sessions/"
)

// Routes is part of server.Protocol.
func (Protocol) Routes() []server.Route {
	return []server.Route{
		{Pattern: "POST " + agents + "_register", Handle: registerAgent},
		{Pattern: "GET " + agents + "_search", Handle: searchAgents},
		{Pattern: "POST " + agents + "_search", Handle: searchAgents},
		{Pattern: "GET " + agents + "{agent}", Handle: getAgent},
		{Pattern: "PUT " + agents + "{agent}", Handle: updateAgent},
		{Pattern: "DELETE " + agents + "{agent}", Handle: deleteAgent},
		{Pattern: "POST " + agents + "{agent}/_execute", Starts: true, Repeats: true, Handle: execute},
		{
			Pattern: "POST " + agents + "{agent}/_execute/stream", Starts: true, Repeats: true,
			Timestamps: true, Handle: executeStream,
		},
		{Pattern: "GET " + containers + "{container}", Handle: getContainer},
		{Pattern: "GET " + sessions + "_search", Handle: searchSessions},
		{Pattern: "POST " + sessions + "_search", Handle: searchSessions},
		{Pattern: "GET " + sessions + "{session}", Handle: getSession},
		{Pattern: "DELETE " + sessions + "{session}", Handle: deleteSession},
		{Pattern: "GET " + plugin + "{rest...}", Handle: unknown},
		{Pattern: "POST " + plugin + "{rest...}", Handle: unknown},
	}
}

// unknown answers what is not here in OpenSearch's form.
func unknown(x *server.Exchange) error {
	return notFound("no handler found for uri [%s] and method [%s]", x.Request.URL.Path, x.Request.Method)
}

// cause is what OpenSearch says of an error.
type cause struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// Error is part of server.Protocol.
func (Protocol) Error(e *server.Error) any {
	why := cause{typeOf(e.Status), e.Message}
	return map[string]any{
		"error":  map[string]any{"root_cause": []cause{why}, "type": why.Type, "reason": why.Reason},
		"status": e.Status,
	}
}

func typeOf(status int) string {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "security_exception"
	case status == http.StatusNotFound:
		return "resource_not_found_exception"
	case status == http.StatusConflict:
		return "version_conflict_engine_exception"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return "rejected_execution_exception"
	case status >= http.StatusInternalServerError:
		return "exception"
	}
	return "illegal_argument_exception"
}

// object is any JSON object.
type object = map[string]any

// hits is the answer to a search.
func hits(index string, total int, more bool, list []object) object {
	relation := "eq"
	if more {
		relation = "gte"
	}
	for _, hit := range list {
		hit["_index"], hit["_score"] = index, nil
	}
	return object{
		"took": 0, "timed_out": false, "_shards": object{"total": 1, "successful": 1, "skipped": 0, "failed": 0},
		"hits": object{"total": object{"value": total, "relation": relation}, "max_score": nil, "hits": list},
	}
}

package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm/httpmodel"
)

// ReadError reads {"type":"error","error":{"type":…,"message":…}}, or what a gateway puts in its
// place.
func (s *stream) ReadError(raw []byte) httpmodel.Failure {
	if !json.Valid(raw) {
		return httpmodel.Failure{}
	}
	for range 3 { // gateways wrap errors in errors
		inner := jsonx.Find(raw, "error")
		if jsonx.KindOf(inner) == jsonx.String {
			message, _ := httpmodel.Text(inner)
			return failure("", message)
		}
		if jsonx.KindOf(inner) != jsonx.Object {
			break
		}
		raw = inner
	}
	kind, _ := httpmodel.Text(jsonx.Find(raw, "type"))
	message, _ := httpmodel.Text(jsonx.Find(raw, "message"))
	return failure(kind, message)
}

// failure says what a type of error and its message mean.
func failure(kind, message string) httpmodel.Failure {
	return httpmodel.Failure{
		Status: statuses[kind], Code: kind, Message: message, Blame: message,
		NoCredit:    kind == "billing_error" || strings.Contains(message, "credit balance is too low"),
		RateLimited: kind == "rate_limit_error",
		TooLong:     httpmodel.TooLong(strings.ToLower(kind + " " + message)),
	}
}

// statuses are the types of errors and the statuses they would have had. Source: Anthropic's page
// on errors.
var statuses = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

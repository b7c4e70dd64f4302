package anthropic

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm/httpmodel"
)

// ReadError reads {"type":"error","error":{"type":…,"message":…}}, or what a gateway puts in its
// place.
func (s *stream) ReadError(raw []byte) httpmodel.Failure {
	var p problem
	if httpmodel.Read(raw, &p) != nil {
		return httpmodel.Failure{}
	}
	for range 3 { // gateways wrap errors in errors
		var message httpmodel.Piece
		if p.Error.Kind() == '"' && httpmodel.Read(p.Error, &message) == nil {
			return failure("", message.Said)
		}
		if p.Error.Kind() != '{' {
			break
		}
		inner := p.Error
		p = problem{}
		_ = httpmodel.Read(inner, &p) // it was valid as a part
	}
	return failure(p.Type.Said, p.Message.Said)
}

// problem is an error, or what holds one.
type problem struct {
	Type    httpmodel.Piece `json:"type"`
	Message httpmodel.Piece `json:"message"`
	Error   jsontext.Value  `json:"error"`
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
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error":   404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

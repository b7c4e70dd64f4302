package gemini

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm/httpmodel"
)

// ReadError reads {"error":{"code":…,"message":…,"status":…,"details":[…]}}, also in an array, or
// what a gateway puts in its place.
func (s *stream) ReadError(raw []byte) httpmodel.Failure {
	var list []jsontext.Value
	if httpmodel.Read(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var outer struct {
		Error jsontext.Value `json:"error"`
	}
	_ = httpmodel.Read(raw, &outer) // what cannot be read says nothing
	var a apiError
	switch outer.Error.Kind() {
	case '"':
		_ = httpmodel.Read(outer.Error, &a.Message)
	case '{':
		_ = httpmodel.Read(outer.Error, &a)
	default:
		_ = httpmodel.Read(raw, &a)
	}
	return a.failure()
}

// apiError is what the provider says went wrong, as google.rpc.Status.
type apiError struct {
	Code    httpmodel.Tokens                         `json:"code"`   // an HTTP status
	Kind    httpmodel.Piece                          `json:"status"` // such as RESOURCE_EXHAUSTED
	Message httpmodel.Piece                          `json:"message"`
	Details httpmodel.List[httpmodel.Object[detail]] `json:"details"`
}

type detail struct {
	Reason httpmodel.Piece `json:"reason"`     // such as API_KEY_INVALID
	Delay  httpmodel.Piece `json:"retryDelay"` // such as 3s
}

// failure says what an error means.
func (a *apiError) failure() httpmodel.Failure {
	kind, message := a.Kind.Said, a.Message.Said
	f := httpmodel.Failure{
		Status: statuses[kind], Code: kind, Message: message, Blame: message,
		BadKey:  httpmodel.ContainsAny(message, badKey),
		TooLong: httpmodel.TooLong(strings.ToLower(message)),
	}
	if code := a.Code.N; code != nil && *code >= 400 && *code <= 599 {
		f.Status = int(*code)
	}
	for _, d := range a.Details.Items {
		reason := d.Or().Reason.Said
		f.NoCredit = f.NoCredit || reason == "BILLING_DISABLED"
		f.BadKey = f.BadKey || strings.HasPrefix(reason, "API_KEY_")
		if n, err := strconv.ParseFloat(strings.TrimSuffix(d.Or().Delay.Said, "s"), 64); err == nil {
			f.RetryAfter = httpmodel.Seconds(n)
		}
	}
	return f
}

// statuses are the codes of google.rpc.Code and the statuses they have over HTTP.
var statuses = map[string]int{
	"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401,
	"PERMISSION_DENIED": 403, "NOT_FOUND": 404,
	"ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNKNOWN": 500, "UNAVAILABLE": 503,
	"DEADLINE_EXCEEDED": 504,
}

// badKey are the words in which the API refuses a key with status 400.
var badKey = []string{"API key not valid", "API key expired"}

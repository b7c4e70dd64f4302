package gemini

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm/httpmodel"
)

// ReadError reads {"error":{"code":…,"message":…,"status":…,"details":[…]}}, also in an array, or
// what a gateway puts in its place.
func (s *stream) ReadError(raw []byte) httpmodel.Failure {
	if !json.Valid(raw) {
		return httpmodel.Failure{}
	}
	if list := (jsonx.Decoder{Data: raw}); list.Kind() == jsonx.Array {
		if list.Enter(); list.More() {
			raw = list.Raw()
		}
	}
	inner := jsonx.Find(raw, "error")
	if jsonx.KindOf(inner) == jsonx.String {
		message, _ := httpmodel.Text(inner)
		return failure(&apiError{message: message})
	}
	if jsonx.KindOf(inner) == jsonx.Object {
		raw = inner
	}
	a := &apiError{}
	code, _ := jsonx.ParseInt(jsonx.Find(raw, "code"))
	if code >= 400 && code <= 599 {
		a.code = int(code)
	}
	a.kind, _ = httpmodel.Text(jsonx.Find(raw, "status"))
	a.message, _ = httpmodel.Text(jsonx.Find(raw, "message"))
	a.readDetails(jsonx.Find(raw, "details"))
	return failure(a)
}

// apiError is what the provider says went wrong, as google.rpc.Status.
type apiError struct {
	code    int    // HTTP status, 0 where there is none
	kind    string // such as RESOURCE_EXHAUSTED
	reason  string // such as API_KEY_INVALID
	message string
	retry   time.Duration // what RetryInfo says
}

func (a *apiError) readDetails(raw []byte) {
	details := jsonx.Decoder{Data: raw}
	if details.Kind() != jsonx.Array {
		return
	}
	for details.Enter(); details.More(); {
		d := details.Raw()
		if reason, _ := httpmodel.Text(jsonx.Find(d, "reason")); reason != "" {
			a.reason = reason
		}
		if delay, _ := httpmodel.Text(jsonx.Find(d, "retryDelay")); delay != "" {
			n, err := strconv.ParseFloat(strings.TrimSuffix(delay, "s"), 64)
			if err == nil {
				a.retry = httpmodel.Seconds(n)
			}
		}
	}
}

// failure says what an error means.
func failure(a *apiError) httpmodel.Failure {
	return httpmodel.Failure{
		Status: cmp.Or(a.code, statuses[a.kind]), Code: a.kind, Message: a.message, Blame: a.message, RetryAfter: a.retry,
		NoCredit: a.reason == "BILLING_DISABLED",
		BadKey:   strings.HasPrefix(a.reason, "API_KEY_") || httpmodel.ContainsAny(a.message, badKey),
		TooLong:  httpmodel.TooLong(strings.ToLower(a.message)),
	}
}

// statuses are the codes of google.rpc.Code and the statuses they have over HTTP.
var statuses = map[string]int{
	"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
	"ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNKNOWN": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}

// badKey are the words in which the API refuses a key with status 400.
var badKey = []string{"API key not valid", "API key expired"}

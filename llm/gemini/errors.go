package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

const (
	errorBodyTimeout = 5 * time.Second
	errorBodyLimit   = 64 << 10
	detailLimit      = 300 // bytes of a provider's words that are kept for the log
)

// apiError is what the provider says went wrong, as google.rpc.Status.
type apiError struct {
	code    int    // HTTP status, 0 where there is none
	kind    string // such as RESOURCE_EXHAUSTED
	reason  string // such as API_KEY_INVALID
	message string
	retry   time.Duration // what RetryInfo says
}

// readAPIError reads {"error":{"code":…,"message":…,"status":…,"details":[…]}}, also in an array,
// or what a gateway puts in its place.
func readAPIError(raw []byte) *apiError {
	a := &apiError{}
	if !json.Valid(raw) {
		return a
	}
	if list := (jsonx.Decoder{Data: raw}); list.Kind() == jsonx.Array {
		if list.Enter(); list.More() {
			raw = list.Raw()
		}
	}
	inner := jsonx.Find(raw, "error")
	if jsonx.KindOf(inner) == jsonx.String {
		a.message, _ = text(inner)
		return a
	}
	if jsonx.KindOf(inner) == jsonx.Object {
		raw = inner
	}
	code, _ := jsonx.ParseInt(jsonx.Find(raw, "code"))
	if code >= 400 && code <= 599 {
		a.code = int(code)
	}
	a.kind, _ = text(jsonx.Find(raw, "status"))
	a.message, _ = text(jsonx.Find(raw, "message"))
	a.readDetails(jsonx.Find(raw, "details"))
	return a
}

func (a *apiError) readDetails(raw []byte) {
	details := jsonx.Decoder{Data: raw}
	if details.Kind() != jsonx.Array {
		return
	}
	for details.Enter(); details.More(); {
		d := details.Raw()
		if reason, _ := text(jsonx.Find(d, "reason")); reason != "" {
			a.reason = reason
		}
		if delay, _ := text(jsonx.Find(d, "retryDelay")); delay != "" {
			n, err := strconv.ParseFloat(strings.TrimSuffix(delay, "s"), 64)
			if err == nil {
				a.retry = seconds(n)
			}
		}
	}
}

// errorf returns an error of the model. Its text is ours alone: nothing of what a provider sent
// goes into it.
func (m *Model) errorf(kind llm.ErrorKind, cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: kind, Model: m.info.Name(), Message: fmt.Sprintf(format, args...), Err: cause}
}

// failure says what stopped a call that did not stop by itself. It passes errLeft and finished
// errors on.
func (m *Model) failure(ctx context.Context, w *watchdog.Watchdog, err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok || err == errLeft {
		if ok {
			return e
		}
		return err
	}
	what, limit, stalled := w.Stalled()
	switch {
	case ctx.Err() != nil:
		return m.errorf(llm.KindCancelled, context.Cause(ctx), "the call was cancelled")
	case stalled:
		return m.errorf(llm.KindStalled, watchdog.ErrStalled, "%s within %v", what, limit)
	case errors.Is(err, sse.ErrTooLong), errors.Is(err, errBodyTooLong):
		return m.errorf(llm.KindOutputLimit, err, "the provider sent more than allowed")
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF):
		return m.errorf(llm.KindNetwork, err, "the provider's answer was cut off")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may hold a password
	}
	return m.errorf(llm.KindNetwork, err, "the provider could not be reached or the connection broke")
}

// statusError is the error of a response that is not a 200.
func (m *Model) statusError(resp *http.Response, body io.Reader, req *llm.Fitted) error {
	raw, _ := io.ReadAll(io.LimitReader(body, errorBodyLimit))
	a := readAPIError(raw)
	e := m.apiError(resp.StatusCode, a)
	e.RetryAfter = max(e.RetryAfter, retryAfter(resp.Header, time.Now()))
	req.Blame(e, a.message)
	return e
}

// streamError is the error of a chunk. A provider that fails after it has begun well may do better
// next time.
func (m *Model) streamError(a *apiError) error {
	status := a.code
	if status == 0 {
		status = statusOf(a.kind)
	}
	e := m.apiError(status, a)
	e.Status = http.StatusOK
	return e
}

// statuses are the codes of google.rpc.Code and the statuses they have over HTTP.
var statuses = map[string]int{
	"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
	"ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNKNOWN": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}

func statusOf(kind string) int {
	if status := statuses[kind]; status != 0 {
		return status
	}
	return http.StatusServiceUnavailable
}

// apiError maps a status and what came with it to the kinds the loop knows.
func (m *Model) apiError(status int, a *apiError) *llm.Error {
	kind, message := classify(status, a)
	if safeWord.MatchString(a.kind) && !m.secret(a.kind) {
		message += " (" + a.kind + ")"
	}
	e := m.errorf(kind, nil, "%s", message)
	e.Status, e.RetryAfter = status, a.retry
	if detail := m.scrub(a.message); detail != "" {
		e.Err = errors.New(detail)
	}
	return e
}

func classify(status int, a *apiError) (llm.ErrorKind, string) {
	switch {
	case status == http.StatusPaymentRequired || a.reason == "BILLING_DISABLED":
		return llm.KindAuth, "the provider's account has no credit left"
	case status == http.StatusTooManyRequests:
		return llm.KindRateLimited, "the provider limits the rate of requests"
	case status == http.StatusRequestEntityTooLarge || (status >= 400 && isOverflow(a)):
		return llm.KindContextFull, "the conversation is longer than the model can take"
	case status == http.StatusUnauthorized || status == http.StatusForbidden || strings.HasPrefix(a.reason, "API_KEY_"):
		return llm.KindAuth, "the provider refused the API key"
	case strings.Contains(a.message, "API key not valid") || strings.Contains(a.message, "API key expired"):
		return llm.KindAuth, "the provider refused the API key"
	case status == http.StatusNotFound:
		return llm.KindBadRequest, "the provider does not know this model or address"
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly:
		return llm.KindOverloaded, fmt.Sprintf("the provider is overloaded or failing, status %d", status)
	case status < 400:
		return llm.KindBadRequest, fmt.Sprintf("the provider's address answered with status %d instead of an answer", status)
	}
	return llm.KindBadRequest, fmt.Sprintf("the provider refused the request, status %d", status)
}

// overflow are the words in which the API, and gateways that speak it, say that a request is too
// long.
var overflow = []string{
	"exceeds the maximum number of tokens", "input token count", "context window", "maximum context length", "prompt is too long", "input is too long",
	"request payload size exceeds",
}

func isOverflow(a *apiError) bool {
	words := strings.ToLower(a.message)
	for _, o := range overflow {
		if strings.Contains(words, o) {
			return true
		}
	}
	return false
}

var (
	safeWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,47}$`)
	// keyLike finds what looks like a credential, whole or masked with stars.
	keyLike = regexp.MustCompile(`(?i)\b(?:(?:sk|pk|rk|gsk|key|xai|hf)[-_]|bearer )[\w*.\-]{6,}|[\w*\-]{32,}|\*{4,}[\w*\-]*`)
)

// scrub cuts a provider's words to what may stand in a log: short, on one line, without anything
// that looks like a key.
func (m *Model) scrub(s string) string {
	if m.cfg.APIKey != "" {
		s = strings.ReplaceAll(s, m.cfg.APIKey, "[redacted]")
	}
	s = keyLike.ReplaceAllString(strings.Join(strings.Fields(s), " "), "[redacted]")
	if len(s) > detailLimit {
		s = strings.ToValidUTF8(s[:detailLimit], "") + "…"
	}
	return s
}

func (m *Model) secret(s string) bool {
	return m.cfg.APIKey != "" && strings.Contains(s, m.cfg.APIKey) || keyLike.MatchString(s)
}

// retryAfter reads how long the provider asks to wait: retry-after-ms, or Retry-After in seconds or
// as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func seconds(s float64) time.Duration {
	if s > 0 && s < 1e7 {
		return time.Duration(s * float64(time.Second))
	}
	return 0
}

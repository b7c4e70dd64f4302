package anthropic

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

// apiError is what the provider says went wrong.
type apiError struct{ kind, message string }

// readAPIError reads {"type":"error","error":{"type":…,"message":…}}, or what a gateway puts in its
// place.
func readAPIError(raw []byte) *apiError {
	if !json.Valid(raw) {
		return &apiError{}
	}
	for range 3 { // gateways wrap errors in errors
		inner := jsonx.Find(raw, "error")
		if jsonx.KindOf(inner) == jsonx.String {
			message, _ := text(inner)
			return &apiError{message: message}
		}
		if jsonx.KindOf(inner) != jsonx.Object {
			break
		}
		raw = inner
	}
	a := &apiError{}
	a.kind, _ = text(jsonx.Find(raw, "type"))
	a.message, _ = text(jsonx.Find(raw, "message"))
	return a
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
	e.RetryAfter = retryAfter(resp.Header, time.Now())
	req.Blame(e, a.message)
	return e
}

// streamError is the error of an event: its type stands for a status. A provider that fails after
// it has begun well may do better next time.
func (m *Model) streamError(a *apiError) error {
	e := m.apiError(statusOf(a.kind), a)
	e.Status = http.StatusOK
	return e
}

// statuses are the types of errors and the statuses they would have had. Source: Anthropic's page
// on errors.
var statuses = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
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
	e.Status = status
	if detail := m.scrub(a.message); detail != "" {
		e.Err = errors.New(detail)
	}
	return e
}

func classify(status int, a *apiError) (llm.ErrorKind, string) {
	switch {
	case status == http.StatusPaymentRequired || a.kind == "billing_error" || strings.Contains(a.message, "credit balance is too low"):
		return llm.KindAuth, "the provider's account has no credit left"
	case status == http.StatusTooManyRequests || a.kind == "rate_limit_error":
		return llm.KindRateLimited, "the provider limits the rate of requests"
	case status == http.StatusRequestEntityTooLarge || (status >= 400 && isOverflow(a)):
		return llm.KindContextFull, "the conversation is longer than the model can take"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
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
	"prompt is too long", "exceed context limit", "request_too_large", "context window", "maximum context length", "context_length_exceeded",
	"input is too long", "too many total text bytes", "too many input tokens",
}

func isOverflow(a *apiError) bool {
	words := strings.ToLower(a.kind + " " + a.message)
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

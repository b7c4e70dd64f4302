package openai

import (
	"cmp"
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

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

const (
	errorBodyTimeout = 5 * time.Second
	errorBodyLimit   = 64 << 10
	detailLimit      = 300 // bytes of a provider's words that are kept for the log
)

// apiError is what a provider says went wrong, in any of the shapes they use.
type apiError struct {
	message, kind, code, param string
}

// words are a provider's own, for the log, and which of our optional wishes they refuse.
type words struct {
	text    string
	refused wishes
}

func (w *words) Error() string { return w.text }

// readAPIError reads an error object, or what stands in its place.
func readAPIError(raw []byte) *apiError {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Type    any             `json:"type"`
		Code    any             `json:"code"`
		Param   any             `json:"param"`
	}
	var text string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return &apiError{message: text}
	case json.Unmarshal(raw, &list) == nil && len(list) > 0:
		return readAPIError(list[0])
	case json.Unmarshal(raw, &e) != nil:
		return &apiError{}
	case !isNull(e.Error):
		return readAPIError(e.Error)
	}
	out := &apiError{kind: word(e.Type), code: word(e.Code), param: word(e.Param)}
	for _, raw := range [][]byte{e.Message, e.Detail} {
		if out.message == "" && !isNull(raw) {
			out.message = readMessage(raw)
		}
	}
	return out
}

// readMessage reads a text, or what is wrong with the fields of a request as Python's validators
// write it, perhaps as the detail of an object.
func readMessage(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct{ Detail json.RawMessage }
	if json.Unmarshal(raw, &object) == nil && len(object.Detail) > 0 {
		return readMessage(object.Detail)
	}
	var problems []struct {
		Loc []any
		Msg string
	}
	if json.Unmarshal(raw, &problems) != nil {
		return ""
	}
	var said []string
	for _, p := range problems {
		said = append(said, p.Msg+": "+strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Loc), " ", "."), "[]"))
	}
	return strings.Join(said, "; ")
}

func word(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// errorf returns an error of the model. Its text is ours alone: nothing of what a provider sent
// goes into it.
func (m *Model) errorf(kind llm.ErrorKind, cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: kind, Model: m.Info().Name(), Message: fmt.Sprintf(format, args...), Err: cause}
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
	req.Blame(e, a.param+" "+a.message)
	return e
}

// refused is the error of a chunk.
func (s *stream) refused(a *apiError) error {
	e := s.model.streamError(a)
	s.req.Blame(e, a.param+" "+a.message)
	e.Status = http.StatusOK
	return e
}

// streamError is the error of a chunk, with the status that it would have had: its code often is
// one, else its words tell. A provider that fails after it has begun well may do better next time.
func (m *Model) streamError(a *apiError) *llm.Error {
	status, err := strconv.Atoi(a.code)
	if err != nil || status < 400 || status > 599 {
		status = statusOf(a)
	}
	return m.apiError(status, a)
}

func statusOf(a *apiError) int {
	words := strings.ToLower(a.code + " " + a.kind)
	for _, guess := range []struct {
		part   string
		status int
	}{
		{"rate_limit", 429}, {"quota", 429}, {"auth", 401}, {"api_key", 401}, {"permission", 403}, {"not_found", 404},
		{"invalid", 400}, {"badrequest", 400}, {"context", 400}, {"tool_use_failed", 400},
	} {
		if strings.Contains(words, guess.part) {
			return guess.status
		}
	}
	return http.StatusServiceUnavailable
}

// apiError maps a status and what came with it to the kinds the loop knows.
func (m *Model) apiError(status int, a *apiError) *llm.Error {
	kind, message := classify(status, a)
	if code := cmp.Or(a.code, a.kind); safeWord.MatchString(code) && !m.secret(code) && code != strconv.Itoa(status) {
		message += " (" + code + ")"
	}
	e := m.errorf(kind, nil, "%s", message)
	e.Status = status
	if detail, refused := m.scrub(a.message), refusedWishes(a); detail != "" || refused != 0 {
		e.Err = &words{detail, refused}
	}
	return e
}

func classify(status int, a *apiError) (llm.ErrorKind, string) {
	words := strings.ToLower(a.code + " " + a.kind)
	limited := status == http.StatusTooManyRequests || strings.Contains(words, "rate_limit")
	switch {
	case strings.Contains(words, "insufficient_quota") || status == http.StatusPaymentRequired:
		return llm.KindAuth, "the provider's account has no credit left"
	case limited:
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

// overflow are the words in which servers say that a request is too long. OpenAI has a code;
// llama.cpp, vLLM, Ollama and what stands behind OpenRouter have words.
var overflow = []string{
	"context_length_exceeded", "exceed_context_size", "maximum context length", "context length is only", "context window",
	"available context size", "prompt is too long", "prompt too long", "input is too long", "input tokens exceed", "reduce the length of the",
	"exceeds the context", "exceed context limit", "maximum prompt length", "exceeds the maximum number of tokens", "too many tokens",
}

func isOverflow(a *apiError) bool {
	words := strings.ToLower(a.code + " " + a.kind + " " + a.message)
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

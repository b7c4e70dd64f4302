package httpmodel

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
)

// Failure is a provider's description of an error.
type Failure struct {
	Status     int           // status an event stands for, 0 if unknown; a response has its own
	Code       string        // the provider's code, shown if it is a plain word
	Message    string        // the provider's message, for the log
	Blame      string        // text that may name the refused tool
	RetryAfter time.Duration // from the body

	// Beyond the status, from the provider's message.
	NoCredit    bool // the account has no credit left
	RateLimited bool
	BadKey      bool
	// the model wrote a call that the provider cannot read; it may do better next time
	Slip    bool
	TooLong bool // the request is too long; counts only with a status of 400 or more
}

// statusError returns the error of a response other than 200.
func (c *Call) statusError(resp *http.Response, body io.Reader, answer Answer) error {
	raw, _ := io.ReadAll(io.LimitReader(body, errorBodyLimit))
	f := answer.ReadError(raw)
	e := c.Failed(resp.StatusCode, f)
	e.RetryAfter = max(e.RetryAfter, RetryAfter(resp.Header, time.Now()))
	c.Request.Blame(e, f.Blame)
	return e
}

// FailedMidway returns the error of an event. A provider that fails after a good start may succeed
// next time, so the failure is transient unless it says otherwise.
func (c *Call) FailedMidway(f Failure) *llm.Error {
	e := c.Failed(cmp.Or(f.Status, http.StatusServiceUnavailable), f)
	e.Status = http.StatusOK
	return e
}

// Failed returns the error for a status and a failure.
func (c *Call) Failed(status int, f Failure) *llm.Error {
	scrubber := Scrubber{Key: c.client.Key, Pattern: keyLike}
	kind, message := f.classify(status)
	if plainWord().MatchString(f.Code) && !scrubber.Holds(f.Code) {
		message += " (" + f.Code + ")"
	}
	e := c.Errorf(kind, nil, "%s", message)
	e.Status, e.RetryAfter = status, f.RetryAfter
	e.MayBeTooLong = kind == llm.KindBadRequest && status == http.StatusBadRequest &&
		MayBeTooLong(strings.ToLower(f.Code+" "+f.Message))
	if detail := scrubber.Scrub(f.Message); detail != "" {
		e.Err = errors.New(detail)
	}
	return e
}

func (f *Failure) classify(status int) (llm.ErrorKind, string) {
	switch {
	case status == http.StatusPaymentRequired || f.NoCredit:
		return llm.KindAuth, "the provider's account has no credit left"
	case status == http.StatusTooManyRequests || f.RateLimited:
		return llm.KindRateLimited, "the provider limits the rate of requests"
	case status == http.StatusRequestEntityTooLarge || (status >= 400 && f.TooLong):
		return llm.KindContextFull, "the conversation is longer than the model can take"
	case f.Slip:
		return llm.KindOverloaded, "the model wrote a tool call that the provider could not read"
	case status == http.StatusUnauthorized || status == http.StatusForbidden || f.BadKey:
		return llm.KindAuth, "the provider refused the API key"
	case status == http.StatusNotFound:
		return llm.KindBadRequest, "the provider does not know this model or address"
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooEarly:
		return llm.KindOverloaded, fmt.Sprintf("the provider is overloaded or failing, status %d", status)
	case status < 400:
		return llm.KindBadRequest, fmt.Sprintf("the provider's address answered with status %d instead of an answer",
			status)
	}
	return llm.KindBadRequest, fmt.Sprintf("the provider refused the request, status %d", status)
}

// ContainsAny reports whether words contains any of the phrases.
func ContainsAny(words string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(words, p) {
			return true
		}
	}
	return false
}

const detailLimit = 300 // bytes of a provider's message kept for the log

var (
	plainWord = lazy.Regexp(`^[A-Za-z][A-Za-z0-9_.-]{0,47}$`)
	// keyLike matches what looks like a credential, in full or masked with stars.
	keyLike = lazy.Regexp(`(?i)\b(?:(?:sk|pk|rk|gsk|key|xai|hf)[-_]|bearer )[\w*.\-]{6,}|[\w*\-]{32,}|\*{4,}[\w*\-]*`)
)

// Scrubber removes credentials from text to be logged or shown.
type Scrubber struct {
	Key     string                // the known credential; may be empty
	Pattern func() *regexp.Regexp // matches what looks like one
}

// Scrub returns a provider's message for the log: short, on one line, without anything like a
// credential.
func (s Scrubber) Scrub(words string) string {
	if s.Key != "" {
		words = strings.ReplaceAll(words, s.Key, "[redacted]")
	}
	words = s.Pattern().ReplaceAllString(strings.Join(strings.Fields(words), " "), "[redacted]")
	return visible.Clip(words, detailLimit)
}

// Holds reports whether words contains a credential or something like one.
func (s Scrubber) Holds(words string) bool {
	return s.Key != "" && strings.Contains(words, s.Key) || s.Pattern().MatchString(words)
}

// RetryAfter returns how long a provider asks to wait (Retry-After-Ms, or Retry-After in seconds or
// as a date), or 0.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return Seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return Seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// Seconds returns s as a duration, or 0 if it makes no sense.
func Seconds(s float64) time.Duration {
	if s > 0 && s < 1e7 {
		return time.Duration(s * float64(time.Second))
	}
	return 0
}

package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/pageside/pageside/llm/httpmodel"
)

// apiError is a provider's error in any of the known forms.
type apiError struct {
	message, kind, code, param string
}

// readAPIError reads an error object, or its substitute.
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

// ReadError reads what a response with another status than 200 says.
func (s *stream) ReadError(body []byte) httpmodel.Failure { return s.failure(readAPIError(body)) }

// failure interprets an error. It records which wish the error refuses.
func (s *stream) failure(a *apiError) httpmodel.Failure {
	s.refused = refusedWishes(a)
	words := strings.ToLower(a.code + " " + a.kind)
	return httpmodel.Failure{
		Status: statusOf(a), Code: cmp.Or(a.code, a.kind), Message: a.message, Blame: a.param + " " + a.message,
		NoCredit:    strings.Contains(words, "insufficient_quota"),
		RateLimited: strings.Contains(words, "rate_limit"),
		Slip:        a.code == "tool_use_failed", // Groq's
		TooLong:     httpmodel.TooLong(words + " " + strings.ToLower(a.message)),
	}
}

// fail is the error of an event.
func (s *stream) fail(a *apiError) error {
	f := s.failure(a)
	e := s.Failed(f.Status, f)
	s.Request.Blame(e, f.Blame)
	e.Status = http.StatusOK
	return e
}

// statusOf returns the status for an event's error: its code is often one; otherwise the message
// tells. A provider that fails after a good start may succeed next time.
func statusOf(a *apiError) int {
	if status, err := strconv.Atoi(a.code); err == nil && status >= 400 && status <= 599 {
		return status
	}
	words := strings.ToLower(a.code + " " + a.kind)
	for _, guess := range []struct {
		part   string
		status int
	}{
		{"rate_limit", 429}, {"quota", 429}, {"auth", 401}, {"api_key", 401}, {"permission", 403}, {"not_found", 404},
		{"invalid", 400}, {"badrequest", 400}, {"context", 400},
	} {
		if strings.Contains(words, guess.part) {
			return guess.status
		}
	}
	return http.StatusServiceUnavailable
}

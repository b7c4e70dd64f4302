package bedrock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/pageside/pageside/llm"
)

// detailLimit is how many bytes of a provider's words are kept for the log.
const detailLimit = 300

// stall is the error of having waited too long.
type stall struct {
	what  string
	limit time.Duration
}

func (e *stall) Error() string { return errStalled.Error() + ": " + e.what }
func (e *stall) Unwrap() error { return errStalled }

// errorf returns an error of the model. Its text is ours alone: nothing of what a provider sent
// goes into it.
func (m *Model) errorf(kind llm.ErrorKind, cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: kind, Model: m.info.Name(), Message: fmt.Sprintf(format, args...), Err: cause}
}

// failure says what stopped a call. It passes errLeft and finished errors on. The SDK's own errors
// tell the endpoint, the account and more: of them only the words that were scrubbed go into the
// cause.
func (m *Model) failure(ctx, callCtx context.Context, err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	late, stalled := errors.AsType[*stall](err)
	if !stalled {
		late, stalled = errors.AsType[*stall](context.Cause(callCtx))
	}
	switch {
	case err == errLeft:
		return err
	case ctx.Err() != nil:
		return m.errorf(llm.KindCancelled, context.Cause(ctx), "the call was cancelled")
	case stalled:
		return m.errorf(llm.KindStalled, errStalled, "%s within %v", late.what, late.limit)
	case errors.Is(err, errBodyTooLong):
		return m.errorf(llm.KindOutputLimit, errBodyTooLong, "the provider sent more than allowed")
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return m.apiFailure(err, api)
	}
	return m.otherFailure(err)
}

// refused names the tool that the service refused, where its words tell which.
func (m *Model) refused(req *llm.Fitted, failure, cause error) error {
	e, ok := errors.AsType[*llm.Error](failure)
	api, said := errors.AsType[smithy.APIError](cause)
	if ok && said {
		req.Blame(e, api.ErrorMessage())
	}
	return failure
}

// otherFailure is for what is no answer of the service.
func (m *Model) otherFailure(err error) error {
	cause := errors.New(scrub(err.Error()))
	_, noRegion := errors.AsType[*aws.MissingRegionError](err)
	_, invalid := errors.AsType[smithy.InvalidParamsError](err)
	_, sent := errors.AsType[*smithyhttp.RequestSendError](err)
	response, answered := errors.AsType[*smithyhttp.ResponseError](err)
	answered = answered && response.HTTPStatusCode() > 0
	words := strings.ToLower(err.Error())
	switch {
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF):
		return m.errorf(llm.KindNetwork, cause, "the provider's answer was cut off")
	case noRegion, strings.Contains(words, "region") && !sent && !answered:
		return m.errorf(llm.KindBadRequest, cause, "no AWS region is configured, or not a valid one")
	case invalid:
		return m.errorf(llm.KindBadRequest, cause, "the request is not one the provider takes")
	case answered && response.HTTPStatusCode() != http.StatusOK:
		return m.statusFailure(response, "", words, cause)
	case sent, isNetwork(err):
		return m.errorf(llm.KindNetwork, cause, "the provider could not be reached or the connection broke")
	case strings.HasPrefix(words, "load the aws configuration"):
		return m.errorf(llm.KindBadRequest, cause, "the AWS configuration could not be read")
	case strings.Contains(words, "get identity"), strings.Contains(words, "credentials"):
		return m.errorf(llm.KindAuth, cause, "no AWS credentials were found, or they could not be refreshed")
	}
	return m.errorf(llm.KindProtocol, cause, "the provider's stream was not what its format promises")
}

func isNetwork(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok
}

// apiFailure maps what the service says to the kinds the loop knows.
func (m *Model) apiFailure(err error, api smithy.APIError) error {
	cause := errors.New(scrub(api.ErrorCode() + ": " + api.ErrorMessage()))
	response, _ := errors.AsType[*smithyhttp.ResponseError](err)
	return m.statusFailure(response, api.ErrorCode(), strings.ToLower(api.ErrorMessage()), cause)
}

// statusFailure makes the error of a response, or of an exception in a stream, whose response is
// nil.
func (m *Model) statusFailure(response *smithyhttp.ResponseError, code, words string, cause error) error {
	status := http.StatusOK
	if response != nil {
		status = response.HTTPStatusCode()
	}
	kind, message := classify(status, code, words)
	if safeWord.MatchString(code) {
		message += " (" + code + ")"
	}
	e := m.errorf(kind, cause, "%s", message)
	e.Status = status
	if response != nil && response.Response != nil && response.Response.Response != nil {
		e.RetryAfter = retryAfter(response.Response.Header, time.Now())
	}
	return e
}

// The names of the service's errors differ in their ends, as in ThrottlingException and Throttling.
var codes = []struct {
	part    string
	kind    llm.ErrorKind
	message string
}{
	{"Throttling", llm.KindRateLimited, "the provider limits the rate of requests"},
	{"TooManyRequests", llm.KindRateLimited, "the provider limits the rate of requests"},
	{"ServiceQuotaExceeded", llm.KindRateLimited, "the provider's quota is used up"},
	{"AccessDenied", llm.KindAuth, "the AWS credentials may not use this model"},
	{"UnrecognizedClient", llm.KindAuth, "the provider refused the AWS credentials"},
	{"ExpiredToken", llm.KindAuth, "the AWS credentials have expired"},
	{"InvalidSignature", llm.KindAuth, "the provider refused the AWS credentials"},
	{"IncompleteSignature", llm.KindAuth, "the provider refused the AWS credentials"},
	{"SignatureDoesNotMatch", llm.KindAuth, "the provider refused the AWS credentials"},
	{"InvalidClientTokenId", llm.KindAuth, "the provider refused the AWS credentials"},
	{"MissingAuthenticationToken", llm.KindAuth, "the provider refused the AWS credentials"},
	{"ResourceNotFound", llm.KindBadRequest, "the provider does not know this model in this region"},
	{"ModelNotReady", llm.KindOverloaded, "the model is not ready yet"},
	{"ModelTimeout", llm.KindOverloaded, "the model took too long"},
	{"ModelStreamError", llm.KindOverloaded, "the model failed in the middle of its answer"},
	{"ModelError", llm.KindOverloaded, "the model failed"},
	{"InternalServer", llm.KindOverloaded, "the provider is failing"},
	{"ServiceUnavailable", llm.KindOverloaded, "the provider is overloaded"},
	{"Validation", llm.KindBadRequest, "the provider refused the request"},
}

func classify(status int, code, words string) (llm.ErrorKind, string) {
	kind, message := classifyCode(status, code)
	// they too may speak of too many tokens
	judged := kind == llm.KindRateLimited || kind == llm.KindAuth
	if !judged && (isOverflow(words) || status == http.StatusRequestEntityTooLarge) {
		return llm.KindContextFull, "the conversation is longer than the model can take"
	}
	return kind, message
}

func classifyCode(status int, code string) (llm.ErrorKind, string) {
	for _, c := range codes {
		if strings.HasPrefix(code, c.part) {
			return c.kind, c.message
		}
	}
	switch {
	case status == http.StatusTooManyRequests:
		return llm.KindRateLimited, "the provider limits the rate of requests"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.KindAuth, "the provider refused the AWS credentials"
	case status >= 400 && status < 500:
		return llm.KindBadRequest, "the provider refused the request, status " + strconv.Itoa(status)
	}
	return llm.KindOverloaded, "the provider is overloaded or failing"
}

// overflow are the words in which the models of different makers say that a request is too long.
var overflow = []string{
	"input is too long", "prompt is too long", "too many input tokens", "too many tokens", "maximum context length", "context window", "context length",
	"exceeds the maximum number of tokens", "exceed context limit", "max input tokens", "input length and `max_tokens` exceed", "maximum number of input tokens",
}

func isOverflow(words string) bool {
	for _, o := range overflow {
		if strings.Contains(words, o) {
			return true
		}
	}
	return false
}

var (
	safeWord = regexp.MustCompile(`^[A-Za-z]{1,48}$`)
	// secret finds what tells an account, a resource or a credential.
	secret = regexp.MustCompile(`arn:aws[\w-]*:\S+|\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}|\b\d{12}\b|https?://\S+|(?i:bearer |bedrock-api-key-)\S+|[\w+/=-]{32,}`)
)

// scrub cuts a provider's words to what may stand in a log.
func scrub(s string) string {
	s = secret.ReplaceAllString(strings.Join(strings.Fields(s), " "), "[redacted]")
	if len(s) > detailLimit {
		s = strings.ToValidUTF8(s[:detailLimit], "") + "…"
	}
	return s
}

// retryAfter reads how long the provider asks to wait, in seconds or until a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e7 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

package bedrock

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// failure says what stopped a call. The SDK's own errors tell the endpoint, the account and more:
// of them only the words that were scrubbed go into the cause.
func (s *stream) failure(callCtx context.Context, err error) error {
	if stopped := s.Interrupted(s.ctx, callCtx, err); stopped != nil {
		return stopped
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return s.apiFailure(err, api)
	}
	return s.otherFailure(err)
}

// refused names the tool that the service refused, where its words tell which.
func (s *stream) refused(failure, cause error) error {
	e, ok := errors.AsType[*llm.Error](failure)
	api, said := errors.AsType[smithy.APIError](cause)
	if ok && said {
		s.Request.Blame(e, api.ErrorMessage())
	}
	return failure
}

// otherFailure is for what is no answer of the service.
func (s *stream) otherFailure(err error) error {
	cause := errors.New(secrets.Scrub(err.Error()))
	_, noRegion := errors.AsType[*aws.MissingRegionError](err)
	_, invalid := errors.AsType[smithy.InvalidParamsError](err)
	_, sent := errors.AsType[*smithyhttp.RequestSendError](err)
	response, answered := errors.AsType[*smithyhttp.ResponseError](err)
	answered = answered && response.HTTPStatusCode() > 0
	words := strings.ToLower(err.Error())
	switch {
	case errors.Is(err, httpmodel.ErrCut), errors.Is(err, io.ErrUnexpectedEOF):
		return s.Cut(cause)
	case noRegion, strings.Contains(words, "region") && !sent && !answered:
		return s.Errorf(llm.KindBadRequest, cause, "no AWS region is configured, or not a valid one")
	case strings.Contains(words, "failed to resolve service endpoint"):
		return s.Errorf(llm.KindBadRequest, cause, "the provider's address is not a valid URL")
	case invalid:
		return s.Errorf(llm.KindBadRequest, cause, "the request is not one the provider takes")
	case answered && response.HTTPStatusCode() != http.StatusOK:
		return s.statusFailure(response, "", words, cause)
	case sent, isNetwork(err):
		return s.Unreachable(cause)
	case strings.HasPrefix(words, "load the aws configuration"):
		return s.Errorf(llm.KindBadRequest, cause, "the AWS configuration could not be read")
	case strings.Contains(words, "get identity"), strings.Contains(words, "credentials"):
		return s.Errorf(llm.KindAuth, cause, "no AWS credentials were found, or they could not be refreshed")
	}
	return s.Malformed(cause)
}

func isNetwork(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok
}

// apiFailure maps what the service says to the kinds the loop knows.
func (s *stream) apiFailure(err error, api smithy.APIError) error {
	cause := errors.New(secrets.Scrub(api.ErrorCode() + ": " + api.ErrorMessage()))
	response, _ := errors.AsType[*smithyhttp.ResponseError](err)
	return s.statusFailure(response, api.ErrorCode(), strings.ToLower(api.ErrorMessage()), cause)
}

// statusFailure makes the error of a response, or of an exception in a stream, whose response is
// nil.
func (s *stream) statusFailure(response *smithyhttp.ResponseError, code, words string, cause error) error {
	status := http.StatusOK
	if response != nil {
		status = response.HTTPStatusCode()
	}
	kind, message := classify(status, code, words)
	if safeWord().MatchString(code) {
		message += " (" + code + ")"
	}
	e := s.Errorf(kind, cause, "%s", message)
	e.Status, e.MayBeTooLong = status, kind == llm.KindBadRequest && httpmodel.MayBeTooLong(words)
	if response != nil && response.Response != nil && response.Response.Response != nil {
		e.RetryAfter = httpmodel.RetryAfter(response.Response.Header, time.Now())
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
	if !judged && (httpmodel.TooLong(words) || status == http.StatusRequestEntityTooLarge) {
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
	case status >= 300 && status < 500: // redirects are not followed
		return llm.KindBadRequest, "the provider refused the request, status " + strconv.Itoa(status)
	}
	return llm.KindOverloaded, "the provider is overloaded or failing"
}

// safeWord matches the names of errors that may be shown.
var safeWord = lazy.Regexp(`^[A-Za-z]{1,48}$`)

// secrets finds what tells an account, a resource or a credential.
var secrets = httpmodel.Scrubber{
	Pattern: lazy.Regexp(`arn:aws[\w-]*:\S+|\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}|\b\d{12}\b|https?://\S+|(?i:bearer |bedrock-api-key-)\S+|[\w+/=-]{32,}`),
}

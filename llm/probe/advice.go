package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/llm"
)

// answer is what to tell of a question.
func (q question) answer(detail string, err error, timeout, took time.Duration) Answer {
	a := Answer{Question: q.name, Status: Works, Detail: detail, Took: took}
	var failed *llm.Error
	switch {
	case err == nil:
	case errors.Is(err, errUnable):
		a.Status = Skipped
	case errors.Is(err, errTooLong):
		a.Status, a.Detail = Fails, fmt.Sprintf("no answer within %v", timeout)
		a.Advice = "give it longer with --timeout, or ask the provider what is wrong"
	case errors.As(err, &failed):
		a.Status, a.Detail, a.Advice, a.Err = Fails, wordsOf(failed), q.adviceOn(failed), failed
	default:
		a.Status, a.Detail, a.Advice = Fails, err.Error(), q.advice
	}
	return a
}

// wordsOf returns what an error says, and what the provider said: operators read it, not users.
func wordsOf(e *llm.Error) string {
	if e.Err == nil || errors.Is(e.Err, context.Canceled) {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// adviceOn returns what to do about the error of a call.
func (q question) adviceOn(e *llm.Error) string {
	switch {
	case e.Status == http.StatusPaymentRequired:
		return "top up the account at the provider"
	case e.Kind == llm.KindAuth:
		return "check the key, and that it may use this model"
	case e.Status == http.StatusNotFound:
		return "check the model's name, and the address if you set one"
	case e.Kind == llm.KindRateLimited && e.RetryAfter > 0:
		return fmt.Sprintf("ask again after %v, or raise the limit at the provider", e.RetryAfter.Round(time.Second))
	case e.Kind == llm.KindRateLimited:
		return "ask again in a minute, or raise the limit at the provider"
	case e.Kind == llm.KindNetwork:
		return "check that the server runs, the address, and the network between"
	case e.Kind == llm.KindBadRequest && q.advice != "":
		return q.advice
	case e.Kind == llm.KindBadRequest && q.name == text:
		return "check the model's name: it must be a model for chats"
	case e.Retryable():
		return "ask again later"
	}
	return ""
}

// hopeless reports whether an error will be that of every question.
func (q question) hopeless(err error) bool {
	if errors.Is(err, errTooLong) {
		return true
	}
	var e *llm.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case llm.KindAuth, llm.KindNetwork, llm.KindRateLimited:
		return true
	case llm.KindBadRequest:
		return q.name == text || e.Status == http.StatusNotFound
	}
	return false
}

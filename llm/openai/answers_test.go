package openai_test

import "testing"

func TestAnswers(t *testing.T) { vendor.Answers(t, "chat-answers") }

func TestResponsesAnswers(t *testing.T) { responsesVendor.Answers(t, "responses-answers") }

func TestRequests(t *testing.T) { vendor.Requests(t, "chat-requests") }

func TestResponsesRequests(t *testing.T) { responsesVendor.Requests(t, "responses-requests") }

package openai_test

import "testing"

func TestAnswers(t *testing.T) { vendor.Answers(t, "chat-answers") }

func TestResponsesAnswers(t *testing.T) { responsesVendor.Answers(t, "responses-answers") }

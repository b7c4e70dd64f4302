package anthropic_test

import "testing"

func TestAnswers(t *testing.T) { vendor.Answers(t, "answers") }

func TestRequests(t *testing.T) { vendor.Requests(t, "requests") }

package bedrock_test

import "testing"

func TestAnswers(t *testing.T) { vendor.Answers(t, "answers") }

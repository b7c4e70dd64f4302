package anthropic_test

import (
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

func TestAnyAnswerGoesBackUnchanged(t *testing.T) {
	vendor.GoesBack(t, llmtest.Spelling{
		Begin: []string{started}, End: []string{finish("end_turn"), stopped}, Mark: `,"cache_control":{"type":"ephemeral"}`,
		Kinds: []string{"thinking", "redacted", "text", "call"},
		Block: func(kind string, at int, words string, secret [2]string) (docs []string, back string) {
			whole := secret[0] + secret[1]
			switch kind {
			case "thinking":
				docs = []string{start(at, `"type":"thinking","thinking":"","signature":""`), delta(at, `"type":"thinking_delta","thinking":`+words)}
				for _, piece := range secret {
					docs = append(docs, delta(at, `"type":"signature_delta","signature":"`+piece+`"`))
				}
				back = `{"type":"thinking","thinking":` + words + `,"signature":"` + whole + `"}`
			case "redacted":
				back = `{"type":"redacted_thinking","data":"` + whole + `"}`
				docs = []string{start(at, back[1:len(back)-1])}
			case "text":
				docs = []string{start(at, textStart), delta(at, `"type":"text_delta","text":`+words)}
				back = `{"type":"text","text":` + words + `}`
			case "call":
				id := string(rune('a' + at))
				docs = []string{start(at, toolStart(id, "f")), delta(at, argsDelta(`{"n":1.0}`))}
				back = `{"type":"tool_use","id":"` + id + `","name":"f","input":{"n":1.0}}`
			}
			return append(docs, stop(at)), back
		},
	})
}

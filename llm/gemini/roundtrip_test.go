package gemini_test

import (
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

func TestAnyAnswerGoesBackUnchanged(t *testing.T) {
	vendor.GoesBack(t, llmtest.Spelling{
		End: []string{finish("STOP")}, Kinds: []string{"thought", "text", "call", "call, signed"}, InOrder: true,
		Block: func(kind string, at int, words string, secret [2]string) (docs []string, back string) {
			signature := `"thoughtSignature":"` + secret[0] + secret[1] + `"`
			call := `{"functionCall":{"name":"f","args":{"n": 1.0},"id":"` + string(rune('a'+at)) + `"}`
			switch kind {
			case "thought":
				docs = []string{chunk(`{"thought":true,"text":` + words + `}`), chunk(`{"thought":true,` + signature + `}`)}
				back = `{"text":` + words + `,"thought":true,` + signature + `}`
			case "text":
				back = `{"text":` + words + `},{"text":"",` + signature + `}`
				docs = []string{chunk(back)}
			case "call":
				back = call + "}"
				docs = []string{chunk(back)}
			case "call, signed":
				back = call + "," + signature + "}"
				docs = []string{chunk(back)}
			}
			return docs, back
		},
	})
}

// Package llmtest tests the packages of the providers.
//
// Strict is a mock that is as strict as the real provider: it refuses what that refuses, so that a
// test that passes against it would pass against the real one. Where a provider is lax, or its
// behaviour is unknown, the mock is lax too. Its rules come from the providers' references and
// their known answers. It also refuses two mistakes that a provider takes without a word: a limit
// of tokens that thinking alone uses up, and a thread of which nothing can be cached.
//
//	server := httptest.NewServer(llmtest.Strict(llmtest.Anthropic, answers))
//
// Vendor runs the test suites common to all providers. What a provider sends and what a model makes
// of it, and what a request becomes, are txtar files in the testdata of the provider's package.
// Answers and Requests play them. The life of a call, faults, floods and recordings need more than
// that: a provider's package adds its own rows to their tables.
//
//	func TestAnswers(t *testing.T) { vendor.Answers(t, "answers") }
//	func TestLife(t *testing.T)    { vendor.Life(t) }
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Dialect is a provider's API.
type Dialect string

// Dialects. Mistral, Ollama and OpenRouter speak variants of Chat Completions, and Nova speaks
// Bedrock's API.
const (
	Chat       Dialect = "chat"
	Responses  Dialect = "responses"
	Mistral    Dialect = "mistral"
	Ollama     Dialect = "ollama"
	OpenRouter Dialect = "openrouter"
	Anthropic  Dialect = "anthropic"
	Gemini     Dialect = "gemini"
	Bedrock    Dialect = "bedrock"
	Nova       Dialect = "nova"
)

// Dialects lists all of them.
var Dialects = []Dialect{Chat, Responses, Mistral, Ollama, OpenRouter, Anthropic, Gemini, Bedrock, Nova}

// Refusal is a part of a request that the provider refuses, and where it is.
type Refusal struct {
	Field, Message string
	Status         int // 0 means 400
}

func (r *Refusal) Error() string { return r.Field + ": " + r.Message }

// Check returns a *Refusal for the first thing that the provider would refuse in a request.
func Check(d Dialect, body []byte) (err error) {
	defer func() {
		if refusal, ok := recover().(*Refusal); ok {
			err = refusal
		} else if refusal != nil {
			panic(refusal)
		}
	}()
	var request any
	checkBytes(d, body)
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&request); err != nil {
		return &Refusal{Field: "body", Message: err.Error()}
	}
	root := node{request, "body"}
	switch d {
	case Responses:
		checkResponses(root)
	case Anthropic:
		checkAnthropic(root)
	case Gemini:
		checkGemini(root)
	case Bedrock:
		checkBedrock(root, schemaRules{property: plainProperty})
	case Nova:
		checkBedrock(root, schemaRules{property: plainProperty, bareRoot: true, noRefs: true})
	case Chat, Mistral, Ollama, OpenRouter:
		checkChat(d, root)
	default:
		return fmt.Errorf("llmtest: unknown dialect %q", d)
	}
	return nil
}

// Strict refuses what the provider would refuse, with its status and in its form, and passes
// everything else to answers.
func Strict(d Dialect, answers http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := Check(d, body); err != nil {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Amzn-Errortype", "ValidationException")
			status := http.StatusBadRequest
			if refusal, ok := err.(*Refusal); ok && refusal.Status > 0 {
				status = refusal.Status
			}
			w.WriteHeader(status)
			_, _ = w.Write(refusalBody(d, err))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answers.ServeHTTP(w, r)
	})
}

func refusalBody(d Dialect, err error) []byte {
	text, field := err.Error(), ""
	if refusal, ok := err.(*Refusal); ok {
		field = refusal.Field
	}
	type object map[string]any
	var out any = object{"error": object{"message": text, "type": "invalid_request_error", "param": field, "code": "invalid_value"}}
	switch d {
	case Anthropic:
		out = object{"type": "error", "error": object{"type": "invalid_request_error", "message": text}}
	case Gemini:
		out = object{"error": object{"code": 400, "message": "* " + text, "status": "INVALID_ARGUMENT"}}
	case Bedrock, Nova:
		out = object{"message": text}
	}
	raw, _ := json.Marshal(out)
	return raw
}

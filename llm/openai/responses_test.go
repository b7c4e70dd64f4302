package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
)

// The events of a Responses stream.
func completed(more string) string {
	return `{"type":"response.completed","response":{"object":"response","status":"completed","error":null,"incomplete_details":null` + more + `}}`
}

func incomplete(reason string) string {
	return `{"type":"response.incomplete","response":{"object":"response","status":"incomplete","error":null,"incomplete_details":{"reason":"` + reason + `"}}}`
}

func added(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":{%s}}`, index, item)
}

func itemDone(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":{%s}}`, index, item)
}

func said(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":%d,"content_index":0,"delta":%q}`, index, text)
}

func thought(index, part int, text string) string {
	return fmt.Sprintf(`{"type":"response.reasoning_summary_text.delta","output_index":%d,"summary_index":%d,"delta":%q}`, index, part, text)
}

func arguments(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","output_index":%d,"delta":%q}`, index, text)
}

const (
	aCall   = `"type":"function_call","call_id":"a","name":"f","arguments":""`
	aSecret = `"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"`
)

// refuser answers the requests with the statuses and bodies given, then with a stream, and keeps
// what it was sent.
type refuser struct {
	refusals []string
	sent     []string
}

func (r *refuser) client() *http.Client {
	return llmtest.Recorder(&r.sent, func(string) (int, string) {
		if len(r.refusals) == 0 {
			return 200, llmtest.SSE(said(0, "a"), completed(""))
		}
		refusal := r.refusals[0]
		r.refusals = r.refusals[1:]
		return 400, refusal
	})
}

// What a provider refuses and nobody needs is left out, once for this call or for all that follow.
func TestResponsesAsksForLessWhereAWishIsRefused(t *testing.T) {
	const (
		summary   = `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}`
		encrypted = `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`
		foreign   = `{"error":{"message":"The encrypted content gAAA...DQ== could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}`
	)
	req := &llm.Request{Messages: append(append([]llm.Message(nil), llmtest.Hello.Messages...), llm.Message{Role: llm.RoleAssistant, Content: []llm.Content{
		llm.Reasoning{Opaque: itemsTag + "{" + aSecret + "}"}, llm.Text{Text: "hi"},
	}})}
	for name, tc := range map[string]struct {
		refusal, word string
		lasting       bool
	}{
		"summary": {summary, `"summary":"auto"`, true}, "encrypted": {encrypted, `"include"`, true}, "foreign": {foreign, `"rs_1"`, false},
	} {
		r := &refuser{refusals: []string{tc.refusal}}
		m := openai.New(openai.Config{Model: "gpt-5", Responses: true, HTTPClient: r.client()})
		for range 2 {
			if a := llmtest.Ask(t, t.Context(), m, req); a.Err != nil || a.Text != "a" {
				t.Fatalf("%s: %v", name, a.Err)
			}
		}
		if len(r.sent) != 3 || !strings.Contains(r.sent[0], tc.word) || strings.Contains(r.sent[1], tc.word) || strings.Contains(r.sent[2], tc.word) == tc.lasting {
			t.Errorf("%s: sent %q", name, r.sent)
		}
	}
	r := &refuser{refusals: []string{summary, encrypted, foreign, foreign}}
	a := llmtest.Ask(t, t.Context(), openai.New(openai.Config{Model: "gpt-5", Responses: true, HTTPClient: r.client()}), req)
	if a.Kind() != llm.KindBadRequest || len(r.sent) != 4 {
		t.Errorf("%v after %d requests", a.Err, len(r.sent))
	}
}

// A model may think for minutes, before and after it has begun to speak; silence in the middle of
// words is another thing.
func TestResponsesPatience(t *testing.T) {
	for name, tc := range map[string]struct {
		every  time.Duration
		events []string
		kind   llm.ErrorKind
		after  time.Duration
	}{
		"thinks first":          {4 * time.Minute, []string{added(0, `"type":"reasoning"`), llmtest.SSE(itemDone(0, aSecret), said(1, "a"), completed(""))}, "", 4 * time.Minute},
		"thinks later":          {4 * time.Minute, []string{llmtest.SSE(said(0, "a"), added(1, `"type":"reasoning"`)), llmtest.SSE(itemDone(1, aSecret), completed(""))}, "", 4 * time.Minute},
		"thinks aloud":          {4 * time.Minute, []string{llmtest.SSE(added(0, `"type":"reasoning"`), thought(0, 0, "a")), llmtest.SSE(thought(0, 1, "b"), completed(""))}, "", 4 * time.Minute},
		"thinks too long":       {time.Hour, []string{added(0, `"type":"reasoning"`)}, llm.KindStalled, 5 * time.Minute},
		"stops in a word":       {time.Hour, []string{said(0, "a")}, llm.KindStalled, 30 * time.Second},
		"stops after a thought": {time.Hour, []string{llmtest.SSE(said(0, "a"), added(1, `"type":"reasoning"`), itemDone(1, aSecret))}, llm.KindStalled, 30 * time.Second},
		"stops after that":      {time.Hour, []string{llmtest.SSE(said(0, "a"), added(1, `"type":"reasoning"`), itemDone(1, aSecret), added(2, aCall))}, llm.KindStalled, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var frames []string
				for _, e := range tc.events {
					if !strings.HasPrefix(e, "data:") {
						e = llmtest.SSE(e)
					}
					frames = append(frames, e)
				}
				_, client := llmtest.Serve(t, llmtest.Stall(true, tc.every, frames...))
				m := openai.New(openai.Config{Model: "gpt-5", Responses: true, BaseURL: "http://model/v1", Limits: httpmodel.Limits{FirstContentTimeout: 5 * time.Minute}, HTTPClient: client})
				start := time.Now()
				a := llmtest.Ask(t, t.Context(), m, llmtest.Hello)
				if took := time.Since(start).Truncate(time.Second); a.Kind() != tc.kind || took != tc.after {
					t.Errorf("after %v: %v", time.Since(start), a.Err)
				}
			})
		})
	}
}

// FuzzResponses checks that no bytes, cut in any way, break the rules of a stream, and that what a
// decoder remembers of earlier events never changes what it reads.
func FuzzResponses(f *testing.F) {
	f.Add([]byte(llmtest.SSE(thought(0, 0, "hm"), itemDone(0, aSecret), said(1, "a"), added(2, aCall), arguments(2, "{}"), completed(`,"usage":{"input_tokens":1}`))), uint8(5))
	f.Add([]byte(llmtest.SSE(said(0, "a"), itemDone(1, aSecret), said(2, "b"), incomplete("max_output_tokens"))), uint8(1))
	const thinks = `{"type":"response.reasoning_text.delta","item_id":"a","output_index":0,"sequence_number":%d,"delta":%q,"obfuscation":"%s"}`
	f.Add([]byte(llmtest.SSE(fmt.Sprintf(thinks, 9, "a", "x"), fmt.Sprintf(thinks, 10, "b", ""), fmt.Sprintf(thinks, 11, "c", "yz"), completed(""))), uint8(3))
	f.Add([]byte(llmtest.SSE(`{"type":"error","error":{"message":"x","code":429}}`)), uint8(1))
	f.Add([]byte(llmtest.SSE(arguments(0, "{}"), itemDone(0, strings.Replace(aCall, `"f"`, `"parallel"`, 1)), completed(""))), uint8(9))
	f.Add([]byte(`{"object":"response","status":"completed","output":[{"type":"message","content":[{"text":"a"}]}]}`), uint8(100))
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		at := func(n int) llmtest.Answer {
			m := openai.New(openai.Config{Model: "gpt-5", Responses: true, HTTPClient: llmtest.RespondWith(200, nil, &llmtest.CutReader{Data: body, N: n})})
			return llmtest.Ask(t, t.Context(), m, llmtest.Hello)
		}
		a, whole := at(int(n)+1), at(len(body)+1)
		if a.Text != whole.Text || a.Reasoning != whole.Reasoning || len(a.Calls) != len(whole.Calls) || a.Finish != whole.Finish || a.Kind() != whole.Kind() {
			t.Fatalf("cut: %+v; whole: %+v", a, whole)
		}
		var before [][]byte
		for line := range strings.Lines(string(body)) {
			data := []byte(strings.TrimSpace(strings.TrimPrefix(line, "data: ")))
			if used, fresh := openai.DecodeEventAfter(before, data); used != fresh {
				t.Fatalf("%s\nafter others: %s\n       fresh: %s", data, used, fresh)
			}
			before = append(before, data)
		}
	})
}

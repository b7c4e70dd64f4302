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
	"github.com/pageside/pageside/test/must"
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

func playResponses(t testing.TB, events ...string) llmtest.Answer {
	t.Helper()
	return responsesVendor.Play(t, strings.NewReader(llmtest.SSE(events...)))
}

// shape writes an answer's parts in short.
func shape(a llmtest.Answer) string {
	return a.Shape(func(opaque string) string { return strings.ReplaceAll(strings.TrimPrefix(opaque, itemsTag), `"`, "") })
}

func TestResponsesStream(t *testing.T) {
	secret := "{" + strings.ReplaceAll(aSecret, `"`, "") + "}"
	for name, tc := range map[string]struct {
		events []string
		want   string
		finish llm.Finish
	}{
		"text":                      {[]string{added(0, `"type":"message"`), said(0, "a"), said(0, "b"), itemDone(0, `"type":"message","content":[{"type":"output_text","text":"ab"}]`), completed("")}, "a b", llm.FinishStop},
		"text without deltas":       {[]string{itemDone(0, `"type":"message","content":[{"text":"a"},{"refusal":"no"}]`), completed("")}, "a \n\nno", llm.FinishStop},
		"refusal":                   {[]string{`{"type":"response.refusal.delta","output_index":0,"delta":"I can't."}`, completed("")}, "I can't.", llm.FinishStop},
		"two messages":              {[]string{said(0, "a"), said(1, "b"), completed("")}, "a \n\nb", llm.FinishStop},
		"a summary of two parts":    {[]string{thought(0, 0, "a"), thought(0, 0, "b"), thought(0, 1, "c"), completed("")}, "t0:a t0:b t0:\n\nc", llm.FinishStop},
		"raw reasoning comes back":  {[]string{`{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"}`, itemDone(0, `"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]`), said(1, "a"), completed("")}, "t0:hm s0:{type:reasoning,content:[{type:reasoning_text,text:hm}]} a", llm.FinishStop},
		"a summary without deltas":  {[]string{itemDone(0, `"type":"reasoning","summary":[{"text":"a"},{"text":"b"}]`), completed("")}, "t0:a t0:\n\nb", llm.FinishStop},
		"secret first":              {[]string{added(0, `"type":"reasoning"`), itemDone(0, aSecret), said(1, "a"), completed("")}, "s0:" + secret + " a", llm.FinishStop},
		"secret before a call":      {[]string{said(0, "a"), itemDone(1, aSecret), added(2, aCall), arguments(2, "{}"), completed("")}, "a f1( s1:" + secret + " {} )", llm.FinishTools},
		"two secrets before a call": {[]string{said(0, "a"), itemDone(1, aSecret), itemDone(2, aSecret), added(3, aCall), completed("")}, "a f1( s1:" + secret + "," + secret + " )", llm.FinishTools},
		"secret between calls":      {[]string{added(0, aCall), itemDone(1, aSecret), added(2, strings.Replace(aCall, `"a"`, `"b"`, 1)), completed("")}, "f0( f1( s1:" + secret + " ) )", llm.FinishTools},
		"secret before a message":   {[]string{said(0, "a"), itemDone(1, aSecret), said(2, "b"), completed("")}, "a s1:" + secret + " \n\nb", llm.FinishStop},
		"secret with words":         {[]string{said(0, "a"), thought(1, 0, "hm"), itemDone(1, aSecret), said(2, "b"), completed("")}, "a t1:hm s1:" + secret + " \n\nb", llm.FinishStop},
		"nothing to keep":           {[]string{itemDone(0, `"type":"reasoning","summary":[],"encrypted_content":null`), said(1, "a"), completed("")}, "a", llm.FinishStop},
		"calls interleaved":         {[]string{added(0, aCall), added(1, strings.Replace(aCall, `"a"`, `"b"`, 1)), arguments(0, "{"), arguments(1, "[]"), arguments(0, "}"), completed("")}, "f0( f1( { [] } ) )", llm.FinishTools},
		"arguments at the end":      {[]string{added(0, aCall), `{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{}"}`, itemDone(0, `"type":"function_call","call_id":"a","name":"f","arguments":"{}"`), completed("")}, "f0( {} )", llm.FinishTools},
		"only the end of a call":    {[]string{itemDone(0, `"type":"function_call","call_id":"a","name":"f","arguments":"{}"`), completed("")}, "f0( {} )", llm.FinishTools},
		"arguments before the name": {[]string{arguments(0, "{}"), itemDone(0, `"type":"function_call","call_id":"a","name":"f","arguments":"{}"`), completed("")}, "f0( {} )", llm.FinishTools},
		"a call without a name":     {[]string{itemDone(0, `"type":"function_call","call_id":"a","name":" ","arguments":"{}"`), said(1, "a"), completed("")}, "a", llm.FinishStop},
		"late arguments":            {[]string{added(0, aCall), itemDone(0, aCall), arguments(0, "{}"), completed("")}, "f0( )", llm.FinishTools},
		"cut off by length":         {[]string{said(0, "a"), added(1, aCall), arguments(1, "{"), incomplete("max_output_tokens")}, "a f1( {", llm.FinishLength},
		"cut off by a filter":       {[]string{said(0, "a"), incomplete("content_filter")}, "a", llm.FinishFilter},
		"cut off by who knows what": {[]string{added(0, aCall), incomplete("other")}, "f0(", llm.FinishLength},
		"tools nobody asked for":    {[]string{itemDone(0, `"type":"web_search_call","arguments":{"q":1},"content":7`), completed("")}, "", llm.FinishOther},
		"answer without events":     {[]string{completed(`,"output":[{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"message","content":[{"text":"a"}]},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}]`)}, "t0:hm a f2( {} )", llm.FinishTools},
		"parallel, not ours":        {[]string{itemDone(0, `"type":"function_call","call_id":"a","name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[{\"recipient_name\":\"functions.gone\"}]}"`), completed("")}, `multi_tool_use.parallel0( {"tool_uses":[{"recipient_name":"functions.gone"}]} )`, llm.FinishTools},
		"parallel, not ended":       {[]string{added(0, strings.Replace(aCall, `"f"`, `"parallel"`, 1)), arguments(0, "{}"), completed("")}, `parallel0( {} )`, llm.FinishTools},
	} {
		t.Run(name, func(t *testing.T) {
			a := playResponses(t, append([]string{`{"type":"response.created","response":{}}`, `{"type":"response.unheard_of","delta":{"a":1}}`}, tc.events...)...)
			if a.Err != nil || shape(a) != tc.want || a.Finish != tc.finish {
				t.Errorf("%v: %q finish %q, want %q", a.Err, shape(a), a.Finish, tc.want)
			}
			whole := responsesVendor.Play(t, &llmtest.CutReader{Data: []byte(llmtest.SSE(append(tc.events, "[DONE]")...)), N: 1})
			must.Be(t, shape(whole), tc.want, "byte by byte, with [DONE]")
		})
	}
}

func TestResponsesWholeAnswer(t *testing.T) {
	body := `{"id":"resp_1","object":"response","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}],"usage":{"input_tokens":5,"output_tokens":6}}`
	m := openai.New(openai.Config{Model: "m", Responses: true, HTTPClient: llmtest.RespondWith(200, llmtest.JSONBody, strings.NewReader(body))})
	if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Err != nil || a.Text != "Hi." || llmtest.Count(a.Usage.Output) != 6 {
		t.Errorf("%v %+v", a.Err, a)
	}
}

func TestResponsesFaults(t *testing.T) {
	text := said(0, "a")
	for name, tc := range map[string]struct {
		events []string
		kind   llm.ErrorKind
		text   string
	}{
		"error event":             {[]string{text, `{"type":"error","code":"server_error","message":"boom","param":null}`}, llm.KindOverloaded, "a"},
		"nested error event":      {[]string{`{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"pay"}}`}, llm.KindAuth, ""},
		"rate limit":              {[]string{`{"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"slow"}}`}, llm.KindRateLimited, ""},
		"failed":                  {[]string{text, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"x"}}}`}, llm.KindOverloaded, "a"},
		"failed, context":         {[]string{`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"x"}}}`}, llm.KindContextFull, ""},
		"failed without a reason": {[]string{`{"type":"response.failed","response":{"status":"failed","error":null}}`}, llm.KindOverloaded, ""},
		"failed prompt":           {[]string{`{"type":"response.failed","response":{"status":"failed","error":{"code":"invalid_prompt","message":"x"}}}`}, llm.KindBadRequest, ""},
		"completed, and failed":   {[]string{`{"type":"response.completed","response":{"status":"failed","error":{"code":"rate_limit_exceeded"}}}`}, llm.KindRateLimited, ""},
		"bare error":              {[]string{text, `{"error":{"message":"x","code":429}}`}, llm.KindRateLimited, "a"},
		"no answer in the end":    {[]string{text, `{"type":"response.completed"}`}, llm.KindProtocol, "a"},
		"done at once":            {[]string{"[DONE]"}, llm.KindProtocol, ""},
		"done too early":          {[]string{text, "[DONE]"}, llm.KindNetwork, "a"},
		"cut":                     {[]string{text}, llm.KindNetwork, "a"},
		"another format":          {[]string{delta(`"content":"a"`), finish("stop")}, llm.KindProtocol, ""},
		"not JSON":                {[]string{text, "nope"}, llm.KindProtocol, "a"},
		"an item that is none":    {[]string{`{"type":"response.output_item.done","output_index":0,"item":"x"}`}, llm.KindProtocol, ""},
		"fields of another kind":  {[]string{itemDone(0, `"type":"message","content":7`)}, llm.KindProtocol, ""},
		"an event of no kind":     {[]string{`{}`}, llm.KindProtocol, ""},
		"10,000 items":            {strings.Split(strings.Repeat(added(0, `"type":"x"`)+"\n", 9999)+"x", "\n"), llm.KindOutputLimit, ""},
		"10,000 indexes":          {strings.Split(strings.Repeat(text+"\n", 1)+manyIndexes(9999), "\n"), llm.KindOutputLimit, ""},
		"10,000 calls":            {strings.Split(strings.Repeat(added(0, aCall)+"\n", 9999)+"x", "\n"), llm.KindOutputLimit, ""},
		"after the end":           {[]string{text, completed(""), "nope", `{"type":"error","message":"late"}`}, "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			a := playResponses(t, tc.events...)
			if a.Kind() != tc.kind || !strings.HasPrefix(a.Text, tc.text) {
				t.Fatalf("got %q, %+v; want %q", a.Text, a.Err, tc.kind)
			}
			for _, c := range a.Calls {
				if c.Ended {
					t.Errorf("a call ended before the error: %+v", c)
				}
			}
		})
	}
}

func manyIndexes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"type":"response.function_call_arguments.delta","output_index":` + fmt.Sprint(i) + `,"delta":"x"}` + "\n")
	}
	return b.String()
}

func TestResponsesUsage(t *testing.T) {
	usage := `,"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":80,"cache_write_tokens":3},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":130}`
	u := playResponses(t, said(0, "a"), completed(usage)).Usage
	must.Be(t, llmtest.Counts(u), [6]int64{100, 30, 130, 20, 80, 3}, "the counts")
	if u := playResponses(t, said(0, "a"), completed(`,"usage":{"input_tokens":"many"}`)).Usage; u.Input != nil {
		t.Error("nonsense is counted")
	}
}

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
		"thinks first":     {4 * time.Minute, []string{added(0, `"type":"reasoning"`), llmtest.SSE(itemDone(0, aSecret), said(1, "a"), completed(""))}, "", 4 * time.Minute},
		"thinks later":     {4 * time.Minute, []string{llmtest.SSE(said(0, "a"), added(1, `"type":"reasoning"`)), llmtest.SSE(itemDone(1, aSecret), completed(""))}, "", 4 * time.Minute},
		"thinks aloud":     {4 * time.Minute, []string{llmtest.SSE(added(0, `"type":"reasoning"`), thought(0, 0, "a")), llmtest.SSE(thought(0, 1, "b"), completed(""))}, "", 4 * time.Minute},
		"thinks too long":  {time.Hour, []string{added(0, `"type":"reasoning"`)}, llm.KindStalled, 5 * time.Minute},
		"stops in a word":  {time.Hour, []string{said(0, "a")}, llm.KindStalled, 30 * time.Second},
		"stops after that": {time.Hour, []string{llmtest.SSE(said(0, "a"), added(1, `"type":"reasoning"`), itemDone(1, aSecret), added(2, aCall))}, llm.KindStalled, 30 * time.Second},
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

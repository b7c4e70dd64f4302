package probe_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/llm/probe"
	"github.com/pageside/pageside/test/must"
)

// said is what a provider's model answers: text, or calls of get_weather.
type said struct {
	text   string
	cities []string
	status int // of a refusal; 0 is an answer
}

// able answers what the probe asks.
func able(body string) said {
	switch {
	case strings.Contains(body, "Ask the tool"):
		return said{cities: []string{"Paris"}}
	case strings.Contains(body, "Which colour"):
		return said{text: "Red."}
	}
	return said{text: "pageside"}
}

// dialects write an answer as the providers do.
var dialects = map[llmtest.Dialect]func(said) string{
	llmtest.Chat: chat, llmtest.Mistral: chat, llmtest.Ollama: chat, llmtest.Responses: responses, llmtest.Anthropic: messages,
	llmtest.Gemini: generate, llmtest.Bedrock: converse, llmtest.Nova: converse,
}

func events(docs ...string) string { return "data: " + strings.Join(docs, "\n\ndata: ") + "\n\n" }

func chat(s said) string {
	var docs []string
	finish := "stop"
	if s.text != "" {
		docs = append(docs, fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}]}`, s.text))
	}
	for i, city := range s.cities {
		finish = "tool_calls"
		docs = append(docs, fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"call%05d","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"%s\"}"}}]}}]}`, i, i, city))
	}
	docs = append(docs, fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, finish),
		`{"choices":[],"usage":{"prompt_tokens":5000,"completion_tokens":3}}`, "[DONE]")
	return events(docs...)
}

func responses(s said) string {
	docs := []string{`{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`}
	if s.text != "" {
		docs = append(docs, `{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}}`,
			fmt.Sprintf(`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":%q}`, s.text),
			fmt.Sprintf(`{"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}}`, s.text))
	}
	for i, city := range s.cities {
		item := fmt.Sprintf(`{"id":"f%d","type":"function_call","call_id":"c%d","name":"get_weather","arguments":"{\"city\":\"%s\"}"}`, i, i, city)
		docs = append(docs, fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, i, strings.Replace(item, `{\"city\":\"`+city+`\"}`, "", 1)),
			fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, i, item))
	}
	return events(append(docs, `{"type":"response.completed","response":{"id":"r","status":"completed","output":[],"usage":{"input_tokens":5000,"output_tokens":3}}}`)...)
}

func messages(s said) string {
	docs := []string{`{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`}
	block := func(at int, begin, delta string) {
		docs = append(docs, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, at, begin),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, at, delta), fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, at))
	}
	reason := "end_turn"
	if s.text != "" {
		block(0, `{"type":"text","text":""}`, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s.text))
	}
	for i, city := range s.cities {
		reason = "tool_use"
		block(i, fmt.Sprintf(`{"type":"tool_use","id":"c%d","name":"get_weather","input":{}}`, i), fmt.Sprintf(`{"type":"input_json_delta","partial_json":"{\"city\":\"%s\"}"}`, city))
	}
	return events(append(docs, fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":3}}`, reason), `{"type":"message_stop"}`)...)
}

func generate(s said) string {
	parts := []string{}
	if s.text != "" {
		parts = append(parts, fmt.Sprintf(`{"text":%q}`, s.text))
	}
	for _, city := range s.cities {
		parts = append(parts, fmt.Sprintf(`{"functionCall":{"name":"get_weather","args":{"city":%q}}}`, city))
	}
	return events(fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[%s]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5000,"candidatesTokenCount":3}}`, strings.Join(parts, ",")))
}

func converse(s said) string {
	var out bytes.Buffer
	event := func(kind, payload string) {
		msg := eventstream.Message{Payload: []byte(payload)}
		msg.Headers.Set(":message-type", eventstream.StringValue("event"))
		msg.Headers.Set(":event-type", eventstream.StringValue(kind))
		msg.Headers.Set(":content-type", eventstream.StringValue("application/json"))
		_ = eventstream.NewEncoder().Encode(&out, msg)
	}
	event("messageStart", `{"role":"assistant"}`)
	reason := "end_turn"
	if s.text != "" {
		event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":0,"delta":{"text":%q}}`, s.text))
		event("contentBlockStop", `{"contentBlockIndex":0}`)
	}
	for i, city := range s.cities {
		reason = "tool_use"
		event("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":"c%d","name":"get_weather"}}}`, i, i))
		event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"toolUse":{"input":"{\"city\":\"%s\"}"}}}`, i, city))
		event("contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, i))
	}
	event("messageStop", fmt.Sprintf(`{"stopReason":%q}`, reason))
	event("metadata", `{"usage":{"inputTokens":5,"outputTokens":3,"totalTokens":8},"metrics":{"latencyMs":1}}`)
	return out.String()
}

// serve is a provider that refuses what the real one refuses.
func serve(t *testing.T, d llmtest.Dialect, answer func(body string) said) string {
	t.Helper()
	kind := "text/event-stream"
	if d == llmtest.Bedrock || d == llmtest.Nova {
		kind = "application/vnd.amazon.eventstream"
	}
	ts := httptest.NewServer(llmtest.Strict(d, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		s := answer(string(raw))
		if s.status != 0 {
			refuse(w, s.status)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, dialects[d](s))
	})))
	t.Cleanup(ts.Close)
	return ts.URL
}

// refuse answers with an error, which each provider's adapter reads in its own way.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "7")
	w.Header().Set("X-Amzn-Errortype", map[int]string{400: "ValidationException", 401: "UnrecognizedClientException", 404: "ResourceNotFoundException", 429: "ThrottlingException"}[status])
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"type":"error","message":"we say no","error":{"type":"error","code":%d,"message":"we say no"}}`, status)
}

func models(t *testing.T, answer func(string) said) map[string]llm.Model {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	ofBedrock := func(d llmtest.Dialect, id string) llm.Model {
		return bedrock.New(bedrock.Config{Model: id, Region: "eu-west-1", BaseURL: serve(t, d, answer)})
	}
	ofOpenAI := func(d llmtest.Dialect, cfg openai.Config) llm.Model {
		cfg.BaseURL = serve(t, d, answer) + "/v1"
		return openai.New(cfg)
	}
	return map[string]llm.Model{
		"chat":      ofOpenAI(llmtest.Chat, openai.Config{Model: "gpt-4o"}),
		"responses": ofOpenAI(llmtest.Responses, openai.Config{Model: "gpt-5-mini", Responses: true}),
		"mistral":   ofOpenAI(llmtest.Mistral, openai.Config{Provider: "mistral", Model: "mistral-medium-latest"}),
		"ollama":    ofOpenAI(llmtest.Ollama, openai.Config{Provider: "ollama", Model: "gemma3", Abilities: llm.Profile{Images: new(true), ContextWindow: new(16384)}}),
		"anthropic": anthropic.New(anthropic.Config{BaseURL: serve(t, llmtest.Anthropic, answer), APIKey: "k", Model: "claude-sonnet-4-5"}),
		"gemini":    gemini.New(gemini.Config{BaseURL: serve(t, llmtest.Gemini, answer), APIKey: "k", Model: "gemini-2.5-flash"}),
		"bedrock":   ofBedrock(llmtest.Bedrock, "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
		"nova":      ofBedrock(llmtest.Nova, "us.amazon.nova-pro-v1:0"),
	}
}

// TestRun: a model that can do everything answers every question, in every dialect, by requests
// that no provider refuses.
func TestRun(t *testing.T) {
	for name, m := range models(t, able) {
		n := 0
		for a := range probe.Run(t.Context(), m, time.Minute) {
			n++
			if a.Status != probe.Works || a.Detail == "" {
				t.Errorf("%s: %+v", name, a)
			}
		}
		must.Be(t, n, 3, "%s: answers", name)
	}
}

// TestFails: a model that only talks fails what it is taken to be able to.
func TestFails(t *testing.T) {
	for name, m := range models(t, func(string) said { return said{text: "pageside"} }) {
		var status []string
		for a := range probe.Run(t.Context(), m, time.Minute) {
			status = append(status, string(a.Status))
			if a.Detail == "" {
				t.Errorf("%s: %+v", name, a)
			}
		}
		must.Be(t, strings.Join(status, " "), "works fails fails", "%s", name)
	}
}

// TestSkips: what a model is not known to be able to is not asked.
func TestSkips(t *testing.T) {
	m := openai.New(openai.Config{BaseURL: serve(t, llmtest.Chat, able) + "/v1", Model: "deepseek-chat"})
	for a := range probe.Run(t.Context(), m, time.Minute) {
		if want := map[bool]probe.Status{true: probe.Skipped, false: probe.Works}[a.Question == "image"]; a.Status != want {
			t.Errorf("%+v", a)
		}
	}
}

func ask(t *testing.T, m llm.Model) (all []probe.Answer) {
	for a := range probe.Run(t.Context(), m, time.Minute) {
		all = append(all, a)
	}
	return all
}

// TestRefusals: whatever a provider refuses, in every dialect, the answer says what to do. Where
// all questions would end alike, the first is the last.
func TestRefusals(t *testing.T) {
	unless := func(refused func(body string) bool) func(string) said {
		return func(body string) said {
			if refused(body) {
				return said{status: http.StatusBadRequest}
			}
			return able(body)
		}
	}
	always := func(status int) func(string) said {
		return func(string) said { return said{status: status} }
	}
	for name, tc := range map[string]struct {
		answer   func(string) said
		statuses string
		failed   int // the question whose advice this is
		advice   string
	}{
		"key":    {always(401), "fails", 0, "check the key"},
		"model":  {always(404), "fails", 0, "check the model's name"},
		"rate":   {always(429), "fails", 0, "raise the limit"},
		"all":    {always(400), "fails", 0, "a model for chats"},
		"tools":  {unless(func(body string) bool { return strings.Contains(body, "get_weather") }), "works fails works", 1, "set tools: false"},
		"images": {unless(func(body string) bool { return strings.Contains(body, "iVBORw0KGgo") }), "works works fails", 2, "set images: false"},
	} {
		for dialect, m := range models(t, tc.answer) {
			all := ask(t, m)
			var statuses []string
			for _, a := range all {
				statuses = append(statuses, string(a.Status))
			}
			if got := strings.Join(statuses, " "); got != tc.statuses || !strings.Contains(all[tc.failed].Advice, tc.advice) {
				t.Errorf("%s, %s: %s, %+v", name, dialect, got, all)
			}
		}
	}
}

// TestUnreachable: where nobody listens, and where nobody answers in time.
func TestUnreachable(t *testing.T) {
	nobody := httptest.NewServer(nil)
	nobody.Close()
	all := ask(t, openai.New(openai.Config{BaseURL: nobody.URL, Model: "gpt-4o"}))
	if len(all) != 1 || all[0].Status != probe.Fails || !strings.Contains(all[0].Advice, "server runs") || !strings.Contains(all[0].Detail, "refused") {
		t.Errorf("%+v", all)
	}
	synctest.Test(t, func(t *testing.T) {
		silent := openai.New(openai.Config{Model: "gpt-4o", HTTPClient: &http.Client{Transport: silence}})
		var answers []probe.Answer
		for a := range probe.Run(t.Context(), silent, 10*time.Second) {
			answers = append(answers, a)
		}
		if len(answers) != 1 || answers[0].Detail != "no answer within 10s" || !strings.Contains(answers[0].Advice, "--timeout") {
			t.Errorf("%+v", answers)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		for a := range probe.Run(ctx, silent, time.Minute) {
			t.Errorf("interrupted, it answers %+v", a)
		}
	})
}

// silence is a network on which nothing comes back.
var silence = llmtest.Transport(func(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
})

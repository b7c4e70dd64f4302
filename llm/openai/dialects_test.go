package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// piece is a chunk with pieces of tool calls.
func piece(calls string) string { return delta(`"tool_calls":[` + calls + `]`) }

func TestToolCallDialects(t *testing.T) {
	type want struct{ name, args string }
	for name, tc := range map[string]struct {
		chunks []string
		want   []want
	}{
		"interleaved by index": {[]string{
			piece(`{"index":0,"id":"a","function":{"name":"add","arguments":""}},{"index":1,"id":"b","function":{"name":"sub","arguments":"{"}}`),
			piece(`{"index":0,"function":{"arguments":"{\"x\":1"}}`), piece(`{"index":1,"function":{"arguments":"\"y\":2}"}}`), piece(`{"index":0,"function":{"arguments":"}"}}`),
		}, []want{{"add", `{"x":1}`}, {"sub", `{"y":2}`}}},
		"every index 0": {[]string{ // Ollama
			piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":\"a\"}"}}`), piece(`{"index":0,"id":"b","function":{"name":"f","arguments":"{\"p\":\"b\"}"}}`),
			piece(`{"index":0,"id":"c","function":{"name":"g","arguments":"{}"}}`),
		}, []want{{"f", `{"p":"a"}`}, {"f", `{"p":"b"}`}, {"g", `{}`}}},
		"every index 0, no arguments": {[]string{
			piece(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`), piece(`{"index":0,"id":"b","function":{"name":"g","arguments":""}}`),
		}, []want{{"f", ""}, {"g", ""}}},
		"no index": {[]string{
			piece(`{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{\"x\":"}}`), piece(`{"id":"b","function":{"arguments":"1}"}}`),
		}, []want{{"f", `{}`}, {"f", `{"x":1}`}}},
		"neither index nor id": {[]string{
			piece(`{"function":{"name":"f","arguments":"{\"x\":"}}`), piece(`{"function":{"arguments":"1}"}}`), piece(`{"function":{"name":"f","arguments":"{}"}}`),
		}, []want{{"f", `{"x":1}`}, {"f", `{}`}}},
		"several in one piece, without index": {[]string{
			piece(`{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}},{"id":"c","function":{"name":"g","arguments":"{}"}}`),
		}, []want{{"f", `{}`}, {"f", `{}`}, {"g", `{}`}}},
		"several without index and arguments": {[]string{
			piece(`{"id":"a","function":{"name":"f","arguments":""}},{"id":"b","function":{"name":"f","arguments":""}}`), piece(`{"id":"c","function":{"name":"f"}}`),
		}, []want{{"f", ""}, {"f", ""}, {"f", ""}}},
		"empty ids, without index": {[]string{
			piece(`{"id":"","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"","function":{"name":"f","arguments":"{\"x\":2}"}}`), piece(`{"id":"","function":{"name":"g","arguments":"{"}}`), piece(`{"id":"","function":{"arguments":"}"}}`),
		}, []want{{"f", `{"x":1}`}, {"f", `{"x":2}`}, {"g", `{}`}}},
		"one id for all, without index": {[]string{
			piece(`{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"a","function":{"name":"f","arguments":"{\"x\":2}"}}`), piece(`{"id":"a","function":{"name":"g","arguments":"{}"}}`),
		}, []want{{"f", `{"x":1}`}, {"f", `{"x":2}`}, {"g", `{}`}}},
		"one id for all, by index": {[]string{
			piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":1,"id":"a","function":{"name":"f","arguments":"{"}}`), piece(`{"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"\"x\":2}"}}`),
		}, []want{{"f", `{}`}, {"f", `{"x":2}`}}},
		"ids rotate": {[]string{ // GitHub Copilot
			piece(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`), piece(`{"index":0,"id":"b","function":{"arguments":"{\"x\":"}}`), piece(`{"index":0,"id":"c","function":{"arguments":"1}"}}`),
		}, []want{{"f", `{"x":1}`}}},
		"id and name in every piece": {[]string{
			piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}`), piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}}`),
		}, []want{{"f", `{"x":1}`}}},
		"arguments before the name": {[]string{
			piece(`{"index":0,"id":"a","function":{"arguments":"{\"x\":"}}`), piece(`{"index":0,"function":{"name":"f"}}`), piece(`{"index":0,"function":{"arguments":"1}"}}`),
		}, []want{{"f", `{"x":1}`}}},
		"no arguments at all":    {[]string{piece(`{"index":0,"id":"a","function":{"name":"f"}}`), piece(`{"index":1,"id":"b","function":{"name":"g","arguments":null}}`)}, []want{{"f", ""}, {"g", ""}}},
		"arguments as an object": {[]string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":{"x":[1, 2]}}}`)}, []want{{"f", `{"x":[1, 2]}`}}},
		"blank names are dropped": {[]string{
			piece(`{"index":0,"id":"a","function":{"name":"","arguments":"{}"}}`), piece(`{"index":1,"id":"b","function":{"name":" ","arguments":"{}"}}`), piece(`{"index":2,"id":"c","function":{"name":"f","arguments":"{}"}}`),
		}, []want{{"f", "{}"}}},
		"broken arguments are passed on": {[]string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\": nope"}}`)}, []want{{"f", `{"x": nope`}}},
		"brackets in strings":            {[]string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"}\\\"}"}}`), piece(`{"index":0,"id":"b","function":{"arguments":"{\"}"}}`)}, []want{{"f", `{"x":"}\"}{"}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reason := range []string{"tool_calls", "stop"} {
				a := play(t, llmtest.SSE(append(tc.chunks, finish(reason), "[DONE]")...))
				if a.Err != nil || a.Finish != llm.FinishTools || len(a.Calls) != len(tc.want) {
					t.Fatalf("%v: %+v", a.Err, a)
				}
				ids := map[string]bool{}
				for i, c := range a.Calls {
					if c.Name != tc.want[i].name || c.Args != tc.want[i].args || !c.Ended || ids[c.ID] {
						t.Errorf("call %d: %+v, want %+v", i, c, tc.want[i])
					}
					ids[c.ID] = true
				}
			}
		})
	}
}

func TestToolCallIDsAreUnique(t *testing.T) {
	req := &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "hi"}}},
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "call_0", Name: "f"}}},
		{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "call_0"}}},
	}}
	body := llmtest.SSE(piece(`{"index":0,"id":"call_0","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"x","function":{"name":"f"}},{"index":2,"id":"x","function":{"name":"f"}},{"index":3,"function":{"name":"f"}}`),
		finish("tool_calls"), "[DONE]")
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(strings.NewReader(body))), req)
	seen := map[string]bool{"call_0": true}
	for _, c := range a.Calls {
		if seen[c.ID] {
			t.Errorf("id %q is taken: %+v", c.ID, a.Calls)
		}
		seen[c.ID] = true
	}
	if len(a.Calls) != 4 || a.Calls[1].ID != "x" {
		t.Errorf("got %+v", a.Calls)
	}
}

func TestFinish(t *testing.T) {
	call := piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`)
	for name, tc := range map[string]struct {
		chunks []string
		want   llm.Finish
		ended  bool
	}{
		"length leaves calls open": {[]string{call, finish("length"), "[DONE]"}, llm.FinishLength, false},
		"filter leaves calls open": {[]string{call, finish("content_filter"), "[DONE]"}, llm.FinishFilter, false},
		"done without a reason":    {[]string{call, "[DONE]"}, llm.FinishTools, true},
		"old word":                 {[]string{call, finish("function_call"), "[DONE]"}, llm.FinishTools, true},
		"unknown word":             {[]string{delta(`"content":"a"`), finish("whatever"), "[DONE]"}, llm.FinishOther, false},
		"tools without a call":     {[]string{delta(`"content":"a"`), finish("tool_calls"), "[DONE]"}, llm.FinishOther, false},
		"no [DONE]":                {[]string{delta(`"content":"a"`), finish("stop")}, llm.FinishStop, false},
		"two finishes":             {[]string{delta(`"content":"a"`), finish("stop"), finish("stop"), "[DONE]"}, llm.FinishStop, false},
		"words after the finish":   {[]string{delta(`"content":"a"`), finish("stop"), delta(`"content":"b"`), "[DONE]"}, llm.FinishStop, false},
	} {
		a := play(t, llmtest.SSE(tc.chunks...))
		if a.Err != nil || a.Finish != tc.want {
			t.Errorf("%s: %+v", name, a)
		}
		if len(a.Calls) > 0 && a.Calls[0].Ended != tc.ended {
			t.Errorf("%s: ended is %v", name, a.Calls[0].Ended)
		}
		if len(a.Calls) == 0 && a.Text != "a" {
			t.Errorf("%s: text %q", name, a.Text)
		}
	}
}

func TestTextDialects(t *testing.T) {
	for name, tc := range map[string]struct{ chunk, text, reasoning string }{
		"plain":                {delta(`"content":"a\n\u00e9\ud83d\ude00 \"b\""`), "a\né😀 \"b\"", ""},
		"spaces":               {" { \"choices\" : [ { \"delta\" : { \"content\" : \"a\" } } ] } ", "a", ""},
		"key order":            {`{"choices":[{"finish_reason":null,"delta":{"content":"a","role":"assistant"},"logprobs":{"content":[{"token":"}\"","x":[1,{}]}]},"index":0}],"usage":null,"error":null}`, "a", ""},
		"not UTF-8":            {delta("\"content\":\"a\xff\xc3b\""), "a\ufffdb", ""},
		"lone surrogate":       {delta(`"content":"a\ud83d"`), "a\ufffd", ""},
		"deepseek":             {delta(`"content":null,"reasoning_content":"hm"`), "", "hm"},
		"groq":                 {delta(`"reasoning":"hm"`), "", "hm"},
		"both names":           {delta(`"reasoning":"hm","reasoning_content":"hm"`), "", "hm"},
		"openrouter":           {delta(`"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]`), "", "hm"},
		"openrouter, no text":  {delta(`"reasoning_details":[{"type":"reasoning.summary","summary":"hm"},{"type":"reasoning.encrypted","data":"x"}]`), "", "hm"},
		"mistral parts":        {delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]`), "a", "hm"},
		"refusal":              {delta(`"refusal":"no"`), "no", ""},
		"second choice":        {`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}`, "a", ""},
		"keep-alive chunk":     {`{"choices":[]}`, "", ""},
		"azure's filter chunk": {`{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`, "", ""},
		"escaped key":          {`{"choices":[{"delta":{"con\u0074ent":"a"}}]}`, "", ""},
	} {
		a := play(t, llmtest.SSE(tc.chunk, finish("stop"), "[DONE]"))
		if name == "escaped key" { // encoding/json would read it; either is right, a panic is not
			continue
		}
		if a.Err != nil || a.Text != tc.text || a.Reasoning != tc.reasoning {
			t.Errorf("%s: %v: text %q, reasoning %q", name, a.Err, a.Text, a.Reasoning)
		}
	}
}

// Reasoning that follows words is a block of its own.
func TestThoughtsAfterWords(t *testing.T) {
	a := play(t, llmtest.SSE(delta(`"reasoning":"hm"`), delta(`"content":"a"`), delta(`"reasoning":"so"`), finish("stop"), "[DONE]"))
	must.Be(t, a.Shape(nil), "t0:hm a t2:so", "the parts")
}

// Two chunks that differ after their text, as long as each other, say different things.
func TestChunksAlikeButForTheirEnd(t *testing.T) {
	chunk := func(index string) string { return `{"choices":[{"delta":{"content":"a"},"index":` + index + `}]}` }
	if a := play(t, llmtest.SSE(chunk("0"), chunk("1"), chunk("0"), finish("stop"), "[DONE]")); a.Text != "aa" {
		t.Errorf("got %q", a.Text)
	}
}

func TestReasoningDetailsComeBack(t *testing.T) {
	body := llmtest.SSE(
		delta(`"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"f"}]`),
		delta(`"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"format":null}]`),
		delta(`"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0},{"type":"reasoning.encrypted","data":"x","index":1}]`),
		delta(`"content":"c"`), finish("stop"), "[DONE]")
	m := openai.New(openai.Config{Provider: "openrouter", Model: "m", HTTPClient: llmtest.Streaming(strings.NewReader(body))})
	a := llmtest.Ask(t, t.Context(), m, llmtest.Hello)
	const tag = "openai:details@api.openai.com:"
	want := `[{"format":"f","index":0,"signature":"sig","text":"ab","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]`
	if a.Reasoning != "ab" || a.Opaque[0] != tag+want {
		t.Fatalf("got %v", a.Opaque)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{llm.Reasoning{Text: "ab", Opaque: tag + want}, llm.Text{Text: "c"}}}}}
	must.Have(t, sent(t, openai.Config{Provider: "openrouter", Model: "m"}, req), `"reasoning_details":`+want, "sent")
	if got := sent(t, openai.Config{Model: "m"}, req); strings.Contains(got, "reasoning_details") {
		t.Errorf("sent to another provider: %s", got)
	}
}

func TestSignatureOfACall(t *testing.T) {
	a := play(t, llmtest.SSE(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}`), finish("tool_calls"), "[DONE]"))
	const tag, want = "openai:extra@api.openai.com:", `{"google":{"thought_signature":"s"}}`
	if len(a.Calls) != 1 || a.Opaque[a.Calls[0].Index] != tag+want {
		t.Fatalf("got %+v", a)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "a", Name: "f", Args: "{}", Opaque: tag + want}}}}}
	must.Have(t, sent(t, openai.Config{Model: "m"}, req), `"extra_content":`+want, "sent")
}

func TestUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		usage string
		want  [6]int64
	}{
		"openai":     {`{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":20}}`, [6]int64{100, 30, 130, 20, 80, -1}},
		"xai":        {`{"prompt_tokens":100,"completion_tokens":30,"total_tokens":150,"completion_tokens_details":{"reasoning_tokens":20}}`, [6]int64{100, 50, 150, 20, -1, -1}},
		"openrouter": {`{"prompt_tokens":100,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":7}}`, [6]int64{100, 30, -1, -1, 0, 7}},
		"deepseek":   {`{"prompt_tokens":100,"completion_tokens":30,"prompt_cache_hit_tokens":64}`, [6]int64{100, 30, -1, -1, 64, -1}},
		"beside":     {`{"prompt_tokens":10,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":80}}`, [6]int64{90, 30, -1, -1, 80, -1}},
		"floats":     {`{"prompt_tokens":100.0,"completion_tokens":3e1}`, [6]int64{100, 30, -1, -1, -1, -1}},
		"nonsense":   {`{"prompt_tokens":"many"}`, [6]int64{-1, -1, -1, -1, -1, -1}},
		"negative":   {`{"prompt_tokens":-5,"completion_tokens":1e300}`, [6]int64{-1, -1, -1, -1, -1, -1}},
	} {
		for form, chunks := range map[string][]string{
			"last chunk":    {delta(`"content":"a"`), finish("stop"), `{"choices":[],"usage":` + tc.usage + `}`, "[DONE]"},
			"with finish":   {delta(`"content":"a"`), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":` + tc.usage + `}`, "[DONE]"},
			"every chunk":   {`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":` + tc.usage + `}`},
			"groq's corner": {delta(`"content":"a"`), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":` + tc.usage + `}}`, "[DONE]"},
		} {
			if form == "every chunk" && tc.want[0] < 0 {
				continue
			}
			a := play(t, llmtest.SSE(chunks...))
			if got := llmtest.Counts(a.Usage); a.Err != nil || got != tc.want {
				t.Errorf("%s, %s: %v: %d, want %d", name, form, a.Err, got, tc.want)
			}
		}
	}
}

// A server that ignores "stream" answers in one piece.
func TestWholeAnswer(t *testing.T) {
	body := ` {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi.","reasoning":"hm",
		"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
		"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":6}}`
	for _, kind := range []string{"application/json", "application/json; charset=utf-8", ""} {
		a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(200, http.Header{"Content-Type": {kind}}, strings.NewReader(body))), llmtest.Hello)
		if a.Err != nil || a.Text != "Hi." || a.Reasoning != "hm" || len(a.Calls) != 2 || !a.Calls[1].Ended || a.Finish != llm.FinishTools || llmtest.Count(a.Usage.Output) != 6 {
			t.Errorf("%q: %v %+v", kind, a.Err, a)
		}
	}
	stream := llmtest.SSE(delta(`"content":"a"`), finish("stop"), "[DONE]")
	for _, kind := range []string{"text/plain", "application/json", ""} {
		a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(200, http.Header{"Content-Type": {kind}}, &llmtest.CutReader{Data: []byte(": hi\n\n" + stream), N: 3})), llmtest.Hello)
		if a.Err != nil || a.Text != "a" {
			t.Errorf("a stream called %q: %v %+v", kind, a.Err, a)
		}
	}
}

// A Pause stands exactly where the adapter must read again after it has emitted something.
func TestPause(t *testing.T) {
	vendor.Pauses(t, "a b | c | d .", llmtest.SSE(delta(`"content":"a"`), delta(`"content":"b"`)), ": keep-alive\n\n",
		llmtest.SSE(delta(`"content":"c"`))+"data: {\"cho", `ices":[{"delta":{"content":"d"}}]}`+"\n\n"+llmtest.SSE(finish("stop"), "[DONE]"))
}

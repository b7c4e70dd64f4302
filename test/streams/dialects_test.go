package streams

import (
	"encoding/json"
	"fmt"
	"strings"
)

// quoted is a value in JSON.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// sse writes documents as Server-Sent Events; events with a type have it on a line of its own where
// typed is set.
func sse(docs []string, typed bool) string {
	var b strings.Builder
	for _, d := range docs {
		var e struct{ Type string }
		if typed {
			_ = json.Unmarshal([]byte(d), &e)
			fmt.Fprintf(&b, "event: %s\n", e.Type)
		}
		fmt.Fprintf(&b, "data: %s\n\n", d)
	}
	return b.String()
}

// chat writes Chat Completions: https://platform.openai.com/docs/api-reference/chat-streaming.
// Thoughts are as DeepSeek has them.
func chat(a answer) string {
	var docs []string
	chunk := func(delta, finish string) {
		docs = append(docs, `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1770000000,"model":"gpt-test","choices":[{"index":0,"delta":`+delta+`,"logprobs":null,"finish_reason":`+finish+`}]}`)
	}
	chunk(`{"role":"assistant","content":""}`, "null")
	for _, t := range a.thought {
		chunk(`{"reasoning_content":`+quoted(t)+`}`, "null")
	}
	for _, t := range a.text {
		chunk(`{"content":`+quoted(t)+`}`, "null")
	}
	for i, c := range a.calls {
		chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, i, c.id, c.name), "null")
		for _, p := range c.pieces("{}") {
			chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quoted(p)), "null")
		}
	}
	if a.finish == breaks {
		return sse(append(docs, `{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}`), false)
	}
	chunk("{}", quoted(a.word("stop", "tool_calls", "length", "content_filter")))
	u := a.usage
	docs = append(docs, fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1770000000,"model":"gpt-test","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
		u.in, u.out, u.in+u.out, u.cached, u.thought))
	return sse(docs, false) + "data: [DONE]\n\n"
}

// word is the API's name for how an answer ended.
func (a answer) word(stop, calls, cut, refused string) string {
	switch {
	case a.finish == isCut:
		return cut
	case a.finish == refuses:
		return refused
	case len(a.calls) > 0:
		return calls
	}
	return stop
}

// pieces are the arguments, or the one piece by which an API says that there are none.
func (c call) pieces(none string) []string {
	if c.args == nil {
		return []string{none}
	}
	return c.args
}

func (c call) whole() string { return strings.Join(c.pieces("{}"), "") }

// responses writes Responses: https://platform.openai.com/docs/api-reference/responses-streaming.
func responses(a answer) string {
	var docs, items []string
	event := func(kind, members string) {
		docs = append(docs, fmt.Sprintf(`{"type":%q,"sequence_number":%d,%s}`, "response."+kind, len(docs), members))
	}
	whole := func(status, more string) string {
		return `"response":{"id":"resp_1","object":"response","created_at":1770000000,"model":"gpt-test","status":"` + status + `"` + more + `}`
	}
	item := func(added, done string, between func(at int)) {
		at := len(items)
		event("output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, at, added))
		between(at)
		event("output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, at, done))
		items = append(items, done)
	}
	event("created", whole("in_progress", `,"output":[]`))
	event("in_progress", whole("in_progress", `,"output":[]`))
	if a.thought != nil {
		done := fmt.Sprintf(`{"id":"rs_1","type":"reasoning","encrypted_content":%q,"summary":[{"type":"summary_text","text":%s}]}`, a.signature, quoted(strings.Join(a.thought, "")))
		item(`{"id":"rs_1","type":"reasoning","summary":[]}`, done, func(at int) {
			for _, t := range a.thought {
				event("reasoning_summary_text.delta", fmt.Sprintf(`"item_id":"rs_1","output_index":%d,"summary_index":0,"delta":%s`, at, quoted(t)))
			}
		})
	}
	if a.text != nil {
		done := fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, quoted(strings.Join(a.text, "")))
		item(`{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}`, done, func(at int) {
			for _, t := range a.text {
				event("output_text.delta", fmt.Sprintf(`"item_id":"msg_1","output_index":%d,"content_index":0,"delta":%s`, at, quoted(t)))
			}
		})
	}
	for _, c := range a.calls {
		begin := fmt.Sprintf(`{"id":"fc_%s","type":"function_call","call_id":%q,"name":%q`, c.id, c.id, c.name)
		item(begin+`,"status":"in_progress","arguments":""}`, begin+`,"status":"completed","arguments":`+quoted(c.whole())+`}`, func(at int) {
			for _, p := range c.pieces("{}") {
				event("function_call_arguments.delta", fmt.Sprintf(`"item_id":"fc_%s","output_index":%d,"delta":%s`, c.id, at, quoted(p)))
			}
			event("function_call_arguments.done", fmt.Sprintf(`"item_id":"fc_%s","output_index":%d,"arguments":%s`, c.id, at, quoted(c.whole())))
		})
	}
	u := a.usage
	end := fmt.Sprintf(`,"output":[%s],"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		strings.Join(items, ","), u.in, u.cached, u.out, u.thought, u.in+u.out)
	switch a.finish {
	case breaks:
		event("failed", whole("failed", `,"error":{"code":"server_error","message":"The server had an error while processing your request."},"output":[]`))
	case isCut, refuses:
		event("incomplete", whole("incomplete", `,"incomplete_details":{"reason":"`+a.word("", "", "max_output_tokens", "content_filter")+`"}`+end))
	case stops:
		event("completed", whole("completed", end))
	}
	return sse(docs, true)
}

// anthropic writes Messages: https://docs.anthropic.com/en/docs/build-with-claude/streaming.
func anthropic(a answer) string {
	u := a.usage
	docs := []string{fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":1}}}`, u.in-u.cached, u.cached)}
	blocks := 0
	block := func(start string, deltas ...string) {
		docs = append(docs, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, blocks, start))
		for _, d := range deltas {
			docs = append(docs, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, blocks, d))
		}
		docs = append(docs, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, blocks))
		blocks++
	}
	if a.thought != nil {
		block(`{"type":"thinking","thinking":"","signature":""}`, append(each(`{"type":"thinking_delta","thinking":%s}`, a.thought), `{"type":"signature_delta","signature":`+quoted(a.signature)+`}`)...)
		block(`{"type":"redacted_thinking","data":"bm90aGluZyB0byBzZWU="}`)
	}
	docs = append(docs, `{"type":"ping"}`)
	if a.text != nil {
		block(`{"type":"text","text":""}`, each(`{"type":"text_delta","text":%s}`, a.text)...)
	}
	for _, c := range a.calls {
		block(fmt.Sprintf(`{"type":"tool_use","id":"toolu_%s","name":%q,"input":{}}`, c.id, c.name), each(`{"type":"input_json_delta","partial_json":%s}`, c.pieces(""))...)
	}
	if a.finish == breaks {
		docs = append(docs[:len(docs)-1], `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		return sse(docs, true)
	}
	docs = append(docs, fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`, a.word("end_turn", "tool_use", "max_tokens", "refusal"), u.out), `{"type":"message_stop"}`)
	return sse(docs, true)
}

// each fills in each of the texts.
func each(format string, texts []string) (all []string) {
	for _, t := range texts {
		all = append(all, fmt.Sprintf(format, quoted(t)))
	}
	return all
}

// gemini writes streamGenerateContent: https://ai.google.dev/api/generate-content. Its calls come
// whole, and without an id.
func gemini(a answer) string {
	var parts []string
	parts = append(parts, each(`{"text":%s,"thought":true}`, a.thought)...)
	parts = append(parts, each(`{"text":%s}`, a.text)...)
	sign := a.signature // stands on the first part that is no thought
	for _, c := range a.calls {
		part := fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}`, c.name, c.whole())
		if sign != "" {
			part, sign = part+`,"thoughtSignature":`+quoted(sign), ""
		}
		parts = append(parts, part+"}")
	}
	if sign != "" {
		parts = append(parts, `{"text":"","thoughtSignature":`+quoted(sign)+"}")
	}
	var docs []string
	u := a.usage
	for i, p := range parts {
		finish, out := "", u.out*(i+1)/len(parts)
		if i == len(parts)-1 && a.finish != breaks {
			finish = `"finishReason":"` + a.word("STOP", "STOP", "MAX_TOKENS", "SAFETY") + `",`
		}
		docs = append(docs, fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"},%s"index":0}],"usageMetadata":{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"totalTokenCount":%d},"modelVersion":"gemini-test","responseId":"r1"}`,
			p, finish, u.in, u.cached, out-min(out, u.thought), min(out, u.thought), u.in+out))
	}
	if a.finish == breaks {
		docs = append(docs, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`)
	}
	return sse(docs, false)
}

// bedrock writes the events of ConverseStream, one a line:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html. On the
// wire they are frames.
func bedrock(a answer) string {
	docs := []string{`{"messageStart":{"role":"assistant"}}`}
	blocks := 0
	block := func(start string, deltas ...string) {
		if start != "" {
			docs = append(docs, fmt.Sprintf(`{"contentBlockStart":{"contentBlockIndex":%d,"start":%s}}`, blocks, start))
		}
		for _, d := range deltas {
			docs = append(docs, fmt.Sprintf(`{"contentBlockDelta":{"contentBlockIndex":%d,"delta":%s}}`, blocks, d))
		}
		docs = append(docs, fmt.Sprintf(`{"contentBlockStop":{"contentBlockIndex":%d}}`, blocks))
		blocks++
	}
	if a.thought != nil {
		block("", append(each(`{"reasoningContent":{"text":%s}}`, a.thought), `{"reasoningContent":{"signature":`+quoted(a.signature)+`}}`)...)
	}
	if a.text != nil {
		block("", each(`{"text":%s}`, a.text)...)
	}
	for _, c := range a.calls {
		block(fmt.Sprintf(`{"toolUse":{"toolUseId":"tooluse_%s","name":%q}}`, c.id, c.name), each(`{"toolUse":{"input":%s}}`, c.pieces(""))...)
	}
	if a.finish == breaks {
		docs = append(docs[:len(docs)-1], `{"modelStreamErrorException":{"message":"The model failed to go on."}}`)
		return strings.Join(docs, "\n") + "\n"
	}
	u := a.usage
	docs = append(docs, fmt.Sprintf(`{"messageStop":{"stopReason":%q}}`, a.word("end_turn", "tool_use", "max_tokens", "content_filtered")),
		fmt.Sprintf(`{"metadata":{"metrics":{"latencyMs":321},"usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d,"cacheReadInputTokens":%d,"cacheWriteInputTokens":0}}}`, u.in-u.cached, u.out, u.in+u.out, u.cached))
	return strings.Join(docs, "\n") + "\n"
}

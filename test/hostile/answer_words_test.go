package hostile

import (
	"encoding/json"
	"fmt"
	"strings"
)

func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string
	}
	return string(text)
}

func one(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }

// readCall reads "index id name arguments".
func readCall(rest string) (index, id, name, args string) {
	index, rest, _ = strings.Cut(rest, " ")
	id, rest, _ = strings.Cut(rest, " ")
	name, args, _ = strings.Cut(rest, " ")
	if name == "get" && strings.HasPrefix(args, "weather!") { // a blank in a name
		name, args = "get weather!", strings.TrimPrefix(args, "weather! ")
	}
	if name == `""` {
		name = ""
	}
	return index, id, name, args
}

var chatWords = map[string]func(string) []string{
	"D": func(rest string) []string { return one(`{"choices":[{"index":0,"delta":%s}]}`, rest) },
	"T": func(rest string) []string {
		return one(`{"choices":[{"index":0,"delta":{"content":%s}}]}`, quoted(rest))
	},
	"C": func(rest string) []string {
		index, id, name, args := readCall(rest)
		return one(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%s,"id":%q,"type":"function","function":{"name":%s,"arguments":%s}}]}}]}`, index, id, quoted(name), quoted(args))
	},
	"F": func(rest string) []string {
		return one(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, rest)
	},
}

var responsesWords = map[string]func(string) []string{
	"S": func(string) []string {
		return one(`{"type":"response.created","response":{"id":"resp_1","status":"in_progress","output":[]}}`)
	},
	"T": func(rest string) []string {
		return []string{
			`{"type":"response.output_item.added","output_index":9,"item":{"type":"message","role":"assistant","content":[]}}`,
			fmt.Sprintf(`{"type":"response.output_text.delta","output_index":9,"content_index":0,"delta":%s}`, quoted(rest)),
			fmt.Sprintf(`{"type":"response.output_item.done","output_index":9,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}}`, quoted(rest)),
		}
	},
	"K": func(rest string) []string {
		index, id, name, args := readCall(rest)
		return []string{
			fmt.Sprintf(`{"type":"response.output_item.added","output_index":%s,"item":{"type":"function_call","call_id":%q,"name":%s,"arguments":""}}`, index, id, quoted(name)),
			fmt.Sprintf(`{"type":"response.output_item.done","output_index":%s,"item":{"type":"function_call","call_id":%q,"name":%s,"arguments":%s}}`, index, id, quoted(name), quoted(args)),
		}
	},
	"F": func(string) []string {
		return one(`{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1}}}`)
	},
}

var anthropicWords = map[string]func(string) []string{
	"S": func(string) []string {
		return one(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`)
	},
	"T": func(rest string) []string {
		return []string{
			`{"type":"content_block_start","index":7,"content_block":{"type":"text","text":""}}`,
			fmt.Sprintf(`{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":%s}}`, quoted(rest)), `{"type":"content_block_stop","index":7}`,
		}
	},
	"K": func(rest string) []string {
		index, id, name, args := readCall(rest)
		return []string{
			fmt.Sprintf(`{"type":"content_block_start","index":%s,"content_block":{"type":"tool_use","id":%q,"name":%s,"input":{}}}`, index, id, quoted(name)),
			fmt.Sprintf(`{"type":"content_block_delta","index":%s,"delta":{"type":"input_json_delta","partial_json":%s}}`, index, quoted(args)),
			fmt.Sprintf(`{"type":"content_block_stop","index":%s}`, index),
		}
	},
	"F": func(rest string) []string {
		return []string{fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":5}}`, rest), `{"type":"message_stop"}`}
	},
}

var geminiWords = map[string]func(string) []string{
	"T": func(rest string) []string {
		return one(`{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":%s}]}}]}`, quoted(rest))
	},
	"P": func(rest string) []string {
		return one(`{"candidates":[{"index":0,"content":{"role":"model","parts":[%s]}}]}`, rest)
	},
	"F": func(rest string) []string {
		return one(`{"candidates":[{"index":0,"content":{"role":"model","parts":[]},"finishReason":%q}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}`, rest)
	},
}

var bedrockWords = map[string]func(string) []string{
	"S": func(string) []string { return one(`{"messageStart":{"role":"assistant"}}`) },
	"T": func(rest string) []string {
		return []string{fmt.Sprintf(`{"contentBlockDelta":{"contentBlockIndex":7,"delta":{"text":%s}}}`, quoted(rest)), `{"contentBlockStop":{"contentBlockIndex":7}}`}
	},
	"K": func(rest string) []string {
		index, id, name, args := readCall(rest)
		return []string{
			fmt.Sprintf(`{"contentBlockStart":{"contentBlockIndex":%s,"start":{"toolUse":{"toolUseId":%q,"name":%s}}}}`, index, id, quoted(name)),
			fmt.Sprintf(`{"contentBlockDelta":{"contentBlockIndex":%s,"delta":{"toolUse":{"input":%s}}}}`, index, quoted(args)),
			fmt.Sprintf(`{"contentBlockStop":{"contentBlockIndex":%s}}`, index),
		}
	},
	"F": func(rest string) []string {
		return []string{fmt.Sprintf(`{"messageStop":{"stopReason":%q}}`, rest), `{"metadata":{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}}`}
	},
}

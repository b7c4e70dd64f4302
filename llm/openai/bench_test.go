package openai_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

const usual = `{"id":"chatcmpl-mock0123456789abcdef","object":"chat.completion.chunk","created":1790000000,"model":"mock","service_tier":"default","system_fingerprint":"fp_mock","choices":[{"index":0,"delta":{"content":"~some token text here"},"logprobs":null,"finish_reason":null}]}`

func BenchmarkToken(b *testing.B) {
	for name, line := range map[string]string{
		"text": usual,
		"args": strings.Replace(usual, `"content":"~some token text here"`, `"tool_calls":[{"index":0,"function":{"arguments":"{\"some\""}}]`, 1),
		"slow": strings.Replace(usual, `"delta":{`, `"delta":{"refusal":"",`, 1),
	} {
		b.Run(name, func(b *testing.B) {
			vendor.BenchToken(b, llmtest.SSE(piece(`{"index":0,"id":"a","function":{"name":"f"}}`)), llmtest.SSE(line))
		})
	}
}

// BenchmarkResponsesToken is the same for an event of the Responses API.
func BenchmarkResponsesToken(b *testing.B) {
	event := `{"type":"response.output_text.delta","content_index":0,"delta":"~some token text here","item_id":"msg_0b86a26c238e40a9016a3c1240e7f0819ebc9c2535efaaf360","logprobs":[],"obfuscation":"rxNz76ysYfF6hH","output_index":0,"sequence_number":5}`
	responsesVendor.BenchToken(b, "", "event: response.output_text.delta\n"+llmtest.SSE(event))
}

// BenchmarkReframe is what the bare minimum costs: find the line, find the content, append it to
// another frame.
func BenchmarkReframe(b *testing.B) {
	b.ReportAllocs()
	line := []byte("data: " + usual + "\n\n")
	var out []byte
	for b.Loop() {
		end := bytes.IndexByte(line, '\n')
		data := line[6:end]
		_, rest, _ := bytes.Cut(data, []byte(`"delta":{"content":`))
		content, _, _ := bytes.Cut(rest[1:], []byte(`"`))
		out = append(append(append(out[:0], `data: {"delta":"`...), content...), "\"}\n\n"...)
	}
}

func BenchmarkRequest(b *testing.B) { vendor.BenchRequest(b) }

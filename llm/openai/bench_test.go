package openai_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
)

const usual = `{"id":"chatcmpl-mock0123456789abcdef","object":"chat.completion.chunk","created":1790000000,"model":"mock","service_tier":"default","system_fingerprint":"fp_mock","choices":[{"index":0,"delta":{"content":"~some token text here"},"logprobs":null,"finish_reason":null}]}`

// BenchmarkToken is the cost of one token from the response's bytes to the part; the parts arrive
// 16 to a read.
func BenchmarkToken(b *testing.B) {
	for name, line := range map[string]string{
		"text": usual,
		"args": strings.Replace(usual, `"content":"~some token text here"`, `"tool_calls":[{"index":0,"function":{"arguments":"{\"some\""}}]`, 1),
		"slow": strings.Replace(usual, `"delta":{`, `"delta":{"refusal":"",`, 1),
	} {
		b.Run(name, func(b *testing.B) {
			frame := "data: " + line + "\n\n"
			start := "data: " + piece(`{"index":0,"id":"a","function":{"name":"f"}}`) + "\n\n"
			body := io.MultiReader(strings.NewReader(start), io.LimitReader(&bounded{endless{text: frame}, 16 * len(frame)}, int64(b.N*len(frame))), strings.NewReader(sse(finish("stop"), "[DONE]")))
			m := openai.New(openai.Config{Model: "m", HTTPClient: respond(body), MaxStep: 1 << 40, MaxBody: 1 << 50})
			b.ReportAllocs()
			b.ResetTimer()
			n := 0
			for part, err := range m.Stream(b.Context(), hello) {
				if err != nil {
					b.Fatal(err)
				}
				if part.Delta != "" {
					n++
				}
			}
			if n != b.N {
				b.Fatalf("%d deltas, want %d", n, b.N)
			}
		})
	}
}

// BenchmarkResponsesToken is the same for an event of the Responses API.
func BenchmarkResponsesToken(b *testing.B) {
	frame := "event: response.output_text.delta\ndata: " + `{"type":"response.output_text.delta","content_index":0,"delta":"~some token text here","item_id":"msg_0b86a26c238e40a9016a3c1240e7f0819ebc9c2535efaaf360","logprobs":[],"obfuscation":"rxNz76ysYfF6hH","output_index":0,"sequence_number":5}` + "\n\n"
	body := io.MultiReader(io.LimitReader(&bounded{endless{text: frame}, 16 * len(frame)}, int64(b.N*len(frame))), strings.NewReader(sse(completed(""))))
	m := openai.New(openai.Config{Model: "m", Responses: true, HTTPClient: respond(body), MaxStep: 1 << 40, MaxBody: 1 << 50})
	b.ReportAllocs()
	b.ResetTimer()
	n := 0
	for part, err := range m.Stream(b.Context(), hello) {
		if err != nil {
			b.Fatal(err)
		}
		if part.Delta != "" {
			n++
		}
	}
	if n != b.N {
		b.Fatalf("%d deltas, want %d", n, b.N)
	}
}

// bounded gives at most n bytes a read, as a network does.
type bounded struct {
	endless
	n int
}

func (r *bounded) Read(p []byte) (int, error) { return r.endless.Read(p[:min(len(p), r.n)]) }

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

// BenchmarkRequest is a history of 200 messages of 2 KB that are JSON strings already.
func BenchmarkRequest(b *testing.B) {
	req := &llm.Request{}
	text := []byte(`"` + strings.Repeat(`a line of text\n`, 128) + `"`)
	for i := range 200 {
		role := []string{llm.RoleUser, llm.RoleAssistant}[i%2]
		req.Messages = append(req.Messages, llm.Message{Role: role, Content: []llm.Content{llm.Text{Quoted: text}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		m := model(respond(strings.NewReader(sse(finish("stop"), "[DONE]"))))
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

package gemini_test

import (
	"io"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
)

// BenchmarkToken is the cost of one token from the response's bytes to the part; the parts arrive
// 16 to a read.
func BenchmarkToken(b *testing.B) {
	frame := sse(chunk(text("~some token text here")))
	body := io.MultiReader(strings.NewReader(""), io.LimitReader(&bounded{endless{text: frame}, 16 * len(frame)}, int64(b.N*len(frame))), strings.NewReader(sse(finish("STOP"))))
	m := gemini.New(gemini.Config{Model: "m", HTTPClient: respond(body), MaxStep: 1 << 40, MaxBody: 1 << 50})
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

// BenchmarkRequest is a history of 200 messages of 2 KB that are JSON strings already.
func BenchmarkRequest(b *testing.B) {
	req := &llm.Request{}
	quoted := []byte(`"` + strings.Repeat(`a line of text\n`, 128) + `"`)
	for i := range 200 {
		role := []string{llm.RoleUser, llm.RoleAssistant}[i%2]
		req.Messages = append(req.Messages, llm.Message{Role: role, Content: []llm.Content{llm.Text{Quoted: quoted}}})
	}
	answer := "" + sse(chunk(text("~some token text here"))) + sse(finish("STOP"))
	b.ReportAllocs()
	for b.Loop() {
		m := model(respond(strings.NewReader(answer)))
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

// TestBodyOutlivesCall tells that a transport may read a request after its answer, as net/http's
// contract allows, while other calls are under way: no memory is given on before it is closed.
func TestBodyOutlivesCall(t *testing.T) {
	var kept []io.ReadCloser
	keeps := llmtest.Transport(func(r *http.Request) (*http.Response, error) {
		again, err := r.GetBody() // as for a second try
		if err != nil {
			t.Error(err)
		}
		kept = append(kept, r.Body, again)
		return llmtest.Respond(200, llmtest.EventStream, strings.NewReader(vendor.Said+vendor.Over))(r)
	})
	model := vendor.Model(&http.Client{Transport: keeps})
	questions := []string{"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"}
	for _, q := range questions {
		llmtest.Ask(t, t.Context(), model, &llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: q})}})
	}
	for i, body := range kept {
		b, err := io.ReadAll(body)
		if q := questions[i/2]; err != nil || !strings.Contains(string(b), q) {
			t.Errorf("body %d is %.200q, %v; want it to ask %q", i, b, err, q)
		}
		body.Close()
		body.Close() // a second one counts for nothing
		if n, err := body.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("body %d, closed, gives %d bytes and %v", i, n, err)
		}
	}
}

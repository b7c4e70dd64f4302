package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// OllamaServer mocks an Ollama whose loaded model has a window of so many tokens. It is Strict, and
// says what the window is. The real one cuts a longer request from the beginning, silently: this
// one answers as the real one does if nothing that is left is a question.
func OllamaServer(window int, answers http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"models":[{"name":"llama3.2:latest","context_length":%d}]}`, window)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) })
	mux.Handle("POST /v1/chat/completions", Strict(Ollama, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || tokens(body) > window {
			http.Error(w, `{"error":{"message":"no user query found in messages","type":"api_error"}}`, http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answers.ServeHTTP(w, r)
	})))
	return mux
}

// tokens estimates the tokens of a request: a token is about four bytes of text.
func tokens(body []byte) (n int) {
	var request struct {
		Messages []struct{ Content string }
		Tools    json.RawMessage
	}
	_ = json.Unmarshal(body, &request) // Strict has read it
	for _, m := range request.Messages {
		n += len(m.Content) / 4
	}
	return n + len(request.Tools)/4
}

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func newTestSite(t *testing.T) string {
	t.Helper()
	s, err := newSite(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.handler)
	t.Cleanup(func() {
		srv.Close()
		s.close()
	})
	return srv.URL
}

func body(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", resp.Request.URL, resp.StatusCode, b)
	}
	return string(b)
}

func TestThePageShowsTheOrdersThatTheFormAsksFor(t *testing.T) {
	url := newTestSite(t)
	resp, err := http.Get(url + "/?status=late&customer=")
	html := body(t, resp, err)
	for _, want := range []string{`data-pageside-page="orders"`, `data-pageside-tool="filter_orders"`, `src="/pageside.js" data-roots="html"`, "<td>1050</td>", "3 orders"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(html, "<td>1044</td>") {
		t.Error("an open order is among the late ones")
	}
}

func TestTheAssistantAnswersFromTheTableOnScreen(t *testing.T) {
	url := newTestSite(t)
	rows := `[{"Order":"1042","Customer":"Abel Marin","Total":1280},{"Order":"1050","Customer":"Hanoi Trading","Total":2340}]`
	input, err := json.Marshal(map[string]any{
		"protocolVersion": "1.0", "threadId": "t1", "runId": "r1", "tools": []any{}, "state": map[string]any{},
		"messages":       []any{map[string]any{"id": "u1", "role": "user", "content": "Which order is the largest?"}},
		"context":        []any{map[string]any{"description": "Orders on screen", "value": rows}},
		"forwardedProps": map[string]any{"pageside": map[string]any{"page": "orders"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+"/v1/agents/default/run", "application/json", strings.NewReader(string(input)))
	stream := body(t, resp, err)
	var answer strings.Builder
	for line := range strings.Lines(stream) {
		var event struct{ Type, Delta string }
		data, ok := strings.CutPrefix(line, "data: ")
		if ok && json.Unmarshal([]byte(data), &event) == nil && event.Type == "TEXT_MESSAGE_CONTENT" {
			answer.WriteString(event.Delta)
		}
	}
	if want := "Order 1050 of Hanoi Trading, with 2,340 €."; answer.String() != want {
		t.Errorf("the answer is %q, want %q; the stream:\n%s", answer.String(), want, stream)
	}
}

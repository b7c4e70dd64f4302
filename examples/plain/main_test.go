package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestThePageAndItsScriptAreServedBesideTheAssistant(t *testing.T) {
	handler, closeAll, err := newSite(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
	t.Cleanup(func() {
		srv.Close()
		closeAll()
	})
	for path, want := range map[string]string{"/": `src="/chat.js"`, "/chat.js": `from "/pageside-core.js"`, "/style.css": "#log"} {
		resp, err := http.Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(got), want) {
			t.Errorf("%s: %d, %v; want %q in it, got\n%s", path, resp.StatusCode, err, want, got)
		}
	}
	input := `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Is the light burning?"}],` +
		`"tools":[],"context":[{"description":"The light","value":"off"}],"state":{},"forwardedProps":{}}`
	resp, err := http.Post(srv.URL+"/v1/agents/default/run", "application/json", strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stream, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(stream), "off.") || !strings.Contains(string(stream), "RUN_FINISHED") {
		t.Errorf("%v; the stream is\n%s", err, stream)
	}
}

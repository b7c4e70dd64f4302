package hostile

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// asksOverA2A sends the order as the message of an agent elsewhere.
func asksOverA2A(s *scene) {
	s.t.Helper()
	s.rpc("/v1/a2a/default", "", "SendMessage", `{"message":{"messageId":"m","contextId":"t1","role":"ROLE_USER","parts":[{"text":"`+order+`"}]}}`)
}

// asksOverMCP sends the order as the question of an MCP client's model.
func asksOverMCP(s *scene) {
	s.t.Helper()
	session := s.rpc("/mcp", "", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`).Get("Mcp-Session-Id")
	defer func() {
		r := httptest.NewRequest(http.MethodDelete, "/mcp", nil)
		r.Header.Set("X-User", "acme/ann")
		r.Header.Set("Mcp-Session-Id", session)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}()
	s.rpc("/mcp", session, "tools/call", `{"name":"ask_default","arguments":{"question":"`+order+`","threadId":"t1"}}`)
}

// rpc makes a JSON-RPC request, and returns the headers of the answer.
func (s *scene) rpc(path, session, method, params string) http.Header {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
	for name, value := range map[string]string{
		"X-User": "acme/ann", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "A2A-Version": "1.0", "Mcp-Session-Id": session,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"result"`) {
		s.t.Fatalf("%s: %d %s", method, w.Code, w.Body)
	}
	return w.Header()
}

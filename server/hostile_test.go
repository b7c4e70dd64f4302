package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// TestBadInput: whatever is wrong with a request, the answer is a 4xx that names the field, and the
// server goes on.
func TestBadInput(t *testing.T) {
	s := newSite(t, nil)
	valid := input("t1", "r1", "hello")
	with := func(old, new string) string { return strings.Replace(valid, old, new, 1) }
	tests := []struct {
		name, body string
		status     int
		field      string
	}{
		{"nothing", ``, 400, ""},
		{"no JSON", `hello`, 400, ""},
		{"half an object", `{"threadId":"t"`, 400, ""},
		{"an array", `[]`, 400, ""},
		{"something behind the object", valid + `{}`, 400, ""},
		{"an empty threadId", with(`"t1"`, `""`), 400, "threadId"},
		{"a threadId of another type", with(`"t1"`, `7`), 400, "threadId"},
		{"threadId null", with(`"t1"`, `null`), 400, "threadId"},
		{"a long threadId", with(`"t1"`, `"`+strings.Repeat("t", 300)+`"`), 400, "threadId"},
		{"a line break in runId", with(`"r1"`, `"r\n1"`), 400, "runId"},
		{"THREADID", with(`"threadId"`, `"THREADID"`), 400, "THREADID"},
		{"a key twice", with(`"threadId":"t1"`, `"threadId":"t1","threadId":"t2"`), 400, "threadId"},
		{"__proto__", with(`"state":{}`, `"state":{"__proto__":{"x":1}}`), 400, "state.__proto__"},
		{"invalid UTF-8", with(`hello`, "\xff\xfe"), 400, "messages[0].content"},
		{"half a surrogate pair", with(`hello`, `\ud800`), 400, "messages[0].content"},
		{"messages of another type", with(`"messages":[`, `"messages":{},"x":[`), 400, "messages"},
		{"a message without a role", with(`"role":"user",`, ``), 400, "messages[0].role"},
		{"a role nobody knows", with(`"role":"user"`, `"role":"boss"`), 400, "messages[0].role"},
		{"content that is a number", with(`"hello"`, `1`), 400, "messages[0].content"},
		{"a message without an id", with(`"id":"u-r1"`, `"id":""`), 400, "messages[0].id"},
		{"a context item without a value", with(`"context":[]`, `"context":[{"description":"x"}]`), 400, "context[0].value"},
		{"a tool without a name", with(`"tools":[]`, `"tools":[{"description":"x"}]`), 400, "tools[0].name"},
		{"a tool with a bad name", with(`"tools":[]`, `"tools":[{"name":"a b","description":"x"}]`), 422, "tools[0].name"},
		{"a tool whose schema refers to itself", with(`"tools":[]`, `"tools":[{"name":"x","description":"x","parameters":{"$ref":"#"}}]`), 422, "tools[0].parameters"},
		{"a tool whose schema reads a file", with(`"tools":[]`, `"tools":[{"name":"x","description":"x","parameters":{"$ref":"file:///etc/passwd"}}]`), 422, "tools[0].parameters"},
		{"a place of another type", with(`"forwardedProps":{}`, `"forwardedProps":{"pageside":{"page":7}}`), 422, "forwardedProps.pageside"},
		{"depth 10,000", with(`"state":{}`, `"state":`+strings.Repeat(`[`, 10_000)+strings.Repeat(`]`, 10_000)), 400, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := s.post(tt.body)
			p := readProblem(t, resp)
			if resp.StatusCode != tt.status {
				t.Errorf("status %d (%s), want %d", resp.StatusCode, p.Error.Message, tt.status)
			}
			if p.Error.Details.Field == nil || tt.field != "" && *p.Error.Details.Field != tt.field {
				t.Errorf("the error %q does not name the field %q", p.Error.Message, tt.field)
			}
		})
	}
	must.Have(t, s.read(s.post(input("t1", "r2", "hello")), http.StatusOK), "RUN_FINISHED", "after that")
	if strings.Contains(s.logs.String(), "level=ERROR") {
		t.Errorf("a client's mistake is logged as an error of the server: %s", s.logs)
	}
}

// endless is a body without an end that counts what was taken of it.
type endless struct{ taken atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.taken.Add(int64(len(p)))
	return len(p), nil
}

func TestLargeBodies(t *testing.T) {
	s := newSite(t, nil)
	const gigabyte = 1 << 30
	for name, length := range map[string]int64{"announced": gigabyte, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			body := &endless{}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/agents/default/run", io.LimitReader(body, gigabyte))
			must.Do(t, err)
			req.ContentLength = length
			req.Header.Set("Content-Type", "application/json")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			resp, err := http.DefaultClient.Do(req)
			runtime.ReadMemStats(&after)
			if err == nil {
				defer resp.Body.Close()
				if p := readProblem(t, resp); resp.StatusCode != http.StatusRequestEntityTooLarge || p.Error.Details.Field == nil {
					t.Errorf("%d %+v", resp.StatusCode, p)
				}
			} // else the server had answered and closed before the client was done writing
			if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > 32<<20 {
				t.Errorf("%d bytes were allocated for it", grown)
			}
			if taken := body.taken.Load(); taken > 16<<20 {
				t.Errorf("%d bytes were read of it", taken)
			}
		})
	}
}

func TestContentType(t *testing.T) {
	s := newSite(t, nil)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		resp, err := http.Post(s.URL+"/v1/agents/default/run", kind, strings.NewReader(input("t1", "r1", "hello")))
		must.Do(t, err)
		if p := readProblem(t, resp); resp.StatusCode != http.StatusUnsupportedMediaType || *p.Error.Details.Field != "Content-Type" {
			t.Errorf("%q: %d %+v", kind, resp.StatusCode, p)
		}
		resp.Body.Close()
	}
}

func TestForeignOriginsAndHosts(t *testing.T) {
	s := newSite(t, nil)
	tests := []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"a page of another site", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"what browsers say of it", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"a name that points here", func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"such a name with a port", func(r *http.Request) { r.Host = "127.0.0.1.evil.example:8420" }, http.StatusForbidden},
		{"a page without an origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
		{"another port of this host", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, http.StatusForbidden},
		{"a browser that says only its origin", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }, http.StatusOK},
		{"LOCALHOST", func(r *http.Request) { r.Host = "LOCALHOST" }, http.StatusOK},
		{"localhost", func(r *http.Request) { r.Host = "localhost:8420" }, http.StatusOK},
		{"IPv6", func(r *http.Request) { r.Host = "[::1]:8420" }, http.StatusOK},
		{"the same origin", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, http.StatusOK},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/agents/default/run",
				strings.NewReader(input("t1", string(rune('a'+i)), "hello"))))(t)
			req.Header.Set("Content-Type", "application/json")
			tt.change(req)
			resp := must.Get(http.DefaultClient.Do(req))(t)
			defer resp.Body.Close()
			must.Be(t, resp.StatusCode, tt.status, "status")
		})
	}
}

func TestMethods(t *testing.T) {
	s := newSite(t, nil)
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v1/agents/default/run", 405}, {"DELETE", "/v1/threads", 405}, {"PUT", "/v1/runs/x/cancel", 405}, {"GET", "/v1/none", 404}, {"POST", "/v1/agents/nobody/run", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, strings.NewReader(input("t1", "r1", "hello")))
		must.Do(t, err)
		req.Header.Set("Content-Type", "application/json")
		resp := must.Get(http.DefaultClient.Do(req))(t)
		if readProblem(t, resp); resp.StatusCode != tt.status {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.path, resp.StatusCode, tt.status)
		}
		resp.Body.Close()
	}
}

func TestAuthentication(t *testing.T) {
	s := newSite(t, func(c *server.Config) {
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			if name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
				return auth.Principal{Subject: name}, nil
			}
			return auth.Principal{}, context.Canceled
		}
	})
	if resp := s.get("/v1/threads"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without credentials: %d", resp.StatusCode)
	}
	as := func(name, method, path string, body io.Reader) *http.Response {
		req := must.Get(http.NewRequestWithContext(t.Context(), method, s.URL+path, body))(t)
		req.Header.Set("Authorization", "Bearer "+name)
		req.Header.Set("Content-Type", "application/json")
		resp := must.Get(http.DefaultClient.Do(req))(t)
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	s.read(as("ada", "POST", "/v1/agents/default/run", strings.NewReader(input("t1", "r1", "hello"))), http.StatusOK)
	s.read(as("ada", "GET", "/v1/threads/t1", nil), http.StatusOK)
	for _, path := range []string{"/v1/threads/t1", "/v1/threads/t1/messages"} {
		mine, none := s.read(as("eve", "GET", path, nil), http.StatusNotFound), s.read(as("eve", "GET", strings.Replace(path, "t1", "t9", 1), nil), http.StatusNotFound)
		if mine != none {
			t.Errorf("a foreign thread answers %s, one that does not exist %s", mine, none)
		}
	}
	s.read(as("eve", "POST", "/v1/runs/r1/cancel", nil), http.StatusNotFound)
	if body := s.read(as("eve", "GET", "/v1/threads", nil), http.StatusOK); strings.Contains(body, "t1") {
		t.Errorf("eve sees %s", body)
	}
}

// TestRawConnections: what does not even speak HTTP does no harm.
func TestRawConnections(t *testing.T) {
	s := newSite(t, nil)
	for _, text := range []string{
		"\x00\x01\x02", "POST /v1/agents/default/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"POST /v1/agents/default/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		conn := must.Get(net.Dial("tcp", s.Listener.Addr().String()))(t)
		must.Do(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		must.Get(io.Copy(conn, bytes.NewReader([]byte(text))))(t)
		must.Do(t, conn.(*net.TCPConn).CloseWrite())
		answer := must.Get(io.ReadAll(conn))(t)
		if !bytes.HasPrefix(answer, []byte("HTTP/1.1 400")) {
			t.Errorf("%q is answered with %q", text, answer)
		}
		conn.Close()
	}
	s.read(s.post(input("t1", "r1", "hello")), http.StatusOK)
}

func TestContentEncoding(t *testing.T) {
	s := newSite(t, nil)
	for coding, status := range map[string]int{"gzip": http.StatusUnsupportedMediaType, "identity": http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/agents/default/run", strings.NewReader(input("t1", "r1", "hello")))
		must.Do(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Content-Encoding", coding)
		resp := must.Get(http.DefaultClient.Do(req))(t)
		s.read(resp, status)
		resp.Body.Close()
	}
}

// TestMountedRoutesAreGuarded: what a program adds stands behind the same checks.
func TestMountedRoutesAreGuarded(t *testing.T) {
	s := newSite(t, func(c *server.Config) {
		c.Mount = map[string]http.Handler{"/demo/": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	})
	for _, tt := range []struct {
		method, origin, host string
		status               int
	}{
		{"GET", "", "127.0.0.1", 200}, {"POST", "", "127.0.0.1", 200}, {"POST", "null", "127.0.0.1", 403},
		{"POST", "https://evil.example", "127.0.0.1", 403}, {"GET", "", "evil.example", 403},
	} {
		req := must.Get(http.NewRequestWithContext(t.Context(), tt.method, s.URL+"/demo/x", nil))(t)
		req.Host = tt.host
		if tt.origin != "" {
			req.Header.Set("Origin", tt.origin)
		}
		resp := must.Get(http.DefaultClient.Do(req))(t)
		if resp.Body.Close(); resp.StatusCode != tt.status {
			t.Errorf("%+v: %d", tt, resp.StatusCode)
		}
	}
}

// TestUnreadBytesAreBounded: the kernel keeps little for a client that does not read.
func TestUnreadBytesAreBounded(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	wrote := make(chan int, 1)
	srv := &http.Server{ConnContext: server.ConnContext, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n, piece := 0, make([]byte, 64<<10)
		for rc := http.NewResponseController(w); rc.SetWriteDeadline(time.Now().Add(200*time.Millisecond)) == nil; n += len(piece) {
			if _, err := w.Write(piece); err != nil || rc.Flush() != nil || n > 16<<20 {
				break
			}
		}
		wrote <- n
	})}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	conn := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer conn.Close()
	must.Do(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	must.Get(io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))(t)
	if n := <-wrote; n > 1<<20 {
		t.Errorf("%d bytes were taken for a client that reads none", n)
	}
}

// TestNothingIsSniffed: a browser takes every answer for what it says it is, refusals too.
func TestNothingIsSniffed(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/v1/agents", "/v1/nothing", "/healthz", "/nothing"} {
		resp := must.Get(http.Get(s.URL + path))(t)
		must.Do(t, resp.Body.Close())
		must.Be(t, resp.Header.Get("X-Content-Type-Options"), "nosniff", "%s: X-Content-Type-Options", path)
	}
}

// TestRepeatedHistory: a client that sends the whole thread each time is answered however long that
// is, but may bring no more at a time than before.
func TestRepeatedHistory(t *testing.T) {
	// a 64th of the defaults
	s := newSite(t, func(c *server.Config) { c.MaxBody, c.MaxRequest = 64<<10, 512<<10 })
	long := strings.Repeat("x", 48<<10)
	var said []string
	ask := func(n int, text string) *http.Response {
		said = append(said, fmt.Sprintf(`{"id":"u%d","role":"user","content":%q}`, n, text))
		return s.post(fmt.Sprintf(`{"threadId":"t","runId":"r%d","messages":[%s],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, n, strings.Join(said, ",")))
	}
	for n := range 5 { // the last one repeats 192 KiB
		if got := s.read(ask(n, long), http.StatusOK); !strings.Contains(got, "RUN_FINISHED") {
			t.Fatalf("question %d is answered with %.300q", n, got)
		}
	}
	resp := ask(5, long+long[:32<<10])
	p := readProblem(t, resp)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || p.Error.Code != "too_large" || *p.Error.Details.Field != "messages[5]" ||
		!strings.Contains(p.Error.Message, "messages[5]: has 81922 bytes; a request may bring 65536 in all") {
		t.Errorf("a new message of 80 KiB: %d %+v", resp.StatusCode, p)
	}
	said = said[:5]
	s.read(ask(6, "hello"), http.StatusOK)
	if p = readProblem(t, ask(7, strings.Repeat(long, 8))); *p.Error.Details.Field != "" || !strings.Contains(p.Error.Message, "larger than 524288 bytes") {
		t.Errorf("more than is read of any body: %+v", p)
	}
}

package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

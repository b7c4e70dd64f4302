package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/test/must"
)

const proto = agui.ProtoMediaType

// binaryOf puts Server-Sent Events in the binary framing.
func binaryOf(t *testing.T, stream string) string {
	t.Helper()
	var out []byte
	for id, event := range eventlog.Frames([]byte(stream)) {
		out = must.Get(agui.AppendProto(out, id, event))(t)
	}
	return string(out)
}

// TestBinaryFraming: a client that asks for it gets each route's events in the binary framing, with
// their ids, and goes on after any of them.
func TestBinaryFraming(t *testing.T) {
	s := newSite(t, nil)
	binary := func(method, path, body string, headers ...string) string {
		t.Helper()
		resp := s.send(method, path, body, append(headers, "Accept", proto)...)
		if got := resp.Header["Content-Type"]; len(got) != 1 || got[0] != proto {
			t.Fatalf("%s: the content type is %q", path, got)
		}
		return s.read(resp, http.StatusOK)
	}
	body := input("t1", "r1", "hello")
	got := binary(http.MethodPost, "/v1/agents/default/run", body)
	const path = "/v1/runs/r1/events?protocolVersion=1.0"
	stream := s.read(s.get(path), http.StatusOK)
	if want := binaryOf(t, stream); got != want || !strings.Contains(got, "r1:1.1") {
		t.Fatalf("the run is %q, want %q", got, want)
	}
	for rest := stream; rest != ""; {
		var after string
		for id := range eventlog.Frames([]byte(rest)) {
			after = id
			break
		}
		_, rest, _ = strings.Cut(rest, "\n\n")
		must.Be(t, binary(http.MethodGet, path, "", "Last-Event-ID", after), binaryOf(t, rest), "after %s", after)
	}
	thread := binary(http.MethodGet, "/v1/threads/t1/events?protocolVersion=1.0", "")
	if !strings.Contains(thread, "hello") || !agui.ProtoEnds([]byte(thread)) {
		t.Errorf("the thread is %q", thread)
	}
}

// TestBinaryFramingIsAskedFor: by its exact name, by a client of AG-UI 1.0.
func TestBinaryFramingIsAskedFor(t *testing.T) {
	s := newSite(t, nil)
	s.read(s.post(input("t1", "r1", "hello")), http.StatusOK)
	for accept, want := range map[string]string{
		proto:                                    proto,
		strings.ToUpper(proto):                   proto,
		proto + ", text/event-stream":            proto,
		"text/event-stream;q=0.5, " + proto:      proto,
		"text/event-stream, " + proto + ";q=0.9": "text/event-stream",
		proto + ";q=0":                           "text/event-stream",
		proto + ";q=x":                           "text/event-stream",
		proto + ";version=1":                     "text/event-stream",
		"*/*":                                    "text/event-stream",
		"application/*":                          "text/event-stream",
		"":                                       "text/event-stream",
		"application/x-protobuf,":                "text/event-stream",
	} {
		resp := s.send(http.MethodGet, "/v1/runs/r1/events?protocolVersion=1.0", "", "Accept", accept)
		must.Be(t, resp.Header.Get("Content-Type"), want, "Accept: %s gets", accept)
		resp = s.send(http.MethodGet, "/v1/runs/r1/events", "", "Accept", accept)
		if accept != proto && accept != strings.ToUpper(proto) {
			want = "text/event-stream" // has all events
		}
		must.Be(t, resp.Header.Get("Content-Type"), want, "Accept: %s of a 0.x client gets", accept)
	}
	s.do("", http.MethodGet, "/v1/agents/default/capabilities", "", http.StatusOK, `"httpBinary":true`)
}

// TestBinaryErrorsAreJSON: what is refused before the first byte.
func TestBinaryErrorsAreJSON(t *testing.T) {
	s := newSite(t, nil)
	for _, resp := range []*http.Response{
		s.send(http.MethodGet, "/v1/runs/none/events?protocolVersion=1.0", "", "Accept", proto),
		s.send(http.MethodPost, "/v1/agents/nobody/run", input("t1", "r1", "hello"), "Accept", proto),
	} {
		must.Be(t, resp.StatusCode, http.StatusNotFound, "%s", resp.Request.URL.Path)
		readProblem(t, resp)
	}
}

// TestBinaryKeepAlive: a silent run has events that change nothing; outside a run, where no event
// is legal, nothing is sent.
func TestBinaryKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		get := func(method, path, body string) *http.Response {
			client := s.dial()
			s.request(client, method, path, body, "Accept", proto)
			return s.respond(client)
		}
		resp := get(http.MethodPost, "/v1/agents/default/run", input("t1", "r1", "silence"))
		body := must.Get(io.ReadAll(resp.Body))(t)
		beat, err := agui.AppendProto(nil, "", []byte(`{"type":"CUSTOM","name":"pageside_keep-alive","value":null}`))
		must.Do(t, err)
		if n := strings.Count(string(body), string(beat)); n < 2 || n > 4 {
			t.Errorf("50 s of silence have %d keep-alives", n)
		}
		if !agui.ProtoEnds(body) || strings.Contains(string(body), ": keep-alive") {
			t.Errorf("the run is %q", body)
		}
		idle := get(http.MethodGet, "/v1/threads/t1/events?stay=1&protocolVersion=1.0", "")
		all := answer(idle.Body) // until the server stops
		time.Sleep(time.Minute)
		s.runs.Drain(t.Context())
		if got := <-all; !strings.Contains(got, "at last") || strings.Contains(got, string(beat)) || !agui.ProtoEnds([]byte(got)) || strings.Contains(got, "retry:") {
			t.Errorf("the idle thread's stream is %q", got)
		}
	})
}

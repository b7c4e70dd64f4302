package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/egress/egresstest"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/policy"
	aguihttp "github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/remote"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool/httptool/signed"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const token = "t0ken-of-the-agent"

var local = remote.Egress{Private: []string{"127.0.0.0/8"}}

// elsewhere is a server with an agent that plays one function, and what it was sent.
type elsewhere struct {
	*httptest.Server
	play http.HandlerFunc

	mu     sync.Mutex
	bodies []string
}

func newElsewhere(t *testing.T, play http.HandlerFunc) *elsewhere {
	t.Helper()
	e := &elsewhere{play: play}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.bodies = append(e.bodies, string(body))
		play := e.play
		e.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		play(w, r)
	}))
	t.Cleanup(func() { e.CloseClientConnections(); e.Close() })
	return e
}

// last returns the input that the agent was sent last.
func (e *elsewhere) last(t *testing.T) *agui.RunAgentInput {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.bodies) == 0 {
		t.Fatal("the agent was not asked")
	}
	return must.Get(agui.UnmarshalRunAgentInput([]byte(e.bodies[len(e.bodies)-1])))(t)
}

// stream answers with events, one a line: JSON, or text that is sent as it is if it begins with !.
func stream(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, line := range lines {
			if raw, ok := strings.CutPrefix(line, "!"); ok {
				_, _ = io.WriteString(w, raw)
			} else {
				fmt.Fprintf(w, "data: %s\n\n", line)
			}
		}
	}
}

const (
	started  = `{"type":"RUN_STARTED","threadId":"x","runId":"y"}`
	finished = `{"type":"RUN_FINISHED","threadId":"x","runId":"y"}`
)

func says(id, text string) []string {
	return []string{
		fmt.Sprintf(`{"type":"TEXT_MESSAGE_START","messageId":%q,"role":"assistant"}`, id),
		fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":%q,"delta":%q}`, id, text),
		fmt.Sprintf(`{"type":"TEXT_MESSAGE_END","messageId":%q}`, id),
	}
}

func whole(lines ...string) []string {
	return slices.Concat([]string{started}, lines, []string{finished})
}

// site is a server with remote agents, over HTTP and on SQLite.
type site struct {
	*httptest.Server
	t    *testing.T
	logs logged.Text
}

func newSite(t *testing.T, agents ...run.Agent) *site {
	t.Helper()
	s := &site{t: t}
	log := s.logs.Logger()
	st, err := sqlstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "test.db"), sqlstore.WithLogger(log))
	must.Do(t, err)
	runs := must.Get(run.NewManager(t.Context(), run.Config{Store: st, Agents: agents, Logger: log}))(t)
	h, err := server.New(server.Config{Runs: runs, Protocols: []server.Protocol{aguihttp.Protocol{}}, Logger: log})
	must.Do(t, err)
	s.Server = httptest.NewServer(h)
	t.Cleanup(func() {
		s.Server.Close()
		h.Close()
		runs.Drain(t.Context())
		must.Do(t, st.Close())
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// agentAt returns the agent "far" at a server.
func agentAt(t *testing.T, url string, adjust func(*remote.Config)) run.Agent {
	t.Helper()
	c := remote.Config{ID: "far", URL: url, Egress: local, Headers: map[string]string{"Authorization": "Bearer " + token}}
	if adjust != nil {
		adjust(&c)
	}
	return must.Get(remote.New(c))(t)
}

// open is an agent whose calls of the page's tools nobody is asked about.
func open(a run.Agent) run.Agent { return run.Host(&agent.Agent{Authorizer: policy.Everything}, a) }

// The page's tools: paint declares no effect, wipe changes something.
const paint, wipe = `{"name":"paint","description":"Paints.","parameters":{"type":"object","properties":{"colour":{"type":"string"}}}}`,
	`{"name":"wipe","description":"Wipes.","parameters":{"type":"object","properties":{"colour":{"type":"string"}}},"metadata":{"pageside":{"effect":"write"}}}`

// ask posts a run and returns its events. more are members of the input.
func (s *site) ask(id, runID, messages, more string) []agui.Event {
	s.t.Helper()
	body := fmt.Sprintf(`{"protocolVersion":"1.0","threadId":"t1","runId":%q,"messages":[%s],"tools":[%s,%s],"context":[{"description":"the chart","value":"bars"}],"state":{"n":1},"forwardedProps":{"mine":1}%s}`,
		runID, messages, paint, wipe, more)
	resp := must.Get(http.Post(s.URL+"/v1/agents/"+id+"/run", "application/json", strings.NewReader(body)))(s.t)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("%d: %s", resp.StatusCode, said)
	}
	return s.read(resp.Body)
}

func (s *site) read(body io.Reader) (all []agui.Event) {
	s.t.Helper()
	order := agui.NewVerifier()
	for frames := sse.NewReader(body, sse.MaxFrame); ; {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must.Do(s.t, err)
		e := must.Get(agui.UnmarshalEvent(frame.Data))(s.t)
		must.Do(s.t, order.Check(e))
		all = append(all, e)
	}
}

func user(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, text)
}

func typesOf(all []agui.Event) string {
	var out []string
	for _, e := range all {
		out = append(out, string(e.Type()))
	}
	return strings.Join(out, " ")
}

func errorOf(all []agui.Event) (code, message string) {
	if e, ok := all[len(all)-1].(*agui.RunError); ok {
		return e.Code, e.Message
	}
	return "", ""
}

// textOf returns what the assistant says, and in brackets what it thinks.
func textOf(all []agui.Event) string {
	var b strings.Builder
	for _, e := range all {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			b.WriteString(e.Delta)
		case *agui.ReasoningMessageContent:
			b.WriteString("[" + e.Delta + "]")
		}
	}
	return b.String()
}

// TestRemoteAgent: the agent gets the run as AG-UI has it, and the page what the agent says.
func TestRemoteAgent(t *testing.T) {
	var header http.Header
	far := newElsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		stream(whole(slices.Concat(
			[]string{`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/n","value":2}]}`, `{"type":"STEP_STARTED","stepName":"plan"}`},
			[]string{`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"look_up"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}`, `{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
				`{"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c1","content":"found"}`, `{"type":"STEP_FINISHED","stepName":"plan"}`},
			says("a1", "Hello."))...)...)(w, r)
	})
	s := newSite(t, open(agentAt(t, far.URL, nil)))
	all := s.ask("far", "r1", user("u1", "go"), "")
	if got := textOf(all); got != "Hello." || errorCode(all) != "" {
		t.Fatalf("%q, %s", got, typesOf(all))
	}
	in := far.last(t)
	if in.ThreadID != "t1" || in.RunID != "r1" || in.ProtocolVersion != "1.0" || len(in.Messages) != 1 || len(in.Tools) != 2 || len(in.Context) != 1 ||
		string(in.State) != `{"n":1}` || string(in.ForwardedProps) != `{"mine":1}` {
		t.Errorf("the agent gets %+v", in)
	}
	if header.Get("Authorization") != "Bearer "+token || header.Get("Accept") != "text/event-stream" {
		t.Errorf("headers %v", header)
	}
	s.ask("far", "r2", user("u2", "again"), "")
	if in := far.last(t); len(in.Messages) != 5 || in.ParentRunID != "r1" || string(in.State) != `{"n":1}` {
		t.Errorf("the second run is %+v", in)
	}
	resp := must.Get(http.Get(s.URL + "/v1/agents/far/capabilities"))(t)
	defer resp.Body.Close()
	said, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(said), `"name":"far"`) || strings.Contains(string(said), "noModel") {
		t.Errorf("capabilities %s", said)
	}
}

func errorCode(all []agui.Event) string { code, _ := errorOf(all); return code }

// TestRemoteAgentsOfVersion0: what agents of AG-UI 0.x are known to send is read.
func TestRemoteAgentsOfVersion0(t *testing.T) {
	far := newElsewhere(t, nil)
	s := newSite(t, open(agentAt(t, far.URL, func(c *remote.Config) { c.Protocol = remote.AGUI0 })))
	for i, tt := range []struct {
		name, want string
		lines      []string
	}{
		{"chunks", "Hello.", whole(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"Hel"}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":"lo."}`)},
		{"thinking", "[hm]Yes.", whole(append([]string{`{"type":"THINKING_START","title":"x"}`, `{"type":"THINKING_TEXT_MESSAGE_START"}`, `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}`,
			`{"type":"THINKING_TEXT_MESSAGE_END"}`, `{"type":"THINKING_END"}`}, says("b", "Yes.")...)...)},
		{"nulls and fractions", "Yes.", whole(append([]string{`{"type":"CUSTOM","name":"x","timestamp":1.5,"rawEvent":null}`, `{"type":"RAW","event":null,"source":null}`}, says("c", "Yes.")...)...)},
		{"kinds that nobody knows", "Yes.", whole(append([]string{`{"type":"META_EVENT","payload":1}`}, says("d", "Yes.")...)...)},
		{"no start, and an end without ids", "Yes.", append(says("e", "Yes."), `{"type":"RUN_FINISHED","result":null,"outcome":null}`)},
		{"a byte order mark, comments and CRLF", "Yes.", []string{"!\xef\xbb\xbf: hello\r\n\r\ndata: " + strings.Join(whole(says("f", "Yes.")...), "\r\n\r\ndata: ") + "\r\n\r\n"}},
		{"a snapshot at the end", "Yes.", whole(append(says("g", "Yes."), `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"z","role":"user","content":"other words"},{"id":"g","role":"assistant","content":"Yes."}]}`)...)},
		{"a snapshot alone", "No.", whole(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"z","role":"user","content":"other words"},{"id":"h","role":"assistant","content":"No."}]}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			far.play = stream(tt.lines...)
			all := s.ask("far", fmt.Sprintf("r%d", i), user(fmt.Sprintf("u%d", i), "go"), "")
			if got := textOf(all); got != tt.want || errorCode(all) != "" {
				code, message := errorOf(all)
				t.Errorf("%q, %s %s: %s", got, typesOf(all), code, message)
			}
		})
	}
	if body := far.bodies[len(far.bodies)-1]; strings.Contains(body, "protocolVersion") || strings.Contains(body, "parentRunId") || strings.Contains(body, "metadata") {
		t.Errorf("it is sent %s", body)
	}
}

// TestHostileRemotes: whatever comes back, the run ends once and says why, the stream stays legal,
// no secret is told, and the thread goes on.
func TestHostileRemotes(t *testing.T) {
	status := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Location", "http://169.254.169.254/latest")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body+r.Header.Get("Authorization"))
		}
	}
	forever := func(chunk string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}
	}
	drip := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 100 { // two seconds: who takes it for a sign of life sees the stream end
			_, _ = io.WriteString(w, "d")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	silent := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	unending := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, "no: ")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	names := egresstest.NewResolver(t, func(name string, _ uint16) ([]netip.Addr, bool) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, name == "inside.test"
	})
	reset := func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + started + "\n\n")
		_ = buffered.Flush()
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	far := newElsewhere(t, nil)
	s := newSite(t,
		agentAt(t, far.URL, nil),
		agentAt(t, far.URL, func(c *remote.Config) { c.ID, c.Silence = "impatient", 300*time.Millisecond }),
		agentAt(t, far.URL, func(c *remote.Config) { c.ID, c.MaxBytes = "narrow", 100<<10 }),
		agentAt(t, "http://nowhere.test/", func(c *remote.Config) { c.ID, c.Egress = "nowhere", remote.Egress{Resolver: names} }),
		agentAt(t, strings.Replace(far.URL, "127.0.0.1", "inside.test", 1), func(c *remote.Config) { c.ID, c.Egress = "inside", remote.Egress{Resolver: names} }),
	)
	for i, tt := range []struct {
		name, agent, code, message string
		play                       http.HandlerFunc
	}{
		{"an endless stream", "narrow", "agent_too_much", "said more than", forever("data: {\"type\":\"STEP_STARTED\",\"stepName\":\"s\"}\n\n")},
		{"an endless line", "far", "agent_too_much", "an event of more than", forever("data: xxxxxxxxxxxxxxxx")},
		{"an event of ten megabytes", "far", "agent_too_much", "an event of more than", stream(started, `{"type":"CUSTOM","name":"x","value":"`+long(10<<20)+`"}`, finished)},
		{"a slow drip", "impatient", "agent_stalled", "said nothing for", drip},
		{"silence", "impatient", "agent_stalled", "said nothing for", silent},
		{"HTML", "far", "agent_protocol", "text/html", status(200, "text/html", "<h1>Hi</h1>")},
		{"JSON", "far", "agent_protocol", "application/json", status(200, "application/json", "{}")},
		{"401", "far", "agent_refused", "credentials (401)", status(401, "text/plain", "no: ")},
		{"403", "far", "agent_refused", "credentials (403)", status(403, "text/plain", "no: ")},
		{"404", "far", "agent_not_found", "404", status(404, "text/plain", "no: ")},
		{"422", "far", "agent_rejected", "422", status(422, "application/json", "no: ")},
		{"429", "far", "agent_busy", "429", status(429, "text/plain", "no: ")},
		{"500", "far", "agent_unavailable", "500", status(500, "text/plain", "no: ")},
		{"500 that does not end", "impatient", "agent_unavailable", "500", unending},
		{"a redirect", "far", "agent_protocol", "redirect (307)", status(307, "text/plain", "")},
		{"an empty answer", "far", "agent_broke_off", "broke off", stream()},
		{"no end", "far", "agent_broke_off", "broke off", stream(slices.Concat([]string{started}, says("x", "hi"))...)},
		{"a connection that is reset", "far", "agent_broke_off", "broke off", reset},
		{"half an event", "far", "agent_broke_off", "broke off", stream(started, "!data: {\"type\":")},
		{"half a character", "far", "agent_protocol", "not valid JSON", stream(started, "{\"type\":\"CUSTOM\",\"name\":\"\xc3\"}")},
		{"no JSON", "far", "agent_protocol", "not valid JSON", stream("hello")},
		{"a list", "far", "agent_protocol", "not an object", stream("[]")},
		{"no type", "far", "agent_protocol", "no type", stream("{}")},
		{"an event without its id", "far", "agent_protocol", "TEXT_MESSAGE_CONTENT", stream(started, `{"type":"TEXT_MESSAGE_CONTENT","delta":"x"}`)},
		{"wrong order", "far", "agent_event", "out of order", stream(whole(`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x"}`)...)},
		{"an error", "far", "agent_error", "it broke: ***", stream(started, `{"type":"RUN_ERROR","message":"it broke: `+token+`","code":"E1"}`)},
		{"an error, then more", "far", "agent_error", "one", stream(append([]string{started, `{"type":"RUN_ERROR","message":"one"}`}, whole(says("x", "more")...)...)...)},
		{"it cancels itself", "far", "agent_cancelled", "stopped the run", stream(started, `{"type":"RUN_FINISHED","threadId":"x","runId":"y","outcome":{"type":"cancelled"}}`)},
		{"a state that is too large", "far", "agent_event", "too large", stream(whole(`{"type":"STATE_SNAPSHOT","snapshot":"` + long(80<<10) + `"}`)...)},
		{"an address within", "inside", "agent_not_allowed", "configuration", nil},
		{"an address that there is not", "nowhere", "agent_unreachable", "could not be reached", nil},
		{"steps that are never closed", "far", "agent_event", "has more than 256 messages, calls and steps open", stream(whole(manySteps(300)...)...)},
		{"steps without number", "far", "agent_event", "sent more than 10000 events", stream(whole(shortSteps(6000)...)...)},
		{"two ends", "far", "", "", stream(append(whole(says("x1", "hi")...), finished, `{"type":"RUN_ERROR","message":"late"}`)...)},
		{"ids used twice", "far", "", "", stream(whole(slices.Concat(says("x1", "hi"), says("u0", "hi"), says("x1", "!"))...)...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			far.mu.Lock()
			far.play = tt.play
			far.mu.Unlock()
			all := s.ask(tt.agent, fmt.Sprintf("r%d", i), user(fmt.Sprintf("u%d", i), "go"), "")
			code, message := errorOf(all)
			if code != tt.code || !strings.Contains(message, tt.message) || tt.code != "" && !strings.Contains(message, `"`+tt.agent+`"`) {
				t.Errorf("%s: %s (%s)", code, message, typesOf(all))
			}
			if strings.Contains(message, token) || strings.Contains(message, "latest") {
				t.Errorf("it tells %s", message)
			}
		})
	}
	if strings.Contains(s.logs.String(), token) {
		t.Errorf("the log holds the secret: %s", s.logs.String())
	}
	far.mu.Lock()
	far.play = stream(whole(says("last", "Still here.")...)...)
	far.mu.Unlock()
	if all := s.ask("far", "end", user("uend", "and now?"), ""); textOf(all) != "Still here." {
		t.Errorf("afterwards %s", typesOf(all))
	}
}

func manySteps(n int) (events []string) {
	for i := range n {
		events = append(events, fmt.Sprintf(`{"type":"STEP_STARTED","stepName":"s%d"}`, i))
	}
	return events
}

func shortSteps(n int) (events []string) {
	for range n {
		events = append(events, `{"type":"STEP_STARTED","stepName":"s"}`, `{"type":"STEP_FINISHED","stepName":"s"}`)
	}
	return events
}

// TestRemoteInterrupts: what the agent asks goes to the page in its own form, and the answer back.
func TestRemoteInterrupts(t *testing.T) {
	far := newElsewhere(t, stream(started, `{"type":"RUN_FINISHED","threadId":"x","runId":"y","outcome":{"type":"interrupt","interrupts":[{"id":"i1","reason":"langgraph:node","message":"Which?","metadata":{"node":"pick"},"responseSchema":{"type":"object","required":["pick"]}}]}}`))
	s := newSite(t, agentAt(t, far.URL, nil))
	all := s.ask("far", "r1", user("u1", "go"), "")
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if !ok || end.Outcome == nil || len(end.Outcome.Interrupts) != 1 || end.Outcome.Interrupts[0].Reason != "langgraph:node" || string(end.Outcome.Interrupts[0].Metadata) != `{"node":"pick","pageside":{"agent":"far"}}` {
		t.Fatalf("it ends with %+v", all[len(all)-1])
	}
	far.play = stream(whole(says("a1", "Picked.")...)...)
	all = s.ask("far", "r2", "", `,"resume":[{"interruptId":"i1","status":"resolved","payload":{"pick":2}}]`)
	if in := far.last(t); len(in.Resume) != 1 || in.Resume[0].InterruptID != "i1" || string(in.Resume[0].Payload) != `{"pick":2}` || textOf(all) != "Picked." {
		t.Errorf("the agent gets %+v, the page %s", in.Resume, typesOf(all))
	}
}

// TestRemoteCancel: cancelling the run ends the request.
func TestRemoteCancel(t *testing.T) {
	gone, begun := make(chan struct{}), make(chan struct{})
	far := newElsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		stream(append([]string{started}, says("x", "hi")[:2]...)...)(w, r)
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-r.Context().Done()
		close(gone)
	})
	s := newSite(t, agentAt(t, far.URL, nil))
	go func() {
		<-begun
		resp, err := http.Post(s.URL+"/v1/runs/r1/cancel", "application/json", nil)
		if err == nil {
			resp.Body.Close()
		}
	}()
	all := s.ask("far", "r1", user("u1", "go"), "")
	if end, ok := all[len(all)-1].(*agui.RunFinished); !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
		t.Errorf("it ends with %s", typesOf(all))
	}
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("the agent was not told")
	}
	resp := must.Get(http.Get(s.URL + "/v1/runs/r1/events"))(t)
	defer resp.Body.Close()
	if again := s.read(resp.Body); typesOf(again) != typesOf(all) {
		t.Errorf("read again it is %s", typesOf(again))
	}
}

// TestRemoteSigned: the agent can tell for whom the server asks.
func TestRemoteSigned(t *testing.T) {
	const secret = "0123456789abcdef0123"
	var caller signed.Caller
	var failed error
	far := newElsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		caller, failed = signed.NewVerifier(secret).Request(r)
		stream(whole()...)(w, r)
	})
	s := newSite(t, agentAt(t, far.URL, func(c *remote.Config) { c.Sign = &remote.Sign{Secret: secret} }))
	body := `,"forwardedProps":{"pageside":{"page":"orders","scope":{"order":"7"}}}`
	in := strings.Replace(fmt.Sprintf(`{"threadId":"t1","runId":"r1","messages":[%s],"tools":[],"context":[],"state":{}%s}`, user("u1", "go"), body), "\n", "", -1)
	resp := must.Get(http.Post(s.URL+"/v1/agents/far/run", "application/json", strings.NewReader(in)))(t)
	defer resp.Body.Close()
	s.read(resp.Body)
	if failed != nil || caller.Principal.Subject != "local" || caller.Place.Page != "orders" || caller.Scope["order"] != "7" {
		t.Errorf("the agent is told %+v, %v", caller, failed)
	}
}

// TestConfigErrors: a wrong field is named, and no address is called.
func TestConfigErrors(t *testing.T) {
	for field, adjust := range map[string]func(*remote.Config){
		"id":       func(c *remote.Config) { c.ID = "" },
		"url":      func(c *remote.Config) { c.URL = "ftp://x.test/" },
		"headers":  func(c *remote.Config) { c.Headers = map[string]string{"Host": "x"} },
		"sign":     func(c *remote.Config) { c.Sign = &remote.Sign{Secret: "short"} },
		"protocol": func(c *remote.Config) { c.Protocol = "2.0" },
		"silence":  func(c *remote.Config) { c.Silence = -1 },
	} {
		c := remote.Config{ID: "far", URL: "https://agents.example.com/run"}
		must.Get(remote.New(c))(t)
		adjust(&c)
		if e, ok := errors.AsType[*agui.FieldError](second(remote.New(c))); !ok || e.Path != field {
			t.Errorf("%s: %+v", field, e)
		}
	}
	for _, url := range []string{"http://127.0.0.1:1/", "http://10.0.0.1/", "https://user:hunter2@example.com/", "::"} {
		_, err := remote.New(remote.Config{ID: "far", URL: url})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestTheOutputsErrorIsNotTheAgents: where the run takes no more events, the agent is not to blame.
func TestTheOutputsErrorIsNotTheAgents(t *testing.T) {
	far, full := newElsewhere(t, stream(whole(says("a", "b")...)...)), errors.New("the store is full")
	_, err := agentAt(t, far.URL, nil).Run(t.Context(), run.Input{ThreadID: "t", RunID: "r"}, &recorder{err: full})
	must.Be(t, err, full, "the run's error")
}

// FuzzStream: whatever a remote sends, the stream to the page is legal and ends once.
func FuzzStream(f *testing.F) {
	for _, line := range slices.Concat(whole(says("a", "b")...), []string{`{"type":"TEXT_MESSAGE_CHUNK","messageId":"x","delta":"y"}`, `{"type":"THINKING_START"}`, `{"type":"TOOL_CALL_CHUNK","toolCallId":"1","toolCallName":"paint"}`}) {
		f.Add("data: " + line + "\n\n")
	}
	f.Add("data: " + strings.Join(whole(says("a", "b")...), "\n\ndata: ") + "\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		out := &recorder{}
		_, err := remote.Play("far", strings.NewReader(body), out)
		if _, said := errors.AsType[*run.Failure](err); err != nil && !said && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("it fails with %v", err)
		}
		for _, e := range out.all {
			must.Be(t, must.Err(agui.MarshalEvent(e)), nil, "%T", e)
		}
	})
}

type recorder struct {
	all []agui.Event
	err error // of all
}

func (r *recorder) Emit(events ...agui.Event) error {
	r.all = append(r.all, events...)
	return r.err
}

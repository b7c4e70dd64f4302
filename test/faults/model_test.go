package faults

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// modelPatience is how long a model may be silent where it is to be seen to stall: for its headers,
// its first word and each further one.
const modelPatience = 300 * time.Millisecond

// modelRetry is how long a call may be made again while nothing of it was seen, where it never
// comes to a good end.
const modelRetry = 1500 * time.Millisecond

// modelRun is how long a run may take where it has no other end. Chunks without a word count as
// signs of life: some servers send them while they hold words back.
const modelRun = 5 * time.Second

// rawMark stands in what a provider says that is not for the user.
const rawMark = "RAW-BODY-OF-THE-PROVIDER"

// modelFault is one way a provider misbehaves.
type modelFault struct {
	name  string
	serve func(w *wire)
	ends  string        // the code of RUN_ERROR it ends with; "" is success
	least time.Duration // how long it takes at least
	most  time.Duration // and at most, beyond modelPatience; 0 is nothing
}

// modelLimits is how long what may take.
type modelLimits struct{ silence, retry, run time.Duration }

// limits are those under which the fault is met: short is only what ends it. Where the answer comes
// at once, a machine that is busy must not make it another fault.
func (f *modelFault) limits() modelLimits {
	switch f.ends {
	case "llm_stalled":
		return modelLimits{modelPatience, modelRetry, hang}
	case "timeout":
		return modelLimits{hang, modelRetry, modelRun}
	case "":
		return modelLimits{hang, hang, hang}
	}
	return modelLimits{hang, modelRetry, hang}
}

// wire is the provider's side of one answer.
type wire struct {
	http.ResponseWriter
	r *http.Request
	n int64 // how often this fault was served before
}

func (w *wire) say(text string) bool {
	_, err := io.WriteString(w, text)
	return err == nil && http.NewResponseController(w.ResponseWriter).Flush() == nil
}

func (w *wire) delta(inner string) bool {
	return w.say(`data: {"choices":[{"index":0,"delta":{` + inner + `}}]}` + "\n\n")
}

func (w *wire) finish(why string) {
	w.say(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + why + `"}]}` + "\n\ndata: [DONE]\n\n")
}

func (w *wire) stream() { w.Header().Set("Content-Type", "text/event-stream") }
func (w *wire) hang()   { <-w.r.Context().Done() }

// drip writes something that is no word, for ever.
func (w *wire) drip(text string) {
	for w.say(text) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-w.r.Context().Done():
			return
		}
	}
}

// status answers with an error.
func (w *wire) status(code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// reset cuts the connection so that the other side gets a reset.
func (w *wire) reset() {
	conn, _, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

func (w *wire) call(id, name, args string) {
	w.delta(fmt.Sprintf(`"tool_calls":[{"index":0,"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]`, id, name, args))
}

// answer is a good one.
func (w *wire) answer() {
	w.stream()
	w.delta(words)
	w.finish("stop")
}

const words = `"content":"Some words. "`

// modelFaultList is what concerns time and connections. What a provider may say is in
// test/hostile/testdata/answers.
var modelFaultList = []modelFault{
	{name: "no headers", serve: func(w *wire) { w.hang() }, ends: "llm_stalled"},
	{name: "headers and nothing more", serve: func(w *wire) { w.stream(); w.say(""); w.hang() }, ends: "llm_stalled"},
	{name: "silence after some words", serve: func(w *wire) { w.stream(); w.delta(words); w.hang() }, ends: "llm_stalled"},
	{name: "silence in a call", serve: func(w *wire) { w.stream(); w.call("c", "pay", `{"n":`); w.hang() }, ends: "llm_stalled"},
	{name: "comments and nothing more", serve: func(w *wire) { w.stream(); w.drip(": still here\n\n") }, ends: "timeout"},
	{name: "comments after some words", serve: func(w *wire) { w.stream(); w.delta(words); w.drip(": still here\n\n") }, ends: "llm_stalled"},
	{name: "empty deltas for ever", serve: func(w *wire) {
		w.stream()
		w.delta(words)
		w.drip(`data: {"choices":[{"index":0,"delta":{}}]}` + "\n\n")
	}, ends: "timeout", most: modelRun},
	{name: "cut after some words", serve: func(w *wire) { w.stream(); w.delta(words); w.reset() }, ends: "llm_network"},
	{name: "cut before anything", serve: func(w *wire) { w.reset() }, ends: "llm_network"},
	{name: "cut once, then well", serve: func(w *wire) {
		if w.n == 0 {
			w.reset()
			return
		}
		w.answer()
	}, ends: "", most: 2 * time.Second},
	{name: "too many requests, 1 s", serve: func(w *wire) {
		if w.n == 0 {
			w.Header().Set("Retry-After", "1")
			w.status(429, `{"error":{"message":"`+rawMark+`"}}`)
			return
		}
		w.answer()
	}, ends: "", least: time.Second, most: 2 * time.Second},
	{name: "too many requests, 10 min", serve: func(w *wire) {
		w.Header().Set("Retry-After", "600")
		w.status(429, `{"error":{"message":"`+rawMark+`"}}`)
	}, ends: "llm_rate_limited"},
	{name: "500", serve: func(w *wire) { w.status(500, rawMark+secret) }, ends: "llm_overloaded", most: 3 * time.Second},
	{name: "529", serve: func(w *wire) { w.status(529, `{"error":{"message":"`+rawMark+`"}}`) }, ends: "llm_overloaded", most: 3 * time.Second},
}

// faultyModel is a server whose model misbehaves.
type faultyModel struct {
	*local
	effects atomic.Int64 // of tools
	by      sync.Map     // the runs that had them
}

func newFaultyModel(t *testing.T, limits modelLimits) *faultyModel {
	m := &faultyModel{}
	pay := tool.New("pay", "Pays.", func(_ context.Context, c *tool.Call, _ effectInput) (tool.Result, error) {
		m.effects.Add(1)
		m.by.Store(c.RunID, string(c.Args))
		return tool.Result{Text: "paid"}, nil
	})
	m.local = newLocal(t, localConfig{memory: true, tools: []*tool.Tool{pay},
		model: func(c *openai.Config) {
			c.HeaderTimeout, c.FirstContentTimeout, c.IdleTimeout = limits.silence, limits.silence, limits.silence
		},
		agent: func(a *agent.Agent) { a.Limits.RetryFor = limits.retry },
		run:   func(c *run.Config) { c.Timeout = limits.run },
	})
	return m
}

// TestModelFaults: whatever a provider does, the run has one terminal event, in time; no call is
// executed that was not complete; and nobody is shown what the provider said in its error, or its
// key.
func TestModelFaults(t *testing.T) {
	takesChances(t)
	beside(t)
	models := map[modelLimits]*faultyModel{}
	times := count(1, 25)
	var over spread
	for _, f := range modelFaultList {
		m := models[f.limits()]
		if m == nil {
			m = newFaultyModel(t, f.limits())
			models[f.limits()] = m
		}
		var served atomic.Int64
		m.llm.faults[f.name] = func(w http.ResponseWriter, r *http.Request, _ step) { f.serve(&wire{w, r, served.Add(1) - 1}) }
	}
	t.Run("each", func(t *testing.T) {
		for _, f := range modelFaultList {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel() // most of it is waiting
				for i := range times {
					if i > 0 && f.least > 0 {
						break // it is served well from then on
					}
					models[f.limits()].suffer(t, f, i, &over)
				}
			})
		}
	})
	for _, f := range modelFaultList {
		for i := range times {
			if args, did := models[f.limits()].by.Load(runOf(f, i)); did {
				t.Errorf("%s: a call that was not whole is executed with %s", f.name, args)
			}
		}
	}
	report(t, "model faults", "%d faults, %d times each: one terminal event always, at most %s over its time; 0 partial calls executed, 0 keys or raw bodies shown", len(modelFaultList), times, over.at(1))
}

// suffer makes one run with one fault.
func (m *faultyModel) suffer(t *testing.T, f modelFault, i int, over *spread) {
	t.Helper()
	id := runOf(f, i)
	allowed := modelPatience + f.most
	switch f.ends {
	case "llm_network", "llm_stalled", "llm_overloaded":
		allowed += modelRetry + modelPatience // it is tried again
	}
	begun := time.Now()
	s := m.run(within(t, allowed+hang), "t-"+id, id, step{Fault: f.name}, step{Words: 2})
	took := time.Since(begun)
	if s.bad != nil || s.err != nil {
		t.Error(s)
		return
	}
	code := ""
	if e := s.failed(); e != nil {
		code = e.Code
	}
	must.Be(t, code, f.ends, "it ends with\n%.2000s", s.seen)
	most := allowed + limit(time.Second)
	if over.add(max(took-allowed, 0)); took > most || took < f.least {
		t.Errorf("it took %s, want %s to %s", took, f.least, most)
	}
	if bytes.Contains(s.seen, []byte(rawMark)) || bytes.Contains(s.seen, []byte(secret)) {
		t.Errorf("the user is shown what is not for him:\n%s", s.seen)
	}
}

func runOf(f modelFault, i int) string {
	return fmt.Sprintf("%s-%d", strings.NewReplacer(" ", "-", ",", "").Replace(f.name), i)
}

// recorded is an answer as a provider sent it: words, and two calls.
func recorded() (answer string, complete int) {
	var b strings.Builder
	add := func(delta string) {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}\n\n", delta)
	}
	add(`"role":"assistant","content":"Let me "`)
	add(`"content":"pay \u00fcber that."`)
	add(`"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"pay","arguments":""}}]`)
	add(`"tool_calls":[{"index":0,"function":{"arguments":"{\"n\""}}]`)
	add(`"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]`)
	add(`"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"pay","arguments":"{\"n\":2}"}}]`)
	b.WriteString("data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n")
	complete = b.Len() - len("\n\n")
	b.WriteString("data: [DONE]\n\n")
	return b.String(), complete
}

// TestModelCutAtEveryByte: an answer with calls is cut off after each of its bytes. Its calls are
// executed only where they were complete and the model had said so, and then both, once.
func TestModelCutAtEveryByte(t *testing.T) {
	takesChances(t)
	beside(t)
	m := newFaultyModel(t, modelLimits{silence: hang, retry: time.Nanosecond, run: hang})
	answer, complete := recorded()
	var resets atomic.Bool
	m.llm.faults["cut"] = func(w http.ResponseWriter, r *http.Request, st step) {
		out := &wire{w, r, 0}
		out.stream()
		if out.say(answer[:st.Size]); resets.Load() {
			out.reset()
		}
	}
	every := 9
	if share() > 0 {
		every = 1
	}
	cuts, executed := 0, 0
	for _, reset := range []bool{false, true} {
		resets.Store(reset)
		for n := 1; n <= len(answer); n += every {
			before := m.effects.Load()
			id := fmt.Sprintf("cut%v%d", reset, n)
			// The steps behind a failed one answer, also where nothing was seen of it and it is
			// made again.
			s := m.run(within(t, hang), "t-"+id, id, step{Fault: "cut", Size: n}, step{Words: 1})
			did := m.effects.Load() - before
			switch {
			case s.bad != nil:
				t.Fatalf("cut at %d: %s", n, s)
			case did != 0 && did != 2, did == 2 && n < complete, s.failed() != nil && did != 0:
				t.Errorf("cut at %d of %d, reset %v: %d calls executed: %s", n, complete, reset, did, s)
			case did == 0 && n == len(answer) && !reset:
				t.Errorf("the whole answer executes nothing\n%s", s.seen)
			}
			if cuts++; did > 0 {
				executed++
			}
		}
	}
	report(t, "model cut at every byte", "%d cuts of an answer of %d bytes with two calls: 0 partial calls executed, %d times both behind its end", cuts, len(answer), executed)
}

// TestHugeAnswers: a model that never stops talking is stopped, and costs little memory.
func TestHugeAnswers(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	p := s.start(func(c *childConfig) { c.Idle = 5 * time.Second })
	size := count(20, 100) << 20 // more than is taken of any
	pour := func(piece string) func(http.ResponseWriter, *http.Request, step) {
		return func(w http.ResponseWriter, r *http.Request, _ step) {
			out := &wire{w, r, 0}
			out.stream()
			for n := 0; n < size && out.say(piece); n += len(piece) {
			}
		}
	}
	block := strings.Repeat("x", 64<<10)
	s.llm.faults["one line"] = func(w http.ResponseWriter, r *http.Request, st step) {
		out := &wire{w, r, 0}
		out.stream()
		out.say("data: {\"choices\":[{\"delta\":{\"content\":\"")
		pour(block)(w, r, st)
	}
	s.llm.faults["many lines"] = pour(`data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1000) + `"}}]}` + "\n\n")
	s.llm.faults["many long lines"] = pour(`data: {"choices":[{"index":0,"delta":{"content":"` + block + `"}}]}` + "\n\n")
	s.llm.faults["many calls"] = pour(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"pay","arguments":"` + block[:4000] + `"}}]}}]}` + "\n\n")
	s.llm.faults["many comments"] = pour(": " + block[:1000] + "\n")
	s.llm.faults["an error page"] = func(w http.ResponseWriter, r *http.Request, st step) {
		w.WriteHeader(http.StatusBadRequest)
		pour(block)(w, r, st)
	}
	p.run(within(t, 2*hang), "warm", "warm", step{Words: 100})
	var most int64
	for _, name := range []string{"one line", "many lines", "many long lines", "many calls", "many comments", "an error page"} {
		before := p.counts(t, "?reset=1")
		id := strings.ReplaceAll(name, " ", "-")
		got := p.run(within(t, 2*hang), "t-"+id, id, step{Fault: name})
		failed := got.failed()
		if failed == nil {
			t.Errorf("%s: %s; the server says:\n%s", name, got, p.log)
			continue
		}
		after := p.counts(t, "")
		grown := after.Peak - before.RSS
		most = max(most, grown)
		if t.Logf("%s: +%d MB, ends %s", name, grown>>20, failed.Code); grown > 64<<20 && !underRace && after.Peak > 0 {
			t.Errorf("%s: memory grows by %d MB", name, grown>>20)
		}
	}
	must.Fail(t, must.Err(os.Stat(s.ledger())), "", "the ledger of tools")
	report(t, "answers without an end", "of %d MB each: each ends in order; memory grows by at most %d MB", size>>20, most>>20)
}

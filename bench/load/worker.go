package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// ---------- protocols ----------

const (
	kOther = iota
	kStart
	kText
	kFinish
	kError
	kToolStart
	kToolArgs
	kToolResult
)

type protocol struct {
	kinds map[string]int
	delta map[int]string // JSON key that holds the delta of a kind
}

var protos = map[string]protocol{
	"agui": {
		kinds: map[string]int{"RUN_STARTED": kStart, "TEXT_MESSAGE_CONTENT": kText, "TEXT_MESSAGE_CHUNK": kText, "RUN_FINISHED": kFinish, "RUN_ERROR": kError,
			"TOOL_CALL_START": kToolStart, "TOOL_CALL_ARGS": kToolArgs, "TOOL_CALL_CHUNK": kToolArgs, "TOOL_CALL_RESULT": kToolResult},
		delta: map[int]string{kText: "delta", kToolArgs: "delta"},
	},
	"aisdk": {
		kinds: map[string]int{"start": kStart, "text-delta": kText, "finish": kFinish, "error": kError,
			"tool-input-start": kToolStart, "tool-input-delta": kToolArgs, "tool-output-available": kToolResult},
		delta: map[int]string{kText: "delta", kToolArgs: "inputTextDelta"},
	},
	// the mock itself, for the harness's own ceiling
	"openai": {delta: map[int]string{kText: "content"}},
}

// ---------- one worker ----------

type worker struct {
	id      int
	tag     string // keeps warm-up threads apart from measured ones
	g       *gen
	conn    net.Conn
	br      *bufio.Reader
	out     []byte
	tok     hist // per token: received - stamped by the mock
	runs    int64
	events  int64
	texts   int64
	tokens  int64
	tBytes  int64
	bytes   int64
	toolEv  int64
	reads   int64
	errs    map[string]int64
	bad     string
	runSeq  int
	measure bool
	later   []byte // with -again: the messages after the history, JSON with a comma before each
}

type gen struct {
	u       *url.URL
	p       protocol
	rest    []byte
	again   int // with -again: where in rest the list of messages ends; 0 without
	hdr     string
	expect  int
	chunkB  int
	tool    bool
	ideal   time.Duration
	strict  bool
	timeout time.Duration
	nonce   string
	ramp    time.Duration

	mu                     sync.Mutex
	ttfe, ttft, total, lag hist // a run each; lag: total - ideal
}

type counting struct {
	c net.Conn
	w *worker
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.c.Read(p)
	c.w.reads++
	return n, err
}

func (w *worker) dial() error {
	c, err := net.DialTimeout("tcp", w.g.u.Host, 20*time.Second)
	if err != nil {
		return err
	}
	w.conn = c
	if w.br == nil {
		w.br = bufio.NewReaderSize(counting{c, w}, 8192)
	} else {
		w.br.Reset(counting{c, w})
	}
	return nil
}

func (w *worker) closeConn() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

var reqGet = &http.Request{Method: "POST"}

// run makes one run and checks what comes back. Its error says what was wrong.
func (w *worker) run() error {
	w.runSeq++
	if w.conn == nil {
		if err := w.dial(); err != nil {
			return fmt.Errorf("dial: %w", err)
		}
	}
	request := w.request()
	r := response{g: w.g, w: w, lastKind: -1, start: time.Now()}
	resp, err := w.ask(request)
	if err != nil {
		w.closeConn()
		return err
	}
	body := bufReader(resp.Body)
	defer putReader(body)
	if err := r.read(body); err != nil {
		w.closeConn()
		return fmt.Errorf("read body: %w", err)
	}
	r.end = time.Now()
	if resp.Close {
		w.closeConn()
	}
	err = r.check()
	if w.g.again > 0 {
		w.later = fmt.Appendf(w.later, `,{"id":"%s","role":"assistant","content":"%s"}`, r.answerID, r.answer)
	}
	if w.measure {
		w.count(&r, err == nil)
	}
	return err
}

// ask sends the request and returns the response, which is one of status 200.
func (w *worker) ask(request []byte) (*http.Response, error) {
	w.conn.SetDeadline(time.Now().Add(w.g.timeout))
	if _, err := w.conn.Write(request); err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	resp, err := http.ReadResponse(w.br, reqGet)
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	if resp.StatusCode != 200 {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return nil, fmt.Errorf("status %d: %s", resp.StatusCode, b)
	}
	return resp, nil
}

// request returns the bytes of a request for a new run on a new thread, or with -again for the next
// question of the worker's own, which carries the whole thread.
func (w *worker) request() []byte {
	g := w.g
	if g.again > 0 {
		return w.nextRequest()
	}
	ids := fmt.Sprintf(`{"threadId":"t-%[1]s-%[2]d-%[3]d","runId":"r-%[1]s-%[2]d-%[3]d","id":"c-%[1]s-%[2]d-%[3]d",`, g.nonce+w.tag, w.id, w.runSeq)
	w.out = append(w.out[:0], g.hdr...)
	w.out = strconv.AppendInt(w.out, int64(len(ids)+len(g.rest)+1), 10)
	w.out = append(w.out, "\r\n\r\n"...)
	w.out = append(w.out, ids...)
	w.out = append(w.out, g.rest...)
	w.out = append(w.out, '}')
	return w.out
}

func (w *worker) nextRequest() []byte {
	g := w.g
	thread := fmt.Sprintf("%s-%d", g.nonce+w.tag, w.id)
	if w.runSeq > 1 {
		w.later = fmt.Appendf(w.later, `,{"id":"q-%s-%d","role":"user","content":"And now?"}`, thread, w.runSeq)
	}
	body := fmt.Appendf(nil, `{"threadId":"t-%[1]s","runId":"r-%[1]s-%[2]d",`, thread, w.runSeq)
	body = append(append(append(body, g.rest[:g.again]...), w.later...), g.rest[g.again:]...)
	w.out = append(w.out[:0], g.hdr...)
	w.out = strconv.AppendInt(w.out, int64(len(body)+1), 10)
	w.out = append(append(append(w.out, "\r\n\r\n"...), body...), '}')
	return w.out
}

// count adds a run to what was measured.
func (w *worker) count(r *response, ok bool) {
	w.events += r.events
	w.texts += r.texts
	w.tokens += r.tokens
	w.tBytes += r.textBytes
	w.toolEv += r.toolEvents
	w.bytes += r.size
	if !ok {
		return
	}
	w.runs++
	g := w.g
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ttfe.add(r.first.Sub(r.start).Nanoseconds())
	if r.texts > 0 {
		g.ttft.add(r.firstText.Sub(r.start).Nanoseconds())
	}
	g.total.add(r.end.Sub(r.start).Nanoseconds())
	if g.ideal > 0 {
		g.lag.add((r.end.Sub(r.start) - g.ideal).Nanoseconds())
	}
}

var rdPool = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16384) }}

func bufReader(r io.Reader) *bufio.Reader {
	b := rdPool.Get().(*bufio.Reader)
	b.Reset(r)
	return b
}
func putReader(b *bufio.Reader) { b.Reset(nil); rdPool.Put(b) }

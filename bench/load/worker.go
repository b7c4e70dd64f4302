package main

import (
	"bufio"
	"bytes"
	"encoding/json"
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
}

type gen struct {
	u       *url.URL
	p       protocol
	proto   string
	rest    []byte
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

func strVal(line []byte, key string) ([]byte, bool) { // raw JSON string that follows "key":
	pat := `"` + key + `":`
	i := bytes.Index(line, []byte(pat))
	if i < 0 {
		return nil, false
	}
	i += len(pat)
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if i >= len(line) || line[i] != '"' {
		return nil, false
	}
	s := line[i+1:]
	for j := 0; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '"':
			return s[:j], true
		}
	}
	return nil, false
}

func (w *worker) run() (err error) {
	g := w.g
	w.runSeq++
	if w.conn == nil {
		if err := w.dial(); err != nil {
			return fmt.Errorf("dial: %w", err)
		}
	}
	ids := fmt.Sprintf(`{"threadId":"t-%[1]s-%[2]d-%[3]d","runId":"r-%[1]s-%[2]d-%[3]d","id":"c-%[1]s-%[2]d-%[3]d",`, g.nonce+w.tag, w.id, w.runSeq)
	w.out = append(w.out[:0], g.hdr...)
	w.out = strconv.AppendInt(w.out, int64(len(ids)+len(g.rest)+1), 10)
	w.out = append(w.out, "\r\n\r\n"...)
	w.out = append(w.out, ids...)
	w.out = append(w.out, g.rest...)
	w.out = append(w.out, '}')
	w.conn.SetDeadline(time.Now().Add(g.timeout))
	t0 := time.Now()
	if _, err := w.conn.Write(w.out); err != nil {
		w.closeConn()
		return fmt.Errorf("write: %w", err)
	}
	resp, err := http.ReadResponse(w.br, reqGet)
	if err != nil {
		w.closeConn()
		return fmt.Errorf("read head: %w", err)
	}
	if resp.StatusCode != 200 {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		w.closeConn()
		return fmt.Errorf("status %d: %s", resp.StatusCode, b)
	}
	body := bufReader(resp.Body)
	defer putReader(body)
	var (
		first, firstText, last time.Time
		started, finished      bool
		texts, tokens, events  int64
		textBytes, toolEv      int64
		toolRes                bool
		total                  int64
		acc                    []byte // long line accumulator
		lastKind               = -1
	)
	for {
		line, e := body.ReadSlice('\n')
		total += int64(len(line))
		if e == bufio.ErrBufferFull {
			acc = append(acc, line...)
			continue
		}
		if len(acc) > 0 {
			acc = append(acc, line...)
			line = acc
		}
		if len(line) > 6 && string(line[:5]) == "data:" {
			d := bytes.TrimSpace(line[5:])
			if string(d) != "[DONE]" {
				last = time.Now()
				if events == 0 {
					first = last
				}
				events++
				if g.strict && !json.Valid(d) {
					w.bad = string(d[:min(len(d), 300)])
					err = fmt.Errorf("invalid JSON event")
				}
				var typ []byte
				if g.p.kinds == nil {
				} else if bytes.HasPrefix(d, []byte(`{"type":"`)) {
					j := bytes.IndexByte(d[9:], '"')
					typ = d[9 : 9+j]
				} else {
					var t struct{ Type string }
					if json.Unmarshal(d, &t) == nil {
						typ = []byte(t.Type)
					}
				}
				k := g.p.kinds[string(typ)]
				if g.p.kinds == nil {
					switch {
					case events == 1:
						k = kStart
					case bytes.Contains(d, []byte(`"content":"~`)):
						k = kText
					case bytes.Contains(d, []byte(`"finish_reason":"`)):
						k = kFinish
					}
				}
				lastKind = k
				switch k {
				case kStart:
					started = true
				case kFinish:
					finished = true
				case kError:
					w.bad = string(d[:min(len(d), 300)])
					err = fmt.Errorf("RUN_ERROR event")
				case kToolArgs, kToolStart:
					toolEv++
				case kToolResult:
					toolRes = true
				case kText:
					s, ok := strVal(d, g.p.delta[kText])
					if !ok {
						break
					}
					texts++
					if texts == 1 {
						firstText = last
					}
					n := len(s)
					if bytes.IndexByte(s, '\\') >= 0 {
						var u string
						json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &u)
						s = []byte(u)
						n = len(s)
					}
					textBytes += int64(n)
					if w.measure && g.chunkB > 0 && n%g.chunkB == 0 {
						now := last.UnixNano()
						for o := 0; o+17 <= n; o += g.chunkB {
							if s[o] != '~' {
								break
							}
							var v uint64
							for _, c := range s[o+1 : o+17] {
								x := c - '0'
								if x > 9 {
									x = c - 'a' + 10
								}
								v = v<<4 | uint64(x)
							}
							tokens++
							w.tok.add(now - int64(v))
						}
					}
				}
			}
		}
		acc = acc[:0]
		if e == io.EOF {
			break
		}
		if e != nil {
			w.closeConn()
			return fmt.Errorf("read body: %w", e)
		}
	}
	end := time.Now()
	if resp.Close {
		w.closeConn()
	}
	switch {
	case err != nil:
	case !started:
		err = fmt.Errorf("no start event")
	case !finished || lastKind != kFinish:
		err = fmt.Errorf("last event is not the finish event")
	case g.expect > 0 && textBytes != int64(g.expect):
		err = fmt.Errorf("text bytes %d, want %d", textBytes, g.expect)
	case g.tool && (toolEv == 0 || !toolRes):
		err = fmt.Errorf("tool events %d, result %v", toolEv, toolRes)
	}
	if !w.measure {
		return err
	}
	w.events += events
	w.texts += texts
	w.tokens += tokens
	w.tBytes += textBytes
	w.toolEv += toolEv
	w.bytes += total
	if err == nil {
		w.runs++
		g.mu.Lock()
		g.ttfe.add(first.Sub(t0).Nanoseconds())
		if texts > 0 {
			g.ttft.add(firstText.Sub(t0).Nanoseconds())
		}
		g.total.add(end.Sub(t0).Nanoseconds())
		if g.ideal > 0 {
			g.lag.add((end.Sub(t0) - g.ideal).Nanoseconds())
		}
		g.mu.Unlock()
	}
	return err
}

var rdPool = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16384) }}

func bufReader(r io.Reader) *bufio.Reader {
	b := rdPool.Get().(*bufio.Reader)
	b.Reset(r)
	return b
}
func putReader(b *bufio.Reader) { b.Reset(nil); rdPool.Put(b) }

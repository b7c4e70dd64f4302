package main

import (
	"bytes"
	"net/http"
	"time"
)

// ---------- fast: net/http both ways ----------

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10000, MaxIdleConns: 10000, DisableCompression: true, ReadBufferSize: 4096, WriteBufferSize: 4096}}

func fast(w http.ResponseWriter, r *http.Request) { fastWith(w, r, nil) }

// fastWith is fast; where rec is not nil, it has what is sent before the client does.
func fastWith(w http.ResponseWriter, r *http.Request, rec *recorded) {
	b := pool.Get().(*bufs)
	defer pool.Put(b)
	thread, run, in, err := b.input(r.Body, r.ContentLength)
	if rec == nil {
		inPool.Put(in)
	} else {
		defer inPool.Put(in)
	}
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	h := w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-cache"}
	fl := w.(http.Flusher)
	t := &b.t
	t.out, t.done, t.isTools, t.textOn, t.each = t.out[:0], false, false, false, nil
	var input, message []byte
	if rec != nil {
		rec.key, input = run, *in
	}
	flush := func() {
		if len(t.out) > 0 {
			if rec != nil {
				rec.put(input, t.out, message)
				input = nil
			}
			w.Write(t.out)
			fl.Flush()
			t.out = t.out[:0]
		}
	}
	if *mode == "fast1" {
		t.each = flush
	}
	t.runEv("RUN_STARTED", thread, run)
	flush()
	for {
		n := len(b.req)
		body := append(b.req, b.tail...)
		rq, _ := http.NewRequestWithContext(r.Context(), "POST", "http://"+*up+"/v1/chat/completions", bytes.NewReader(body))
		rq.Header["Content-Type"] = []string{"application/json"}
		rq.Header["Authorization"] = []string{"Bearer sk-mock"}
		resp, err := client.Do(rq)
		if err != nil {
			t.out = append(t.out, `data: {"type":"RUN_ERROR","message":"upstream"}`+"\n\n"...)
			flush()
			return
		}
		b.req = body[:n]
		fill := 0
		var last time.Time
		for {
			if *pace > 0 {
				if d := *pace - time.Since(last); d > 0 {
					time.Sleep(d)
				}
				last = time.Now()
			}
			m, err := resp.Body.Read(b.rd[fill:])
			if m > 0 {
				rest := t.feed(b.rd[:fill+m])
				fill = copy(b.rd, rest)
				if fill == len(b.rd) {
					b.rd = append(b.rd, make([]byte, len(b.rd))...)
				}
				flush()
			}
			if err != nil {
				break
			}
		}
		resp.Body.Close()
		if !t.isTools {
			break
		}
		b.req = t.result(b.req)
		flush()
	}
	t.endText()
	t.runEv("RUN_FINISHED", thread, run)
	message = t.text
	flush()
}

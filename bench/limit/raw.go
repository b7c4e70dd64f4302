package main

import (
	"bufio"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// ---------- raw: own HTTP/1.1 on both sides ----------

var upIdle struct {
	sync.Mutex
	c []*rawUp
}

type rawUp struct {
	c  net.Conn
	br *bufio.Reader
}

func getUp() (*rawUp, error) {
	upIdle.Lock()
	if n := len(upIdle.c); n > 0 {
		u := upIdle.c[n-1]
		upIdle.c = upIdle.c[:n-1]
		upIdle.Unlock()
		return u, nil
	}
	upIdle.Unlock()
	c, err := net.Dial("tcp", *up)
	if err != nil {
		return nil, err
	}
	return &rawUp{c, bufio.NewReaderSize(c, 4096)}, nil
}

var getReq = &http.Request{Method: "POST"}

func rawConn(c net.Conn) {
	defer c.Close()
	br := bufio.NewReaderSize(c, 4096)
	b := &bufs{}
	var wire []byte
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		thread, run, in, err := b.input(req.Body, req.ContentLength)
		inPool.Put(in)
		if err != nil {
			return
		}
		t := &b.t
		t.out, t.done, t.isTools, t.textOn = t.out[:0], false, false, false
		wire = append(wire[:0], "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"...)
		flush := func(end bool) error {
			if n := len(t.out); n > 0 {
				wire = strconv.AppendInt(wire, int64(n), 16)
				wire = append(wire, '\r', '\n')
				wire = append(wire, t.out...)
				wire = append(wire, '\r', '\n')
				t.out = t.out[:0]
			}
			if end {
				wire = append(wire, "0\r\n\r\n"...)
			}
			if len(wire) == 0 {
				return nil
			}
			_, err := c.Write(wire)
			wire = wire[:0]
			return err
		}
		t.runEv("RUN_STARTED", thread, run)
		if flush(false) != nil {
			return
		}
		for {
			u, err := getUp()
			if err != nil {
				return
			}
			n := len(b.req) + len(b.tail)
			wire = append(wire[:0], "POST /v1/chat/completions HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\nAuthorization: Bearer sk-mock\r\nContent-Length: "...)
			wire = strconv.AppendInt(wire, int64(n), 10)
			wire = append(wire, "\r\n\r\n"...)
			wire = append(wire, b.req...)
			wire = append(wire, b.tail...)
			_, err = u.c.Write(wire)
			wire = wire[:0]
			if err != nil {
				return
			}
			resp, err := http.ReadResponse(u.br, getReq)
			if err != nil {
				return
			}
			_ = resp
			// the chunked body, decoded in place in the bufio buffer
			for {
				l, err := u.br.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(l) <= 2 {
					continue
				}
				n := 0
				for _, x := range l {
					if x == '\r' {
						break
					}
					n <<= 4
					switch {
					case x >= '0' && x <= '9':
						n |= int(x - '0')
					default:
						n |= int(x|32-'a') + 10
					}
				}
				if n == 0 {
					u.br.ReadSlice('\n')
					break
				}
				if n > 4000 {
					log.Print("raw: upstream chunk too long")
					return
				}
				p, err := u.br.Peek(n + 2)
				if err != nil {
					return
				}
				t.feed(p[:n]) // the mock never splits a line over chunks
				u.br.Discard(n + 2)
				if u.br.Buffered() == 0 {
					if flush(false) != nil {
						return
					}
				}
			}
			upIdle.Lock()
			upIdle.c = append(upIdle.c, u)
			upIdle.Unlock()
			if !t.isTools {
				break
			}
			b.req = t.result(b.req)
			if flush(false) != nil {
				return
			}
		}
		t.endText()
		t.runEv("RUN_FINISHED", thread, run)
		if flush(true) != nil || req.Close {
			return
		}
	}
}

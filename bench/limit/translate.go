package main

import (
	"bytes"
	"io"
	"strconv"
	"sync"
)

// ---------- stream translation, shared by raw and fast ----------

type tr struct {
	out     []byte // events to write
	msgID   []byte
	textOn  bool
	toolOn  bool
	toolID  []byte
	name    []byte
	args    []byte // raw JSON string content
	text    []byte // likewise, of the last message
	done    bool
	isTools bool
	each    func() // called after every event in fast1
}

var (
	kContent = []byte(`"content":"`)
	kTool    = []byte(`"tool_calls":[`)
	kArgs    = []byte(`"arguments":"`)
	kID      = []byte(`"id":"`)
	kName    = []byte(`"name":"`)
	kFinish  = []byte(`"finish_reason":"`)
	kDelta   = []byte(`"delta":{`)
)

func rawStr(b []byte, key []byte) []byte {
	i := bytes.Index(b, key)
	if i < 0 {
		return nil
	}
	i += len(key)
	e := strEnd(b, i-1)
	return b[i : e-1]
}

func (t *tr) ev(parts ...[]byte) {
	for _, p := range parts {
		t.out = append(t.out, p...)
	}
	if t.each != nil {
		t.each()
	}
}

func (t *tr) open() {
	t.msgID = strconv.AppendInt(append(t.msgID[:0], "msg-"...), seq.Add(1), 10)
	t.out = append(t.out, `data: {"type":"TEXT_MESSAGE_START","messageId":"`...)
	t.out = append(t.out, t.msgID...)
	t.ev([]byte(`","role":"assistant"}` + "\n\n"))
	t.textOn, t.text = true, t.text[:0]
}

func (t *tr) endText() {
	if t.textOn {
		t.out = append(t.out, `data: {"type":"TEXT_MESSAGE_END","messageId":"`...)
		t.out = append(t.out, t.msgID...)
		t.ev([]byte("\"}\n\n"))
		t.textOn = false
	}
}

func (t *tr) line(l []byte) {
	if len(l) < 7 || l[0] != 'd' {
		return
	}
	l = l[6:]
	if l[0] == '[' {
		t.done = true
		return
	}
	i := bytes.Index(l, kDelta)
	if i < 0 {
		return
	}
	d := l[i+len(kDelta):]
	if bytes.HasPrefix(d, kContent) {
		s := rawStr(d, kContent)
		if len(s) == 0 {
			return
		}
		if !t.textOn {
			t.open()
		}
		t.out = append(t.out, `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"`...)
		t.out = append(t.out, t.msgID...)
		t.out = append(t.out, `","delta":"`...)
		t.out = append(t.out, s...)
		if *mode == "durable" {
			t.text = append(t.text, s...)
		}
		t.ev([]byte("\"}\n\n"))
		return
	}
	if i := bytes.Index(d, kTool); i >= 0 {
		d := d[i:]
		if id := rawStr(d, kID); id != nil {
			t.endText()
			t.toolID = append(t.toolID[:0], id...)
			t.name = append(t.name[:0], rawStr(d, kName)...)
			t.args = t.args[:0]
			t.toolOn = true
			t.out = append(t.out, `data: {"type":"TOOL_CALL_START","toolCallId":"`...)
			t.out = append(t.out, t.toolID...)
			t.out = append(t.out, `","toolCallName":"`...)
			t.out = append(t.out, t.name...)
			t.ev([]byte("\"}\n\n"))
		}
		if a := rawStr(d, kArgs); len(a) > 0 {
			t.args = append(t.args, a...)
			t.out = append(t.out, `data: {"type":"TOOL_CALL_ARGS","toolCallId":"`...)
			t.out = append(t.out, t.toolID...)
			t.out = append(t.out, `","delta":"`...)
			t.out = append(t.out, a...)
			t.ev([]byte("\"}\n\n"))
		}
		return
	}
	if f := rawStr(d, kFinish); f != nil {
		t.endText()
		if string(f) == "tool_calls" && t.toolOn {
			t.isTools = true
			t.toolOn = false
			t.out = append(t.out, `data: {"type":"TOOL_CALL_END","toolCallId":"`...)
			t.out = append(t.out, t.toolID...)
			t.ev([]byte("\"}\n\n"))
		}
	}
}

// feed consumes the whole lines of b and gives the rest.
func (t *tr) feed(b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return b
		}
		t.line(b[:i])
		b = b[i+1:]
	}
}

func (t *tr) result(req []byte) []byte {
	t.out = append(t.out, `data: {"type":"TOOL_CALL_RESULT","messageId":"tm-`...)
	t.out = append(t.out, t.toolID...)
	t.out = append(t.out, `","toolCallId":"`...)
	t.out = append(t.out, t.toolID...)
	t.out = append(t.out, `","role":"tool","content":"`...)
	t.out = append(t.out, toolResult...)
	t.ev([]byte("\"}\n\n"))
	req = append(req, `,{"role":"assistant","content":null,"tool_calls":[{"id":"`...)
	req = append(req, t.toolID...)
	req = append(req, `","type":"function","function":{"name":"`...)
	req = append(req, t.name...)
	req = append(req, `","arguments":"`...)
	req = append(req, t.args...)
	req = append(req, `"}}]},{"role":"tool","tool_call_id":"`...)
	req = append(req, t.toolID...)
	req = append(req, `","content":"`...)
	req = append(req, toolResult...)
	req = append(req, `"}`...)
	t.isTools = false
	t.done = false
	return req
}

func (t *tr) runEv(typ string, thread, run []byte) {
	t.out = append(t.out, `data: {"type":"`...)
	t.out = append(t.out, typ...)
	t.out = append(t.out, `","threadId":`...)
	t.out = append(t.out, thread...)
	t.out = append(t.out, `,"runId":`...)
	t.out = append(t.out, run...)
	t.ev([]byte("}\n\n"))
}

type bufs struct {
	req, tail, rd, ids []byte
	t                  tr
}

var (
	pool   = sync.Pool{New: func() any { return &bufs{rd: make([]byte, 4096)} }}
	inPool = sync.Pool{New: func() any { return new([]byte) }}
)

// input reads a RunAgentInput, which the caller gives back to inPool, and builds the upstream
// request from it.
func (b *bufs) input(r io.Reader, n int64) (thread, run []byte, p *[]byte, err error) {
	p = inPool.Get().(*[]byte)
	if *p, err = readBody(*p, r, n); err != nil {
		return
	}
	var t, u []byte
	b.req, b.tail, t, u = buildReq(*p, b.req[:0], b.tail[:0])
	b.ids = append(append(b.ids[:0], t...), u...)
	thread, run = b.ids[:len(t)], b.ids[len(t):]
	return
}

func readBody(dst []byte, r io.Reader, n int64) ([]byte, error) {
	if n > 0 {
		if int64(cap(dst)) < n {
			dst = make([]byte, n)
		}
		dst = dst[:n]
		_, err := io.ReadFull(r, dst)
		return dst, err
	}
	b := bytes.NewBuffer(dst[:0])
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
)

// What comes without end is stopped at the caps, with little memory.
func TestFloods(t *testing.T) {
	thousand := strings.Repeat("a", 1000)
	const thinkingStart = `"type":"thinking","thinking":""`
	opened := func(block string) io.Reader { return strings.NewReader(sse(started, start(0, block))) }
	for name, tc := range map[string]struct {
		begin, body io.Reader
		kind        llm.ErrorKind
	}{
		"one line":         {nil, &endless{text: "data: x"}, llm.KindOutputLimit},
		"one frame":        {nil, &endless{text: "data: xxxxxxxxxxxxxxxxx\n"}, llm.KindOutputLimit},
		"much text":        {opened(textStart), &endless{text: sse(delta(0, textDelta(thousand)))}, llm.KindOutputLimit},
		"much thought":     {opened(thinkingStart), &endless{text: sse(delta(0, `"type":"thinking_delta","thinking":"`+thousand+`"`))}, llm.KindOutputLimit},
		"much signature":   {opened(thinkingStart), &endless{text: sse(delta(0, `"type":"signature_delta","signature":"`+thousand+`"`))}, llm.KindOutputLimit},
		"long argument":    {opened(toolStart("a", "f")), &endless{text: sse(delta(0, argsDelta(thousand)))}, llm.KindOutputLimit},
		"redacted":         {nil, &endless{text: sse(start(0, `"type":"redacted_thinking","data":"`+thousand+`"`))}, llm.KindOutputLimit},
		"blocks":           {nil, &numbered{format: `{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`}, llm.KindOutputLimit},
		"calls":            {nil, &numbered{format: `{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","name":"f"}}`}, llm.KindOutputLimit},
		"calls, stopped":   {nil, &endless{text: sse(start(0, toolStart("a", "f")), stop(0))}, llm.KindOutputLimit},
		"messages":         {nil, &endless{text: sse(started)}, llm.KindOutputLimit},
		"calls, restarted": {nil, &endless{text: sse(started, start(0, toolStart("a", "f")))}, llm.KindOutputLimit},
		"pings":            {nil, &endless{text: sse(ping)}, llm.KindOutputLimit},
		"comments":         {nil, &endless{text: ": hi\n\n"}, llm.KindOutputLimit},
		"JSON":             {nil, &endless{text: `{"a":`}, llm.KindOutputLimit},
		"blanks":           {nil, &endless{text: " "}, llm.KindOutputLimit},
	} {
		t.Run(name, func(t *testing.T) {
			// where reading takes long is no reason for giving up on the provider
			synctest.Test(t, func(t *testing.T) {
				header := http.Header{"Content-Type": {"text/event-stream"}}
				if name == "JSON" || name == "blanks" {
					header = nil
				}
				if tc.begin == nil {
					tc.begin = strings.NewReader("")
				}
				body := &counter{r: tc.body}
				m := anthropic.New(anthropic.Config{Model: "m", HTTPClient: respondWith(200, header, io.MultiReader(tc.begin, body)), MaxBody: 6 << 20})
				before := heap()
				kind := llm.ErrorKind("")
				for _, err := range m.Stream(t.Context(), hello) {
					if e, ok := errors.AsType[*llm.Error](err); ok {
						kind = e.Kind
					}
				}
				if kind != tc.kind {
					t.Errorf("ended with %q", kind)
				}
				if body.n > 7<<20 {
					t.Errorf("%d bytes read", body.n)
				}
				if body.peak > before+16<<20 {
					t.Errorf("%d MB more in use", (body.peak-before)>>20)
				}
			})
		})
	}
	long := ask(t, t.Context(), model(respondWith(500, nil, &endless{text: "x"})), hello)
	if long.kind() != llm.KindOverloaded {
		t.Errorf("an endless error: %+v", long.err)
	}
}

// numbered writes one document after the other, each with its number.
type numbered struct {
	format string
	n      int
	left   string
}

func (r *numbered) Read(p []byte) (int, error) {
	if r.left == "" {
		r.left = sse(fmt.Sprintf(r.format, r.n))
		r.n++
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// counter counts the bytes read through it, and looks at the heap once per megabyte.
type counter struct {
	r    io.Reader
	n    int
	peak uint64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if (c.n+n)>>20 > c.n>>20 {
		c.peak = max(c.peak, heap())
	}
	c.n += n
	return n, err
}

// heap is what is in use, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// endless repeats one text for ever.
type endless struct {
	text string
	off  int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], e.text[e.off:])
		n += c
		e.off = (e.off + c) % len(e.text)
	}
	return n, nil
}

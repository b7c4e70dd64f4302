package gemini_test

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
	"github.com/pageside/pageside/llm/gemini"
)

// What comes without end is stopped at the caps, with little memory.
func TestFloods(t *testing.T) {
	thousand := strings.Repeat("a", 1000)
	pieces := func() io.Reader {
		return strings.NewReader(sse(chunk(`{"functionCall":{"name":"f","willContinue":true}}`)))
	}
	for name, tc := range map[string]struct {
		begin, body io.Reader
		kind        llm.ErrorKind
	}{
		"one line":       {nil, &endless{text: "data: x"}, llm.KindOutputLimit},
		"one frame":      {nil, &endless{text: "data: xxxxxxxxxxxxxxxxx\n"}, llm.KindOutputLimit},
		"much text":      {nil, &endless{text: sse(chunk(text(thousand)))}, llm.KindOutputLimit},
		"much thought":   {nil, &endless{text: sse(chunk(`{"thought":true,"text":"` + thousand + `"}`))}, llm.KindOutputLimit},
		"much signature": {nil, &endless{text: sse(chunk(`{"text":"","thoughtSignature":"` + thousand + `"}`))}, llm.KindOutputLimit},
		"long argument":  {nil, &endless{text: sse(chunk(called("f", `{"a":"`+thousand+`"}`)))}, llm.KindOutputLimit},
		"calls":          {nil, &endless{text: sse(chunk(called("f", `{}`)))}, llm.KindOutputLimit},
		"calls of one":   {nil, strings.NewReader(sse(chunk(strings.Repeat(called("f", `{}`)+",", 9999) + called("f", `{}`)))), llm.KindOutputLimit},
		"pieces":         {pieces(), &endless{text: sse(chunk(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"` + thousand + `"}],"willContinue":true}}`))}, llm.KindOutputLimit},
		"deep pieces":    {pieces(), &numbered{format: `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a%d` + strings.Repeat("[16]", 60) + `","stringValue":"x"}],"willContinue":true}}]}}]}`}, llm.KindProtocol},
		"empty chunks":   {nil, &endless{text: sse(`{"candidates":[]}`)}, llm.KindOutputLimit},
		"usage":          {nil, &endless{text: sse(chunk(text("")))}, llm.KindOutputLimit},
		"comments":       {nil, &endless{text: ": hi\n\n"}, llm.KindOutputLimit},
		"JSON":           {nil, &endless{text: `{"a":`}, llm.KindOutputLimit},
		"blanks":         {nil, &endless{text: " "}, llm.KindOutputLimit},
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
				m := gemini.New(gemini.Config{Model: "m", HTTPClient: respondWith(200, header, io.MultiReader(tc.begin, body)), MaxBody: 6 << 20})
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

package sse_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

type frame struct{ event, id, data string }

// read collects every frame of src and the error that ended it.
func read(src io.Reader, limit int) (frames []frame, err error) {
	r := sse.NewReader(src, limit)
	for {
		f, err := r.Next()
		if err != nil {
			return frames, err
		}
		frames = append(frames, frame{string(f.Event), string(f.ID), string(f.Data)})
	}
}

func TestReader(t *testing.T) {
	marks := strings.NewReplacer("⏎", "\n", "␍", "\r", "¦", "\ufeff")
	ends := map[error]string{io.EOF: "ends", io.ErrUnexpectedEOF: "is cut off", sse.ErrTooLong: "is too long"}
	talk.Lines(t, "testdata/streams.txtar", func(t *testing.T, _, line string) (told []string) {
		for _, f := range readAnyway(t, marks.Replace(line), ends) {
			told = append(told, strings.TrimSpace(f.event+" "+f.id+" "+f.data))
		}
		return told
	})
	must.Same(t, readAnyway(t, "", ends), []frame{{data: "ends"}}, "an empty stream")
	must.Same(t, readAnyway(t, "id: a\x00b\ndata: c\n\n", ends), []frame{{data: `"c"`}, {data: "ends"}}, "NUL in an id")
}

// readAnyway reads a stream in pieces of several kinds, which make no difference. Data is quoted,
// and how the stream ends is the last frame.
func readAnyway(t *testing.T, in string, ends map[error]string) (frames []frame) {
	t.Helper()
	for name, src := range map[string]io.Reader{
		"whole":       strings.NewReader(in),
		"byte":        iotest.OneByteReader(strings.NewReader(in)),
		"half":        iotest.HalfReader(strings.NewReader(in)),
		"EOF at once": iotest.DataErrReader(strings.NewReader(in)),
	} {
		got, err := read(src, 64)
		for i := range got {
			got[i].data = strconv.Quote(got[i].data)
		}
		got = append(got, frame{data: ends[err]})
		if frames != nil {
			must.Same(t, got, frames, "%q, read by %s", in, name)
		}
		frames = got
	}
	return frames
}

// chunks is a source that gives one of its strings per read, and counts the reads.
type chunks struct {
	left  []string
	reads int
}

func (c *chunks) Read(p []byte) (int, error) {
	c.reads++
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left[0])
	if c.left[0] = c.left[0][n:]; c.left[0] == "" {
		c.left = c.left[1:]
	}
	return n, nil
}

func TestReadyNeverReads(t *testing.T) {
	src := &chunks{left: []string{"data: a\n\ndata: b\n\ndata: c\n", "\n: comment\n\n", "data: d\n\n"}}
	r := sse.NewReader(src, 64)
	for i, want := range []struct {
		data  string
		reads int
		ready bool
	}{{"a", 1, true}, {"b", 1, false}, {"c", 2, false}, {"d", 4, false}} {
		f, err := r.Next()
		if err != nil || string(f.Data) != want.data {
			t.Fatalf("frame %d: %q, %v", i, f.Data, err)
		}
		before := src.reads
		if got := r.Ready(); got != want.ready || r.Ready() != got {
			t.Errorf("after %q: Ready is %v", want.data, got)
		}
		must.Be(t, src.reads, before, "reads of the source after %q", want.data)
		if i < 3 && src.reads != want.reads {
			t.Errorf("after %q: %d reads, want %d", want.data, src.reads, want.reads)
		}
	}
}

func TestReaderKeepsSourceError(t *testing.T) {
	broken := errors.New("broken")
	got, err := read(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), 64)
	must.FailWith(t, err, broken, "the source's error")
	must.Be(t, len(got), 1, "frames")
	must.FailWith(t, must.Err(read(emptyReader{}, 64)), io.ErrNoProgress, "a source without progress")
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

// endless repeats one string for ever.
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

func TestReaderMemoryIsBounded(t *testing.T) {
	for _, text := range []string{"x", "data: x\n", ": drip\n\n", "event: x\n", "id: y\r", "\r", "data: 0123456789\n\n"} {
		r := sse.NewReader(io.LimitReader(&endless{text: text}, 2<<20), 64<<10)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for err := error(nil); err == nil; {
			_, err = r.Next()
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 512<<10 {
			t.Errorf("%q repeated: %d bytes allocated in all", text, got)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "\ufeffevent: x\r\nid: 1\r\ndata: a\r\ndata: b\r\n\r\n", "data: a\r\r: c\rdata\r\r", "\xef\xbb", "data: 12345678901234567890\n\n",
	} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		want, wantErr := read(bytes.NewReader(in), 32)
		for _, fr := range want {
			if len(fr.data) > 32 {
				t.Fatalf("frame of %d bytes beyond the limit", len(fr.data))
			}
		}
		var cut []string
		for rest := string(in); rest != ""; {
			n := min(int(step%7)+1, len(rest))
			cut, rest = append(cut, rest[:n]), rest[n:]
			step = step*31 + 7
		}
		got, err := read(&chunks{left: cut}, 32)
		if !slices.Equal(got, want) || !errors.Is(err, wantErr) {
			t.Fatalf("cut into %q: %q, %v; whole: %q, %v", cut, got, err, want, wantErr)
		}
	})
}

func TestAppendFrame(t *testing.T) {
	got := string(sse.AppendFrame([]byte("x"), "r:0.1", []byte(`{"a":1}`))) + string(sse.AppendFrame(nil, "", []byte(`2`))) + sse.KeepAlive
	must.Be(t, got, "xid: r:0.1\ndata: {\"a\":1}\n\ndata: 2\n\n: keep-alive\n\n", "frames")
	frames, err := read(strings.NewReader(got[1:]), 64)
	if want := []frame{{id: "r:0.1", data: `{"a":1}`}, {data: "2"}}; !slices.Equal(frames, want) || err != io.EOF {
		t.Errorf("read back: %q, %v", frames, err)
	}
}

func BenchmarkReader(b *testing.B) {
	line := `data: {"id":"chatcmpl-mock","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"token"},"finish_reason":null}]}` + "\n\n"
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	r := sse.NewReader(&endless{text: line}, sse.MaxFrame)
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFailure: a line that is no field of the format, but says why there is nothing more.
func TestFailure(t *testing.T) {
	for stream, want := range map[string]string{
		"data: a\n\nerror: it broke\n\n": "it broke",
		"data: a\n\nerror: it broke":     "it broke",
		"error:one\n\nerror: two\n":      "two",
		"data: error: a\n\n":             "",
		"data: a\n\n: error: a\n\n":      "",
		"":                               "",
	} {
		r := sse.NewReader(strings.NewReader(stream), sse.MaxFrame)
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
		must.Be(t, r.Failure(), want, "%q", stream)
	}
}

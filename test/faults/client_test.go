package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
)

// client is a browser's side of one server.
type client struct {
	t       testing.TB
	url     string
	subject string // who asks; "" is ada
	http    *http.Client
}

func newClient(t testing.TB, url string) *client {
	c := &client{t: t, url: url, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// body is a run's request.
type body struct {
	ThreadID        string          `json:"threadId"`
	RunID           string          `json:"runId"`
	ProtocolVersion string          `json:"protocolVersion"`
	State           json.RawMessage `json:"state"`
	Messages        []any           `json:"messages"`
	Tools           []any           `json:"tools"`
	Context         []any           `json:"context"`
	ForwardedProps  json.RawMessage `json:"forwardedProps"`
	Resume          []any           `json:"resume,omitempty"`
}

type object = map[string]any

// ask is the body of a run that asks the model to play steps, under the name of the run.
func ask(thread, runID string, steps ...step) *body {
	b := empty(thread, runID)
	text := script{Play: runID, Steps: steps}.String()
	b.Messages = []any{object{"id": "u-" + runID, "role": "user", "content": text}}
	return b
}

// empty is the body of a run that brings nothing. The page offers a tool called paint.
func empty(thread, runID string) *body {
	return &body{ThreadID: thread, RunID: runID, ProtocolVersion: "1.0", State: json.RawMessage("{}"), Messages: []any{}, Context: []any{},
		ForwardedProps: json.RawMessage("{}"), Tools: []any{object{"name": "paint", "description": "Paints.", "parameters": object{"type": "object"}}}}
}

// stream is what a client has read: whole frames of events, and what ended it.
type stream struct {
	status int
	seen   []byte // the frames, byte for byte, without comments
	refuse string // the body of an answer that is no stream
	retry  bool   // it was told to come back
	enough bool   // it was left because a frame was enough
	err    error  // why the reading ended; nil is a proper end
}

var errCut = errors.New("the client was cut off")

// request makes a request of the API.
func (c *client) request(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.subject != "" {
		req.Header.Set("X-Subject", c.subject)
	}
	return c.http.Do(req)
}

// do makes a request and returns the answer.
func (c *client) do(method, path string, body any) (status int, answer string, err error) {
	ctx, stop := context.WithTimeout(context.Background(), hang)
	defer stop()
	resp, err := c.request(ctx, method, path, body)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(all), err
}

// post starts a run, or joins it, and reads to the end.
func (c *client) post(ctx context.Context, b *body) *stream {
	resp, err := c.request(ctx, http.MethodPost, "/v1/agents/default/run", b)
	return readStream(resp, err, -1)
}

// run has the model play steps in a run on a thread, and reads it to its end.
func (c *client) run(ctx context.Context, thread, id string, steps ...step) *told {
	return judge(id, c.post(ctx, ask(thread, id, steps...)))
}

// told is what a reader was told of a run, from its beginning.
type told struct {
	*stream
	end agui.Event
	all []frame
	bad error // why it is not one whole run
}

func judge(runID string, s *stream) *told {
	r := &told{stream: s}
	r.end, r.all, r.bad = checkRun(runID, s.seen)
	return r
}

// finished returns the end of a run that is whole and did not fail, else nil.
func (r *told) finished() *agui.RunFinished {
	end, _ := r.end.(*agui.RunFinished)
	return end
}

// failed returns the end of a run that is whole and failed, else nil.
func (r *told) failed() *agui.RunError {
	end, _ := r.end.(*agui.RunError)
	return end
}

// answered reports whether the run ended well, with the last word that its model had to say.
func (r *told) answered() bool {
	return r.finished() != nil && strings.HasSuffix(lastText(r.all), "end.")
}

func (r *told) String() string {
	return fmt.Sprintf("%d %s %v %v, with the end %v\n%.4000s", r.status, r.refuse, r.err, r.bad, r.end, r.seen)
}

// follow reads a run from behind an event to its end.
func (c *client) follow(ctx context.Context, runID, after string) *stream {
	return c.events(ctx, "/v1/runs/"+runID+"/events?protocolVersion=1.0", after, -1)
}

// events reads a stream of events to its end, or until it is cut off after so many bytes.
func (c *client) events(ctx context.Context, path, after string, cut int, enough ...func(frame []byte) bool) *stream {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return &stream{err: err}
	}
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := c.http.Do(req)
	return readStream(resp, err, cut, enough...)
}

// readStream reads an answer to its end, or cuts the connection after so many bytes of it, or
// behind the frame that is enough.
func readStream(resp *http.Response, err error, cut int, enough ...func(frame []byte) bool) *stream {
	if err != nil {
		return &stream{err: err}
	}
	defer resp.Body.Close()
	s := &stream{status: resp.StatusCode}
	if resp.StatusCode != http.StatusOK {
		all, err := io.ReadAll(resp.Body)
		s.refuse, s.err = string(all), err
		return s
	}
	var rest []byte
	buf := make([]byte, 16<<10)
	for {
		room := len(buf)
		if cut >= 0 {
			room = min(room, cut)
		}
		n, err := resp.Body.Read(buf[:room])
		rest = append(rest, buf[:n]...)
		if rest, s.enough = s.take(rest, enough); s.enough {
			return s
		}
		if cut >= 0 {
			if cut -= n; cut == 0 && err == nil {
				err = errCut
			}
		}
		if err != nil {
			if err != io.EOF {
				s.err = err
			}
			return s
		}
	}
}

// take takes whole frames and returns what is left, and whether one was enough.
func (s *stream) take(read []byte, enough []func([]byte) bool) (rest []byte, done bool) {
	for rest = read; ; {
		i := bytes.Index(rest, []byte("\n\n"))
		if i < 0 {
			return append([]byte(nil), rest...), false
		}
		frame := rest[:i+2]
		switch {
		case bytes.HasPrefix(frame, []byte("id: ")):
			s.seen = append(s.seen, frame...)
			for _, f := range enough {
				if f(frame) {
					return nil, true
				}
			}
		case bytes.HasPrefix(frame, []byte("retry:")):
			s.retry = true
		}
		rest = rest[i+2:]
	}
}

func lastID(frames []byte) string {
	i := bytes.LastIndex(frames, []byte("id: "))
	for i > 0 && frames[i-1] != '\n' {
		i = bytes.LastIndex(frames[:i], []byte("id: "))
	}
	if i < 0 {
		return ""
	}
	id, _, _ := strings.Cut(string(frames[i+len("id: "):]), "\n")
	return id
}

// frame is one event with its id.
type frame struct {
	id    string
	event agui.Event
}

// framesOf decodes whole frames.
func framesOf(b []byte) ([]frame, error) {
	var all []frame
	for text := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n\n"), "\n\n") {
		if text == "" {
			continue
		}
		id, data, ok := strings.Cut(strings.TrimPrefix(text, "id: "), "\ndata: ")
		if !ok {
			return nil, fmt.Errorf("no frame: %q", text)
		}
		e, err := agui.UnmarshalEvent([]byte(data))
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", id, err)
		}
		all = append(all, frame{id, e})
	}
	return all, nil
}

// checkRun checks that the whole stream of a run is one: legal, with one end, its events numbered
// from 1 without a gap, over epochs that do not go back. It returns the event that ends it.
func checkRun(runID string, b []byte) (end agui.Event, all []frame, err error) {
	if all, err = framesOf(b); err != nil {
		return nil, nil, err
	}
	v := agui.NewVerifier()
	epoch := 0
	for i, f := range all {
		if err := v.Check(f.event); err != nil {
			return nil, all, fmt.Errorf("event %s: %w", f.id, err)
		}
		at, ok := strings.CutPrefix(f.id, runID+":")
		e, seq, _ := strings.Cut(at, ".")
		in, err := strconv.Atoi(e)
		if !ok || err != nil || seq != strconv.Itoa(i+1) || in < epoch {
			return nil, all, fmt.Errorf("event %d of run %s has the id %s, in epoch %d", i+1, runID, f.id, epoch)
		}
		epoch = in
		switch f.event.(type) {
		case *agui.RunFinished, *agui.RunError:
			if end != nil {
				return nil, all, fmt.Errorf("run %s ends twice", runID)
			}
			end = f.event
		default:
			if end != nil {
				return nil, all, fmt.Errorf("run %s goes on after its end with %s", runID, f.event.Type())
			}
		}
	}
	if end == nil {
		return nil, all, fmt.Errorf("run %s has no end after %d events", runID, len(all))
	}
	return end, all, nil
}

// difference says where what was read is not the log.
func difference(read, log []byte) string {
	same := 0
	for same < min(len(read), len(log)) && read[same] == log[same] {
		same++
	}
	return fmt.Sprintf("read %d bytes that are not the %d of the log: behind byte %d come %.300q, in the log %.300q", len(read), len(log), same, read[same:], log[same:])
}

// within is a context that ends when something takes too long.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), d)
	t.Cleanup(stop)
	return ctx
}

package httpmodel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/llm"
)

const (
	drainLimit = 4 << 10

	errorBodyTimeout = 5 * time.Second
	errorBodyLimit   = 64 << 10
)

// Answer reads one answer in a provider's format and emits its parts through its Call. Its errors
// are ErrLeft or an *llm.Error.
type Answer interface {
	ReadError(body []byte) Failure // reads a response with a status other than 200
	Take(data []byte) error        // takes one event's data, which is not blank
	Whole(body []byte) error       // takes a body that is not an event stream, and ends the answer
	Finished() bool                // the provider has said why the model stopped
	Over() bool                    // nothing can follow
	End() error                    // emits the last parts of the answer
}

// Call is one request and its answer. Not safe for concurrent use.
type Call struct {
	Output

	ctx    context.Context // the caller's
	client *Client
	dog    *watchdog
	over   bool // the answer is
}

// Call prepares a call for req. Its parts go to yield.
func (c *Client) Call(ctx context.Context, req *llm.Fitted, yield Yield) *Call {
	return &Call{Output: Output{Request: req, Model: c.Model, Limits: c.Limits, Yield: yield}, ctx: ctx, client: c}
}

// Do sends body, which is Do's from then on, and reads the response with answer. Its error is
// ErrLeft or an *llm.Error.
func (c *Call) Do(body []byte, answer Answer) error {
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	c.dog = &watchdog{cancel: cancel}
	defer c.dog.stop()

	resp, err := c.send(ctx, body)
	if err != nil {
		return c.failed(ctx, err)
	}
	defer resp.Body.Close()
	from := &watchedBody{limitedBody{resp.Body, c.Limits.MaxBody}, c.dog}
	if resp.StatusCode != http.StatusOK {
		c.Await(errorText, min(c.Limits.IdleTimeout, errorBodyTimeout))
		return c.statusError(resp, from, answer)
	}
	c.Await(First, c.Limits.FirstContentTimeout)
	if err = c.read(resp.Header, from, answer); err != nil {
		err = c.failed(ctx, err)
	}
	if c.over {
		c.drain(from)
	}
	return err
}

// send posts the request and waits for the headers of the response. A long answer does not hold the
// body: once it has been read, another request has its memory.
func (c *Call) send(ctx context.Context, body []byte) (*http.Response, error) {
	lent := lend(body)
	defer lent.letGo()
	post, err := c.client.post(ctx, lent)
	if err != nil {
		return nil, c.Errorf(llm.KindBadRequest, nil, "the provider's address is not a valid URL")
	}
	c.Await(Headers, c.Limits.HeaderTimeout)
	c.dog.wait()
	defer c.dog.done()
	return c.client.HTTPClient.Do(post)
}

// Await starts the next phase of waiting, with its own limit.
func (c *Call) Await(phase Phase, limit time.Duration) { c.dog.await(phase, limit) }

// AwaitEnd waits for the end of an answer whose model has stopped.
func (c *Call) AwaitEnd() { c.Await(End, c.Limits.EndTimeout()) }

// Begin records that the model has begun: from now on the limit is per event.
func (c *Call) Begin() {
	if !c.Began {
		c.Began = true
		c.Await(Next, c.Limits.IdleTimeout)
	}
}

// Emit emits a part.
func (c *Call) Emit(p llm.Part) error {
	c.Begin()
	return c.Output.Emit(p)
}

// read reads a response to its end.
func (c *Call) read(header http.Header, body io.Reader, answer Answer) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return c.Errorf(llm.KindProtocol, nil, "the provider compressed its answer though it was asked not to")
	}
	first, body, err := sniff(header, body)
	if err != nil {
		return err
	}
	switch first {
	case '<':
		return c.Errorf(llm.KindProtocol, nil, "the provider's address answered with a web page")
	case '{', '[':
		return c.whole(body, answer)
	}
	return c.events(body, answer)
}

// sniff returns the first byte of a body not declared as an event stream, and the body as if
// unread.
func sniff(header http.Header, body io.Reader) (byte, io.Reader, error) {
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); kind == "text/event-stream" {
		return 0, body, nil
	}
	var seen []byte
	for len(seen) < 1024 {
		buf := make([]byte, 512)
		n, err := body.Read(buf)
		seen = append(seen, buf[:n]...)
		if rest := bytes.TrimLeft(seen, " \t\r\n\ufeff"); len(rest) > 0 {
			return rest[0], io.MultiReader(bytes.NewReader(seen), body), nil
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, nil, err
		}
	}
	return 0, io.MultiReader(bytes.NewReader(seen), body), nil
}

// whole reads an answer in one piece, from a server that does not stream.
func (c *Call) whole(body io.Reader, answer Answer) error {
	limit := 2 * c.Limits.MaxStep
	data, err := io.ReadAll(io.LimitReader(body, int64(limit)))
	if err != nil {
		return err
	}
	if len(data) == limit {
		return ErrBodyTooLong
	}
	return answer.Whole(data)
}

// events reads an event stream.
func (c *Call) events(body io.Reader, answer Answer) error {
	frames := sse.NewReader(body, c.Limits.MaxLine)
	for {
		blocked := !frames.Ready()
		if blocked {
			if err := c.Pause(); err != nil {
				return err
			}
		}
		frame, err := frames.Next()
		if err != nil {
			return c.saying(c.EndEarly(err, answer), frames.Failure())
		}
		if blocked && c.Began {
			c.dog.progress()
		}
		data := bytes.TrimSpace(frame.Data)
		if len(data) == 0 {
			continue
		}
		if err := answer.Take(c.said.keepHalves(data)); err != nil {
			return err
		}
		if c.over = answer.Over(); c.over {
			return answer.End()
		}
	}
}

// EndEarly ends a stream that stopped with err before the answer was over. That is fine if the
// provider has said why the model stopped.
func (c *Call) EndEarly(err error, answer Answer) error {
	if answer.Finished() && c.ctx.Err() == nil {
		return answer.End()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrCut
	}
	return err
}

// saying adds what a provider wrote before it cut off its stream. Best effort.
func (c *Call) saying(err error, words string) error {
	if !errors.Is(err, ErrCut) || words == "" {
		return err
	}
	scrubber := Scrubber{Key: c.client.Key, Pattern: keyLike}
	return fmt.Errorf("%w: %s", err, scrubber.Scrub(words))
}

// drain reads the rest of the response: a connection read to its end can be reused for the next
// step.
func (c *Call) drain(body io.Reader) {
	c.Await(End, DrainTimeout)
	_, _ = io.Copy(io.Discard, io.LimitReader(body, drainLimit))
}

// failed returns the error of a call that was interrupted.
func (c *Call) failed(callCtx context.Context, err error) error {
	if stopped := c.Interrupted(c.ctx, callCtx, err); stopped != nil {
		return stopped
	}
	if errors.Is(err, ErrCut) || errors.Is(err, io.ErrUnexpectedEOF) {
		return c.Cut(err)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may hold a password
	}
	return c.Unreachable(err)
}

// LimitBody returns body cut off after limit bytes with ErrBodyTooLong.
func LimitBody(body io.ReadCloser, limit int64) io.ReadCloser {
	return &limitedBody{body, limit}
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrBodyTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// watchedBody reports its reads to the watchdog.
type watchedBody struct {
	limitedBody
	dog *watchdog
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.dog.wait()
	n, err := b.limitedBody.Read(p)
	b.dog.done()
	if n > 0 {
		b.dog.life()
	}
	return n, err
}

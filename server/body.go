package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/strict"
)

// decodeBody reads a small JSON body into a struct. An invalid body is a 400 that names the field.
func (s *Server) decodeBody(c *call, into any) error {
	body, err := s.readBody(c)
	if err != nil {
		return err
	}
	return DecodeField("", body, into)
}

// DecodeField reads JSON that a field of a request holds; "" means that it is the request. Its
// errors name the invalid field; unknown ones are refused.
func DecodeField(field string, raw []byte, into any) error {
	e, ok := errors.AsType[*agui.FieldError](strict.Decode(raw, into))
	switch {
	case !ok:
		return nil
	case field != "" && e.Path != "" && e.Path[0] != '[':
		field += "."
	}
	return badField(field+e.Path, e.Reason)
}

// readBody reads a JSON body, up to the limit.
func (s *Server) readBody(c *call) ([]byte, error) {
	if t, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "the body must be sent as Content-Type: application/json",
			Details: map[string]any{"field": "Content-Type"}}
	}
	if coding := c.r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		c.w.Header().Set("Accept-Encoding", "identity")
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "the body must be sent without Content-Encoding",
			Details: map[string]any{"field": "Content-Encoding"}}
	}
	size, most := c.r.ContentLength, s.cfg.MaxBody
	switch {
	case size < 0:
		size = most // unknown
	case c.repeats:
		most = s.cfg.MaxRequest // the run refuses what is new beyond MaxBody
	}
	if size > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	if err := s.limits.body(c, size); err != nil {
		return nil, err
	}
	rc := http.NewResponseController(c.w)
	arriving := &arrival{
		from: http.MaxBytesReader(c.w, c.r.Body, most), rc: rc, until: time.Now().Add(s.cfg.BodyTimeout),
	}
	if err := rc.SetReadDeadline(arriving.until); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, fmt.Errorf("bound the time of the body: %w", err)
	}
	body, err := readAll(arriving, c.r.ContentLength)
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, err
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.w.Header().Set("Connection", "close")
			return nil, &Error{
				Status: http.StatusRequestTimeout, Code: "body_timeout",
				Message: "the body did not arrive in time", Details: map[string]any{"field": ""},
			}
		}
		return nil, &Error{
			Status: http.StatusBadRequest, Code: "incomplete_body",
			Message: "the body could not be read to its end", Details: map[string]any{"field": ""}, Err: err,
		}
	}
	if err := rc.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, fmt.Errorf("free the connection of its deadline: %w", err)
	}
	return body, nil
}

// leastRate is the minimum average rate of a body, in bytes per second, after BodyTimeout.
const leastRate = 32 << 10

// arrival is a body whose deadline grows with the bytes received: a slow connection may take long,
// one that trickles is cut off.
type arrival struct {
	from  io.Reader
	rc    *http.ResponseController
	until time.Time
}

func (a *arrival) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if n > 0 {
		a.until = a.until.Add(time.Duration(n) * time.Second / leastRate)
		_ = a.rc.SetReadDeadline(a.until) // unsupported by test recorders only
	}
	return n, err
}

// believed is how much memory is allocated for a body by its Content-Length alone: this much, or a
// sixteenth of what is announced. The rest follows once that has arrived.
const believed = 32 << 10

// readAll reads r. If its length is announced, it does so without growing a buffer.
func readAll(r io.Reader, announced int64) ([]byte, error) {
	if announced < 0 {
		return io.ReadAll(r)
	}
	body := make([]byte, min(announced, max(believed, announced/16)))
	n, err := io.ReadFull(r, body)
	if err != nil || int64(n) == announced {
		return body, err
	}
	whole := make([]byte, announced)
	copy(whole, body)
	_, err = io.ReadFull(r, whole[n:])
	return whole, err
}

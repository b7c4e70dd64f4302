package protocoltest

import (
	"iter"
	"net/http"

	"github.com/pageside/pageside/internal/sse"
)

// Stream is an open answer, which is read event by event.
type Stream[E any] struct {
	*http.Response
	All    []E // that have been read
	site   *Site
	frames *sse.Reader
	decode func(sse.Frame) E
}

// Open begins to read an answer, which must be a stream.
func Open[E any](s *Site, resp *http.Response, decode func(sse.Frame) E) *Stream[E] {
	s.T.Helper()
	return &Stream[E]{Response: resp, site: s, frames: s.Events(resp), decode: decode}
}

// Next reads an event. It returns false at the end.
func (s *Stream[E]) Next() bool {
	s.site.T.Helper()
	frame, err := s.frames.Next()
	if err == nil {
		s.All = append(s.All, s.decode(frame))
	}
	return err == nil
}

// Rest reads to the end and returns all events.
func (s *Stream[E]) Rest() []E {
	s.site.T.Helper()
	for s.Next() {
	}
	return s.All
}

// Until reads up to the first event of a kind and returns all so far.
func (s *Stream[E]) Until(is func(E) bool) []E {
	s.site.T.Helper()
	for s.Next() {
		if is(s.All[len(s.All)-1]) {
			return s.All
		}
	}
	s.site.T.Fatalf("what was waited for does not come: %+v", s.All)
	return nil
}

// Answers are the interrupts that a question approves or denies.
func (q Question) Answers() iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, id := range q.Approve {
			if !yield(id, true) {
				return
			}
		}
		for _, id := range q.Deny {
			if !yield(id, false) {
				return
			}
		}
	}
}

// As returns a client that sends a user's token.
func As(user string) *http.Client { return &http.Client{Transport: bearer(user)} }

type bearer string

// RoundTrip is part of http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

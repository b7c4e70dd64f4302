package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// maxID bounds the ids that clients choose.
const maxID = 256

// postRun starts a run, or joins the one that has the same id, and streams its events.
func (s *Server) postRun(c call) error {
	body, err := s.readBody(c)
	if err != nil {
		return err
	}
	input, err := agui.UnmarshalRunAgentInput(body)
	if err != nil {
		return fmt.Errorf("decode the run's input: %w", err)
	}
	if err := checkIDs(input); err != nil {
		return err
	}
	agentID := c.r.PathValue("agent")
	r, err := s.cfg.Runs.Start(c.r.Context(), run.Request{Owner: c.owner, Agent: agentID, Input: input, Fingerprint: fingerprint(agentID, body)})
	if err != nil {
		return err
	}
	return s.stream(c, r, input.ProtocolVersion == "")
}

// readBody reads a JSON body as far as the limit allows.
func (s *Server) readBody(c call) ([]byte, error) {
	if t, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "the body must be sent as Content-Type: application/json",
			Details: map[string]any{"field": "Content-Type"}}
	}
	if coding := c.r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		c.w.Header().Set("Accept-Encoding", "identity")
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "the body must be sent without Content-Encoding",
			Details: map[string]any{"field": "Content-Encoding"}}
	}
	if c.r.ContentLength > s.cfg.MaxBody {
		return nil, &http.MaxBytesError{Limit: s.cfg.MaxBody}
	}
	rc := http.NewResponseController(c.w)
	if err := rc.SetReadDeadline(time.Now().Add(s.cfg.BodyTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, fmt.Errorf("bound the time of the body: %w", err)
	}
	body, err := readAll(http.MaxBytesReader(c.w, c.r.Body, s.cfg.MaxBody), c.r.ContentLength)
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, err
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.w.Header().Set("Connection", "close")
			return nil, &Error{Status: http.StatusRequestTimeout, Code: "body_timeout", Message: fmt.Sprintf("the body did not arrive within %s", s.cfg.BodyTimeout), Details: map[string]any{"field": ""}}
		}
		return nil, &Error{Status: http.StatusBadRequest, Code: "incomplete_body", Message: "the body could not be read to its end", Details: map[string]any{"field": ""}, Err: err}
	}
	if err := rc.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, fmt.Errorf("free the connection of its deadline: %w", err)
	}
	return body, nil
}

// believed is how much memory the announcement of a body gets before the body is there.
const believed = 256 << 10

// readAll reads r, with one allocation where its length is announced and believed.
func readAll(r io.Reader, announced int64) ([]byte, error) {
	if announced < 0 || announced > believed {
		return io.ReadAll(r)
	}
	body := make([]byte, announced)
	_, err := io.ReadFull(r, body)
	return body, err
}

func checkIDs(in *agui.RunAgentInput) error {
	for _, id := range []struct{ field, value string }{{"threadId", in.ThreadID}, {"runId", in.RunID}} {
		if err := checkID(id.field, id.value); err != nil {
			return err
		}
	}
	for i := range in.Messages {
		if err := checkID(fmt.Sprintf("messages[%d].id", i), in.Messages[i].ID); err != nil {
			return err
		}
	}
	return nil
}

func checkID(field, id string) error {
	switch {
	case id == "":
		return badField(field, "must not be empty")
	case len(id) > maxID:
		return badField(field, fmt.Sprintf("must be at most %d bytes", maxID))
	}
	for i := range len(id) {
		if id[i] < 0x20 || id[i] == 0x7f {
			return badField(field, "must not hold control characters") // it stands in the stream's id lines
		}
	}
	return nil
}

// fingerprint tells whether two requests with one run id are the same request.
func fingerprint(agentID string, body []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, agentID) // a hash never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(body)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// postCancel stops a run.
func (s *Server) postCancel(c call) error {
	if err := s.cfg.Runs.Cancel(c.r.Context(), c.owner, c.r.PathValue("run")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

package httptool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/tool"
)

// An endpoint can say how far it is: it answers in lines of JSON, or with Server-Sent Events, of
// which some are {"progress": {"stage", "message", "progress"}}. What else is there is its answer.

// maxLine bounds a line or an event of such an answer.
const maxLine = 1 << 20

var lineMedia = map[string]bool{
	"application/x-ndjson": true, "application/ndjson": true, "application/jsonl": true,
	"application/x-jsonlines": true,
}

// readBody reads the body of a response, and reports the progress in it.
func (e *endpoint) readBody(resp *http.Response, call *tool.Call) (string, error) {
	var next func() ([]byte, error)
	switch media := mediaOf(resp); {
	case media == "text/event-stream":
		events := sse.NewReader(resp.Body, maxLine)
		next = func() ([]byte, error) {
			frame, err := events.Next()
			return append(frame.Data, '\n'), err
		}
	case lineMedia[media]:
		lines := bufio.NewReader(resp.Body)
		next = func() ([]byte, error) { return lines.ReadBytes('\n') }
	default:
		raw, err := io.ReadAll(resp.Body)
		return e.secrets.Replace(string(raw)), err
	}
	var rest bytes.Buffer
	for {
		line, err := next()
		if !e.reports(line, call) {
			rest.Write(line)
		}
		if errors.Is(err, io.EOF) {
			return e.secrets.Replace(string(bytes.TrimSpace(rest.Bytes()))), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// reports reports the progress that a line tells, if it does nothing else.
func (e *endpoint) reports(line []byte, call *tool.Call) bool {
	var said struct {
		Progress *struct {
			Stage    string   `json:"stage"`
			Message  string   `json:"message"`
			Progress *float64 `json:"progress"`
		} `json:"progress"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil || len(members) != 1 || json.Unmarshal(line, &said) != nil ||
		said.Progress == nil {
		return false
	}
	fraction := -1.0
	if p := said.Progress.Progress; p != nil {
		fraction = min(max(*p, 0), 1)
	}
	call.Progress(e.secrets.Replace(said.Progress.Stage), e.secrets.Replace(said.Progress.Message), fraction)
	return true
}

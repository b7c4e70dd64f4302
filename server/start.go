package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// maxID is the maximum length of ids chosen by clients.
const maxID = 256

// start starts the run that a body asks for, or joins the one with the same id. Every protocol
// begins its runs here.
func (s *Server) start(c *call, agentID string, body []byte) (*run.Run, *agui.RunAgentInput, error) {
	input, body, err := readInput(s.cfg.MaxMessages, body)
	if err != nil {
		return nil, nil, err
	}
	if err := checkIDs(input); err != nil {
		return nil, nil, err
	}
	req := run.Request{
		Principal: c.principal, Agent: agentID, Input: input, Fingerprint: fingerprint(agentID, body),
		Size: int64(len(body)), Most: int(s.cfg.MaxBody), Relayed: c.relayed, Words: c.words,
		Timestamps: c.timestamps,
	}
	if suggester := s.suggester.Load(); suggester != nil {
		req.Suggested = func(text string) bool { return suggester.Made(suggestionsOf(c.owner), text) }
	}
	r, err := s.cfg.Runs.Start(c.r.Context(), req)
	s.limits.giveBody(c)
	if err == nil {
		accessOf(c.r).run = r.ID
	}
	return r, input, err
}

// readInput reads the input of a run, of at most so many messages, and returns it with the ids that
// it was given.
func readInput(most int, body []byte) (in *agui.RunAgentInput, given []byte, err error) {
	in, err = agui.UnmarshalRunAgentInputUpTo(most, body)
	if e, ok := errors.AsType[*agui.FieldError](err); ok && e.Reason == "is required" &&
		(e.Path == "threadId" || e.Path == "runId") {
		body = withIDs(body)
		in, err = agui.UnmarshalRunAgentInputUpTo(most, body)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("decode the run's input: %w", err)
	}
	return in, body, nil
}

// withIDs gives a request that says something without threadId or runId a thread or a run of its
// own, which RUN_STARTED tells: the text on page tools prints one that has neither.
func withIDs(body []byte) []byte {
	var members map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(body, &members) != nil || json.Unmarshal(members["messages"], &messages) != nil ||
		len(messages) == 0 {
		return body
	}
	for name, prefix := range map[string]string{"threadId": "thread_", "runId": "run_"} {
		if members[name] == nil {
			members[name], _ = json.Marshal(prefix + rand.Text()) // a string: cannot fail
		}
	}
	given, err := json.Marshal(members)
	if err != nil {
		return body // it has been decoded: cannot fail
	}
	return given
}

func checkIDs(in *agui.RunAgentInput) error {
	for _, id := range []struct{ field, value string }{{"threadId", in.ThreadID}, {"runId", in.RunID}} {
		if err := checkID(id.field, id.value); err != nil {
			return err
		}
	}
	for i := range in.Messages {
		if in.Messages[i].ID == "" {
			continue // the run derives one
		}
		if wrong := wrongID(in.Messages[i].ID); wrong != "" {
			return badField(fmt.Sprintf("messages[%d].id", i), wrong)
		}
	}
	return nil
}

func checkID(field, id string) error {
	if wrong := wrongID(id); wrong != "" {
		return badField(field, wrong)
	}
	return nil
}

// wrongID returns what is wrong with an id, or "".
func wrongID(id string) string {
	switch {
	case id == "":
		return "must not be empty"
	case len(id) > maxID:
		return fmt.Sprintf("must be at most %d bytes", maxID)
	}
	for i := range len(id) {
		if id[i] < 0x20 || id[i] == 0x7f {
			return "must not hold control characters" // it is part of the stream's id lines
		}
	}
	return ""
}

// fingerprint identifies a request, to compare requests of one person with the same run id. Nobody
// gains by two that are taken for each other, so that the hash need not withstand who looks for
// such: SHA-256 takes a tenth of a run that brings a long history.
func fingerprint(agentID string, body []byte) string {
	h := xxhash.New()
	_, _ = h.WriteString(agentID) // a hash never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(body)
	return fmt.Sprintf("%016x", h.Sum64())
}

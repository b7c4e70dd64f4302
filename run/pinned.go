package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Some clients (CopilotKit) answer an interrupt under the id of the run that asked. The answer is a
// run like any other, with its own parent, event log and fingerprint, but its id is taken: the
// client calls it r, the store r~2, the next one r~3. Its events say r, their ids r~2, so that
// event ids stay unique. To a client, r means the newest of these runs.

// SplitID returns the client's id of a stored run, and the run's number among those with that id.
func SplitID(id string) (pinned string, n int) {
	at := strings.LastIndexByte(id, '~')
	if at < 1 {
		return id, 1
	}
	n, err := strconv.Atoi(id[at+1:])
	if err != nil || n < 2 || strconv.Itoa(n) != id[at+1:] {
		return id, 1
	}
	return id[:at], n
}

// pinned returns the client's id of a run.
func pinned(id string) string {
	id, _ = SplitID(id)
	return id
}

// following returns the id of the next run with the same client id.
func following(id string) string {
	id, n := SplitID(id)
	return fmt.Sprintf("%s~%d", id, n+1)
}

// checkID refuses ids of the form that the server gives to pinned runs.
func checkID(id string) error {
	if pinned(id) == id {
		return nil
	}
	return refusal.Field("runId",
		"run id %q must not end with ~ and a number: the server names so what goes on under the id of an earlier run", id)
}

// identify returns the id of the run that a request asks for: the request's own id, or, if the
// request answers interrupts of the run with that id, the id of the run that continues it, which
// may already exist. It returns an error if the id was used for something else.
func (s *stored) identify(ctx context.Context, req Request) (string, error) {
	id := req.Input.RunID
	if err := checkID(id); err != nil {
		return "", err
	}
	if len(req.Input.Resume) == 0 {
		return id, nil
	}
	var last store.Run
	for ; ; id = following(id) {
		row, err := s.db.Run(ctx, req.owner(), id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return id, mayFollow(last, req.Input)
		case err != nil:
			return "", unavailable("the run could not be looked up", err)
		case row.ThreadID == req.Input.ThreadID && row.Fingerprint == req.Fingerprint:
			return id, nil
		}
		last = row
	}
}

// mayFollow returns why a request cannot continue a run under its id, or nil. The zero run means
// none.
func mayFollow(last store.Run, in *agui.RunAgentInput) error {
	if last.ID == "" {
		return nil
	}
	asked, err := asked(last, in.Resume)
	if err == nil && (!asked || last.ThreadID != in.ThreadID) {
		err = conflict(in.RunID)
	}
	return err
}

// asked reports whether a run ended with an interrupt that one of the entries answers.
func asked(row store.Run, entries []agui.ResumeEntry) (bool, error) {
	if row.Status == store.RunLive {
		return false, nil
	}
	all, err := interruptsOf(row)
	return slices.ContainsFunc(all, func(i calls.Interrupt) bool { return history.HasAnswer(entries, i.ID) }), err
}

// newest returns the id of the newest stored run with this client id. An id made by the server is
// returned as it is.
func (s *stored) newest(ctx context.Context, o store.Owner, id string) (string, error) {
	if pinned(id) != id {
		return id, nil
	}
	for {
		switch _, err := s.db.Run(ctx, o, following(id)); {
		case errors.Is(err, store.ErrNotFound):
			return id, nil
		case err != nil:
			return "", unavailable("the run could not be looked up", err)
		}
		id = following(id)
	}
}

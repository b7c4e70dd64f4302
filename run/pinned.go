package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// Some clients answer an interrupt under the id of the run that asked (CopilotKit pins it). The
// answer begins a run like any other, with its own parent, event log and fingerprint. Only its id
// is taken: the client calls it r, the store r~2, and the next one r~3. Its events say r and their
// ids r~2, so that two events never have one id. When a client names r, it means the newest of
// these runs.

// split returns the id that a client gave, and the number of the run among those with that id.
func split(id string) (pinned string, n int) {
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

// pinned returns what a client calls the run with this id.
func pinned(id string) string {
	id, _ = split(id)
	return id
}

// following returns the id of the next run that a client calls the same.
func following(id string) string {
	id, n := split(id)
	return fmt.Sprintf("%s~%d", id, n+1)
}

// checkID refuses ids of the form that the server gives to runs under an earlier run's id.
func checkID(id string) error {
	if pinned(id) == id {
		return nil
	}
	return &Error{Code: CodeInvalid, Field: "runId", Message: fmt.Sprintf("run id %q must not end with ~ and a number: the server names so what goes on under the id of an earlier run", id)}
}

// identify returns the id of the run that a request asks for. That is the request's own id, unless
// the request answers the interrupts of the run of that id: then it is the id of the run that
// continues it, which may exist already. An error says that the id was used for something else.
func (m *Manager) identify(ctx context.Context, req Request) (string, error) {
	id := req.Input.RunID
	if err := checkID(id); err != nil {
		return "", err
	}
	if len(req.Input.Resume) == 0 {
		return id, nil
	}
	var last store.Run
	for ; ; id = following(id) {
		row, err := m.cfg.Store.Run(ctx, req.Owner, id)
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

// mayFollow returns why a request cannot continue a run under its id, or nil. The zero run is none.
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
	if row.Status == store.RunLive || row.Interrupts == nil {
		return false, nil
	}
	var all []agent.Interrupt
	if err := json.Unmarshal(row.Interrupts, &all); err != nil {
		return false, fmt.Errorf("read the interrupts of run %s: %w", row.ID, err)
	}
	return slices.ContainsFunc(all, func(i agent.Interrupt) bool {
		return slices.ContainsFunc(entries, func(e agui.ResumeEntry) bool { return e.InterruptID == i.ID })
	}), nil
}

// newest returns the id of the newest run in the store that a client calls by this id. An id of the
// server's own is that of one run only.
func (m *Manager) newest(ctx context.Context, o store.Owner, id string) (string, error) {
	if pinned(id) != id {
		return id, nil
	}
	for {
		switch _, err := m.cfg.Store.Run(ctx, o, following(id)); {
		case errors.Is(err, store.ErrNotFound):
			return id, nil
		case err != nil:
			return "", unavailable("the run could not be looked up", err)
		}
		id = following(id)
	}
}

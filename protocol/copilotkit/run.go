package copilotkit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
)

// legacy reports whether the events of a stream are for AG-UI 0.x, as CopilotKit's are.
func legacy(in *agui.RunAgentInput) bool { return in.ProtocolVersion == "" }

// start starts a run and streams its events.
func start(r *request) error {
	in, err := r.Input(r.body)
	if err != nil {
		return err
	}
	if wantsSuggestions(in) { // a front end that does not know of suggest, or uses one address
		return r.suggest(in)
	}
	started, err := r.Start(r.agent(), in)
	if err != nil {
		return err
	}
	return r.Stream(started.Read(legacy(in)), nil)
}

// connect replays a thread: its messages, its state and what it waits for, then its live run. For a
// thread that does not exist yet, the stream is empty.
func connect(r *request) error {
	in, err := r.Input(r.body)
	if err != nil {
		return err
	}
	reader, err := r.FollowThread(run.FollowRequest{ThreadID: in.ThreadID, Legacy: legacy(in)})
	if refusal.CodeOf(err) == refusal.NotFound {
		return r.Events([]byte(": there is no such thread yet\n\n"))
	}
	if err != nil {
		return err
	}
	return r.Stream(reader, nil)
}

// stop cancels the live run of a thread, or the named one if it is live.
func stop(r *request) error {
	var scope struct {
		RunID *string `json:"runId"`
	}
	if err := r.decode(&scope); err != nil {
		return err
	}
	if scope.RunID != nil && *scope.RunID == "" {
		return server.BadField("runId", "must not be empty")
	}
	runs, err := r.Threads().Runs(r.thread())
	if err != nil && refusal.CodeOf(err) != refusal.NotFound {
		return fmt.Errorf("list the runs of a thread: %w", err)
	}
	stopped := false
	for _, row := range runs {
		if row.Status != run.StatusLive || scope.RunID != nil && !isRun(row.ID, *scope.RunID) {
			continue
		}
		if err := r.Cancel(row.ID); err != nil {
			return err
		}
		stopped = true
	}
	if !stopped {
		r.JSON(map[string]any{"stopped": false, "message": "No active run."})
		return nil
	}
	r.JSON(map[string]any{
		"stopped":   true,
		"interrupt": map[string]string{"type": "RUN_ERROR", "message": "Run stopped by user", "code": "STOPPED"},
	})
	return nil
}

// isRun reports whether a stored run is the one that the front end calls id. A run that continues
// under the id of an earlier one is stored as id~2.
func isRun(stored, id string) bool {
	number, goesOn := strings.CutPrefix(stored, id+"~")
	_, err := strconv.Atoi(number)
	return stored == id || goesOn && err == nil
}

// snapshot returns the events that show a thread as it is.
func (r *request) snapshot() ([]run.Event, error) {
	if err := r.Count(); err != nil {
		return nil, err
	}
	return r.Shown(run.FollowRequest{ThreadID: r.thread(), Legacy: true})
}

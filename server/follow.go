package server

import (
	"github.com/pageside/pageside/run"
)

// getRunEvents follows one run, from after the event in Last-Event-ID or from its beginning.
func (s *Server) getRunEvents(c call) error {
	done, err := s.limits.stream(c)
	if err != nil {
		return err
	}
	defer done()
	window, err := numberOf(c, "history", maxPage)
	if err != nil {
		return err
	}
	reader, err := s.cfg.Runs.Follow(c.r.Context(), run.FollowRequest{
		Owner: c.owner, RunID: c.r.PathValue("run"), After: lastEventID(c), Legacy: legacy(c), Window: int(window),
	})
	if err != nil {
		return err
	}
	return s.stream(c, reader, nil)
}

// getThreadEvents sends a thread as a stream: its messages, then its live run. With ?stay=1 later
// runs follow too, until the client leaves; with ?history=50 snapshots show the newest messages
// only.
func (s *Server) getThreadEvents(c call) error {
	done, err := s.limits.stream(c)
	if err != nil {
		return err
	}
	defer done()
	stay, err := flagOf(c, "stay")
	if err != nil {
		return err
	}
	window, err := numberOf(c, "history", maxPage)
	if err != nil {
		return err
	}
	reader, err := s.cfg.Runs.FollowThread(c.r.Context(), run.FollowRequest{
		Owner: c.owner, ThreadID: c.r.PathValue("thread"), After: lastEventID(c), Legacy: legacy(c), Stay: stay, Window: int(window),
	})
	if err != nil {
		return err
	}
	return s.stream(c, reader, nil)
}

// lastEventID returns the id of the last event the client has read. The query parameter is for
// clients that cannot set headers.
func lastEventID(c call) string {
	if id := c.r.Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return c.r.URL.Query().Get("lastEventId")
}

// legacy reports whether a stream requested without a body is for a 0.x client.
func legacy(c call) bool { return c.r.URL.Query().Get("protocolVersion") == "" }

package agui

import (
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// maxWindow is how many messages a snapshot shows at most, unless it shows all.
const maxWindow = 200

// getRunEvents follows one run, from after the event in Last-Event-ID or from its beginning.
func getRunEvents(x *server.Exchange) error {
	req, err := following(x)
	if err != nil {
		return err
	}
	reader, err := x.Follow(req)
	if err != nil {
		return err
	}
	return send(x, reader)
}

// getThreadEvents sends a thread as a stream: its messages, then its live run. With ?stay=1 later
// runs follow too, until the client leaves; with ?history=50 snapshots show the newest messages
// only.
func getThreadEvents(x *server.Exchange) error {
	req, err := following(x)
	if err != nil {
		return err
	}
	if req.Stay, err = x.Flag("stay"); err != nil {
		return err
	}
	reader, err := x.FollowThread(req)
	if err != nil {
		return err
	}
	return send(x, reader)
}

// following returns what a request to follow asks for. Without a body, a client of 1.0 says so in
// the query.
func following(x *server.Exchange) (req run.FollowRequest, err error) {
	if err := x.Count(); err != nil {
		return req, err
	}
	window, err := x.Number("history", maxWindow)
	return run.FollowRequest{
		RunID: x.Request.PathValue("run"), ThreadID: x.Request.PathValue("thread"), After: x.LastEventID(),
		Legacy: x.Request.URL.Query().Get("protocolVersion") == "", Window: int(window),
	}, err
}

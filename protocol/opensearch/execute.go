package opensearch

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// executeStream starts a run, and streams it in the format of the request.
func executeStream(x *server.Exchange) error {
	id, in, native, err := readRequest(x)
	if err != nil {
		return err
	}
	translate := (&reply{thread: in.ThreadID, run: in.RunID}).translate
	if !native {
		translate = newStream(in).translate
	}
	if len(in.Messages) == 0 && len(in.Resume) == 0 {
		if err := settle(x, in.ThreadID); err != nil {
			return err
		}
	}
	r, err := x.Start(id, in)
	if err != nil {
		return err
	}
	return x.Stream(r.Read(false), translate)
}

// patience is how long a reloaded page waits for an answer in progress.
const patience = 30 * time.Second

// settle waits for the live run of a thread. Its client was reloaded and wants the end of the
// answer, but this protocol cannot join a run in the middle.
func settle(x *server.Exchange, threadID string) error {
	t, err := threadOf(x, threadID)
	if err != nil || t.Head == "" {
		return nil // the run says what is wrong
	}
	reader, err := x.Follow(run.FollowRequest{RunID: t.Head})
	if err != nil {
		return nil // its events may be gone
	}
	defer reader.Close()
	ctx, cancel := context.WithTimeout(x.Context(), patience)
	defer cancel()
	_ = reader.Rest(ctx, func(agui.Event) {}) // else the answer is what there is by then
	return x.Context().Err()
}

// execute answers a question at once.
func execute(x *server.Exchange) error {
	id, in, native, err := readRequest(x)
	switch {
	case err != nil:
		return err
	case !native:
		return server.BadField("",
			"is an AG-UI input. AG-UI agents require streaming execution. Please use the streaming endpoint: "+
				agents+id+"/_execute/stream")
	case x.Request.URL.Query().Has("async"):
		return server.BadField("async", "is not supported: use the streaming endpoint")
	}
	r, err := x.Start(id, in)
	if err != nil {
		return err
	}
	out := &reply{thread: in.ThreadID, run: in.RunID}
	if err := x.Wait(r.Read(false), func(e agui.Event) { out.event(e) }); err != nil {
		return err
	}
	if out.failure != nil {
		return out.failure
	}
	x.JSON(out.whole())
	return nil
}

// readRequest returns the agent and the run that a request asks for, and whether it is in
// ml-commons' own format.
func readRequest(x *server.Exchange) (id string, in *agui.RunAgentInput, native bool, err error) {
	id = x.Request.PathValue("agent")
	if err := find(x, id); err != nil {
		return "", nil, false, err
	}
	body, err := x.Body()
	if err != nil {
		return "", nil, false, err
	}
	var members map[string]json.RawMessage
	if err := server.DecodeField("", body, &members); err != nil {
		return "", nil, false, err
	}
	switch {
	case isAGUI(members):
		if in, err = x.Input(completed(body, members)); err != nil {
			return "", nil, false, err
		}
	case has(members, "parameters", "input"):
		var req request
		if err := server.DecodeField("", body, &req); err != nil {
			return "", nil, false, err
		}
		if in, native, err = req.read(x); err != nil || native {
			return id, in, native, err
		}
	default:
		return "", nil, false, server.BadField("",
			"must be an AG-UI input (threadId, runId, messages, tools, context), or have parameters.question or input")
	}
	takeAnswers(in)
	return id, in, false, nil
}

// isAGUI reports whether a body means to be an AG-UI input. A member that is missing is found
// later, and named.
func isAGUI(members map[string]json.RawMessage) bool {
	return has(members, "threadId", "runId", "messages")
}

// completed returns an AG-UI input without context items that have no value, on which ml-commons
// does not insist: a component of OpenSearch Dashboards that is still loading has sent one.
func completed(body []byte, members map[string]json.RawMessage) []byte {
	context := withValues(members["context"])
	if context == nil {
		return body
	}
	members["context"] = context
	return jsonx.Marshal(members)
}

// withValues returns a list of context items without those that have no value, or nil if all have
// one, or it is no such list.
func withValues(context json.RawMessage) json.RawMessage {
	var items []map[string]json.RawMessage
	if json.Unmarshal(context, &items) != nil {
		return nil
	}
	all := len(items)
	items = slices.DeleteFunc(items, func(item map[string]json.RawMessage) bool {
		return item != nil && absent(item["value"])
	})
	if len(items) == all {
		return nil
	}
	return jsonx.Marshal(items)
}

func has(members map[string]json.RawMessage, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := members[name]; return ok })
}

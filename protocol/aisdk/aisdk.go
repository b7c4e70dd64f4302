package aisdk

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
)

// Protocol is the drop-in.
type Protocol struct{}

// Routes is part of server.Protocol.
func (Protocol) Routes() []server.Route {
	return []server.Route{
		{Pattern: "POST /v1/ai-sdk/{agent}", Starts: true, Repeats: true, Handle: postChat},
		{Pattern: "GET /v1/ai-sdk/{agent}/{id}", Handle: getChat},
		{Pattern: "GET /v1/ai-sdk/{agent}/{id}/stream", Handle: getStream},
		{Pattern: "DELETE /v1/ai-sdk/{agent}/{id}/stream", Handle: deleteStream},
	}
}

// Error is part of server.Protocol. The AI SDK shows the body as it is, as the text of its error.
// It names the field that the client has sent.
func (Protocol) Error(e *server.Error) any {
	text := strings.NewReplacer("forwardedProps.pageside", "pageside", "forwardedProps: ", "").Replace(e.Message)
	field, _ := e.Details["field"].(string)
	if strings.HasPrefix(field, "forwardedProps") || strings.Contains(text, field) {
		return text
	}
	return field + ": " + text
}

// postChat answers the messages of a chat.
func postChat(x *server.Exchange) error {
	var req request
	if err := x.Decode(&req); err != nil {
		return err
	}
	agent := x.Request.PathValue("agent")
	in, err := req.input()
	if err != nil {
		return err
	}
	if err := x.Permit(agent, in); err != nil {
		return err
	}
	if err := req.convert(x, in); err != nil {
		return err
	}
	if req.Trigger == triggerRegenerate {
		if err := stop(x, req.ID); err != nil {
			return err
		}
	}
	in.RunID = "aisdk_" + rand.Text()
	r, err := x.Start(agent, in)
	if err != nil {
		return req.named(err)
	}
	return send(x, r.Read(false), newStream(x, &req))
}

// getStream replays the live answer from its beginning and then follows it.
func getStream(x *server.Exchange) error {
	id := x.Request.PathValue("id")
	head, isLive, err := headOf(x, id)
	if err != nil {
		return err
	}
	if !isLive || head.Agent != x.Request.PathValue("agent") {
		x.Writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	reader, err := x.FollowThread(run.FollowRequest{ThreadID: id})
	if err != nil {
		return err
	}
	return send(x, reader, resumedStream())
}

// deleteStream stops the answer that is under way, if there is one.
func deleteStream(x *server.Exchange) error {
	if err := stop(x, x.Request.PathValue("id")); err != nil {
		return err
	}
	x.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

// stop cancels the live run of a chat. An unknown chat, or another user's, has none.
func stop(x *server.Exchange, id string) error {
	head, isLive, err := headOf(x, id)
	if err != nil || !isLive {
		return err
	}
	return x.Cancel(head.ID)
}

// headOf returns the run at the end of a chat, and whether it is still going.
func headOf(x *server.Exchange, id string) (head run.Row, isLive bool, err error) {
	t, err := x.Threads().Get(id)
	if refusal.CodeOf(err) == refusal.NotFound {
		return head, false, nil
	}
	if err != nil {
		return head, false, err
	}
	rows, err := x.Threads().Runs(id)
	for _, row := range rows {
		if row.ID == t.Head {
			return row, row.Status == run.StatusLive, nil
		}
	}
	return head, false, err
}

// versionHeader names the protocol. Some proxies and clients look for it.
const versionHeader = "X-Vercel-Ai-Ui-Message-Stream"

func send(x *server.Exchange, reader *run.Reader, s *stream) error {
	x.Tell(versionHeader, "v1")
	return x.Stream(reader, s.translate)
}

// maxWindow is how many messages of a thread a page of its history has at most.
const maxWindow = 1000

// getChat returns a chat as useChat takes it. While an answer is under way, it ends before that.
func getChat(x *server.Exchange) error {
	id := x.Request.PathValue("id")
	asked, err := x.Number("limit", maxWindow)
	if err != nil {
		return err
	}
	limit := int(cmp.Or(asked, maxWindow))
	out := struct {
		ID       string      `json:"id"`
		Title    string      `json:"title"`
		Messages []uiMessage `json:"messages"`
		Before   string      `json:"before,omitempty"` // gets the messages that precede them
	}{ID: id}
	t, err := x.Threads().Get(id)
	if err != nil {
		return server.OrNotFound(err, "there is no such chat")
	}
	var messages []agui.Message
	var waits *agui.Outcome
	if before := x.Request.URL.Query().Get("before"); before != "" {
		messages, out.Before, err = x.Threads().Messages(id, before, limit)
	} else {
		messages, waits, out.Before, err = x.Snapshot(id, limit)
	}
	if err != nil {
		return err
	}
	out.Title, out.Messages = t.Title, chatOf(messages, waits)
	x.JSON(out)
	return nil
}

// isApproval reports whether an interrupt is what the AI SDK calls an approval. It has no word for
// the other ones.
func isApproval(i *agui.Interrupt) bool {
	return i.ToolCallID != "" && i.Reason == "tool_call"
}

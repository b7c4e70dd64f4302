package chatv1

import (
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// Protocol is the drop-in.
type Protocol struct{ server.StandardError }

// Routes is part of server.Protocol.
func (Protocol) Routes() []server.Route {
	return []server.Route{
		{Pattern: "POST /v1/chat/stream", Starts: true, Handle: postStream},
		{Pattern: "GET /v1/chat/stream", Handle: getStream},
		{Pattern: "GET /v1/chat/conversations", Handle: getConversations},
		{Pattern: "GET /v1/chat/conversations/{conversation}", Handle: getConversation},
		{Pattern: "PATCH /v1/chat/conversations/{conversation}", Handle: patchConversation},
		{Pattern: "DELETE /v1/chat/conversations/{conversation}", Handle: deleteConversation},
		{Pattern: "POST /v1/chat/conversations/{conversation}/cancel", Handle: postCancel},
	}
}

// fields are the request's names for those of a run's input.
var fields = map[string]string{
	"messages[0].content": "message", "threadId": "conversation_id", "forwardedProps.pageside": "context",
	"context": "context", "resume": "resume",
}

// Error names the field that the client has sent.
func (p Protocol) Error(e *server.Error) any {
	if field, ok := e.Details["field"].(string); ok {
		for ours, theirs := range fields {
			if name, is := server.Renamed(field, ours, theirs); is {
				e.Details["field"] = name
			}
		}
	}
	return p.StandardError.Error(e)
}

// postStream sends a message, or answers what the assistant waits for, and streams the answer.
func postStream(x *server.Exchange) error {
	var req request
	if err := x.Decode(&req); err != nil {
		return err
	}
	in, err := req.input()
	if err != nil {
		return err
	}
	if err := x.Permit(x.Agent(), in); err != nil {
		return err
	}
	out := &stream{conversation: newConversation()}
	if req.ConversationID != nil {
		out.conversation = *req.ConversationID
		if err := out.know(x); err != nil {
			return err
		}
	}
	in.ThreadID, in.RunID = threadID(out.conversation), "chat_"+rand.Text()
	for i := range in.Messages {
		in.Messages[i].ID = "u-" + in.RunID
	}
	r, err := x.Start(x.Agent(), in)
	if err != nil {
		return err
	}
	out.announce(x)
	return x.Stream(r.Read(false), out.translate)
}

// getStream resumes an answer whose stream was cut off, after Last-Event-ID.
func getStream(x *server.Exchange) error {
	after := x.LastEventID()
	end := strings.LastIndexByte(after, ':')
	if end <= 0 {
		return server.BadField("Last-Event-ID", "must be the id of the last event that has arrived")
	}
	// from the beginning: the last event sums up the whole answer
	reader, err := x.Follow(run.FollowRequest{RunID: after[:end]})
	if err != nil {
		return err
	}
	defer reader.Close()
	out := &stream{after: after}
	var ok bool
	if out.conversation, ok = conversationOf(reader.ThreadID()); !ok {
		return server.NotFound(noConversation)
	}
	if err := out.know(x); err != nil {
		return err
	}
	out.announce(x)
	return x.Stream(reader, out.translate)
}

// know reads the calls of an existing conversation: an approved call runs and ends in a later
// stream than the one that announced it.
func (s *stream) know(x *server.Exchange) error {
	messages, _, err := x.Threads().Messages(threadID(s.conversation), "", maxPage)
	if err != nil {
		return server.OrNotFound(err, noConversation)
	}
	s.earlier = map[string]agui.ToolCall{}
	for i := range messages {
		for _, c := range messages[i].ToolCalls {
			s.earlier[c.ID] = c
		}
	}
	return nil
}

// conversationHeader tells the number before the stream ends, for Cancel.
const conversationHeader = "Conversation-Id"

func (s *stream) announce(x *server.Exchange) {
	x.Tell(conversationHeader, strconv.FormatInt(s.conversation, 10))
}

// postCancel stops the answer that is under way, if there is one.
func postCancel(x *server.Exchange) error {
	t, err := conversation(x)
	if err != nil {
		return err
	}
	if t.Head != "" {
		if err := x.Cancel(t.Head); err != nil {
			return err
		}
	}
	x.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

const threadPrefix = "chat-"

// maxConversation is the largest number that JavaScript tells from its neighbours.
const maxConversation = 1<<53 - 1

// newConversation returns a number that no conversation has: random, so that two do not meet.
func newConversation() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return 1 + int64(binary.BigEndian.Uint64(b[:])>>11)%maxConversation
}

func threadID(conversation int64) string { return threadPrefix + strconv.FormatInt(conversation, 10) }

// conversationOf returns the number of a thread, which has one spelling, and false for a thread
// that is no conversation.
func conversationOf(thread string) (int64, bool) {
	digits, is := strings.CutPrefix(thread, threadPrefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, is && err == nil && n > 0 && n <= maxConversation && threadID(n) == thread
}

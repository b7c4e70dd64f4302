package chatv1

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

type conversationJSON struct {
	ID        int64         `json:"conversation_id"`
	ThreadID  string        `json:"thread_id"` // for the rest of the API
	Title     string        `json:"title"`
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
	Messages  []messageJSON `json:"messages,omitzero"`
	Before    string        `json:"before,omitempty"` // for the page before
}

// messageJSON is a question, or an answer with the fields of its payload.
type messageJSON struct {
	ID        string    `json:"id"`
	Role      string    `json:"role"` // user or assistant
	CreatedAt time.Time `json:"created_at"`
	payload
}

func conversationOut(t run.Thread) conversationJSON {
	n, _ := conversationOf(t.ID)
	return conversationJSON{
		ID: n, ThreadID: t.ID, Title: t.Title, CreatedAt: t.CreatedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC(),
	}
}

const noConversation = "there is no such conversation"

// conversation returns the conversation that the path names, if it is the caller's.
func conversation(x *server.Exchange) (run.Thread, error) {
	id := threadPrefix + x.Request.PathValue("conversation")
	if _, is := conversationOf(id); !is {
		return run.Thread{}, server.BadField("conversation", "must be the number of a conversation")
	}
	t, err := x.Threads().Get(id)
	return t, server.OrNotFound(err, noConversation)
}

// pageSize is how many conversations, or messages, are listed at once unless limit says otherwise.
const (
	pageSize = 50
	maxPage  = 200
)

func limitOf(x *server.Exchange) (int, error) {
	n, err := x.Number("limit", maxPage)
	return int(cmp.Or(n, pageSize)), err
}

// getConversations lists the caller's conversations, newest first. A page may be short, or empty,
// although there is a next one: threads of other front ends are not listed.
func getConversations(x *server.Exchange) error {
	limit, err := limitOf(x)
	if err != nil {
		return err
	}
	q := run.ThreadQuery{Cursor: x.Request.URL.Query().Get("cursor"), Limit: limit}
	list, next, err := x.Threads().Wanted(q, func(t run.Thread) bool {
		_, is := conversationOf(t.ID)
		return is
	})
	if err != nil {
		return err
	}
	out := struct {
		Conversations []conversationJSON `json:"conversations"`
		Next          string             `json:"next,omitempty"`
	}{[]conversationJSON{}, next}
	for _, t := range list {
		out.Conversations = append(out.Conversations, conversationOut(t))
	}
	x.JSON(out)
	return nil
}

// getConversation returns a conversation with its newest messages, or those before one.
func getConversation(x *server.Exchange) error {
	limit, err := limitOf(x)
	if err != nil {
		return err
	}
	before, err := x.Number("before", 1<<62)
	if err != nil {
		return err
	}
	t, err := conversation(x)
	if err != nil {
		return err
	}
	messages, next, err := storedMessages(x, t.ID, before, limit)
	if err != nil {
		return err
	}
	out := conversationOut(t)
	out.Messages, out.Before = turnsOf(messages), next
	x.JSON(out)
	return nil
}

// storedMessages returns whole turns: at least limit messages, if there are as many.
func storedMessages(
	x *server.Exchange, thread string, before int64, limit int,
) (all []run.StoredMessage, next string, err error) {
	for {
		page, err := x.Threads().Stored(thread, before, limit)
		if err != nil {
			return nil, "", server.OrNotFound(err, noConversation)
		}
		all = append(page.Items[:len(page.Items):len(page.Items)], all...)
		if page.Next == "" || len(all) > 0 && all[0].Message.Role == agui.RoleUser {
			return all, page.Next, nil
		}
		if before, err = strconv.ParseInt(page.Next, 10, 64); err != nil {
			return nil, "", fmt.Errorf("read the messages of a conversation: %w", err)
		}
	}
}

// turnsOf returns questions and answers. All that is between two questions is one answer.
func turnsOf(stored []run.StoredMessage) []messageJSON {
	out := []messageJSON{}
	earlier := map[string]agui.ToolCall{}
	for i := 0; i < len(stored); {
		first := stored[i]
		if first.Message.Role == agui.RoleUser {
			out = append(out, messageJSON{
				first.Message.ID, agui.RoleUser, first.CreatedAt.UTC(),
				payload{Message: first.Message.Content.Text()},
			})
			i++
			continue
		}
		var answer []agui.Message
		for ; i < len(stored) && stored[i].Message.Role != agui.RoleUser; i++ {
			answer = append(answer, stored[i].Message)
		}
		if p, id := payloadOf(answer, earlier), answerID(answer); id != "" {
			out = append(out, messageJSON{id, agui.RoleAssistant, first.CreatedAt.UTC(), p})
		}
		for _, m := range answer {
			for _, c := range m.ToolCalls {
				earlier[c.ID] = c
			}
		}
	}
	return out
}

// answerID returns the id of the last message of an answer that a person can see or rate.
func answerID(answer []agui.Message) (id string) {
	for i := range answer {
		if m := &answer[i]; m.Role == agui.RoleAssistant || m.Role == agui.RoleActivity && !m.IsNote() {
			id = m.ID
		}
	}
	return id
}

// patchConversation renames a conversation.
func patchConversation(x *server.Exchange) error {
	var change struct {
		Title string `json:"title"`
	}
	if err := x.Decode(&change); err != nil {
		return err
	}
	if err := server.CheckTitle("title", change.Title); err != nil {
		return err
	}
	t, err := conversation(x)
	if err != nil {
		return err
	}
	if t, err = x.Threads().Update(t.ID, run.ThreadChange{Title: &change.Title}); err != nil {
		return fmt.Errorf("rename a conversation: %w", err)
	}
	x.JSON(conversationOut(t))
	return nil
}

// deleteConversation deletes a conversation.
func deleteConversation(x *server.Exchange) error {
	t, err := conversation(x)
	if err != nil {
		return err
	}
	if err := x.Threads().Delete(t.ID); err != nil {
		return err
	}
	x.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

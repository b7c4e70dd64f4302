package a2a_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/compat/a2a"
	"github.com/pageside/pageside/compat/compattest"
	"github.com/pageside/pageside/server"
)

func say(text string) *sdk.SendMessageRequest {
	return messageOf(compattest.Question{Text: text})
}

func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// TestATaskThatNobodyAnswered: once the conversation has gone on, the task has ended.
func TestATaskThatNobodyAnswered(t *testing.T) {
	s := compattest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	result, err := c.SendMessage(t.Context(), say("erase it"))
	must(t, err)
	asked := result.(*sdk.Task)
	again, _ := watch(t, c.SubscribeToTask(t.Context(), &sdk.SubscribeToTaskRequest{ID: asked.ID}), nil)
	if again.task.Status.State != sdk.TaskStateInputRequired {
		t.Errorf("a task that waits ends its stream with %s", again.task.Status.State)
	}
	_, err = c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: asked.ID})
	wants(t, "cancel what waits", err, sdk.ErrTaskNotCancelable)

	elsewhere := say("hello")
	elsewhere.Message.TaskID, elsewhere.Message.ContextID = asked.ID, "elsewhere"
	_, err = c.SendMessage(t.Context(), elsewhere)
	wants(t, "another context", err, sdk.ErrInvalidParams)

	next := say("hello")
	next.Message.ContextID = asked.ContextID
	result, err = c.SendMessage(t.Context(), next)
	must(t, err)
	if task := result.(*sdk.Task); task.ID == asked.ID || task.ContextID != asked.ContextID {
		t.Errorf("a message of the context is the task %s of %s", task.ID, task.ContextID)
	}
	left, err := c.GetTask(t.Context(), &sdk.GetTaskRequest{ID: asked.ID})
	must(t, err)
	if left.Status.State != sdk.TaskStateCanceled {
		t.Errorf("the task that was left is %s", left.Status.State)
	}
	late := say("yes")
	late.Message.TaskID = asked.ID
	_, err = c.SendMessage(t.Context(), late)
	wants(t, "answer too late", err, sdk.ErrUnsupportedOperation)
}

// TestAnAnswerIsPartOfItsTask: its artifacts come after the earlier ones, in every view of it.
func TestAnAnswerIsPartOfItsTask(t *testing.T) {
	// a request that reads two runs is one stream
	s := compattest.Serve(t, a2a.Protocol{}, func(c *server.Config) { c.Limits = &server.Limits{StreamsAtOnce: 1} })
	c := connect(t, s, "anns")
	result, err := c.SendMessage(t.Context(), say("erase it"))
	must(t, err)
	asked := result.(*sdk.Task)
	waits := seen(asked, 0).Waits
	for _, wrong := range []*sdk.Part{
		sdk.NewDataPart(map[string]any{"interruptId": "no", "payload": map[string]any{"approved": true}}),
		sdk.NewDataPart(map[string]any{"interruptId": waits[0].ID, "status": "maybe"}),
		sdk.NewDataPart(map[string]any{"interruptId": waits[0].ID, "approved": true}),
		sdk.NewDataPart("yes"),
	} {
		m := sdk.NewMessageForTask(sdk.MessageRoleUser, asked, wrong)
		_, err := c.SendMessage(t.Context(), &sdk.SendMessageRequest{Message: m})
		wants(t, "a wrong answer", err, sdk.ErrInvalidParams)
	}
	m := sdk.NewMessageForTask(sdk.MessageRoleUser, asked, sdk.NewDataPart(map[string]any{"interruptId": waits[0].ID, "payload": map[string]any{"approved": true}}))
	v, since := watch(t, c.SendStreamingMessage(t.Context(), &sdk.SendMessageRequest{Message: m}), nil)
	texts, _ := outputs(v.task)
	if v.task.ID != asked.ID || since != 1 || strings.Join(texts, "|") != "I will erase it.|The tool says: erased it" {
		t.Errorf("the task %s says %q, %d of it before", v.task.ID, texts, since)
	}
	check(t, c, v.task)
}

// TestReturnImmediately: the client gets the task at once, and the rest by asking for it.
func TestReturnImmediately(t *testing.T) {
	s := compattest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	req := say("for ever")
	req.Config = &sdk.SendMessageConfig{ReturnImmediately: true, AcceptedOutputModes: []string{"text/plain"}}
	result, err := c.SendMessage(t.Context(), req)
	must(t, err)
	task := result.(*sdk.Task)
	busy := say("hello")
	busy.Message.TaskID = task.ID
	_, err = c.SendMessage(t.Context(), busy)
	wants(t, "a message to a task that works", err, sdk.ErrUnsupportedOperation)
	for range 2 { // the second time it has said something before
		ctx, leave := context.WithCancel(t.Context())
		v, since := watch(t, c.SubscribeToTask(ctx, &sdk.SubscribeToTaskRequest{ID: task.ID}), hasText)
		leave()
		if texts, _ := outputs(v.task); since != 0 || texts[0] != "one" || v.task.Status.State != sdk.TaskStateWorking {
			t.Errorf("the task is %s and says %q, %d of it before", v.task.Status.State, texts, since)
		}
	}
	_, err = connect(t, s, "bobs").CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: task.ID})
	wants(t, "somebody else's task", err, sdk.ErrTaskNotFound)
	ended, err := c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: task.ID})
	must(t, err)
	if got := seen(ended, 0); ended.Status.State != sdk.TaskStateCanceled || got.Text != "one" {
		t.Errorf("the cancelled task is %s and says %q", ended.Status.State, got.Text)
	}
	_, err = c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: task.ID})
	wants(t, "cancel what has ended", err, sdk.ErrTaskNotCancelable)
	for _, err := range c.SubscribeToTask(t.Context(), &sdk.SubscribeToTaskRequest{ID: task.ID}) {
		wants(t, "subscribe to what has ended", err, sdk.ErrUnsupportedOperation)
	}
}

// TestDataIsReadByTheModel as JSON.
func TestDataIsReadByTheModel(t *testing.T) {
	s := compattest.Serve(t, a2a.Protocol{})
	m := say("count trials")
	m.Message.Parts = append(m.Message.Parts, sdk.NewDataPart(map[string]any{"year": 2026}))
	result, err := connect(t, s, "anns").SendMessage(t.Context(), m)
	must(t, err)
	task := result.(*sdk.Task)
	if got := s.Read(s.Do("anns", "GET", "/v1/threads/"+task.ContextID+"/messages", nil), 200); !strings.Contains(got, `"count trials\n\n{\"year\":2026}"`) {
		t.Errorf("the thread has %s", got)
	}
}

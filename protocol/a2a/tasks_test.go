package a2a_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

func say(text string) *sdk.SendMessageRequest {
	return messageOf(protocoltest.Question{Text: text})
}

func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// TestATaskThatNobodyAnswered: once the conversation has gone on, the task has ended.
func TestATaskThatNobodyAnswered(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	asked := sends(t, c, say("erase it"))
	again, _ := watch(t, c.SubscribeToTask(t.Context(), &sdk.SubscribeToTaskRequest{ID: asked.ID}), nil)
	if again.task.Status.State != sdk.TaskStateInputRequired {
		t.Errorf("a task that waits ends its stream with %s", again.task.Status.State)
	}
	elsewhere := say("hello")
	elsewhere.Message.TaskID, elsewhere.Message.ContextID = asked.ID, "elsewhere"
	_, err := c.SendMessage(t.Context(), elsewhere)
	wants(t, "another context", err, sdk.ErrInvalidParams)

	next := say("hello")
	next.Message.ContextID = asked.ContextID
	if task := sends(t, c, next); task.ID == asked.ID || task.ContextID != asked.ContextID {
		t.Errorf("a message of the context is the task %s of %s", task.ID, task.ContextID)
	}
	left := gets(t, c, asked.ID)
	if left.Status.State != sdk.TaskStateCanceled {
		t.Errorf("the task that was left is %s", left.Status.State)
	}
	late := say("yes")
	late.Message.TaskID = asked.ID
	_, err = c.SendMessage(t.Context(), late)
	wants(t, "answer too late", err, sdk.ErrUnsupportedOperation)
}

// TestATaskThatWaitsIsCancelled: what it asks gets no answer, nothing of it is done, and the model
// is not asked again. The conversation goes on behind it.
func TestATaskThatWaitsIsCancelled(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	asked := sends(t, c, say("erase it"))
	_, err := connect(t, s, "bobs").CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: asked.ID})
	wants(t, "somebody else's task", err, sdk.ErrTaskNotFound)
	cancels(t, c, asked.ID, "The task was cancelled.", "I will erase it.")

	_, err = c.SendMessage(t.Context(), answers(asked))
	wants(t, "answer what was cancelled", err, sdk.ErrUnsupportedOperation)
	next := say("hello")
	next.Message.ContextID = asked.ContextID
	if task := sends(t, c, next); task.Status.State != sdk.TaskStateCompleted {
		t.Errorf("behind it, a task is %s", task.Status.State)
	}
}

// TestATaskThatWaitsForAPageIsCancelled: it was begun in a front end with tools of its own.
func TestATaskThatWaitsForAPageIsCancelled(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	tools := fmt.Sprintf(`[{"name":"pick","description":"Picks.","parameters":%s}]`, protocoltest.Pick.Parameters)
	const run = `{"protocolVersion":"1.0","threadId":"t","runId":"picks","messages":[{"id":"u","role":"user","content":"pick"}],"tools":%s,"context":[],"state":{},"forwardedProps":{}}`
	s.Read(s.Do("anns", "POST", "/v1/agents/default/run", fmt.Sprintf(run, tools)), 200)
	waits := gets(t, c, "picks")
	if waits.Status.State != sdk.TaskStateInputRequired {
		t.Fatalf("the task is %s", waits.Status.State)
	}
	cancels(t, c, "picks", "The conversation went on without an answer.")
	if said := s.Read(s.Do("anns", "GET", "/v1/threads/t/messages", nil), 200); !strings.Contains(said, "the user cancelled the request") || strings.Contains(said, "You picked") {
		t.Errorf("the thread is %s", said)
	}
}

// cancels cancels a task that waits, once, and checks what it says then.
func cancels(t *testing.T, c *a2aclient.Client, id sdk.TaskID, why string, texts ...string) {
	t.Helper()
	ended := must.Get(c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: id}))(t)
	now := gets(t, c, id)
	for _, task := range []*sdk.Task{ended, now} {
		said, _ := outputs(task)
		if got := task.Status.Message.Parts[0].Text(); task.Status.State != sdk.TaskStateCanceled || got != why || !slices.Equal(said, texts) {
			t.Errorf("the task is %s (%s) and says %q", task.Status.State, got, said)
		}
	}
	list := must.Get(c.ListTasks(t.Context(), &sdk.ListTasksRequest{Status: sdk.TaskStateCanceled}))(t)
	if len(list.Tasks) == 0 || !slices.ContainsFunc(list.Tasks, func(task *sdk.Task) bool { return task.ID == id }) {
		t.Errorf("the cancelled tasks are %v", list.Tasks)
	}
	_, err := c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: id})
	wants(t, "cancel what was cancelled", err, sdk.ErrTaskNotCancelable)
}

// TestAnAnswerIsPartOfItsTask: its artifacts come after the earlier ones, in every view of it.
func TestAnAnswerIsPartOfItsTask(t *testing.T) {
	// a request that reads two runs is one stream
	s := protocoltest.Serve(t, a2a.Protocol{}, func(c *server.Config) { c.Limits = &server.Limits{StreamsAtOnce: 1} })
	c := connect(t, s, "anns")
	asked := sends(t, c, say("erase it"))
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
	v, since := watch(t, c.SendStreamingMessage(t.Context(), answers(asked)), nil)
	texts, _ := outputs(v.task)
	if v.task.ID != asked.ID || since != 1 || strings.Join(texts, "|") != "I will erase it.|The tool says: erased it" {
		t.Errorf("the task %s says %q, %d of it before", v.task.ID, texts, since)
	}
	check(t, c, v.task)
}

// TestReturnImmediately: the client gets the task at once, and the rest by asking for it.
func TestReturnImmediately(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	req := say("for ever")
	req.Config = &sdk.SendMessageConfig{ReturnImmediately: true, AcceptedOutputModes: []string{"text/plain"}}
	task := sends(t, c, req)
	busy := say("hello")
	busy.Message.TaskID = task.ID
	_, err := c.SendMessage(t.Context(), busy)
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
	ended := must.Get(c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: task.ID}))(t)
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
	s := protocoltest.Serve(t, a2a.Protocol{})
	m := say("count trials")
	m.Message.Parts = append(m.Message.Parts, sdk.NewDataPart(map[string]any{"year": 2026}))
	task := sends(t, connect(t, s, "anns"), m)
	if got := s.Read(s.Do("anns", "GET", "/v1/threads/"+task.ContextID+"/messages", nil), 200); !strings.Contains(got, `"count trials\n\n{\"year\":2026}"`) {
		t.Errorf("the thread has %s", got)
	}
}

// broken panics when a thread is looked up, once it is asked to.
type broken struct {
	store.Store
	now atomic.Bool
}

func (b *broken) Thread(ctx context.Context, o store.Owner, id string) (store.Thread, error) {
	if b.now.Load() {
		panic("a thread that cannot be read")
	}
	return b.Store.Thread(ctx, o, id)
}

// TestAPanicIsAnError: in a goroutine of the library, too, it ends the request and nothing else.
func TestAPanicIsAnError(t *testing.T) {
	st := &broken{Store: temp.Store(t)}
	s := protocoltest.ServeOn(t, st, a2a.Protocol{})
	task := sends(t, connect(t, s, "anns"), say("hello"))
	st.now.Store(true)
	for _, method := range []string{"GetTask", "SubscribeToTask"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"id":%q}}`, method, task.ID)
		s.Read(s.Do("anns", "POST", path, body, "A2A-Version", "1.0"), 500)
	}
}

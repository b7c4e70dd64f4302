package a2atool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/a2atool"
)

// traveller is an agent elsewhere, made with the protocol's own library: it asks once, and books.
type traveller struct {
	state a2a.TaskState // that it waits in
	begun chan a2a.TaskID
}

func (e *traveller) Execute(_ context.Context, task *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if task.StoredTask != nil {
			_ = yield(a2a.NewArtifactEvent(task, a2a.NewTextPart("Booked")), nil) && yield(a2a.NewStatusUpdateEvent(task, a2a.TaskStateCompleted, nil), nil)
			return
		}
		e.begun <- task.TaskID
		asks := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Which day?"))
		_ = yield(a2a.NewSubmittedTask(task, task.Message), nil) && yield(a2a.NewStatusUpdateEvent(task, e.state, asks), nil)
	}
}

func (e *traveller) Cancel(_ context.Context, task *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(task, a2a.TaskStateCanceled, nil), nil)
	}
}

// journey is a conversation whose assistant asks the traveller.
type journey struct {
	t      *testing.T
	far    a2asrv.RequestHandler
	begun  chan a2a.TaskID
	tool   *tool.Tool
	url    string
	number int // of runs
}

func depart(t *testing.T, state a2a.TaskState) *journey {
	t.Helper()
	e := &traveller{state, make(chan a2a.TaskID, 9)}
	j := &journey{t: t, far: a2asrv.NewHandler(e), begun: e.begun}
	far := httptest.NewServer(a2asrv.NewJSONRPCHandler(j.far))
	made, err := a2atool.New(a2atool.Config{
		Name: "travel", Description: "Books trips.", URL: far.URL, Global: true, Effect: tool.Read, Egress: a2atool.Egress{Private: []string{"127.0.0.1"}},
	})
	must.Do(t, err)
	tools := must.Get(tool.NewRegistry(made))(t)
	j.tool, _ = tools.Get("travel")
	types := must.Get(payload.NewRegistry())(t)
	pages := must.Get(page.NewRegistry(tools, types))(t)
	model := must.Get(script.Parse("test", []byte(`
name: test
rules:
  - match: '^book'
    steps: [{ calls: [{ tool: travel, args: { message: To Rome } }] }, { text: 'It says {{ index .Results 0 }}' }]
  - match: '.*'
    steps: [{ text: All right. }]
`)))(t)
	log, st := slog.New(slog.DiscardHandler), temp.Store(t)
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, ID: "default", Model: model, Pages: pages}), Logger: log})
	must.Do(t, err)
	h := must.Get(server.New(server.Config{Runs: runs, Protocols: []server.Protocol{agui.Protocol{}}, Logger: log}))(t)
	near := httptest.NewServer(h)
	j.url = near.URL
	t.Cleanup(func() {
		near.Close()
		h.Close()
		runs.Drain(t.Context())
		must.Do(t, st.Close())
		far.CloseClientConnections()
		far.Close()
	})
	return j
}

// run has a run answered: text is what the user says, resume the answer to an interrupt.
func (j *journey) run(text, resume string) string { return j.runWith(text, resume, "{}") }

// runWith is run with forwardedProps.
func (j *journey) runWith(text, resume, forwarded string) string {
	j.t.Helper()
	j.number++
	var messages []map[string]any
	if text != "" {
		messages = append(messages, map[string]any{"id": fmt.Sprint("u", j.number), "role": "user", "content": text})
	}
	said := must.Get(json.Marshal(append([]map[string]any{}, messages...)))(j.t)
	body := fmt.Sprintf(`{"protocolVersion":"1.0","threadId":"t","runId":"r%d","messages":%s,"resume":[%s],"tools":[],"context":[],"state":{},"forwardedProps":%s}`, j.number, said, resume, forwarded)
	resp := must.Get(http.Post(j.url+"/v1/agents/default/run", "application/json", bytes.NewBufferString(body)))(j.t)
	defer resp.Body.Close()
	events := must.Get(io.ReadAll(resp.Body))(j.t)
	return string(events)
}

var interruptID = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)

// ends waits until a task has got into a state.
func (j *journey) ends(id a2a.TaskID, want a2a.TaskState) {
	j.t.Helper()
	var task *a2a.Task
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		task = must.Get(j.far.GetTask(j.t.Context(), &a2a.GetTaskRequest{ID: id}))(j.t)
		if task.Status.State == want {
			return
		}
	}
	j.t.Errorf("the task of the agent elsewhere is %s, want %s", task.Status.State, want)
}

// TestAQuestionWithoutAnAnswerEndsItsTask: it does not wait for ever.
func TestAQuestionWithoutAnAnswerEndsItsTask(t *testing.T) {
	for name, c := range map[string]struct {
		text, resume string
		task         a2a.TaskState
		says         string
	}{
		"answered":       {"", `{"interruptId":%q,"status":"resolved","payload":{"answer":"Monday"}}`, a2a.TaskStateCompleted, `"content":"Booked"`},
		"declined":       {"", `{"interruptId":%q,"status":"cancelled"}`, a2a.TaskStateCanceled, "the user did not want to answer"},
		"something else": {"Never mind", "", a2a.TaskStateCanceled, `"delta":"right`},
	} {
		t.Run(name, func(t *testing.T) {
			j := depart(t, a2a.TaskStateInputRequired)
			asked := j.run("book it", "")
			task := <-j.begun
			id := interruptID.FindStringSubmatch(asked)
			if id == nil {
				t.Fatalf("nothing is asked: %s", asked)
			}
			j.ends(task, a2a.TaskStateInputRequired)
			if c.resume != "" {
				c.resume = fmt.Sprintf(c.resume, id[1])
			}
			must.Have(t, j.run(c.text, c.resume), c.says, "the answer")
			j.ends(task, c.task)
		})
	}
}

// TestAQuestionThatIsWithdrawnEndsItsTask, and nothing of it is answered or asked again.
func TestAQuestionThatIsWithdrawnEndsItsTask(t *testing.T) {
	j := depart(t, a2a.TaskStateInputRequired)
	j.run("book it", "")
	task := <-j.begun
	if got := j.runWith("", "", `{"pageside":{"withdraw":true}}`); !strings.Contains(got, `"outcome":{"type":"cancelled"}`) || strings.Contains(got, `"delta"`) {
		t.Errorf("the answer is %s", got)
	}
	j.ends(task, a2a.TaskStateCanceled)
}

// TestATaskThatNobodyCanAnswerIsCancelled: the caller cannot ask, or the agent wants credentials.
func TestATaskThatNobodyCanAnswerIsCancelled(t *testing.T) {
	for state, code := range map[a2a.TaskState]string{a2a.TaskStateInputRequired: tool.CodeInputRequired, a2a.TaskStateAuthRequired: a2atool.CodeAuthRequired} {
		j := depart(t, state)
		r := tool.Execute(t.Context(), j.tool, tool.Call{ID: "call", Args: json.RawMessage(`{"message":"To Rome"}`), Log: slog.New(slog.DiscardHandler)}, nil)
		must.Be(t, tool.ErrorCode(r.Text), code, "the result is %s", r.Text)
		j.ends(<-j.begun, a2a.TaskStateCanceled)
	}
}

// TestAnAgentThatIsNotReadyToCancel is asked again: that its task waits is news to it.
func TestAnAgentThatIsNotReadyToCancel(t *testing.T) {
	refusals := []string{
		`"error":{"code":-32002,"message":"task cannot be canceled"}`,
		`"error":{"code":-32603,"message":"queue is closed"}`,
		`"result":{"id":"t1","status":{"state":"TASK_STATE_CANCELED"}}`,
	}
	f := serve(t, answers{"CancelTask": func(w http.ResponseWriter, r *http.Request) {
		says(refusals[0])(w, r)
		refusals = refusals[1:]
	}})
	tool.Withdraw(t.Context(), f.tool(t), tool.Call{ID: "call"}, json.RawMessage(`{"task":"t1","context":"c1","asked":1}`))
	must.Be(t, strings.Join(f.asked, "; "), strings.Repeat(`; CancelTask {"id":"t1"}`, 3)[2:], "it is asked")
}

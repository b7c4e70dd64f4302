package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// connect returns the protocol's own client, as the agent's card tells it where to go.
func connect(t *testing.T, s *protocoltest.Site, user string) *a2aclient.Client {
	t.Helper()
	card := must.Get(agentcard.NewResolver(http.DefaultClient).Resolve(t.Context(), s.URL))(t)
	c := must.Get(a2aclient.NewFromCard(t.Context(), card, a2aclient.WithJSONRPCTransport(protocoltest.As(user))))(t)
	t.Cleanup(func() { _ = c.Destroy() })
	return c
}

// messageOf returns the request for a question. Its conversation is the context, and the task if it
// waits.
func messageOf(q protocoltest.Question) *sdk.SendMessageRequest {
	m := sdk.NewMessage(sdk.MessageRoleUser)
	if q.Text != "" {
		m.Parts = append(m.Parts, sdk.NewTextPart(q.Text))
	}
	m.ContextID, _, _ = strings.Cut(q.Conversation, " ")
	_, task, _ := strings.Cut(q.Conversation, " ")
	m.TaskID = sdk.TaskID(task)
	for id, approved := range q.Answers() {
		m.Parts = append(m.Parts, sdk.NewDataPart(map[string]any{"interruptId": id, "payload": map[string]any{"approved": approved}}))
	}
	return &sdk.SendMessageRequest{Message: m}
}

// view is what a client makes of a stream: the task, as its updates change it.
type view struct {
	t    *testing.T
	task *sdk.Task
}

func (v *view) take(e sdk.Event) {
	v.t.Helper()
	switch e := e.(type) {
	case *sdk.Task:
		v.task = e
	case *sdk.TaskStatusUpdateEvent:
		v.task.Status = e.Status
	case *sdk.TaskArtifactUpdateEvent:
		for i, a := range v.task.Artifacts {
			if a.ID != e.Artifact.ID {
				continue
			}
			if e.Append {
				a.Parts = append(a.Parts, e.Artifact.Parts...)
			} else {
				v.task.Artifacts[i] = e.Artifact
			}
			return
		}
		if e.Append {
			v.t.Errorf("the piece %s is appended to nothing", e.Artifact.ID)
		}
		v.task.Artifacts = append(v.task.Artifacts, e.Artifact)
	default:
		v.t.Fatalf("a stream of tasks has a %T", e)
	}
}

// outputs returns the texts of a task's artifacts, and its last payload.
func outputs(task *sdk.Task) (texts []string, card string) {
	for _, a := range task.Artifacts {
		var text strings.Builder
		for _, p := range a.Parts {
			if p.Data() != nil {
				data, _ := json.Marshal(p.Data())
				card = a.Name + " " + string(data)
			}
			text.WriteString(p.Text())
		}
		if text.Len() > 0 {
			texts = append(texts, text.String())
		}
	}
	return texts, card
}

// seen sums up what a task has said since it had some artifacts.
func seen(task *sdk.Task, since int) (s protocoltest.Seen) {
	s.Conversation = task.ContextID
	now := *task
	now.Artifacts = task.Artifacts[since:]
	texts, card := outputs(&now)
	s.Text, s.Card = strings.Join(texts, "\n\n"), card
	switch task.Status.State {
	case sdk.TaskStateFailed, sdk.TaskStateCanceled:
		s.Error = task.Status.Message.Parts[0].Text()
	case sdk.TaskStateInputRequired:
		s.Conversation += " " + string(task.ID)
		for _, p := range task.Status.Message.Parts {
			if data, ok := p.Data().(map[string]any); ok {
				input, _ := json.Marshal(data["input"])
				s.Waits = append(s.Waits, protocoltest.Call{ID: data["interruptId"].(string), Tool: data["tool"].(string), Input: string(input)})
			}
		}
	case sdk.TaskStateCompleted:
	default:
		s.Error = "the stream ended with " + string(task.Status.State)
	}
	return s
}

// watch reads a stream to its end, or until stop says so.
func watch(t *testing.T, events iter.Seq2[sdk.Event, error], stop func(*view) bool) (v *view, since int) {
	t.Helper()
	v = &view{t: t}
	for e, err := range events {
		must.Do(t, err)
		if v.task == nil {
			task, ok := e.(*sdk.Task)
			if !ok {
				t.Fatalf("a stream begins with a %T", e)
			}
			since = len(task.Artifacts)
		}
		if v.take(e); stop != nil && stop(v) {
			break
		}
	}
	return v, since
}

func hasText(v *view) bool { return len(v.task.Artifacts) > 0 }

// ask streams, and checks that the task that is stored is the one that was streamed.
func ask(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := connect(t, s, "anns")
	v, since := watch(t, c.SendStreamingMessage(t.Context(), messageOf(q)), nil)
	check(t, c, v.task)
	return seen(v.task, since)
}

func check(t *testing.T, c *a2aclient.Client, streamed *sdk.Task) {
	t.Helper()
	stored := gets(t, c, streamed.ID)
	texts, card := outputs(streamed)
	storedTexts, storedCard := outputs(stored)
	if at := stored.Status.Timestamp; at == nil || time.Since(*at) > time.Hour || time.Until(*at) > 0 {
		t.Errorf("the task got into its state at %v", at)
	}
	stored.Status.Timestamp = nil // streams have none
	if !reflect.DeepEqual(texts, storedTexts) || card != storedCard || !reflect.DeepEqual(stored.Status, streamed.Status) || stored.ContextID != streamed.ContextID {
		t.Errorf("streamed %q %s %+v,\nstored %q %s %+v", texts, card, streamed.Status, storedTexts, storedCard, stored.Status)
	}
}

// askOnce is ask without a stream.
func askOnce(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := connect(t, s, "anns")
	m, since := messageOf(q), 0
	if m.Message.TaskID != "" {
		before := gets(t, c, m.Message.TaskID)
		since = len(before.Artifacts)
	}
	task := sends(t, c, m)
	check(t, c, task)
	return seen(task, since)
}

// cut leaves after the first words, and subscribes to the task.
func cut(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := connect(t, s, "anns")
	ctx, leave := context.WithCancel(t.Context())
	v, _ := watch(t, c.SendStreamingMessage(ctx, messageOf(q)), hasText)
	leave()
	again := &view{t: t}
	for e, err := range c.SubscribeToTask(t.Context(), &sdk.SubscribeToTaskRequest{ID: v.task.ID}) {
		if errors.Is(err, sdk.ErrUnsupportedOperation) { // it has ended meanwhile
			again.task, err = c.GetTask(t.Context(), &sdk.GetTaskRequest{ID: v.task.ID})
			must.Do(t, err)
			break
		}
		must.Do(t, err)
		again.take(e)
	}
	check(t, c, again.task)
	return seen(again.task, 0)
}

func cancel(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := connect(t, s, "anns")
	v, since := watch(t, c.SendStreamingMessage(t.Context(), messageOf(q)), func(v *view) bool {
		if hasText(v) && v.task.Status.State == sdk.TaskStateWorking {
			task := must.Get(c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: v.task.ID}))(t)
			if task.Status.State != sdk.TaskStateCanceled {
				t.Errorf("a task that was cancelled is %s", task.Status.State)
			}
		}
		return false
	})
	return seen(v.task, since)
}

func TestScenarios(t *testing.T) {
	t.Run("streamed", func(t *testing.T) {
		protocoltest.Play(t, protocoltest.Protocol{DropIn: a2a.Protocol{}, Ask: ask, Cut: cut, Cancel: cancel, ShowsCards: true, Lacks: map[protocoltest.Need]string{
			protocoltest.FrontendTools: "the client is an agent; what it can do is its own affair"}})
	})
	t.Run("at once", func(t *testing.T) {
		protocoltest.Play(t, protocoltest.Protocol{DropIn: a2a.Protocol{}, Ask: askOnce, ShowsCards: true, Lacks: map[protocoltest.Need]string{
			protocoltest.FrontendTools: "the client is an agent; what it can do is its own affair",
			protocoltest.Cuts:          "the answer comes at once", protocoltest.Cancels: "the answer comes at once"}})
	})
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`

const path = "/v1/a2a/default"

func TestItIsNoSecondDoor(t *testing.T) {
	protocoltest.Guards(t, a2a.Protocol{}, path+"?A2A-Version=1.0", hello)
	protocoltest.Guards(t, a2a.Protocol{}, path+"?A2A-Version=1.0", strings.Replace(hello, "SendMessage", "SendStreamingMessage", 1))
}

// TestCard: anybody learns how to reach the first agent. An agent's own card is for who may ask it.
func TestCard(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	want := `{"supportedInterfaces":[{"url":"` + s.URL + path + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true},` +
		`"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain","application/json"],"description":"A test.","name":"default",` +
		`"securitySchemes":{"bearer":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},"skills":[{"description":"A test.","id":"default","name":"default","tags":["chat"]}],"version":"1.0"}` + "\n"
	if got := s.Read(s.Do("", "GET", "/.well-known/agent-card.json", nil), 200); got != want {
		t.Errorf("the card is\n%s\nwant\n%s", got, want)
	}
	s.Read(s.Do("", "GET", path+"/.well-known/agent-card.json", nil), 401)
	if got := s.Read(s.Do("anns", "GET", path+"/.well-known/agent-card.json", nil), 200); got != want {
		t.Errorf("the agent's own card is\n%s\nwant\n%s", got, want)
	}
	s.Read(s.Do("anns", "GET", "/v1/a2a/nobody/.well-known/agent-card.json", nil), 404)
	s.Read(s.Do("anns", "POST", "/v1/a2a/nobody", hello, "A2A-Version", "1.0"), 404)
	// a cache, or a client that is led here, must not be told another server's address
	known := protocoltest.Serve(t, a2a.Protocol{PublicURL: "https://assistant.example.com/"})
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet,
		known.URL+"/.well-known/agent-card.json", nil))(t)
	req.Host = "evil.example"
	resp := must.Get(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	if got := known.Read(resp, 200); !strings.Contains(got, `"url":"https://assistant.example.com`+path+`"`) || strings.Contains(got, "evil") {
		t.Errorf("the card of a server with an address is %s", got)
	}
	open := protocoltest.Serve(t, a2a.Protocol{}, func(c *server.Config) { c.Authenticate = nil })
	if got := open.Read(open.Do("", "GET", "/.well-known/agent-card.json", nil), 200); strings.Contains(got, "security") {
		t.Errorf("a server without authentication asks for credentials: %s", got)
	}
	card := must.Get(agentcard.NewResolver(http.DefaultClient).Resolve(t.Context(), s.URL))(t)
	if len(card.SecuritySchemes) != 1 {
		t.Errorf("the client reads the card as %+v", card)
	}
}

// TestWhatIsRefused: what nothing reads is refused, by the name of its field.
func TestWhatIsRefused(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	send := func(message, more string) string {
		return `{"jsonrpc":"2.0","id":"x","method":"SendMessage","params":{"message":{` + message + `}` + more + `}}`
	}
	list := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{` + params + `}}`
	}
	const good = `"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]`
	for _, c := range []struct{ body, want string }{
		{`{`, `"code":-32700`}, {`[]`, `"code":-32600`}, {`{"jsonrpc":"2.0","id":1}{}`, `"code":-32700`},
		{`{"jsonrpc":"2.0","method":"GetTask"}`, `"id":null,"error":{"code":-32600,"message":"id: must not be missing`},
		{`{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, `"id":null,"error":{"code":-32600,"message":"id: must be`},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 255) + `","method":"GetTask"}`, `"id":null,"error":{"code":-32600,"message":"id: must not be longer`},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask"}`, `"id":null,"error":{"code":-32600,"message":"id: must be a string, or a number below`},
		{`{"jsonrpc":"2.0","id":1e999,"method":"GetTask"}`, `"id":null,"error":{"code":-32600,"message":"id: must be a string, or a number below`},
		{`{"jsonrpc":"1.0","id":1,"method":"GetTask"}`, `"id":1,"error":{"code":-32600,"message":"jsonrpc: must be`},
		{`{"jsonrpc":"2.0","id":1,"method":"message/send"}`, `"code":-32601`},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`, `"code":-32602,"message":"params: must not be missing`},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"no"}}`, `"code":-32001`},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}`, `id: must not be empty`},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"no","tenant":"t"}}`, `"code":-32001`},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"no","historyLength":-1}}`, `historyLength: must not be negative`},
		{`{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"no"}}`, `"code":-32001`},
		{`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"no"}}`, `"code":-32001`},
		{list(`"pageToken":"no"`), `"code":-32602,"message":"pageToken: is not one of this server`},
		{list(`"pageToken":"!"`), `"code":-32602,"message":"pageToken: is not one of this server`},
		{list(`"pageSize":0`), `pageSize: must be between 1 and 100`}, {list(`"pageSize":101`), `pageSize: must be between 1 and 100`},
		{list(`"pageSize":"9"`), `"code":-32602,"message":"pageSize: must be a whole number`},
		{list(`"status":"working"`), `status: must be a state`}, {list(`"historyLength":-1`), `historyLength: must not be negative`},
		{list(`"statusTimestampAfter":"yesterday"`), `statusTimestampAfter: must be a time`},
		{list(`"colour":"red"`), `colour: is not known`},
		{`{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard","params":{}}`, `"code":-32007`},
		{`{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{}}`, `"code":-32003`},
		{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, `message: must not be missing`},
		{send(good, `,"colour":1`), `colour: is not known`}, {send(good, `,"Tenant":"t"`), `Tenant: is not known`},
		{send(good+`,"parts":[]`, ""), `message.parts: is not valid JSON: duplicate`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[null]`, ""), `message.parts[0]: must have one of`},
		{send(`"messageId":"m","role":7,"parts":[{"text":"hello"}]`, ""), `message.role: must be a string`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello","metadata":{"a":1,"a":2}}]`, ""), `message.parts[0].metadata.a: is not valid JSON: duplicate`},
		{send(good, `,"configuration":{"taskPushNotificationConfig":{"url":"http://127.0.0.1"}}`), `"code":-32003`},
		{send(good, `,"configuration":{"historyLength":-1}`), `configuration.historyLength: must not be negative`},
		{send(good, `,"configuration":{"acceptedOutputModes":["image/png"]}`), `"code":-32005`},
		{send(good+`,"taskId":"no"`, ""), `"code":-32001`},
		{send(`"messageId":"","role":"ROLE_USER","parts":[{"text":"hello"}]`, ""), `message.messageId: must not be empty`},
		{send(`"messageId":"m","role":"user","parts":[{"text":"hello"}]`, ""), `message.role: must be ROLE_USER`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[]`, ""), `message.parts: must not be empty`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[{"text":" "}]`, ""), `message.parts: must not be empty`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[{"kind":"text","text":"hello"}]`, ""), `message.parts[0].kind: is not known`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","data":1}]`, ""), `message.parts[0]: must have one of`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[{"raw":"aGVsbG8="}]`, ""), `"code":-32005`},
		{send(`"messageId":"m","role":"ROLE_USER","parts":[{"url":"http://127.0.0.1/"}]`, ""), `"code":-32005`},
	} {
		if got := s.Read(s.Do("anns", "POST", path, c.body, "A2A-Version", "1.0"), 200); !strings.Contains(got, c.want) || !strings.Contains(got, `"error":{`) {
			t.Errorf("%s is answered with %s, want %s", c.body, got, c.want)
		}
	}
	// hints that lose nothing by being ignored
	for _, body := range []string{list(`"tenant":"t"`), send(good, `,"tenant":"t"`), send(strings.Replace(good, `"m"`, `"m2"`, 1)+`,"referenceTaskIds":["t"]`, "")} {
		if got := s.Read(s.Do("anns", "POST", path, body, "A2A-Version", "1.0"), 200); !strings.Contains(got, `"result":{`) {
			t.Errorf("%s is answered with %s", body, got)
		}
	}
	// what is refused is refused in a stream, if one was asked for: clients read nothing else
	body := strings.Replace(send(good, `,"colour":1`), "SendMessage", "SendStreamingMessage", 1)
	if got := s.Read(s.Do("anns", "POST", path, body, "A2A-Version", "1.0"), 200); !strings.HasPrefix(got, "id: ") || !strings.Contains(got, "\ndata: {") || !strings.Contains(got, `colour: is not known`) {
		t.Errorf("a stream is refused with %s", got)
	}
	for _, version := range []string{"", "0.3", "2.0", "1"} {
		if got := s.Read(s.Do("anns", "POST", path, hello, "A2A-Version", version), 200); !strings.Contains(got, `"code":-32009`) {
			t.Errorf("version %q is answered with %s", version, got)
		}
	}
}

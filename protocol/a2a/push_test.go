package a2a_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

// told is a notification as a client's server gets it.
type told struct {
	header http.Header
	task   *sdk.Task
}

// receiver is a client's server. It refuses as many notifications as fail says, never answers those
// to /stall, and none while hold is set. It redirects those to /moved.
type receiver struct {
	*httptest.Server
	fail    atomic.Int32
	stalled atomic.Int32 // notifications to /stall
	hold    atomic.Bool
	held    chan struct{} // a notification is not answered
	log     logged.Text   // what the notifier logs
	got     chan told
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: make(chan told, 100), held: make(chan struct{}, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/stall" {
			r.stalled.Add(1)
			_, _ = io.Copy(io.Discard, req.Body) // only then is it known that the client has left
			<-req.Context().Done()
			return
		}
		if req.URL.Path == "/moved" {
			http.Redirect(w, req, "/", http.StatusTemporaryRedirect)
			return
		}
		if r.fail.Add(-1) >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		raw, _ := io.ReadAll(req.Body)
		if r.hold.Load() {
			r.held <- struct{}{}
			<-req.Context().Done()
			return
		}
		var e sdk.StreamResponse
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Errorf("the notification %s: %v", raw, err)
			return
		}
		r.got <- told{req.Header, e.Event.(*sdk.Task)}
	}))
	t.Cleanup(r.Close)
	return r
}

// wait returns the next notification, of a state.
func (r *receiver) wait(t *testing.T, state sdk.TaskState) told {
	t.Helper()
	select {
	case got := <-r.got:
		if got.task.Status.State != state {
			t.Fatalf("told of %s, want %s", got.task.Status.State, state)
		}
		return got
	case <-time.After(time.Minute):
		t.Fatalf("nobody is told of %s", state)
	}
	return told{}
}

// allow lets notifications go to a server of the test.
func (r *receiver) allow() egress.Policy {
	u, _ := url.Parse(r.URL)
	port, _ := strconv.Atoi(u.Port())
	return egress.Policy{Private: []string{"127.0.0.1"}, Ports: []int{port}}
}

// pushing starts a server that tells receivers, and returns how to begin telling anew.
// keys seal credentials in the store.
func pushing(t *testing.T, r *receiver, keys ...[]byte) (s *protocoltest.Site, first *a2a.Notifier, again func(keys ...[]byte) *a2a.Notifier) {
	t.Helper()
	st := temp.Store(t)
	return pushingOn(t, r, st, st, policy.Everything, keys...)
}

// pushingOn is pushing with a store, the one that notifiers see, and what users may do.
func pushingOn(
	t *testing.T, r *receiver, st, seen store.Store, may policy.Authorizer, keys ...[]byte,
) (s *protocoltest.Site, first *a2a.Notifier, again func(keys ...[]byte) *a2a.Notifier) {
	t.Helper()
	var cfg server.Config
	again = func(keys ...[]byte) *a2a.Notifier {
		n, err := a2a.NewNotifier(t.Context(), a2a.NotifierConfig{
			Store: seen, Runs: cfg.Runs, Egress: r.allow(), Logger: r.log.Logger(), Keys: keys})
		must.Do(t, err)
		t.Cleanup(func() { n.Close() })
		return n
	}
	s = protocoltest.ServeOn(t, st, nil, func(c *server.Config) {
		cfg = *c
		first = again(keys...)
		c.Protocols, c.Authorizer = []server.Protocol{a2a.Protocol{Push: first}}, may
	})
	return s, first, again
}

func begin(text string, hook *sdk.PushConfig) *sdk.SendMessageRequest {
	return &sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart(text)), Config: &sdk.SendMessageConfig{PushConfig: hook, ReturnImmediately: true}}
}

// TestNotifications: a client's server is told of each change, as the config says.
func TestNotifications(t *testing.T) {
	r := receive(t)
	s, _, _ := pushing(t, r)
	c := connect(t, s, "anns")
	hook := &sdk.PushConfig{ID: "h", URL: r.URL + "/hook?x=1", Token: "the token", Auth: &sdk.PushAuthInfo{Scheme: "Bearer", Credentials: "the credentials"}}
	task := sends(t, c, begin("erase it", hook))
	got := r.wait(t, sdk.TaskStateInputRequired)
	if got.task.ID != task.ID || got.header.Get("X-A2A-Notification-Token") != "the token" || got.header.Get("Authorization") != "Bearer the credentials" ||
		got.header.Get("Content-Type") != "application/a2a+json" {
		t.Errorf("told %+v with %v", got.task, got.header)
	}
	sends(t, c, answers(got.task))
	for got = range r.got {
		if got.task.Status.State != sdk.TaskStateWorking {
			break
		}
	}
	if texts, _ := outputs(got.task); got.task.Status.State != sdk.TaskStateCompleted || len(texts) != 2 {
		t.Errorf("at last it is told of %s %q", got.task.Status.State, texts)
	}
}

// TestNotificationsAreTriedAgain, and a restart loses none.
func TestNotificationsAreTriedAgain(t *testing.T) {
	r := receive(t)
	s, first, again := pushing(t, r)
	first.RetryAfter(time.Millisecond, time.Millisecond)
	c := connect(t, s, "anns")
	r.fail.Store(2)
	sends(t, c, begin("hello", &sdk.PushConfig{URL: r.URL}))
	r.wait(t, sdk.TaskStateCompleted)

	first.RetryAfter(time.Hour)
	r.fail.Store(1)
	sends(t, c, begin("hello", &sdk.PushConfig{URL: r.URL}))
	for r.fail.Load() > 0 {
		time.Sleep(time.Millisecond) // until it was refused: HTTP has no virtual time
	}
	must.Do(t, first.Close())
	second := again()
	r.wait(t, sdk.TaskStateCompleted)
	for {
		open, err := s.Store.OpenWebhooks(t.Context())
		if must.Do(t, err); len(open) == 0 {
			break
		}
		time.Sleep(time.Millisecond) // before the answer is read, a notification may come twice
	}
	must.Do(t, second.Close())
	again()
	select {
	case got := <-r.got:
		t.Errorf("told again of %+v", got.task)
	case <-time.After(50 * time.Millisecond):
	}
}

// TestRedirectedNotifications: a redirect is a failure, and what it leads to is told nothing.
func TestRedirectedNotifications(t *testing.T) {
	r := receive(t)
	s, first, _ := pushing(t, r)
	first.RetryAfter(time.Millisecond)
	sends(t, connect(t, s, "anns"), begin("hello", &sdk.PushConfig{URL: r.URL + "/moved"}))
	for len(r.got) == 0 && !strings.Contains(r.log.String(), "is given up") {
		time.Sleep(time.Millisecond) // HTTP has no virtual time
	}
	if !strings.Contains(r.log.String(), "the answer is 307, a redirect, and none is followed") {
		t.Errorf("told %d, logged %s", len(r.got), r.log.String())
	}
}

// TestOthersReceiversThatStall: one user's servers keep nobody else's from being told.
func TestOthersReceiversThatStall(t *testing.T) {
	r := receive(t)
	s, _, _ := pushing(t, r)
	anns, bobs := connect(t, s, "anns"), connect(t, s, "bobs")
	for range 70 {
		sends(t, anns, begin("hello", &sdk.PushConfig{URL: r.URL + "/stall"}))
	}
	sends(t, bobs, begin("hello", &sdk.PushConfig{URL: r.URL}))
	r.wait(t, sdk.TaskStateCompleted)
	// with room for 64, Bob's would begin once the first of Ann's are given up, after 64 of them
	if n := r.stalled.Load(); n >= 64 {
		t.Errorf("Bob is told after %d of Ann's servers have stalled", n)
	}
}

// clumsy panics when it is first asked whom to tell of a task.
type clumsy struct {
	store.Store
	asked atomic.Int32
}

func (c *clumsy) Runs(ctx context.Context, o store.Owner, threadID string) ([]store.Run, error) {
	if c.asked.Add(1) == 1 {
		panic("a task that cannot be read")
	}
	return c.Store.Runs(ctx, o, threadID)
}

// TestAPanicIsTriedAgain: it does not end the process, which would meet it again at its next start.
func TestAPanicIsTriedAgain(t *testing.T) {
	r := receive(t)
	st := temp.Store(t)
	s, first, _ := pushingOn(t, r, st, &clumsy{Store: st}, policy.Everything)
	first.RetryAfter(time.Millisecond)
	sends(t, connect(t, s, "anns"), begin("hello", &sdk.PushConfig{URL: r.URL}))
	r.wait(t, sdk.TaskStateCompleted)
}

// TestClosingDuringTheLastTry: it ends the try and nothing else, and the next process tells.
func TestClosingDuringTheLastTry(t *testing.T) {
	r := receive(t)
	s, first, again := pushing(t, r)
	first.RetryAfter() // the first try is the last
	r.hold.Store(true)
	sends(t, connect(t, s, "anns"), begin("hello", &sdk.PushConfig{URL: r.URL}))
	<-r.held
	must.Do(t, first.Close())
	r.hold.Store(false)
	again()
	for got := range r.got {
		if got.task.Status.State == sdk.TaskStateCompleted {
			return
		}
	}
}

// TestConfigs: they are kept, shown without credentials, and deleted; somebody else's do not exist.
func TestConfigs(t *testing.T) {
	r := receive(t)
	s, _, _ := pushing(t, r)
	c, bob := connect(t, s, "anns"), connect(t, s, "bobs")
	task := sends(t, c, begin("for ever", nil))
	defer c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: task.ID})
	hook := &sdk.PushConfig{TaskID: task.ID, URL: r.URL, Token: "the token", Auth: &sdk.PushAuthInfo{Scheme: "Bearer", Credentials: "the credentials"}}
	kept := must.Get(c.CreateTaskPushConfig(t.Context(), hook))(t)
	shown := must.Get(c.GetTaskPushConfig(t.Context(), &sdk.GetTaskPushConfigRequest{TaskID: task.ID, ID: kept.ID}))(t)
	if kept.ID == "" || shown.URL != r.URL || shown.TaskID != task.ID || shown.Auth.Scheme != "Bearer" || shown.Auth.Credentials != "" {
		t.Errorf("the config is shown as %+v", shown)
	}
	if _, err := bob.CreateTaskPushConfig(t.Context(), hook); err == nil {
		t.Error("somebody else's task can be listened to")
	}
	if _, err := bob.GetTaskPushConfig(t.Context(), &sdk.GetTaskPushConfigRequest{TaskID: task.ID, ID: kept.ID}); err == nil {
		t.Error("somebody else's config is shown")
	}
	all, err := c.ListTaskPushConfigs(t.Context(), &sdk.ListTaskPushConfigRequest{TaskID: task.ID})
	if must.Do(t, err); len(all) != 1 {
		t.Errorf("listed are %+v", all)
	}
	must.Do(t, c.DeleteTaskPushConfig(t.Context(), &sdk.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: kept.ID}))
	if err := c.DeleteTaskPushConfig(t.Context(), &sdk.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: kept.ID}); err == nil {
		t.Error("it is deleted twice")
	}
	again := must.Get(c.CreateTaskPushConfig(t.Context(), hook))(t)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"DeleteTaskPushNotificationConfig","params":{"taskId":%q,"id":%q}}`, task.ID, again.ID)
	if got := s.Read(s.Do("anns", "POST", path, body, "A2A-Version", "1.0"), 200); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("a config that is deleted is answered with %s", got)
	}
	for i := range 11 {
		if _, err = c.CreateTaskPushConfig(t.Context(), hook); (err != nil) != (i == 10) {
			t.Errorf("config %d: %v", i, err)
		}
	}
}

// TestPushNeedsAPermission: whoever has none can neither name a server with a message nor for a
// task, and can ask otherwise.
func TestPushNeedsAPermission(t *testing.T) {
	r := receive(t)
	st := temp.Store(t)
	s, _, _ := pushingOn(t, r, st, st, nil)
	c := connect(t, s, "anns")
	if _, err := c.SendMessage(t.Context(), begin("hello", &sdk.PushConfig{URL: r.URL})); err == nil {
		t.Error("a message names a server")
	}
	task := sends(t, c, begin("hello", nil))
	if _, err := c.CreateTaskPushConfig(t.Context(), &sdk.PushConfig{TaskID: task.ID, URL: r.URL}); err == nil {
		t.Error("a server is named for a task")
	}
	if hooks, err := s.Store.Webhooks(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}, string(task.ID)); err != nil || len(hooks) != 0 {
		t.Errorf("the store has %v, %v", hooks, err)
	}
}

// TestConfigsThatAreRefused: what could not be told, or must not be, is refused by its field.
func TestConfigsThatAreRefused(t *testing.T) {
	r := receive(t)
	s, _, _ := pushing(t, r)
	if card := s.Read(s.Do("", "GET", "/.well-known/agent-card.json", nil), 200); !strings.Contains(card, `"pushNotifications":true`) {
		t.Errorf("the card is %s", card)
	}
	for field, config := range map[string]string{
		"taskId":                     `{"url":"` + r.URL + `"}`,
		"url":                        `{"taskId":"t","url":"http://10.0.0.1/"}`,
		"url: egress":                `{"taskId":"t","url":"http://127.0.0.1:1/"}`,
		"token":                      `{"taskId":"t","url":"` + r.URL + `","token":"a\nb"}`,
		"authentication.scheme":      `{"taskId":"t","url":"` + r.URL + `","authentication":{"scheme":"a b"}}`,
		"authentication.credentials": `{"taskId":"t","url":"` + r.URL + `","authentication":{"scheme":"Bearer","credentials":"a\nb"}}`,
		"colour":                     `{"taskId":"t","url":"` + r.URL + `","colour":"x"}`,
		"there is no such task":      `{"taskId":"t","url":"` + r.URL + `"}`,
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":` + config + `}`
		if got := s.Read(s.Do("anns", "POST", path, body, "A2A-Version", "1.0"), 200); !strings.Contains(got, `"message":"`+field) {
			t.Errorf("%s is answered with %s", config, got)
		}
	}
}

// TestCredentialsAreSealed: the store does not have them, and the client's server gets them.
func TestCredentialsAreSealed(t *testing.T) {
	r := receive(t)
	key := []byte("a secret of at least thirty-two bytes")
	s, first, again := pushing(t, r, key)
	c := connect(t, s, "anns")
	hook := &sdk.PushConfig{URL: r.URL, Token: "the token", Auth: &sdk.PushAuthInfo{Scheme: "Bearer", Credentials: "the credentials"}}
	task := sends(t, c, begin("for ever", hook))
	stored := must.Get(s.Store.Webhooks(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}, string(task.ID)))(t)
	for _, secret := range []string{"the token", "Bearer", "the credentials"} {
		if strings.Contains(string(stored[0].Config), secret) {
			t.Errorf("the store has %s", stored[0].Config)
		}
	}
	shown, err := c.GetTaskPushConfig(t.Context(), &sdk.GetTaskPushConfigRequest{TaskID: task.ID, ID: stored[0].ID})
	if must.Do(t, err); shown.Token != "the token" || shown.Auth.Scheme != "Bearer" || shown.Auth.Credentials != "" {
		t.Errorf("the config is shown as %+v", shown)
	}
	must.Do(t, first.Close())
	must.Get(c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: task.ID}))(t)
	// tells nothing
	must.Do(t, again([]byte("another secret that cannot open what the first has sealed")).Close())
	again([]byte("a newer secret, with which new credentials are sealed"), key)
	if got := r.wait(t, sdk.TaskStateCanceled); got.header.Get("X-A2A-Notification-Token") != "the token" || got.header.Get("Authorization") != "Bearer the credentials" {
		t.Errorf("the notification has %v", got.header)
	}
	if len(r.got) > 0 {
		t.Error("it is told twice")
	}
}

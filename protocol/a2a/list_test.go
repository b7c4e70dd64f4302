package a2a_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// sends begins a task, and returns it as it is then.
func sends(t *testing.T, c *a2aclient.Client, req *sdk.SendMessageRequest) *sdk.Task {
	t.Helper()
	result := must.Get(c.SendMessage(t.Context(), req))(t)
	return result.(*sdk.Task)
}

func gets(t *testing.T, c *a2aclient.Client, id sdk.TaskID) *sdk.Task {
	t.Helper()
	task := must.Get(c.GetTask(t.Context(), &sdk.GetTaskRequest{ID: id}))(t)
	return task
}

// answers is the request that approves what a task waits for.
func answers(task *sdk.Task) *sdk.SendMessageRequest {
	part := sdk.NewDataPart(map[string]any{"interruptId": seen(task, 0).Waits[0].ID, "payload": map[string]any{"approved": true}})
	return &sdk.SendMessageRequest{Message: sdk.NewMessageForTask(sdk.MessageRoleUser, task, part)}
}

// oneOfEach has ann begin a task for each state, the oldest first.
func oneOfEach(t *testing.T, c *a2aclient.Client) (ids []sdk.TaskID) {
	t.Helper()
	left := sends(t, c, say("erase it"))
	next := say("hello")
	next.Message.ContextID = left.ContextID
	said := sends(t, c, next)
	asked := sends(t, c, say("erase it"))
	answered := sends(t, c, say("erase it"))
	sends(t, c, answers(answered))
	failed := sends(t, c, say("fail"))
	stopped := sends(t, c, begin("for ever", nil))
	must.Get(c.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: stopped.ID}))(t)
	time.Sleep(2 * time.Millisecond) // until no other task has changed in the same millisecond
	works := sends(t, c, begin("for ever", nil))
	return []sdk.TaskID{left.ID, said.ID, asked.ID, answered.ID, failed.ID, stopped.ID, works.ID}
}

func lists(t *testing.T, c *a2aclient.Client, req *sdk.ListTasksRequest) *sdk.ListTasksResponse {
	t.Helper()
	list := must.Get(c.ListTasks(t.Context(), req))(t)
	return list
}

func idsOf(list []*sdk.Task) (ids []sdk.TaskID) {
	for _, task := range list {
		ids = append(ids, task.ID)
	}
	return ids
}

// wantTasks checks which tasks a request finds, in any order.
func wantTasks(t *testing.T, c *a2aclient.Client, req *sdk.ListTasksRequest, want ...sdk.TaskID) {
	t.Helper()
	list := lists(t, c, req)
	got := idsOf(list.Tasks)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || list.TotalSize != len(want) {
		t.Errorf("%+v finds %d: %v, want %v", req, list.TotalSize, got, want)
	}
}

// TestListTasks: a list has the caller's tasks, each as GetTask has it, those that changed last
// first.
func TestListTasks(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	wantTasks(t, c, &sdk.ListTasksRequest{})
	ids := oneOfEach(t, c)
	left, said, asked, answered, failed, stopped, works := ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6]

	list := lists(t, c, &sdk.ListTasksRequest{})
	if list.Tasks[0].ID != works || list.PageSize != 50 || list.NextPageToken != "" {
		t.Errorf("the list begins with %s, its pages have %d, the next is %q", list.Tasks[0].ID, list.PageSize, list.NextPageToken)
	}
	for i, task := range list.Tasks {
		if i > 0 && task.Status.Timestamp.After(*list.Tasks[i-1].Status.Timestamp) {
			t.Errorf("task %d has changed after the one before it", i)
		}
		one := gets(t, c, task.ID)
		if one.Artifacts = nil; !reflect.DeepEqual(task, one) {
			t.Errorf("the list has %+v,\nGetTask %+v", task, one)
		}
	}
	wantTasks(t, c, &sdk.ListTasksRequest{}, ids...)
	for state, want := range map[sdk.TaskState][]sdk.TaskID{
		sdk.TaskStateCompleted: {said, answered}, sdk.TaskStateInputRequired: {asked}, sdk.TaskStateFailed: {failed},
		sdk.TaskStateCanceled: {left, stopped}, sdk.TaskStateWorking: {works}, sdk.TaskStateRejected: nil,
	} {
		wantTasks(t, c, &sdk.ListTasksRequest{Status: state}, want...)
	}
	at := list.Tasks[0].Status.Timestamp
	wantTasks(t, c, &sdk.ListTasksRequest{StatusTimestampAfter: at}, works)
	wantTasks(t, c, &sdk.ListTasksRequest{StatusTimestampAfter: new(at.Add(time.Nanosecond))})
	one := gets(t, c, left)
	wantTasks(t, c, &sdk.ListTasksRequest{ContextID: one.ContextID}, left, said)
	wantTasks(t, c, &sdk.ListTasksRequest{ContextID: one.ContextID, Status: sdk.TaskStateCompleted}, said)
}

// TestListedArtifacts: they are there if they are asked for.
func TestListedArtifacts(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	asked := sends(t, c, say("erase it"))
	sends(t, c, answers(asked))
	failed := sends(t, c, say("fail"))
	with := lists(t, c, &sdk.ListTasksRequest{IncludeArtifacts: true})
	for _, task := range with.Tasks {
		texts, _ := outputs(task)
		if want := map[sdk.TaskID]string{asked.ID: "I will erase it.|The tool says: erased it", failed.ID: ""}[task.ID]; strings.Join(texts, "|") != want {
			t.Errorf("the task says %q, want %q", texts, want)
		}
	}
	for params, want := range map[string]bool{`{"includeArtifacts":true}`: true, `{}`: false} {
		raw := s.Read(s.Do("anns", "POST", path, `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":`+params+`}`, "A2A-Version", "1.0"), 200)
		if strings.Contains(raw, `"artifacts":[{`) != want {
			t.Errorf("%s is answered with %s", params, raw)
		}
	}
	if raw := s.Read(s.Do("anns", "POST", path, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`, "A2A-Version", "1.0"), 200); !strings.Contains(raw, `"totalSize":2`) {
		t.Errorf("without params the answer is %s", raw)
	}
}

// TestListsAreTheCallers: nobody sees the tasks of somebody else, of another tenant, or of another
// agent.
func TestListsAreTheCallers(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	ann, bob, twin := connect(t, s, "anns"), connect(t, s, "bobs"), connect(t, s, "twins")
	hers := say("hello")
	hers.Message.ContextID = "shared"
	mine, other := sends(t, ann, hers), say("hello")
	sends(t, ann, say("hello"))
	other.Message.ContextID = "shared"
	his := sends(t, twin, other)
	owner := store.Owner{Tenant: "acme", Subject: "ann"}
	elsewhere := store.Run{ID: "elsewhere", ThreadID: "elsewhere", Agent: "another", Fingerprint: "f"}
	must.Do(t, s.Store.BeginRun(t.Context(), owner, elsewhere, []agui.Message{}, store.Batch{}))

	token := lists(t, ann, &sdk.ListTasksRequest{PageSize: 1}).NextPageToken
	for _, req := range []*sdk.ListTasksRequest{{}, {ContextID: "shared"}, {PageToken: token}, {IncludeArtifacts: true}} {
		wantTasks(t, bob, req)
	}
	wantTasks(t, twin, &sdk.ListTasksRequest{}, his.ID)
	wantTasks(t, twin, &sdk.ListTasksRequest{ContextID: "shared"}, his.ID)
	wantTasks(t, ann, &sdk.ListTasksRequest{ContextID: "shared"}, mine.ID)
	wantTasks(t, ann, &sdk.ListTasksRequest{ContextID: "elsewhere"})
	must.Get(s.Store.UpdateThread(t.Context(), owner, "shared", store.ThreadChange{Deleted: new(true)}))(t)
	wantTasks(t, ann, &sdk.ListTasksRequest{ContextID: "shared"})
}

// TestPagesOfTasks: pages have every task once, also while others begin.
func TestPagesOfTasks(t *testing.T) {
	s := protocoltest.Serve(t, a2a.Protocol{})
	c := connect(t, s, "anns")
	oneOfEach(t, c)
	all := idsOf(lists(t, c, &sdk.ListTasksRequest{}).Tasks)
	for size := 1; size <= len(all); size++ {
		var got []sdk.TaskID
		req := &sdk.ListTasksRequest{PageSize: size}
		for {
			page := lists(t, c, req)
			if len(page.Tasks) == 0 || len(page.Tasks) > size || page.PageSize != size {
				t.Fatalf("a page of %d has %d tasks and says %d", size, len(page.Tasks), page.PageSize)
			}
			got = append(got, idsOf(page.Tasks)...)
			if req.PageToken = page.NextPageToken; req.PageToken == "" {
				break
			}
			if size == 2 {
				sends(t, c, say("hello")) // comes before the first page
			}
		}
		if size > 2 {
			got = got[len(got)-len(all):] // without those that came
		}
		if !slices.Equal(got, all) {
			t.Errorf("pages of %d have %v, want %v", size, got, all)
		}
	}
}

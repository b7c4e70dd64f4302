package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// office is a manager whose model calls tools that need approval, because it has read a page.
type office struct {
	*fixture
	model *steps
	ran   []string // what tools ran with, in order
}

// newOffice makes one. Its tools: create and rename write, drop destroys, send sends away, pay is
// always asked about. change may change them.
func newOffice(t *testing.T, st store.Store, change func([]*tool.Tool) []*tool.Tool) *office {
	t.Helper()
	o := &office{model: &steps{play: []step{say("done")}}} // if it goes on after a crash
	does := func(name string, effect tool.Effect) *tool.Tool {
		return &tool.Tool{
			Name: name, Description: "Does it.", Effect: effect, InputSchema: rawJSON(`{"type":"object"}`),
			Handler: func(_ context.Context, c *tool.Call) (tool.Result, error) {
				o.ran = append(o.ran, c.Tool+string(c.Args))
				return tool.Result{Text: "done"}, nil
			},
		}
	}
	tools := []*tool.Tool{does("create", tool.Write), does("rename", tool.Write), does("drop", tool.Destructive), does("send", tool.Exfil), does("pay", tool.Write)}
	tools[4].Policy.Approval = tool.ApprovalAlways
	if change != nil {
		tools = change(tools)
	}
	a := agentWith(t, o.model, tools...)
	a.Approvals.IgnoreTaint = false
	o.fixture = managerWith(t, st, a, nil)
	return o
}

// restarted is the same office in the next process.
func (o *office) restarted(change func([]*tool.Tool) []*tool.Tool) *office {
	o.t.Helper()
	next := newOffice(o.t, o.store, change)
	next.n = o.n + 100
	return next
}

// ask has the user ask for something, whereupon the model calls a tool.
func (o *office) ask(thread, name, args string, adjust ...func(*agui.RunAgentInput)) []agui.Event {
	o.t.Helper()
	in := o.input(thread, "go on")
	in.Context = []agui.ContextItem{{Description: "rows", Value: "seven"}}
	for _, a := range adjust {
		a(in)
	}
	o.model.play = []step{call(fmt.Sprintf("c%d-", o.n), name, args)}
	return events(o.t, o.start(in), false)
}

// wantAsked fails unless what was asked for needs approval, and returns the interrupt.
func (o *office) wantAsked(what string, all []agui.Event) agui.Interrupt {
	o.t.Helper()
	asked := asks(o.t, all)
	if len(asked) != 1 {
		o.t.Fatalf("%s: the user is asked %d things; the tools ran with %q", what, len(asked), o.ran)
	}
	return asked[0]
}

// wantRan fails unless the tools ran with these since the last time.
func (o *office) wantRan(what string, want ...string) {
	o.t.Helper()
	if !slices.Equal(o.ran, want) {
		o.t.Errorf("%s: tools ran with %q, want %q", what, o.ran, want)
	}
	o.ran = nil
}

// allow has the user approve for good what the model then calls.
func (o *office) allow(thread, name, args string) {
	o.t.Helper()
	asked := o.wantAsked("at first", o.ask(thread, name, args))
	o.resume(thread, "", answerTo(asked, `{"approved":true,"always":true}`))
	o.wantRan("once allowed", name+args)
}

// refused answers an interrupt and returns the field that is refused.
func (o *office) refused(thread string, asked agui.Interrupt, payload string) string {
	o.t.Helper()
	in := o.input(thread, "")
	in.Resume = []agui.ResumeEntry{answerTo(asked, payload)}
	_, err := o.Start(o.t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f" + in.RunID})
	e, ok := err.(*Error)
	if !ok || e.Code != CodeInvalid {
		o.t.Fatalf("the answer %s: %v", payload, err)
	}
	return e.Field
}

func TestAllowance(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	asked := o.wantAsked("at first", o.ask("t1", "create", `{"n":1,"of":"é"}`))
	if got := string(asked.Metadata); !strings.Contains(got, `"effect":"write"`) || !strings.Contains(got, `"allowance":{"scope":"thread","maxAge":86400,"userMaxAges":[86400,604800]}`) {
		t.Errorf("the offer is %s", got)
	}
	o.resume("t1", "", answerTo(asked, `{"approved":true,"always":true}`))
	o.wantRan("approved", `create{"n":1,"of":"é"}`)

	o = o.restarted(nil)
	o.ask("t1", "create", `{ "of": "\u00e9", "n": 1 }`)
	o.wantRan("the same again, after a restart", `create{ "of": "\u00e9", "n": 1 }`)
	o.wantAsked("other arguments", o.ask("t1", "create", `{"n":2,"of":"é"}`))
	o.wantAsked("another tool", o.ask("t1", "rename", `{"n":1,"of":"é"}`))
	o.wantAsked("another thread", o.ask("t2", "create", `{"n":1,"of":"é"}`))
	o.wantRan("what is asked about")
}

// TestAllowancesAreBounded: where a thread has as many as it may, always is once, until one is
// revoked.
func TestAllowancesAreBounded(t *testing.T) {
	st := temp.Store(t)
	o := newOffice(t, st, nil)
	o.allow("t1", "create", `{"n":1}`)
	given, err := st.Allowances(t.Context(), ada, "t1")
	if err != nil || len(given) != 1 {
		t.Fatalf("allowances are %+v, %v", given, err)
	}
	row := store.Run{ID: "filler", ThreadID: "t1", Agent: "default"}
	must(t, st.BeginRun(t.Context(), ada, row, nil))
	for i := range maxAllowances - 1 {
		a := given[0]
		a.ID, a.RunID, a.ArgsHash = fmt.Sprintf("alw%d", i), "filler", fmt.Sprintf("sha256:%d", i)
		must(t, st.GiveAllowance(t.Context(), ada, a))
	}
	row.Status = store.RunFinished
	must(t, st.EndRun(t.Context(), ada, row, nil, store.Batch{}))
	o.ask("t1", "create", `{"n":1}`)
	o.wantRan("what is allowed", `create{"n":1}`)
	o.allow("t1", "create", `{"n":2}`)
	if all, err := st.Allowances(t.Context(), ada, "t1"); err != nil || len(all) != maxAllowances {
		t.Errorf("there are %d allowances, %v", len(all), err)
	}
	o.allow("t1", "create", `{"n":2}`) // asked about again
	must(t, o.RevokeAllowance(t.Context(), ada, "t1", "alw0"))
	o.allow("t1", "create", `{"n":2}`)
	o.ask("t1", "create", `{"n":2}`)
	o.wantRan("what is allowed now", `create{"n":2}`)
}

// TestAllowanceIsForADefinition: a tool that another process has under the same name is another
// tool.
func TestAllowanceIsForADefinition(t *testing.T) {
	for name, change := range map[string]func(*tool.Tool){
		"description": func(t *tool.Tool) { t.Description = "Does something else." },
		"schema":      func(t *tool.Tool) { t.InputSchema = rawJSON(`{"type":"object","properties":{}}`) },
		"effect":      func(t *tool.Tool) { t.Effect = tool.Destructive },
		"approval":    func(t *tool.Tool) { t.Policy.Approval = tool.ApprovalAlways },
		"target":      func(t *tool.Tool) { t.Target = "elsewhere" },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, temp.Store(t), nil)
			o.allow("t1", "create", `{}`)
			o = o.restarted(func(tools []*tool.Tool) []*tool.Tool { change(tools[0]); return tools })
			if all, err := o.Allowances(t.Context(), ada, "t1"); err != nil || len(all) != 1 || all[0].Active {
				t.Errorf("allowances are %+v, %v", all, err)
			}
			o.wantAsked("the changed tool", o.ask("t1", "create", `{}`))
			o.wantRan("the changed tool")
		})
	}
}

// TestAllowanceIsNotOffered: what destroys, sends away or must always be asked about is approved
// one by one, whatever a client says.
func TestAllowanceIsNotOffered(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	for _, name := range []string{"drop", "send", "pay"} {
		asked := o.wantAsked(name, o.ask(name, name, `{}`))
		if strings.Contains(string(asked.Metadata), "allowance") || strings.Contains(string(asked.ResponseSchema), "always") {
			t.Errorf("%s: always is offered: %s, %s", name, asked.Metadata, asked.ResponseSchema)
		}
		if field := o.refused(name, asked, `{"approved":true,"always":true}`); field != "resume[0].payload.always" {
			t.Errorf("%s: the field is %q", name, field)
		}
		o.wantRan(name + " with always")
		o.resume(name, "", answerTo(asked, `{"approved":true,"always":false}`))
		o.wantRan(name+" approved", name+`{}`)
		o.wantAsked(name+" again", o.ask(name, name, `{}`))
	}
}

func TestAllowanceRefused(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	asked := o.wantAsked("create", o.ask("t1", "create", `{}`))
	for _, payload := range []string{`{"approved":true,"always":1}`, `{"approved":true,"always":"true"}`, `{"approved":true,"always":null}`, `{"approved":false,"always":true}`, `{"always":true}`} {
		if field := o.refused("t1", asked, payload); field != "resume[0].payload.always" {
			t.Errorf("%s: the field is %q", payload, field)
		}
	}
	if again := o.wantAsked("seen again", events(t, o.start(o.input("t1", "")), false)); again.ID != asked.ID {
		t.Errorf("it waits for %+v", again)
	}
	o.wantRan("what was refused")
}

// TestAllowanceOfEditedArguments: what is allowed is what ran, not what the model wrote.
func TestAllowanceOfEditedArguments(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	asked := o.wantAsked("at first", o.ask("t1", "create", `{"to":"evil"}`))
	o.resume("t1", "", answerTo(asked, `{"approved":true,"always":true,"args":{"to":"good"}}`))
	o.wantRan("edited", `create{"to":"good"}`)
	o.ask("t1", "create", `{"to":"good"}`)
	o.wantRan("what was approved", `create{"to":"good"}`)
	o.wantAsked("what was proposed", o.ask("t1", "create", `{"to":"evil"}`))
}

// TestAllowanceReplayed: an answer that was heard, or came too late, allows nothing, on its own
// thread or on another.
func TestAllowanceReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, temp.Store(t), nil)
		asked := o.wantAsked("at first", o.ask("t1", "create", `{}`))
		o.wantAsked("another thread", o.ask("t2", "create", `{}`))
		o.resume("t2", "", answerTo(asked, `{"approved":true,"always":true}`))
		o.resume("t1", "", answerTo(asked, `{"approved":true}`))
		o.wantRan("approved once", `create{}`)
		o.resume("t1", "", answerTo(asked, `{"approved":true,"always":true}`))
		late := o.wantAsked("replayed", o.ask("t1", "create", `{}`))
		time.Sleep(25 * time.Hour)
		o.resume("t1", "", answerTo(late, `{"approved":true,"always":true}`))
		o.wantAsked("too late", o.ask("t1", "create", `{}`))
		o.wantRan("replayed")
		for _, thread := range []string{"t1", "t2"} {
			if all, err := o.Allowances(t.Context(), ada, thread); err != nil || len(all) > 0 {
				t.Errorf("allowances of %s are %+v, %v", thread, all, err)
			}
		}
	})
}

func TestAllowanceExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, temp.Store(t), nil)
		o.allow("t1", "create", `{}`)
		time.Sleep(24*time.Hour - time.Second)
		o.ask("t1", "create", `{}`)
		o.wantRan("within the day", `create{}`)
		time.Sleep(2 * time.Second)
		o.wantAsked("the next day", o.ask("t1", "create", `{}`))
	})
}

// TestAllowanceStaysOnItsBranch: whoever goes back to before it was given is asked again, and what
// is shown says so.
func TestAllowanceStaysOnItsBranch(t *testing.T) {
	st := temp.Store(t)
	o := newOffice(t, st, nil)
	o.allow("t1", "create", `{}`)
	o.ask("t1", "create", `{}`)
	o.wantRan("where it was given", `create{}`)
	active := func() (active []bool) {
		all := value(o.Allowances(t.Context(), ada, "t1"))(t)
		for _, a := range all {
			active = append(active, a.Active)
		}
		return active
	}
	if got := active(); !slices.Equal(got, []bool{true}) {
		t.Errorf("active are %v", got)
	}
	stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
	asked := slices.IndexFunc(stored, func(m agui.Message) bool { return m.Role == agui.RoleUser })
	o.wantAsked("on another branch", o.ask("t1", "create", `{}`, func(in *agui.RunAgentInput) {
		in.ForwardedProps = rawJSON(`{"pageside":{"replaces":"` + stored[asked].ID + `"}}`)
	}))
	if got := active(); !slices.Equal(got, []bool{false}) {
		t.Errorf("on another branch active are %v", got)
	}
}

func TestAllowanceRevoked(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	o.allow("t1", "create", `{}`)
	all, err := o.Allowances(t.Context(), ada, "t1")
	if err != nil || len(all) != 1 {
		t.Fatalf("allowances are %+v, %v", all, err)
	}
	wantCode(t, o.RevokeAllowance(t.Context(), store.Owner{Subject: "eve"}, "t1", all[0].ID), CodeNotFound)
	wantCode(t, o.RevokeAllowance(t.Context(), ada, "t2", all[0].ID), CodeNotFound)
	must(t, o.RevokeAllowance(t.Context(), ada, "t1", all[0].ID))
	o.wantAsked("revoked", o.ask("t1", "create", `{}`))
	o.wantRan("revoked")
}

// TestAllowanceOfAnAgent: what one agent may do another may not.
func TestAllowanceOfAnAgent(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	o.allow("t1", "create", `{}`)
	first := o.Agents()[0]
	other := &agent.Agent{Authorizer: policy.Everything, ID: "other", Model: first.Model, Pages: first.Pages, Approvals: first.Approvals}
	must(t, o.SetAgents(Loops(first, other)))
	in := o.input("t1", "go on")
	in.Context = []agui.ContextItem{{Description: "rows", Value: "seven"}}
	o.model.play = []step{call("other", "create", `{}`)}
	r := value(o.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "other", Input: in, Fingerprint: "other"}))(t)
	o.wantAsked("another agent", events(t, r, false))
	o.wantRan("another agent")
}

// blindStore cannot look allowances up.
type blindStore struct{ store.Store }

func (blindStore) FindAllowances(context.Context, store.Owner, string, store.Allowance) ([]store.Allowance, error) {
	return nil, store.ErrFull
}

// TestAllowanceUnknown: where the store does not tell, the user is asked.
func TestAllowanceUnknown(t *testing.T) {
	st := temp.Store(t)
	o := newOffice(t, st, nil)
	o.allow("t1", "create", `{}`)
	blind := newOffice(t, blindStore{st}, nil)
	blind.n = o.n + 100
	blind.wantAsked("unknown", blind.ask("t1", "create", `{}`))
	blind.wantRan("unknown")
}

// TestApprovalIsForADefinition: what the user approves is the tool that was shown. After a restart
// with another one of that name the user is asked about that, under another id, and it runs once
// that is approved.
func TestApprovalIsForADefinition(t *testing.T) {
	st := temp.Store(t)
	for i, payload := range []string{`{"approved":true}`, `{"approved":true,"args":{"n":2}}`, `{"approved":true,"always":true}`} {
		thread := fmt.Sprint("t", i)
		o := newOffice(t, st, nil)
		o.n = 1000 * i
		shown := o.wantAsked("at first", o.ask(thread, "create", `{}`))
		o = o.restarted(func(tools []*tool.Tool) []*tool.Tool {
			tools[0].Effect, tools[0].Target, tools[0].Policy.Approval = tool.Destructive, "elsewhere", tool.ApprovalAlways
			return tools
		})
		asked := o.wantAsked("the changed tool", o.resume(thread, "", answerTo(shown, payload)))
		o.wantRan("the changed tool, with " + payload)
		if got := string(asked.Metadata); asked.ID == shown.ID || !strings.Contains(got, `"effect":"destructive"`) || strings.Contains(got, "allowance") {
			t.Errorf("what is asked is %q (before: %q) with %s", asked.ID, shown.ID, got)
		}
		o.resume(thread, "", answerTo(asked, `{"approved":true}`))
		o.wantRan("approved as it is now", `create{}`)
	}
}

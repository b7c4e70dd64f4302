package run

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// openTitles lets users leave the title that create is given open.
func openTitles(tools []*tool.Tool) []*tool.Tool {
	tools[0].InputSchema = rawJSON(`{"type":"object","properties":{"to":{"type":"string"},"title":{"type":"string"},"note":{"type":"string"}}}`)
	tools[0].Policy.OpenArgs = []string{"title", "note"}
	return tools
}

// allowOn has the user approve what the model then calls on these terms.
func (o *office) allowOn(thread, args, terms string) {
	o.t.Helper()
	asked := o.wantAsked("at first", o.ask(thread, "create", args))
	o.resume(thread, "", answerTo(asked, `{"approved":true,"always":true,"allowance":`+terms+`}`))
	o.wantRan("once allowed", "create"+args)
}

// TestAllowanceWithOpenArguments: what was left open may have any value, and nothing else may.
func TestAllowanceWithOpenArguments(t *testing.T) {
	o := newOffice(t, temp.Store(t), openTitles)
	asked := o.wantAsked("the offer", o.ask("t0", "create", `{"to":"ann","title":"a"}`))
	if got := string(asked.Metadata); !strings.Contains(got, `"openArgs":["title"]}`) {
		t.Errorf("the offer is %s", got)
	}
	if got := string(asked.ResponseSchema); !strings.Contains(got, `"enum":["title"]`) {
		t.Errorf("the schema is %s", got)
	}
	o.allowOn("t1", `{"to":"ann","title":"a"}`, `{"openArgs":["title"]}`)
	o.ask("t1", "create", `{"title":"something else","to":"ann"}`)
	o.wantRan("another title", `create{"title":"something else","to":"ann"}`)
	for what, args := range map[string]string{
		"another recipient": `{"to":"eve","title":"a"}`, "no recipient": `{"title":"a"}`, "no title": `{"to":"ann"}`,
		"one argument more": `{"to":"ann","title":"a","note":"n"}`,
	} {
		o.wantAsked(what, o.ask("t1", "create", args))
	}
	o.wantAsked("another thread", o.ask("t2", "create", `{"to":"ann","title":"a"}`))

	o = o.restarted(func(tools []*tool.Tool) []*tool.Tool {
		openTitles(tools)[0].Policy.OpenArgs = []string{"note"}
		return tools
	})
	o.wantAsked("once titles may not be left open any more", o.ask("t1", "create", `{"to":"ann","title":"b"}`))
	o.wantAsked("nor for the same title", o.ask("t1", "create", `{"to":"ann","title":"a"}`))
	if all, err := o.Allowances(t.Context(), ada, "t1"); err != nil || len(all) != 1 || all[0].Active {
		t.Errorf("allowances are %+v, %v", all, err)
	}
	o.wantRan("what is asked about")
}

// TestAllowanceTermsRefused: only what the server has offered can be allowed.
func TestAllowanceTermsRefused(t *testing.T) {
	o := newOffice(t, temp.Store(t), openTitles)
	asked := o.wantAsked("create", o.ask("t1", "create", `{"to":"ann","title":"a"}`))
	for terms, field := range map[string]string{
		`{"openArgs":["to"]}`:                    "allowance.openArgs[0]",
		`{"openArgs":["title","to"]}`:            "allowance.openArgs[1]",
		`{"openArgs":["note"]}`:                  "allowance.openArgs[0]", // the call has none
		`{"openArgs":"title"}`:                   "allowance",
		`{"scope":"tenant"}`:                     "allowance.scope",
		`{"maxAge":604800}`:                      "allowance.maxAge", // on a thread
		`{"scope":"user","maxAge":31536000}`:     "allowance.maxAge",
		`{"scope":"user","maxAge":-1}`:           "allowance.maxAge",
		`{"scope":"user","tool":"drop"}`:         "allowance",
		`{"scope":"user","scope":"thread"}`:      "",
		`null`:                                   "allowance",
		`[]`:                                     "allowance",
		`{"openArgs":["title"]},"always":false`:  "",
		`{"openArgs":["title"]},"approved":true`: "",
	} {
		payload := `{"approved":true,"always":true,"allowance":` + terms + `}`
		if field == "" { // unreadable: it approves nothing
			continue
		}
		if got := o.refused("t1", asked, payload); got != "resume[0].payload."+field {
			t.Errorf("%s: the field is %q", payload, got)
		}
	}
	if got := o.refused("t1", asked, `{"approved":true,"allowance":{"scope":"user"}}`); got != "resume[0].payload.allowance" {
		t.Errorf("without always the field is %q", got)
	}
	for thread, name := range map[string]string{"t2": "drop", "t3": "send", "t4": "pay"} {
		grave := o.wantAsked(name, o.ask(thread, name, `{}`))
		if got := o.refused(thread, grave, `{"approved":true,"always":true,"allowance":{"scope":"user"}}`); got != "resume[0].payload.always" {
			t.Errorf("%s: the field is %q", name, got)
		}
	}
	again := o.wantAsked("asked again", o.resume("t1", "", answerTo(asked, `{"approved":true,"always":true,"args":{"to":"ann"},"allowance":{"openArgs":["title"]}}`)))
	if !strings.Contains(again.Message, `"title"`) {
		t.Errorf("an open argument that was taken out: %q", again.Message)
	}
	o.wantRan("what was refused")
	if all, err := o.UserAllowances(t.Context(), ada); err != nil || len(all) > 0 {
		t.Errorf("there are %+v, %v", all, err)
	}
}

// TestUserWideAllowance: it holds on every thread of its user and agent, until it ends or is
// revoked.
func TestUserWideAllowance(t *testing.T) {
	o := newOffice(t, temp.Store(t), openTitles)
	o.allowOn("t1", `{"to":"ann"}`, `{"scope":"user","maxAge":604800}`)
	o = o.restarted(openTitles)
	o.ask("t2", "create", `{"to":"ann"}`)
	o.wantRan("another thread, after a restart", `create{"to":"ann"}`)
	o.wantAsked("other arguments", o.ask("t3", "create", `{"to":"eve"}`))
	all, err := o.UserAllowances(t.Context(), ada)
	if err != nil || len(all) != 1 || !all[0].Active || all[0].ThreadID != "t1" {
		t.Fatalf("allowances are %+v, %v", all, err)
	}
	if on, err := o.Allowances(t.Context(), ada, "t1"); err != nil || len(on) > 0 {
		t.Errorf("the thread's are %+v, %v", on, err)
	}
	eve := store.Owner{Subject: "eve"}
	if hers, err := o.UserAllowances(t.Context(), eve); err != nil || len(hers) > 0 {
		t.Errorf("somebody else's are %+v, %v", hers, err)
	}
	wantCode(t, o.RevokeAllowance(t.Context(), eve, "", all[0].ID), CodeNotFound)
	wantCode(t, o.RevokeAllowance(t.Context(), ada, "t1", all[0].ID), CodeNotFound)
	must(t, o.RevokeAllowance(t.Context(), ada, "", all[0].ID))
	o.wantAsked("revoked", o.ask("t4", "create", `{"to":"ann"}`))
	o.wantRan("revoked")
}

func TestUserWideAllowanceExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, temp.Store(t), openTitles)
		o.allowOn("t1", `{"to":"ann"}`, `{"scope":"user"}`)
		o.allowOn("t1", `{"to":"bob"}`, `{"scope":"user","maxAge":604800}`)
		time.Sleep(25 * time.Hour)
		o.wantAsked("after a day", o.ask("t2", "create", `{"to":"ann"}`))
		o.ask("t3", "create", `{"to":"bob"}`)
		o.wantRan("within the week", `create{"to":"bob"}`)
		// Longer terms replace shorter ones.
		o.allowOn("t4", `{"to":"ann"}`, `{"scope":"user","maxAge":604800}`)
		time.Sleep(6 * 24 * time.Hour)
		o.wantAsked("after a week", o.ask("t5", "create", `{"to":"bob"}`))
		o.ask("t6", "create", `{"to":"ann"}`)
		o.wantRan("the one given later", `create{"to":"ann"}`)
	})
}

// lastWords is a process that dies when it starts a call: before the journal has that, or after.
type lastWords struct {
	*mortal
	started bool
}

func (s lastWords) StartCall(ctx context.Context, o store.Owner, runID, callID string, wait bool) error {
	if s.started {
		if err := s.mortal.StartCall(ctx, o, runID, callID, wait); err != nil {
			return err
		}
	}
	s.die()
	return errDead
}

// TestAllowanceRevokedBeforeACrashIsOver: a call that an allowance let through, and that was
// planned or begun before a crash, runs after it only if the allowance still holds and the tool is
// the one that was judged.
func TestAllowanceRevokedBeforeACrashIsOver(t *testing.T) {
	for name, want := range map[string]struct {
		started bool
		change  func(t *testing.T, st store.Store, tools []*tool.Tool)
		ran     []string
		told    string
	}{
		"planned, nothing has changed": {ran: []string{"create{}"}, told: "done"},
		"begun, nothing has changed":   {started: true, ran: []string{"create{}"}, told: "done"},
		"planned, revoked":             {change: revoked, told: "no longer holds"},
		"begun, revoked":               {started: true, change: revoked, told: "unknown_outcome"},
		"planned, another tool":        {change: redirected, told: "before it began"},
		"begun, another tool":          {started: true, change: redirected, told: "unknown_outcome"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			st := temp.Store(t)
			repeatable := func(tools []*tool.Tool) []*tool.Tool { tools[0].Effect = tool.Idempotent; return tools }
			o := newOffice(t, st, repeatable)
			o.allow("t1", "create", `{}`)
			crashing := newOffice(t, lastWords{&mortal{Store: st, left: -1}, want.started}, repeatable)
			crashing.n = 100
			in := crashing.input("t1", "go on")
			in.Context = []agui.ContextItem{{Description: "rows", Value: "seven"}}
			crashing.model.play = []step{call("x", "create", "{}")}
			readAll(t, crashing.start(in).Read(false))
			handOver(crashing)
			crashing.wantRan("before the crash")

			next := newOffice(t, st, func(tools []*tool.Tool) []*tool.Tool {
				if repeatable(tools); want.change != nil {
					want.change(t, st, tools)
				}
				return tools
			})
			next.admission.work.Wait()
			next.wantRan("after the crash", want.ran...)
			if got := next.thread("t1"); !strings.Contains(got, want.told) || !strings.HasSuffix(got, "assistant=done") {
				t.Errorf("the thread ends with %q, want %q", got, want.told)
			}
		})
	}
}

// revoked revokes the thread's allowance.
func revoked(t *testing.T, st store.Store, _ []*tool.Tool) {
	t.Helper()
	all, err := st.Allowances(t.Context(), ada, "t1")
	if err != nil || len(all) != 1 {
		t.Fatalf("allowances are %+v, %v", all, err)
	}
	must(t, st.RevokeAllowance(t.Context(), ada, "t1", all[0].ID))
}

// redirected makes the tool reach something else.
func redirected(_ *testing.T, _ store.Store, tools []*tool.Tool) { tools[0].Target = "elsewhere" }

// TestAllowanceOfAPageTool: a tool of the page can be allowed whatever its arguments; one that
// cannot be undone cannot.
func TestAllowanceOfAPageTool(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	tools := func(in *agui.RunAgentInput) {
		in.Tools = []agui.Tool{
			{Name: "save", Description: "Saves.", Parameters: rawJSON(`{"type":"object"}`), Metadata: rawJSON(`{"pageside":{"effect":"write"}}`)},
			{Name: "wipe", Description: "Wipes.", Parameters: rawJSON(`{"type":"object"}`), Metadata: rawJSON(`{"pageside":{"effect":"destructive"}}`)},
		}
	}
	asked := o.wantAsked("at first", o.ask("t1", "save", `{"n":1}`, tools))
	if got := string(asked.Metadata); !strings.Contains(got, `"openArgs":["*"]}`) {
		t.Errorf("the offer is %s", got)
	}
	in := o.input("t1", "")
	tools(in)
	in.Resume = []agui.ResumeEntry{answerTo(asked, `{"approved":true,"always":true,"allowance":{"openArgs":["*"]}}`)}
	if got := pendingOf(events(t, o.start(in), false)); len(got) != 1 {
		t.Fatalf("once approved the page is to run %q", got)
	}
	if got := pendingOf(o.ask("t1", "save", `{"n":2}`, tools)); len(got) != 1 {
		t.Errorf("with other arguments the page is to run %q", got)
	}
	asked = o.wantAsked("what cannot be undone", o.ask("t1", "wipe", `{}`, tools))
	if strings.Contains(string(asked.Metadata), "allowance") {
		t.Errorf("the offer is %s", asked.Metadata)
	}
}

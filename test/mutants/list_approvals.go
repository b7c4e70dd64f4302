package main

// approvals breaks what a person's answer means.
func approvals() []mutant {
	forged := func(file string) in { return in{file, "test/hostile", "TestForgedApprovals"} }
	return []mutant{
		forged("calls/answers.go").mutant("approvals: anything approves", `string(fields["approved"]) == "true"`, `len(fields["approved"]) > 0`).daily(),
		forged("calls/answers.go").mutant("approvals: the opposite approves", `string(fields["approved"]) == "true"`, `string(fields["approved"]) == "false"`),
		forged("calls/answers.go").mutant("approvals: what cannot be read approves", "return Decision{}\n", "return Decision{Approved: true}\n"),
		forged("agent/resume.go").mutant("approvals: denied calls run", "if !decision.Approved {", "if false {"),
		forged("agent/resume.go").mutant("approvals: they never expire", "!time.Now().Before(interrupt.ExpiresAt):", "time.Now().IsZero():").daily(),
		forged("agent/resume.go").mutant("approvals: a cancelled question approves", "case answer.Status != agui.ResumeResolved:\n\t\tc.answer(calls.Denied(\"\"))", "case false:\n\t\tc.answer(calls.Denied(\"\"))"),
		forged("agent/resume.go").mutant("approvals: edited arguments are not checked", "parsed, err := t.ParseArgsLike(args, interrupt.Args)", "parsed, err := json.RawMessage(args), error(nil)"),
		{name: "approvals: edited arguments are ignored", file: "agent/resume.go", old: "if decision.Args != nil {", new: "if false {", pkg: "run", tests: "TestConversations"},
		{name: "approvals: for another definition", file: "agent/resume.go", old: `if interrupt.Definition != "" && interrupt.Definition != t.Definition() {`, new: "if false {", pkg: "run", tests: "TestConversations"},
		in{"agent/resume.go", "run", "TestConversations"}.mutant("approvals: any interrupt is answered", "if r.in.Waiting.Resume[i].InterruptID == interrupt.ID {", "if true {"),
		{name: "approvals: for any call", file: "agent/resume.go", old: "r.in.Waiting.Interrupts[i].ToolCallID == c.id", new: "true", pkg: "run", tests: "TestConversations"},
		{name: "approvals: an answer comes twice", file: "run/history/merge.go", old: "if !known || twice {", new: "if !known || twice && false {", pkg: "run/history", tests: "TestMergeOfInterrupts"},
		{name: "approvals: unknown interrupts are passed on", file: "run/history/merge.go", old: "if !known || twice {", new: "if !known && false || twice {", pkg: "run/history", tests: "TestMergeOfInterrupts"},
		{name: "approvals: the client answers a call that waits for a person", file: "run/history/merge.go", old: "waiting.remove(h.Interrupts[i].ToolCallID) // a person", new: "_ = h.Interrupts[i].ToolCallID // a person", pkg: "run/history", tests: "TestMergeOfInterrupts"},
		{name: "approvals: the client answers calls of the server", file: "agent/resume.go", old: "return o != nil && o.backend == nil", new: "return o != nil", pkg: "agent", tests: "TestBackendCallsAreNotTheClients"},
		{name: "approvals: always is ignored", file: "calls/rule.go", old: "case c.Approval == tool.ApprovalAlways:\n\t\treturn true", new: "case c.Approval == tool.ApprovalAlways:\n\t\treturn false", pkg: "run", tests: "TestConversations"},
		{name: "approvals: never is ignored", file: "calls/rule.go", old: "case c.Judged || c.Approval == tool.ApprovalNever:\n\t\treturn false", new: "case c.Judged:\n\t\treturn false\n\tcase c.Approval == tool.ApprovalNever:\n\t\treturn true", pkg: "agent", tests: "TestConversations"},
		{name: "questions: a tool that has changed gets the answer", file: "agent/resume.go", old: "t == nil || t.Definition() != interrupt.Definition {", new: "t == nil {", pkg: "agent", tests: "TestConversations"},
		{name: "questions: a tool is not told that nobody answers", file: "agent/resume.go", old: "c.left = interrupt", new: "_ = interrupt", pkg: "tool/a2atool", tests: "TestAQuestionWithoutAnAnswerEndsItsTask"},
		{name: "questions: of a run that is cancelled keep waiting", file: "agent/run.go", old: "r.executor.withdrawn.withdraw(ctx, c, c.interrupt)", new: "_ = c.interrupt", pkg: "agent", tests: "TestConversations"},
		{name: "questions: another tool is told that nobody answers", file: "agent/executor.go", old: "t == nil || t.Definition() != i.Definition {", new: "t == nil {", pkg: "agent", tests: "TestConversations"},
		{name: "questions: a task that nobody can answer keeps waiting", file: "tool/a2atool/task.go", old: "t.Status.State == a2a.TaskStateInputRequired || t.Status.State == a2a.TaskStateAuthRequired", new: "t.Status.State == a2a.TaskStateInputRequired", pkg: "tool/a2atool", tests: "TestATaskThatNobodyCanAnswerIsCancelled"},
		{name: "push: any address may be told", file: "protocol/a2a/push.go", old: "err = n.out.guard.CheckURL(u)", new: "_ = n.out.guard.CheckURL(u)", pkg: "protocol/a2a", tests: "TestConfigsThatAreRefused"},
		{name: "push: credentials are shown", file: "protocol/a2a/push.go", old: "c.Auth = &a2a.PushAuthInfo{Scheme: c.Auth.Scheme}", new: "c.Auth = &*c.Auth", pkg: "protocol/a2a", tests: "TestConfigs"},
		{name: "push: sealed credentials are anybody's", file: "protocol/a2a/seal.go", old: "[]string{o.Tenant, o.Subject, w.RunID, w.ID, address}", new: "[]string{w.RunID, w.ID, address}", pkg: "protocol/a2a", tests: "TestSeals"},
		{name: "push: sealed credentials go to any address", file: "protocol/a2a/seal.go", old: "w.RunID, w.ID, address}", new: "w.RunID, w.ID}", pkg: "protocol/a2a", tests: "TestSeals"},
		{name: "tasks: another agent's are listed", file: "protocol/a2a/list.go", old: `Agent: h.x.Request.PathValue("agent"), `, new: "", pkg: "protocol/a2a", tests: "TestListsAreTheCallers"},
		{name: "tasks: one that was left still waits in a list", file: "protocol/a2a/list.go", old: "case s.Status == run.StatusCancelled, s.Passed:", new: "case s.Status == run.StatusCancelled:", pkg: "protocol/a2a", tests: "TestListTasks"},
		{name: "tasks: runs of deleted threads are listed", file: "store/sqlstore/queries.go", old: "r.agent = coalesce($3, r.agent)` + notDeleted", new: "r.agent = coalesce($3, r.agent)`", pkg: "protocol/a2a", tests: "TestListsAreTheCallers"},
		{name: "withdrawals: the model is asked to go on", file: "agent/run.go", old: "if r.in.Waiting.Withdraw {", new: "if false {", pkg: "run", tests: "TestConversations"},
		{name: "withdrawals: an agent of one's own is asked to go on", file: "agent/guest_run.go", old: "if g.in.Waiting.Withdraw {", new: "if false {", pkg: "run", tests: "TestConversations"},
		{name: "withdrawals: tools that have asked are not told", file: "agent/resume.go", old: "c.leave(interrupt, calls.Withdrawn())", new: "c.answer(calls.Withdrawn())", pkg: "tool/a2atool", tests: "TestAQuestionThatIsWithdrawnEndsItsTask"},
		{name: "withdrawals: what waits for the page outlives a crash", file: "run/recover.go", old: "if !x.Place.Withdraw && len(x.waiting) > 0", new: "if len(x.waiting) > 0", pkg: "run", tests: "TestConversations"},
		{name: "withdrawals: an answer may come with one", file: "run/history/withdraw.go", old: "case slices.ContainsFunc(in.Resume, resolves):", new: "case false && slices.ContainsFunc(in.Resume, resolves):", pkg: "run", tests: "TestConversations"},
		{name: "tasks: one that waits is not cancelled", file: "protocol/a2a/handler.go", old: "case t.Status.State == a2a.TaskStateInputRequired:\n\t\tt, err = t.withdraw(h.x)\n", new: "", pkg: "protocol/a2a", tests: "TestATaskThatWaitsIsCancelled"},
		{name: "approvals: any text answers over A2A", file: "agui/answer.go", old: `f.Text && (len(f.OneOf) == 0`, new: `(len(f.OneOf) == 0`, pkg: "protocol/a2a", tests: "TestAnswers"},
		{name: "approvals: actions are not asked about", file: "run/call.go", old: "case c.ApprovalID == \"\":", new: "case false:", pkg: "server", tests: "TestConversations"},
		{name: "approvals: actions that destroy or send are not asked about", file: "calls/rule.go", old: "case tool.Idempotent, tool.Write, \"\":", new: "case tool.Idempotent, tool.Write, tool.Exfil, tool.Destructive, \"\":", pkg: "server", tests: "TestConversations"},
	}
}

// allowances breaks what a standing approval is for.
func allowances() []mutant {
	forged := func(file string) in { return in{file, "test/hostile", "TestForgedAllowances"} }
	return []mutant{
		forged("agent/approvals.go").mutant("allowances: none is needed", `c.Allowance = id; id == "" {`, `c.Allowance = id; false {`),
		{name: "allowances: for what destroys or sends", file: "calls/rule.go", old: "case tool.Read, tool.Page, tool.Idempotent, tool.Write:", new: "default:", pkg: "run", tests: "TestConversations"},
		{name: "allowances: where the operator says always", file: "calls/rule.go", old: "case c.Approval != tool.ApprovalPolicy:", new: "case false:", pkg: "run", tests: "TestConversations"},
		{name: "allowances: that were not offered", file: "calls/interrupt.go", old: `case i.Allowable == "":`, new: "case false:", pkg: "run", tests: "TestConversations"},
		{name: "allowances: on all branches", file: "run/allowance.go", old: "a.m.leadsTo(ctx, a.run.owner, a.run.ThreadID, held.RunID, a.run.ID)", new: "true, error(nil)", pkg: "run", tests: "TestConversations"},
		{name: "allowances: revoked ones hold", file: "agent/approvals.go", old: "c.Permission) == \"\"\n", new: "c.Permission) == \"\" && false\n", pkg: "agent", tests: "TestRevokedAllowanceStartsNothing"},
		{name: "allowances: for another definition", file: "store/sqlstore/queries_settings.go", old: "AND a.definition = $7", new: "AND $7 = $7", pkg: "run", tests: "TestConversations"},
		{name: "allowances: of another agent", file: "store/sqlstore/queries_settings.go", old: "AND a.agent = $5", new: "AND $5 = $5", pkg: "run", tests: "TestConversations"},
	}
}

package main

// pageCalls breaks how calls of the page's tools are held until a person has approved them.
func pageCalls() []mutant {
	talk := func(file string) in { return in{file, "agent", "TestConversations"} }
	held := func(file string) in { return in{file, "run", "TestConversations"} }
	return []mutant{
		in{"agent/approvals.go", "test/hostile", "TestInjections"}.mutant("page calls: none is withheld", "o.withheld = asks", "o.withheld = false && asks").daily(),
		talk("agent/approvals.go").mutant("page calls: always does not withhold", "o.withheld = asks", "o.withheld = o.page.Policy.Approval != tool.ApprovalAlways && asks"),
		talk("agent/approvals.go").mutant("page calls: a policy cannot ask", "asks || a.access.mayObject(ctx, o.page)", "asks"),
		talk("agent/approvals.go").mutant("page calls: nobody is asked about withheld ones", "if c.ready.page && !c.withheld {", "if c.ready.page {"),
		in{"agent/step_calls.go", "test/hostile", "TestInjections"}.mutant("page calls: the client sees the START", "c.withheld = true // the text stays open: after a crash the answer must not look complete\n\t\treturn nil", "c.withheld = true"),
		in{"agent/toolset.go", "test/hostile", "TestToolsOfThePageRunUnasked"}.mutant("page calls: without an effect they ask", "a.Approvals.PageTools, tool.Page)", "a.Approvals.PageTools, tool.Write)"),
		talk("agent/toolset.go").mutant("page calls: the operator's strictness does not count", "a.Approvals.PageTools, tool.Page)", "tool.Page)"),
		talk("agent/run.go").mutant("page calls: pending in the order of the model", "if c.withheld {\n\t\t\t\thandedOut", "if false {\n\t\t\t\thandedOut"),
		talk("agent/toolset.go").mutant("page calls: the operator's word does not count", "if p, ok := a.PageTools[t.Name]; ok {", "if p, ok := a.PageTools[t.Name]; ok && false {"),
		in{"agent/pagetool/pagetool.go", "agent/pagetool", "TestCheck"}.mutant("page calls: the client says never", "if approval != tool.ApprovalPolicy && approval != tool.ApprovalAlways {", "if false {"),
		talk("agent/run.go").mutant("page calls: a held call goes out beside its question", "case c.interrupt != nil:\n\t\t\tif err", "case c.interrupt != nil && !c.withheld:\n\t\t\tif err"),
		talk("agent/call.go").mutant("page calls: not marked as approved", "Approved: c.result == nil && c.Agreed() != \"\"", "Approved: false"),
		talk("agent/call.go").mutant("page calls: refused ones are marked as approved", "Approved: c.result == nil && c.Agreed() != \"\"", "Approved: true"),
		talk("agent/call.go").mutant("page calls: edited arguments do not reach the page", "c.args.Reset()\n\t\tc.args.Write(args)", "_ = args"),
		held("run/history/waiting.go").mutant("page calls: asked about again once they are given", "if i.Frontend {\n\t\treturn w.withheld[i.ToolCallID]\n\t}", "if i.Frontend && w.withheld[i.ToolCallID] {\n\t\treturn true\n\t}").daily(),
		held("run/eventlog/frames.go").mutant("page calls: the client is shown the note", "if isNoteFrame(frame) {", "if false {"),
		{name: "page calls: an imported history approves", file: "run/history/merge.go", old: "taken := withClientCalls(msg)", new: "taken := *msg", pkg: "run", tests: "TestConversations"},
		held("run/history/answers.go").mutant("page calls: forgotten in a crash", "ok && made[msg.ID]", "ok && false"),
		talk("agent/resume.go").mutant("page calls: a crash approves", "\tif problem := r.approvals.hold(ctx, c); problem != nil {\n\t\tc.answer(problem.Result())\n\t}\n}\n\n// withClient", "}\n\n// withClient"),
		in{"agent/step_calls.go", "agent", "TestWithheldCallsAreOnePiece"}.mutant("page calls: a refusal may be cut off from its call", "return s.out.EmitAll(then...)", "for _, e := range then {\n\t\tif err := s.emit(e); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil"),
		in{"run/history/suggested.go", "test/hostile", "TestInjections"}.mutant("page calls: a clicked suggestion is the user's own words", "(suggested[text] || ", "(false || "),
		in{"agent/taint.go", "test/hostile", "TestInjections"}.mutant("taint: a marked click does not", "return marks.Suggested && ", "return marks.Imported && "),
	}
}

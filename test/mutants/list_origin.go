package main

// origins breaks what a call knows of who asks and where, and who may believe it.
func origins() []mutant {
	seeds := func(file, tests string) in { return in{file, "test/seeds", tests} }
	bind := in{"tool/bind.go", "tool", "TestBoundArguments|TestNoModelChoosesABoundArgument|TestEditedArgumentsKeepWhatIsBound"}
	signs := in{"tool/httptool/signed/signed.go", "tool/httptool/signed", "TestAChangedRequestIsRefused|TestARequestIsAcceptedOnceAndInTime|FuzzRequest"}
	return []mutant{
		bind.mutant("bind: the model chooses", "if !sameValue(json.RawMessage(value), bound[name]) {", "if false {"),
		bind.mutant("bind: the value is not set", "if bound[name] != nil {", "if false {"),
		bind.mutant("bind: the model is shown it", "return t.binding.declared", "return t.InputSchema"),
		bind.mutant("bind: what does not fit is taken", "if err := t.binding.schema.Validate(append(object, '}')); err != nil {", "if err := t.binding.schema.Validate(append(object, '}')); false {"),
		seeds("agent/toolset.go", "TestToolNeedsWhatItsArgumentsAreBoundTo").mutant("bind: the tool is offered without its scope", `lacks := o.backend.Unmet(p, from); lacks != ""`, `lacks := o.backend.Unmet(p, from); false`),
		seeds("agent/resume.go", "TestApprovedCallRunsAsItWasShown").mutant("bind: the place of the approval counts", "c.origin = interrupt.Origin; !r.permit", "c.origin = nil; !r.permit"),
		seeds("agent/executor.go", "TestToolKnowsWhoAsksAndWhere").mutant("origin: a tool is not told where", "Origin: x.journal.originOf(c),", "Origin: tool.Origin{},"),
		seeds("run/call.go", "TestServerActionAnswersInTheConversation").mutant("origin: the tool of an action is not told where", "Origin: c.origin,", "Origin: tool.Origin{},"),
		signs.mutant("signed: not checked", "err := key.Verify(body, r.Header)", "_, err := key, error(nil)"),
		signs.mutant("signed: the body is not covered", "err := key.Verify(body, r.Header)", "err := key.Verify([]byte(\"hello\"), r.Header)"),
		signs.mutant("signed: the path is not covered", "cmp.Or(r.RequestURI, r.URL.RequestURI()))", "cmp.Or(\"/\", r.RequestURI))"),
		signs.mutant("signed: who asks is not covered", "signed != digest(r) {", "signed == \"\" {"),
		signs.mutant("signed: requests may be repeated", "struct{}{}); seen {", "struct{}{}); seen && false {"),
		signs.mutant("signed: for ever", "key.Verify(body, r.Header)", "key.VerifyIgnoringTimestamp(body, r.Header)"),
		{name: "taint: what an action said does not count", file: "agent/taint.go", old: "ReadAction(&messages[i]); acted {", new: "ReadAction(&messages[i]); acted && false {", pkg: "test/seeds", tests: "TestWhatAnActionSaysTaints"},
	}
}

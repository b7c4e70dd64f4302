package main

// telling breaks what users are told of the server's work, and what operators see of their runs.
func telling() []mutant {
	disclosed := in{"agent/disclosure.go", "server", "TestConversations"}
	answering := in{disclosed.file, "server", "TestConversations"}
	hosts := in{disclosed.file, "agent", "TestADisclosureNamesPublicHostsOnly"}
	counted := in{disclosed.file, "server", "TestADisclosureCountsWhatTheInspectorCounts"}
	stored := in{"server/inspector_stored.go", "server", "TestConversations"}
	feedback := in{"server/feedback.go", "server", "TestConversations"}
	sources := in{"agui/sources.go", "agent", "TestConversations"}
	resources := in{"tool/mcptool/sources.go", "tool/mcptool", "TestResourcesAreSources"}
	return []mutant{
		disclosed.mutant("disclosure: tools that the user may not use are told", "t.Effect, false).Decision != policy.Deny", `t.Effect, false).Decision != "none"`),
		disclosed.mutant("disclosure: tools without their scope are told", `lacking(t, at) == "" && `, ""),
		disclosed.mutant("disclosure: names of private hosts are told", "if isPrivate(host) {", "if false {"),
		counted.mutant("disclosure: tools that write cards are not counted", "range toolPayloads(view, model.Info())", "range toolPayloads(view, llm.Info{})"),
		counted.mutant("disclosure: tools that are seldom offered are counted", `if t.When == "" {`, "if true {"),
		hosts.mutant("disclosure: a name without a dot is public", `return !strings.Contains(host, ".")`, "return false"),
		answering.mutant("disclosure: the default is said to answer, whatever was chosen", "d.Models = a.discloseModels(model)", "d.Models = a.discloseModels(a.Model)"),
		answering.mutant("disclosure: a reserve is not said to be a choice", "case use == UsedIfChosen && ", "case false && "),
		in{"run/served.go", answering.pkg, answering.tests}.mutant("disclosure: the thread's choice is not looked up", `&& threadID != "" {`, `&& threadID == "?" {`),
		in{"agent/usage/spending.go", "server", "TestConversations"}.mutant("inspector: the effort is not stored", "kept{usage, s.Cost, s.Effort}", `kept{usage, s.Cost, ""}`),
		in{"inspect/recorder.go", "server", "TestConversations"}.mutant("inspector: a model call does not say its effort", "effort: m.Request.Effort", `effort: ""`),
		feedback.mutant("feedback: any reason is taken", "!slices.Contains(reasons, f.Reason)", `slices.Contains(reasons, "any")`),
		feedback.mutant("feedback: a good answer has a reason", `f.Reason != "" && f.Rating != -1`, "false"),
		feedback.mutant("feedback: the reason is dropped", "Reason: f.Reason, ", ""),
		in{"server/inspector.go", stored.pkg, stored.tests}.mutant("inspector: a stored run is shown with its words to who may not read them", "detail = detail.For(access)", "_ = detail.For"),
		stored.mutant("inspector: purged events leave nothing", "if errors.Is(err, run.ErrPurged) {", "if false {"),
		in{"server/inspector.go", stored.pkg, stored.tests}.mutant("inspector: the store's runs are listed for all", "case access.All:", "case false:"),
		sources.mutant("sources: any address is a link", "if !isSourceURL(s.URL) {", "if false {"),
		sources.mutant("sources: a source that comes again has another number", "cmp.Or(n.numbers[s.key()], n.last+1)", "n.last + 1"),
		resources.mutant("sources: a path of an MCP server leads into the application", "webAddress(l.server.scrub(s.URL))", "l.server.scrub(s.URL)"),
		resources.mutant("sources: a resource for the model alone is shown", "slices.Contains(a.Audience, ", "!slices.Contains(a.Audience, "),
		in{"tool/httptool/sources.go", "tool/httptool", "TestAnswers"}.mutant("sources: an HTTP tool names none", "range list[:min", "range list[:0*min"),
		in{"agent/executor.go", sources.pkg, sources.tests}.mutant("sources: are not shown", "if len(c.result.Sources) == 0 || c.result.IsError {", "if true {"),
		in{"agent/prompt/transcript.go", sources.pkg, sources.tests}.mutant("sources: the model is not told the numbers", `told := sourcesText(w.sources[callID]); told != ""`, `told := sourcesText(w.sources[callID]); told == "."`),
	}
}

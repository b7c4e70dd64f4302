package main

// merging breaks what a client may add to a thread.
func merging() []mutant {
	at := in{"run/history/merge.go", "run/history", "TestMerge|TestMergeRefuses|TestMergeBalances|TestMergeCutsLongResults"}
	own := in{"run/history/clientcalls.go", "run/history", "TestCallsThatAClientCannotMake"}
	return []mutant{
		in{"agent/prompt/transcript.go", "run", "TestConversations"}.mutant("merging: a call stands twice in a message", "IsCall(c) && !seen[c.ID]", "IsCall(c)"),
		at.mutant("merging: results of calls that do not wait", "case msg.Role == agui.RoleTool && waiting.has(msg.ToolCallID):", "case msg.Role == agui.RoleTool:").daily(),
		at.mutant("merging: the assistant's words", "case isUser(*msg):\n\t\t\t\tsaid", "case isUser(*msg), isAssistant(*msg):\n\t\t\t\tsaid"),
		own.mutant("merging: a client calls the server's tools", "made[c.ID] || h.isBackend(c)", "made[c.ID]"),
		own.mutant("merging: a client's calls speak for the assistant", " || msg.Content.Text() != \"\"", ""),
		own.mutant("merging: a client's calls without results", "if len(open.ids()) > 0 {", "if false {"),
		in{"run/history/merge.go", "run", "TestConversations"}.mutant("merging: a client's calls are the model's", "taken.Metadata = agui.WithImported(taken.Metadata)", "_ = 0"),
		in{"run/history/merge.go", "run", "TestConversations"}.mutant("merging: changed answers leave no trace", "if isChanged(answers[msg.ID], msg) {", "if isChanged(answers[msg.ID], msg) && false {"),
		in{"run/history/view.go", "run", "TestConversations"}.mutant("merging: a lost connection is a wish", "return c, !by.Finished || by.Seen, err", "return c, !by.Finished || by.Seen || true, err"),
		in{"run/history/view.go", "run", "TestConversations"}.mutant("merging: a window has dropped what it leaves out", "!whole || err != nil", "err != nil || false && whole"),
		in{"run/history/view.go", "run", "TestConversations"}.mutant("merging: a stopped answer is a dropped one", "return by.Finished && by.Seen, err", "return by.Finished || !by.Finished || by.Seen, err"),
		in{"run/errors.go", "run", "TestConversations"}.mutant("errors: a model may say what only the server says", "err == nil && slices.Contains(reservedCodes, refusal.Code(e.Code))", "false && slices.Contains(reservedCodes, refusal.Code(e.Code))"),
		at.mutant("merging: the system's words", "if !Instructs(&sent[i]) {", "if true {"),
		at.mutant("merging: a result twice", "\t\t\twaiting.remove(msg.ToolCallID)\n\t\t\tm.Messages", "\t\t\tm.Messages"),
		at.mutant("merging: results without calls", "if !waiting.has(msg.ToolCallID) {", "if false {"),
		at.mutant("merging: results of any size", "len(kept.Content.Raw()) > maxToolResult; keep", "false; keep"),
		at.mutant("merging: two messages with one id", "if seen[msg.ID] {", "if false {"),
		{name: "merging: allowances are not checked", file: "run/history/merge.go", old: "if err := checkResume(h.Interrupts, in.Resume); err != nil {", new: "if err := checkResume(nil, in.Resume); err != nil {", pkg: "run", tests: "TestConversations"},
	}
}

// verifying lets events out in an order that no client accepts.
func verifying() []mutant {
	at := in{"agui/verifier.go", "agui", "TestVerifier"}
	return []mutant{
		at.mutant("verifier: a run in a run", "if t == TypeRunStarted {", "if false {"),
		at.mutant("verifier: any first event", "if t != TypeRunStarted && t != TypeRunError {", "if false {"),
		at.mutant("verifier: events after the end", "case afterFinished:\n\t\tif t != TypeRunStarted {", "case afterFinished:\n\t\tif false {"),
		at.mutant("verifier: events after an error", "case afterError:\n\t\tif t != TypeRunStarted {", "case afterError:\n\t\tif false {"),
		at.mutant("verifier: the end of another run", "if e.ThreadID != v.started.ThreadID || e.RunID != v.started.RunID {", "if false {"),
		at.mutant("verifier: what is still open", "if err := v.stillOpen(); err != nil {", "if err := v.stillOpen(); err != nil && false {"),
		at.mutant("verifier: calls that are forgotten", "!slices.Equal(v.ofThisRun(o.PendingToolCallIDs), pending)", "false"),
		{name: "verifier: it is not asked", file: "run/writer.go", old: "if err := w.verifier.Check(e); err != nil {\n\t\treturn w.outOfOrder(e, err)\n\t}\n\twhole :=", new: "_ = w.verifier.Check(e)\n\twhole :=", pkg: "run", tests: "TestWriterRefusesWhatIsOutOfOrder"},
		{name: "state: a patch of what a run has not told is sent as it is", file: "run/writer.go", old: "if whole {", new: "if false && whole {", pkg: "run", tests: "TestConversations"},
		{name: "verifier: it is not asked about what is stored", file: "run/writer.go", old: "if err := w.verifier.Check(e); err != nil {\n\t\t\treturn store.Batch{}, w.outOfOrder(e, err)\n\t\t}", new: "_ = w.verifier.Check(e)", pkg: "run", tests: "TestWriterRefusesWhatIsOutOfOrder"},
	}
}

// instructing breaks what the client's instructions, and what a page shows, may say to the model.
func instructing() []mutant {
	seeds := func(file, tests string) in { return in{file, "test/seeds", tests} }
	return []mutant{
		seeds("run/guides.go", "TestClientInstructionsAsConfigured").mutant("instructing: whatever the operator says", "switch x.m.cfg.ClientInstructions {", "switch InstructionsGuidance {"),
		seeds("run/guides.go", "TestGuidesStayData").mutant("instructing: guides of any length", " && size+len(item.Value) <= maxGuides {", " {"),
		seeds("run/guides.go", "TestGuidesStayData").mutant("instructing: guides that the SDK describes", " && detail == (page.ContextDetail{})", ""),
		seeds("page/budget.go", "TestContextArrivesWhole").mutant("context: rows without bound", `(it.value.kind == '"' || it.schema)`, "true"),
		{name: "providers: events that only begin alike are the same", file: "llm/httpmodel/memo.go", old: "raw == nil || !sameEnd(rest, m.event[done:])", new: "raw == nil", pkg: "llm/openai", tests: "FuzzMemo"},
		{name: "providers: a memo outlives what it was of", file: "llm/anthropic/stream.go", old: "s.memo.Forget()", new: "", pkg: "llm/anthropic", tests: "TestAnswers"},
		{name: "providers: calls in pieces run without arguments", file: "llm/gemini/parts.go", old: "c.Pieces != nil || bool(c.Continues)", new: "false", pkg: "llm/gemini", tests: "TestAnswers"},
		{name: "providers: thoughts in tags are text", file: "llm/openai/think.go", old: "case strings.HasPrefix(said, thinkStart):", new: "case false:", pkg: "llm/openai", tests: "TestThoughtsInTags"},
		{name: "providers: a required tool is insisted on", file: "llm/openai/request.go", old: "e.wish&wishRequired == 0", new: "false", pkg: "llm/openai", tests: "TestRequiredToolsFallBack"},
		{name: "providers: a slip of the model's is the request's", file: "llm/openai/errors.go", old: `a.code == "tool_use_failed"`, new: "false", pkg: "llm/openai", tests: "TestAnswers"},
		{name: "providers: words about a length mean nothing", file: "llm/httpmodel/failure.go", old: "status == http.StatusBadRequest &&\n", new: "false &&\n", pkg: "llm/openai", tests: "TestAnswers"},
		{name: "providers: a prompt that may be too long is not shortened", file: "agent/compact.go", old: " || failure.MayBeTooLong)", new: ")", pkg: "agent", tests: "TestConversations"},
		{name: "providers: strict schemas are not counted", file: "llm/dialect.go", old: "strict.add(schema.strictness)", new: "(strict.add(schema.strictness) || true)", pkg: "llm/llmtest", tests: "TestStrictSchemasAreCounted"},
		{name: "providers: refused strict schemas are sent again", file: "llm/strict.go", old: "d.relaxed.Store(true)", new: "d.relaxed.Store(false)", pkg: "llm/llmtest", tests: "TestRefusedStrictSchemasAreDropped"},
		{name: "providers: no tools at the price of the cache", file: "llm/anthropic/request.go", old: "e.model.defies.Load()", new: "true", pkg: "llm/anthropic", tests: "TestNoToolsKeepTheCache"},
		{name: "requests without ids are refused", file: "server/start.go", old: "if members[name] == nil {", new: "if false {", pkg: "test/seeds", tests: "TestARequestWithoutIDs"},
		{name: "state: what a call of the page predicts is forgotten", file: "agent/predict.go", old: "c, predicts := called[m.ToolCallID]", new: "c, predicts := called[\"\"]", pkg: "agent", tests: "TestConversations"},
		{name: "attachments: nobody looks at them", file: "run/history/attachments.go", old: "problem := checkAttachment(&parts[k])", new: "problem := error(nil)", pkg: "run/history", tests: "TestAttachments"},
		{name: "attachments: what was refused is refused for good", file: "run/history/attachments.go", old: "case msg.ID == newest:", new: "case newest != \"\":", pkg: "run/history", tests: "TestAttachments"},
		{name: "attachments: names of private networks", file: "internal/egress/policy.go", old: "if strings.HasSuffix(host, \".internal\") || !strings.ContainsAny(host, \".:\") {", new: "if false {", pkg: "run/history", tests: "TestAttachments"},
		{name: "markers: what closes a wrapped one is shown", file: "payload/marker.go", old: "s.owed.open, s.owed.tail = o.open, o.tail()", new: "s.owed.open = o.open", pkg: "payload", tests: "TestCards"},
		{name: "markers: after the first card of an object, the rest is text", file: "payload/look.go", old: "if open > len(s.owed.open) {", new: "if open > 0 {", pkg: "payload", tests: "TestCards"},
		{name: "markers: ordinary words above JSON", file: "payload/marker.go", old: "case o.midLine, o.spelling == folded && o.separator == \"\":", new: "case o.midLine:", pkg: "payload", tests: "TestCards"},
		{name: "limits: any number of calls", file: "agent/loopguard.go", old: "g.calls <= g.maxCalls", new: "true", pkg: "agent", tests: "TestConversations"},
		{name: "limits: calls of earlier runs are not counted", file: "agent/loopguard.go", old: "_ = g.admit(c.Name)\n", new: "", pkg: "agent", tests: "TestConversations"},
		{name: "limits: reading a result counts", file: "agent/loopguard.go", old: "slices.Contains(uncounted, name)", new: "false", pkg: "agent", tests: "TestConversations"},
		{name: "limits: what continues has no calls left", file: "agent/loopguard.go", old: ` || continues != "" && m.ID == continues`, new: "", pkg: "agent", tests: "TestConversations"},
		seeds("agent/agent.go", "TestContextArrivesWhole").mutant("context: whatever the operator's budget is", "if l.ContextTokens > 0 {", "if false {"),
		seeds("page/sections.go", "TestClientInstructionsAreBounded").mutant("instructing: the client's words end their section", `pageTags().ReplaceAllString(text, "&lt;$1")`, "text"),
		seeds("page/sections.go", "TestClientInstructionsAreBounded").mutant("instructing: with what nobody sees", "strings.TrimSpace(visible.Text(text))", `strings.TrimSpace(visible.Text("") + text)`),
		seeds("run/history/instructions.go", "TestClientInstructionsAreBounded").mutant("instructing: at any length", "size > most {", "false {"),
		seeds("config/quoted.go", "TestBuilderInstructs").mutant("instructing: the page's words go on as the operator's", "return string(raw)\n}\n\n// MarshalJSON", "_ = raw\n\treturn string(q)\n}\n\n// MarshalJSON"),
		seeds("config/template.go", "TestBuilderInstructs").mutant("instructing: templates see bare texts", "quotedMap(values),\n", "values,\n"),
		seeds("page/sections.go", "TestClientInstructionsAreFollowed").mutant("instructing: nothing says whose words they are", "b.WriteString(clientNotice)", `b.WriteString("<page_instructions>\n")`),
	}
}

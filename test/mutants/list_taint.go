package main

import "strings"

// taintSources leaves out what taints a branch, one source after the other.
func taintSources() []mutant {
	at := in{"agent/taint.go", "agent", "TestWhatARunBeginsWithTaints|TestMessagesThatTaint"}
	begun := in{"agent/taint.go", "run", "TestConversations"}
	all := []mutant{
		in{"agent/taint.go", "test/hostile", "TestInjections"}.mutant("taint: no tool result does", "return t.mark(ctx)\n\t}\n\treturn nil\n}\n\n// mark", "return nil\n\t}\n\treturn nil\n}\n\n// mark").daily(),
		begun.mutant("taint: nothing that surrounds a message does", "return a.surroundingsTaint(ctx, in) || ", "return false || "),
		at.mutant("taint: no message does", "in) || slices.ContainsFunc(in.History, ", "in) || false && slices.ContainsFunc(in.History, "),
		in{"agent/taint.go", "test/hostile", "TestInjections"}.mutant("taint: an imported history does not", "return true // a frontend tool's result", "return false // a frontend tool's result"),
	}
	for _, source := range []struct{ name, line string }{
		{"context", "case len(in.Context) > 0:"}, {"page tools", "case slices.ContainsFunc(in.Frontend, pagetool.IsForeign):"}, {"scope", "case len(in.Place.Scope) > 0:"},
		{"stored instructions", "case len(in.Instructions) > 0:"}, {"unknown places", "case !a.Pages.Knows(in.Place):"},
		{"context builders", "case a.look(ctx, &in).describes():"}, {"shared state", "case a.sharesForeign(in):"},
	} {
		all = append(all, at.mutant("taint: not by "+source.name, source.line, "case false && "+strings.TrimPrefix(source.line, "case ")))
	}
	return append(all,
		in{"agent/taint.go", "agent", "TestResultsInTheHistoryTaint"}.mutant("taint: results in the history do not", " || hasOutside(history, tools) {", " || false && hasOutside(history, tools) {"),
		begun.mutant("taint: attachments do not", "return attaches(m)", "return false && attaches(m)"),
		begun.mutant("taint: addresses of pictures do not", "p.Type != agui.PartText", "false"),
	)
}

// taintStored breaks how taint is kept and what it leads to.
func taintStored() []mutant {
	injections := func(file string) in { return in{file, "test/hostile", "TestInjections"} }
	return []mutant{
		injections("run/prepare.go").mutant("taint: forgotten by the next run", "b.taint || x.Relayed || x.agent.Taints", "x.Relayed || x.agent.Taints"),
		injections("run/prepare.go").mutant("taint: what a request brings is not judged", "b.taint || x.Relayed || x.agent.Taints(ctx, brought)", "b.taint || x.Relayed"),
		injections("run/branch.go").mutant("taint: a branch does not inherit it", "last.Tainted || found.CopyTainted", "found.CopyTainted").daily(),
		in{"run/history/view.go", "run", "TestTaintOfABranchOfTheClient"}.mutant("taint: what a client keeps of a run is harmless", "b.CopyTainted = by.Tainted &&", "b.CopyTainted = false &&"),
		in{"run/journal.go", "run", "TestConversations"}.mutant("taint: not stored", "return storeError(j.runs.TaintRun(ctx, j.run.owner, j.run.ID))", "return nil"),
		{name: "taint: forgotten by SQL", file: "store/sqlstore/queries.go", old: "SET tainted = TRUE WHERE", new: "SET tainted = FALSE WHERE", pkg: "store/sqlstore", tests: "TestPromises|TestAgreesWithTheModel"},
		{name: "taint: SQL does not inherit it", file: "store/sqlstore/queries.go", old: "p.id = $7 AND p.tainted)", new: "p.id = $7 AND FALSE)", pkg: "store/sqlstore", tests: "TestPromises|TestAgreesWithTheModel"},
		{name: "taint: a run taken over is not", file: "run/recover.go", old: "tainted: l.Run.Tainted,", new: "tainted: false,", pkg: "run", tests: "TestConversations"},
		injections("calls/rule.go").mutant("taint: the rule is off", "c.Tainted && !c.IgnoreTaint", "false"),
		injections("calls/rule.go").mutant("taint: what may be repeated is harmless", "return false\n\tcase tool.Idempotent, tool.Write,", "return false\n\tcase tool.Idempotent:\n\t\treturn false\n\tcase tool.Write,"),
		injections("calls/rule.go").mutant("taint: what sends data out is harmless", "case tool.Read, tool.Page:", "case tool.Read, tool.Page, tool.Exfil:"),
		injections("calls/rule.go").mutant("taint: what destroys is harmless", "case tool.Read, tool.Page:", "case tool.Read, tool.Page, tool.Destructive:"),
		injections("run/prepare.go").mutant("taint: another model's words are the user's", "x.Relayed || ", ""),
		injections("protocol/a2a/a2a.go").mutant("taint: what comes over A2A is the user's", "Relays: !p.Person, ", ""),
		injections("protocol/mcp/http.go").mutant("taint: what comes over MCP is the user's", "Relays: !p.Person, ", ""),
		{name: "taint: everything is", file: "calls/rule.go", old: "c.Tainted && !c.IgnoreTaint", new: "!c.IgnoreTaint", pkg: "test/hostile", tests: "TestWhatTheUserWantsRuns"},
		{name: "taint: actions do not look at it", file: "run/call.go", old: "func(r store.Run) bool { return r.Tainted }", new: "func(r store.Run) bool { return false }", pkg: "server", tests: "TestConversations"},
	}
}

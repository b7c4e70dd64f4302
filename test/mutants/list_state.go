package main

// sharing breaks what a client, a tool or the model may do to the shared state, and whose it is.
func sharing() []mutant {
	merge := in{"run/state.go", "run", "TestConversations"}
	bounds := in{"run/state.go", "run", "TestConversations"}
	tools := in{"agent/shared.go", "agent", "TestConversations|TestWhatToolsMayNotEmit|TestToolsCannotFloodAStream"}
	document := in{"sharedstate/document.go", "agent", "TestConversations"}
	return []mutant{
		merge.mutant("state: an empty one wipes", "if sharedstate.IsEmpty(theirs) {\n", "if theirs == nil {\n").daily(),
		merge.mutant("state: a stale one overwrites", "merged = jsonx.Merge(base, theirs, ours)", "merged, _ = theirs, base"),
		merge.mutant("state: what the client says it had is ignored", "return c.Place.StateBase, nil", "return b.state, nil"),
		merge.mutant("state: the last message a client has says nothing", "base, known, err := c.messageState(ctx, b); err != nil || known", "base, known, err := c.messageState(ctx, b); err != nil || false && known"),
		bounds.mutant("state: the schema does not hold for clients", "c.agent.State.Validate(merged); err != nil {", "c.agent.State.Validate(merged); false {"),
		bounds.mutant("state: of any size", "if err == nil {\n\t\treturn nil\n\t}\n\tcode :=", "if true {\n\t\treturn nil\n\t}\n\tcode :="),
		document.mutant("state: the schema does not hold for tools", "cmp.Or(d.config.Fits(state), d.config.Validate(state))", "cmp.Or(d.config.Fits(state))"),
		document.mutant("state: tools make it as large as they like", "cmp.Or(d.config.Fits(state), d.config.Validate(state))", "cmp.Or(d.config.Validate(state))"),
		tools.mutant("state: tools emit any event", "return refuse(\"a tool may emit", "return s.offer(e, 0); return refuse(\"a tool may emit"),
		tools.mutant("state: tools take the server's event names", "slices.Contains(reservedEvents, own.Name)", "false"),
		tools.mutant("state: tools flood the stream", "s.said > maxSaid {", "false {"),
		{name: "state: calls that are over change it", file: "agent/callhost.go", old: "case <-h.ctx.Done():\n\t\treturn errCallOver\n\t}\n\tselect {", new: "}\n\tselect {", pkg: "agent", tests: "TestACallThatIsOverReachesNothing"},
		{name: "state: a page's tool stands in for update_state", file: "agent/toolset.go", old: "|| name == updateStateName && a.State.Model == sharedstate.Write", new: "", pkg: "agent", tests: "TestConversations"},
		{name: "state: a run that is taken over forgets it", file: "run/recover.go", old: "transcript.SetState(l.Run.StartState)", new: "_ = l.Run.StartState", pkg: "run", tests: "TestConversations"},
		{name: "state: SQL reads it of another owner", file: "store/sqlstore/queries.go", old: "s.tenant = r.tenant AND s.subject = r.subject AND s.thread_id = r.thread_id AND s.seq = r.state)", new: "s.thread_id = r.thread_id AND s.seq = r.state)", pkg: "store/sqlstore", tests: "TestPromises|TestAgreesWithTheModel"},
	}
}

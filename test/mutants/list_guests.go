package main

// guests lets agents that are not the built-in one do what they may not.
func guests() []mutant {
	own := func(file, tests string) in { return in{file, "run", tests} }
	far := func(file string) in { return in{file, "run/remote", "TestHostileRemotes"} }
	return []mutant{
		own("run/prepare.go", "TestConversations").mutant("guests: they taint nothing", "x.answers.own && x.merged.Answer {", "false {"),
		own("agent/guest_events.go", "TestConversations").mutant("guests: they say what was approved", "agui.BaseOf(e).Metadata = agui.ClientMetadata(agui.BaseOf(e).Metadata)", "_ = e").daily(),
		own("agent/guest_events.go", "TestConversations").mutant("guests: the page gets their calls at once", "e.ParentMessageID, o != nil && o.withheld", "e.ParentMessageID, false"),
		own("agent/guest_events.go", "TestConversations").mutant("guests: they write notes", "strings.HasPrefix(kind, agui.ReservedPrefix)", "strings.HasPrefix(kind, \"\\x00\")"),
		own("agent/guest_events.go", "TestConversations").mutant("guests: results of no call", "if at < 0 {", "if false {"),
		{name: "guests: any number of events", file: "agent/guest_events.go", old: "g.events > maxEvents", new: "false", pkg: "run/remote", tests: "TestHostileRemotes"},
		own("agent/guest/ids.go", "TestConversations").mutant("guests: they speak for the user", "ids.Message(e.MessageID), agui.RoleAssistant", "ids.Message(e.MessageID), e.Role"),
		own("agent/guest/ids.go", "TestConversations").mutant("guests: they write into earlier messages", "if ids.old[id] == nil {", "if true {"),
		own("calls/interrupt.go", "TestConversations").mutant("guests: any answer will do", "return i.checkOwn(payload)", "return nil"),
		own("agent/guest_run.go", "TestConversations").mutant("guests: their questions pass for the server's", "if made.Reason == calls.ReasonToolCall {", "if false {"),
		own("agent/guest_run.go", "TestConversations").mutant("guests: nobody says who asks", "agui.WithAgent(i.Metadata, g.agent.ID)", "agui.ClientMetadata(i.Metadata)"),
		own("agent/guest_run.go", "TestConversations").mutant("guests: late answers count", "time.Now().Before(i.ExpiresAt)", "true"),
		far("internal/egress/client.go").mutant("guests: redirects are followed", "return http.ErrUseLastResponse", "return nil"),
		far("run/remote/remote.go").mutant("guests: any address may be reached", "a.client, err = a.Egress.StreamClient(u, a.MaxBytes)", "_, a.client = u, http.DefaultClient"),
		far("run/remote/stream.go").mutant("guests: secrets come back", "s.read([]byte(s.secrets.Replace(string(frame.Data))))", "s.read(frame.Data)"),
		far("internal/upstream/watch.go").mutant("guests: a drip is a sign of life", "if bytes.ContainsAny(p[:n], \"\\r\\n\") {", "if n > 0 || bytes.ContainsAny(p[:n], \"\\r\\n\") {"),
	}
}

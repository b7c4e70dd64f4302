package main

// shares break who can read a shared thread, for how long, and what of it.
func shares() []mutant {
	club := func(file string) in { return in{file, "server", "TestConversations"} }
	copies := in{"run/share.go", "run", "TestConversations"}
	readers := in{"run/shared.go", "run", "TestReadersGetWhatWasSaid"}
	users := in{"server/shares.go", "server", "TestConversations"}
	permitted := in{"server/shares.go", "server", "TestConversations"}
	return []mutant{
		in{"store/sqlstore/queries_settings.go", "server", "TestAuthorisation"}.mutant("shares: SQL opens them in any tenant", "s.token_hash = $2 AND s.tenant = $1", "s.token_hash = $2 AND $1 = $1"),
		in{"store/sqlstore/queries_settings.go", "store/sqlstore", "TestPromises"}.mutant("shares: SQL opens expired ones", "s.tenant = $1 AND s.expires_at > $3", "s.tenant = $1 AND $3 = $3"),
		club("store/sqlstore/queries_settings.go").mutant("shares: colleagues of any tenant open them", "s.token_hash = $2 AND s.tenant = $1", "s.token_hash = $2 AND $1 = $1"),
		club("store/sqlstore/queries_settings.go").mutant("shares: colleagues open expired ones", "s.tenant = $1 AND s.expires_at > $3", "s.tenant = $1 AND $3 = $3"),
		club("run/share.go").mutant("shares: a revoked one is still read", "s.db.DeleteShare(ctx, o, threadID, id)", "nil"),
		copies.mutant("shares: later turns leak", "return found, noneOr(", "_, found.Share.Messages, _ = s.shownNow(ctx, found.Owner, found.Share.ThreadID)\n\treturn found, noneOr("),
		copies.mutant("shares: the token is stored", "sum := sha256.Sum256([]byte(token))\n\treturn ", "sum := sha256.Sum256([]byte(token))\n\treturn token + "),
		readers.mutant("shares: readers get arguments", `arguments := "{}"`, "arguments := c.Arguments"),
		readers.mutant("shares: readers get results", `Content: agui.TextContent("")}`+"\n\ttext", "Content: msg.Content}\n\ttext"),
		readers.mutant("shares: readers get attachments", "&agui.Source{Type: agui.SourceURL}", "p.Source"),
		in{readers.file, readers.pkg, "TestConversations"}.mutant("shares: what waits for approval is shown", "if answered[c.ID] {", "if true {"),
		users.mutant("shares: anonymous users share", "s.cfg.Authenticate != nil && !s.cfg.NoSharing", "!s.cfg.NoSharing"),
		users.mutant("shares: earlier ones are read where sharing is off", "if !s.sharing() {\n\t\treturn run", "if false {\n\t\treturn run"),
		permitted.mutant("shares: everybody may share", "return s.permit(c, toShare)", "return nil"),
		permitted.mutant("shares: everybody may read them", "err := s.permit(c, toReadShared)", "err := error(nil)"),
		permitted.mutant("shares: offered to those who may not", "s.decide(c.r.Context(), c, toShare).Decision == policy.Allow", "true"),
		permitted.mutant("shares: who may read may share", "Verb: policy.Use}", "Verb: policy.Read}"),
		in{"policy/rules.go", "server", "TestRolesOnEveryRoute"}.mutant("shares: denied by default", `, Sharing: {"*"}}, Then`, "}, Then"),
		in{"server/access.go", "server", "TestConversations"}.mutant("shares: tokens are logged", `found && token != "" {`, `found && token == "" {`),
		in{"server/shares.go", "server", "TestConversations"}.mutant("shares: readers are not recorded", `s.reads.isNew(c.owner.Key()+"\x00"+share.ID, time.Now())`, "false"),
	}
}

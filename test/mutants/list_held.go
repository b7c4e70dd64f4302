package main

// held breaks checks that stand behind another one, or that only a hostile neighbour reaches.
func held() []mutant {
	allowances := in{"store/sqlstore/queries_settings.go", "store/sqlstore", "TestPromises"}
	oidcKeys := in{"auth/oidc/keys.go", "auth/oidc", "TestKeysOfOtherUses|TestDiscoveredKeysElsewhere"}
	direct := in{"run/call.go", "protocol/mcp", "TestPolicyOfDirectCalls"}
	dropIn := in{"server/exchange.go", "server", "TestLimitsOfDropIns"}
	client := in{"internal/egress/client.go", "internal/egress", "TestServersThatAreNotSpokenTo"}
	card := in{"protocol/a2a/card.go", "protocol/a2a", "TestCard"}
	return []mutant{
		in{"tool/mcptool/session.go", "tool/mcptool", "TestAServerThatIgnoresNewQuestions"}.mutant("held: an MCP server that ignores new questions is never reached", `if method == "server/discover" {`, "if false {"),
		in{"protocol/a2a/a2a.go", "protocol/a2a", "TestItIsNoSecondDoor"}.mutant("held: a stream begins though the server refuses it", "if a.refused != nil ||", "if"),
		in{"protocol/a2a/read.go", "protocol/a2a", "TestWhatIsRefused"}.mutant("held: a part of a message is one of two things", "case p.contents() != 1:", "case p.contents() == 0:"),
		in{"tool/a2atool/wire.go", "tool/a2atool", "TestWhatAnAgentAnswers"}.mutant("held: a list of an agent elsewhere has a hole", "token.Kind() == 'n' && inside == '['", "false && inside == '['"),
		card.mutant("held: an agent's card names whatever host a request names", `if p.PublicURL != "" {`, "if false {"),
		in{"cmd/pageside/reload.go", "cmd/pageside", "TestPublicURL"}.mutant("held: a card does not name the address of the file", "PublicURL: f.PublicURL", `PublicURL: ""`),
		allowances.mutant("held: allowances are found after they have expired", "AND a.expires_at > $4\n\t\t\t\tAND a.agent = $5", "AND $4 > 0\n\t\t\t\tAND a.agent = $5"),
		in{"store/sqlstore/queries.go", allowances.pkg, "TestAgreesWithTheModel"}.mutant("held: a branch leads through runs of others",
			"branch b JOIN runs r ON r.tenant = $1 AND r.subject = $2 AND r.id = b.parent\n\t\t)\n\t\t`", "branch b JOIN runs r ON r.tenant = $1 AND $2 = $2 AND r.id = b.parent\n\t\t)\n\t\t`"),
		in{"policy/rule.go", "policy", "TestDecisions"}.mutant("held: a pattern fits the end of a name", "`(?s)\\A`", "`(?s)`"),
		in{"policy/rule.go", "policy", "TestDecisions"}.mutant("held: a pattern fits the beginning of a name", "+ `\\z`)", "+ ``)"),
		in{"agent/access.go", "agent", "TestWithdrawnPermissionStartsNothing"}.mutant("held: a call starts though it is denied by now", "case calls.Refused:\n\tcase", "case \"never\":\n\tcase"),
		in{"agent/access.go", "agent", "TestWithdrawnPermissionStartsNothing"}.mutant("held: a call starts though it would be asked about by now", "case calls.Asks:", "case \"never\":"),
		in{"agui/answer.go", "protocol/mcp", "TestApprovals"}.mutant("held: another question approves what waits", "Status: ResumeCancelled", "Status: ResumeResolved, Payload: json.RawMessage(`{\"approved\":true}`)"),
		direct.mutant("held: the agent's own policy is not asked about a direct call", "{req.Authorizer, a.Authorizer}", "{req.Authorizer}"),
		direct.mutant("held: a direct call is not tainted", "c.ThreadID == \"\" {\n\t\treturn \"\", true, nil", "c.ThreadID == \"\" {\n\t\treturn \"\", false, nil"),
		in{"server/exchange.go", "protocol/copilotkit", "TestAskedInWords"}.mutant("held: a drop-in without interrupts asks with them", "routes[i].Words = true", "_ = i"),
		in{"cmd/pageside/reload.go", "cmd/pageside", "TestEveryDropInThatCanBeNamedIsThere"}.mutant("held: askInWords is passed over", "d = server.InWords(d)", "_ = d"),
		dropIn.mutant("held: runs of drop-ins count as writes", "return classRuns }", "return classWrites }"),
		dropIn.mutant("held: streams of drop-ins are not counted", "x.counted, x.over = true, done", "x.counted = true; done()"),
		in{"llm/httpmodel/said.go", "llm/llmtest", "TestInvisibleText"}.mutant("held: a model says what nobody sees", "p.Delta = s.seen.Next(p.Delta)", "s.seen.Next(p.Delta)"),
		in{"server/body.go", "server", "TestLimitOnBodiesWithoutLength"}.mutant("held: a body without a length holds nothing", "size = most // unknown", "size = 0"),
		in{"auth/oidc/keys.go", "auth/oidc", "TestStrangersWhileKeysRotate"}.mutant("held: strangers' tokens have keys fetched at any rate", "_ = k.fetches.Wait(context.Background())", "_ = 0"),
		in{"auth/oidc/keys.go", "auth/oidc", "TestUnknownKeysAreRemembered"}.mutant("held: an unknown key is asked for each time", "if known == nil && k.isUnknown(id) {", "if false {"),
		oidcKeys.mutant("held: a discovery document names keys by http", "CheckURL(document.JWKSURL); err", "error(nil); err"),
		oidcKeys.mutant("held: a discovery document names keys of any private host", `k.url != "" || hostOf(at) == hostOf(k.issuer)`, "true"),
		oidcKeys.mutant("held: private keys check signatures", "key.Valid() && key.IsPublic()", "key.Valid()"),
		oidcKeys.mutant("held: keys for encryption check signatures", `(key.Use == "" || key.Use == "sig")`, "true"),
		in{"auth/forward/signed.go", "auth/forward", "TestSigned"}.mutant("held: a header is signed with any HMAC", "[]jose.SignatureAlgorithm{jose.HS256}", "[]jose.SignatureAlgorithm{jose.HS256, jose.HS384, jose.HS512}"),
		client.mutant("held: TLS 1.0 is spoken", "MinVersion: tls.VersionTLS12", "MinVersion: tls.VersionTLS10"),
		client.mutant("held: headers of any size are read", "MaxResponseHeaderBytes: maxHeaders,", ""),
	}
}

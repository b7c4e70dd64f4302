package main

// records break what the audit log says, and what is counted and forgotten.
func records() []mutant {
	requests := in{"server/audit.go", "server", "TestRolesOnEveryRoute"}
	rates := in{"calls/executor.go", "server", "TestConversations"}
	purged := in{"run/purge.go", "run", "TestConversations"}
	heads := in{"store/sqlstore/audit.go", "store/sqlstore", "TestHeadsAfterCrash"}
	return []mutant{
		requests.mutant("audit: anybody verifies the log", "s.mayAudit(c); err != nil {\n\t\treturn err\n\t}\n\tverifier", "error(nil); err != nil {\n\t\treturn err\n\t}\n\tverifier"),
		requests.mutant("audit: anybody reads the log", "s.mayAudit(c); err != nil {\n\t\treturn err\n\t}\n\tq, err", "error(nil); err != nil {\n\t\treturn err\n\t}\n\tq, err"),
		rates.mutant("audit: a call beyond its rate counts as one that ran", "case e.Detail == tool.CodeRateLimited:", `case e.Detail == "none":`),
		rates.mutant("audit: a call beyond its rate names no rule", "audit.Deny, audit.NotRun, tool.RuleRate", "audit.Deny, audit.NotRun, e.Rule"),
		purged.mutant("audit: purged threads are not recorded", "auditPurge(ctx, cfg.Audit, purged)", "auditPurge(ctx, nil, purged)"),
		in{"run/audit.go", purged.pkg, purged.tests}.mutant("audit: purged threads are nobody's", "Subject: t.Owner.Subject, Method:", "Method:"),
		in{"server/subjects.go", "server", "TestConversations"}.mutant("audit: a person is deleted without a record", "s.confirmed(c, e)", "error(nil)"),
		in{"cmd/pageside/keys_audit.go", "cmd/pageside", "TestKeysAreAudited"}.mutant("audit: keys are made and revoked without a record", "err = a.recordIn(ctx, source, address, e)", "err = nil"),
		in{"store/sqlstore/writer.go", heads.pkg, "TestHeadsAreStoredRarely"}.mutant("audit: a closed store has an old head", "w.catchUp()", "_ = w.catchUp"),
		heads.mutant("audit: rows after the stored head are no part of the chain", "newest.Seq > h.Seq {", "newest.Seq > h.Seq && false {"),
	}
}

// proving breaks what a verification of the audit log finds.
func proving() []mutant {
	at := in{"audit/verify.go", "audit", "TestVerifyFinds|TestVerifyWantsASeal|TestVerifyWithoutAnchors|TestVerifyDuringAPurge"}
	chain := in{"audit/chain.go", at.pkg, at.tests}
	idle := in{"store/sqlstore/audit.go", "store/sqlstore", "TestHeadsOfAnIdleStore"}
	return []mutant{
		at.mutant("verify: missing rows are not told", "case r.Seq > v.at.Seq+1:", "case false:"),
		at.mutant("verify: a repeated row is not told", "case r.Seq <= v.at.Seq:", "case false:"),
		at.mutant("verify: a row that does not follow is not told", "case r.Prev != v.at.Hash:", "case false:"),
		at.mutant("verify: days may go backwards", "if r.Day < v.at.Day {", "if false {"),
		at.mutant("verify: rows without a seal may follow sealed ones", `case r.Key == "" && v.sealed:`, "case false:"),
		at.mutant("verify: a row's hash is not checked", "!hmac.Equal(sum[:], r.Hash[:]) {", "!hmac.Equal(sum[:], sum[:]) {"),
		at.mutant("verify: a key that was not given is not told", "case c == nil && !v.lacks[r.Key]:", "case c == nil && false:"),
		at.mutant("verify: another row than the anchored one is not told", "if a.Hash != r.Hash || a.Day != r.Day {", "if a.Day != r.Day {"),
		at.mutant("verify: another day than the anchored one is not told", "if a.Hash != r.Hash || a.Day != r.Day {", "if a.Hash != r.Hash {"),
		at.mutant("verify: a tenant may be in two pieces", "if v.seen[tenant] {", "if false {"),
		at.mutant("verify: a forged checkpoint is not told", "c.seal(tenant, &p) != p.Seal {", "c.seal(tenant, &p) != c.seal(tenant, &p) {"),
		at.mutant("verify: a purge that nobody recorded is not told", "p.Seq > 0 && !v.purges[p.Hash.String()] {", "p.Seq > 0 && false {"),
		at.mutant("verify: another purged row than the anchored one is not told", "a.Seq == p.Seq && a.Hash != p.Hash {", "a.Seq == p.Seq && false {"),
		at.mutant("verify: a cut end behind an anchor is not told", "if len(v.rest) > 0 {\n\t\ta :=", "if false {\n\t\ta :="),
		at.mutant("verify: a tenant without any seal is not told", "if v.keyed && !v.sealed {", "if false {"),
		at.mutant("verify: a cut end before the head is not told", "case last.Seq < before.Seq:", "case false:"),
		at.mutant("verify: rows behind the head are not told", "case last.Seq > after.Seq:", "case false:"),
		at.mutant("verify: another head is not told", "last.Seq == before.Seq && last.Hash != before.Hash, last.Seq == after.Seq && last.Hash != after.Hash:", "false:"),
		at.mutant("verify: another head after the rows is not told", "last.Hash != before.Hash, last.Seq == after.Seq && last.Hash != after.Hash:", "last.Hash != before.Hash:"),
		at.mutant("verify: a tenant whose rows are gone is not told", "!v.seen[tenant] && h.Seq > 0 {", "false && h.Seq > 0 {"),
		at.mutant("verify: a tenant that is gone is not told", "!v.seen[tenant] && !stored {", "!stored && false {"),
		at.mutant("verify: a purge meanwhile is taken for a change", "if purgedMeanwhile(before, after) {", "if false {"),
		at.mutant("verify: a log without anchors is called in order", "case r.Anchors == 0:", "case false:"),
		chain.mutant("verify: a row may be another tenant's", `"pageside audit 1", what, tenant, day, key}`, `"pageside audit 1", what, day, key}`),
		idle.mutant("verify: the head of an idle store is an old one", "if err := w.catchUp(); err != nil {", "if false {"),
		idle.mutant("verify: each pause stores the head", "left > 0 && left <= headsEvery {", "left > headsEvery {"),
	}
}

// keeping breaks what a store keeps in memory of the threads that were read.
func keeping() []mutant {
	kept := in{"store/sqlstore/kept.go", "store/sqlstore", "TestKeptThreads|TestAgreesWithTheModel"}
	forgets := in{"store/sqlstore/purge.go", kept.pkg, kept.tests}
	written := in{"store/sqlstore/messages.go", kept.pkg, kept.tests}
	return []mutant{
		forgets.mutant("kept: a forgotten thread is remembered", "t.kept.drop(threadKey{d.owner, d.id})", "_ = t.kept"),
		written.mutant("kept: a replaced message stays as it was", "t.kept.drop(threadKey{b.owner, b.threadID})\n\t\tif _", "if _"),
		kept.mutant("kept: a reader from before a change keeps what it read", "since != k.changes || ", ""),
		kept.mutant("kept: a reader during a change keeps what it read", "k.changing[key] || ", ""),
		kept.mutant("kept: an old reader is shown what is new", "ok && t.last <= last", "ok"),
		kept.mutant("kept: memory has no limit", "k.size > maxKept;", "false;"),
	}
}

// searching breaks how long a search may wait for its index.
func searching() []mutant {
	burst := in{"store/sqlstore/index.go", "store/sqlstore", "TestASearchAfterABurst"}
	return []mutant{
		in{"store/sqlstore/access.go", burst.pkg, burst.tests}.mutant("search: one waits for all that was written before it", "more = more && bound.Err() == nil {", "{"),
		burst.mutant("search: one writes nothing of the index", "err = s.writeUntil(ctx, bound, \"write the search index\", (*txn).indexSome)", "_ = bound"),
		in{burst.file, burst.pkg, "TestTheIndexTakesLittleOfABusyStore"}.mutant("search: its index takes a busy store's time", "max(indexPace, indexRest*time.Since(began))", "indexPace"),
	}
}

// counting breaks what suggestions cost, that they are forgotten, and what counts with runs.
func counting() []mutant {
	quotas := in{"suggest/budget.go", "server", "TestConversations"}
	return []mutant{
		quotas.mutant("limits: suggestions are made beyond the quota", "err := meter.Hold(ctx, input); err", "err := error(nil); err"),
		quotas.mutant("limits: suggestions are not counted", "meter.Settle(ctx, input, used, text.Len(), err)", ""),
		in{"server/suggestions.go", quotas.pkg, quotas.tests}.mutant("limits: suggestions have no budget", "req.Budget = s.cfg.Runs.Budget(c.owner)", "_ = s.cfg.Runs.Budget(c.owner)"),
		in{"agent/usage/meter.go", quotas.pkg, quotas.tests}.mutant("limits: calls that report no usage are free", "case err == nil || heard > 0", "case heard > 0 && err != nil"),
		in{"agent/usage/ledger.go", "suggest", "TestEachModelHasItsPrice"}.mutant("limits: a reserve costs what the first model does", "infoOf(e.model, model.Info(), answerers).Prices", "infoOf(\"\", model.Info(), answerers).Prices"),
		in{"store/sqlstore/forget.go", "store/sqlstore", "TestForgottenWordsLeaveTheFile"}.mutant("forget: words stay in the search index's file", "return s.rewriteIndex(ctx, doing)", "return nil"),
		in{"server/exchange.go", "protocol/copilotkit", "TestGuards"}.mutant("limits: runs on a drop-in's other routes do not count with runs", "if !x.admitted {", "if false {"),
		in{"server/subjects.go", "server", "TestConversations"}.mutant("forget: what was suggested stays", "suggester.Forget(suggestionsOf(o))", "_ = suggestionsOf(o)"),
	}
}

package main

// records break what the audit log says, and what is counted and forgotten.
func records() []mutant {
	requests := in{"server/audit.go", "server", "TestRolesOnEveryRoute"}
	rates := in{"agent/audit.go", "server", "TestAuditOfToolRates"}
	purged := in{"run/purge.go", "run", "TestPurgedThreadsAreAudited"}
	heads := in{"store/sqlstore/audit.go", "store/sqlstore", "TestHeadsAfterCrash"}
	return []mutant{
		requests.mutant("audit: anybody verifies the log", "s.mayAudit(c); err != nil {\n\t\treturn err\n\t}\n\tverifier", "error(nil); err != nil {\n\t\treturn err\n\t}\n\tverifier"),
		requests.mutant("audit: anybody reads the log", "s.mayAudit(c); err != nil {\n\t\treturn err\n\t}\n\tq, err", "error(nil); err != nil {\n\t\treturn err\n\t}\n\tq, err"),
		rates.mutant("audit: a call beyond its rate counts as one that ran", "e.Detail == tool.CodeRateLimited {", `e.Detail == "none" {`),
		in{"server/actions_once.go", rates.pkg, rates.tests}.mutant("audit: an action beyond its rate counts as one that ran", "case e.Detail == tool.CodeRateLimited:", `case e.Detail == "none":`),
		purged.mutant("audit: purged threads are not recorded", "auditPurge(ctx, cfg.Audit, purged)", "auditPurge(ctx, nil, purged)"),
		in{"run/audit.go", purged.pkg, purged.tests}.mutant("audit: purged threads are nobody's", "Subject: t.Owner.Subject, Method:", "Method:"),
		in{"server/subjects.go", "server", "TestAuditOfRequests"}.mutant("audit: a person is deleted without a record", "s.confirmed(c, e)", "error(nil)"),
		in{"cmd/pageside/keys_audit.go", "cmd/pageside", "TestKeysAreAudited"}.mutant("audit: keys are made and revoked without a record", "err = recordIn(ctx, source, address, env, e)", "err = nil"),
		in{"store/sqlstore/writer.go", heads.pkg, "TestHeadsAreStoredRarely"}.mutant("audit: a closed store has an old head", "w.catchUp()", "_ = w.catchUp"),
		heads.mutant("audit: rows after the stored head are no part of the chain", "newest.Seq > h.Seq {", "newest.Seq > h.Seq && false {"),
	}
}

// counting breaks what suggestions cost, that they are forgotten, and what counts with runs.
func counting() []mutant {
	quotas := in{"suggest/budget.go", "server", "TestSuggestionsCountTowardsQuotas"}
	return []mutant{
		quotas.mutant("limits: suggestions are made beyond the quota", "err := b.Hold(ctx, s.estimate(size, usualOutput)); err", "err := error(nil); err"),
		quotas.mutant("limits: suggestions are not counted", "b.Settle(ctx, amount)", "_ = amount"),
		in{"server/suggestions.go", quotas.pkg, quotas.tests}.mutant("limits: suggestions have no budget", "req.Budget = suggestBudget{b}", "_ = suggestBudget{b}"),
		in{quotas.file, quotas.pkg, "TestUnreportedSuggestionsAreNotFree"}.mutant("limits: suggestions that report no usage are free", "used.Input == nil || used.Output == nil {", "false {"),
		in{"store/sqlstore/forget.go", "store/sqlstore", "TestForgottenWordsLeaveTheFile"}.mutant("forget: words stay in the search index's file", "return s.rewriteIndex(ctx, doing)", "return nil"),
		in{"server/dropin.go", "compat/copilotkit", "TestGuards"}.mutant("limits: runs on a drop-in's other routes do not count with runs", "if !x.counted {", "if false {"),
		in{"server/subjects.go", "server", "TestForgottenSuggestions"}.mutant("forget: what was suggested stays", "suggester.Forget(suggestionsOf(o))", "_ = suggestionsOf(o)"),
	}
}

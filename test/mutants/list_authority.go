package main

import (
	"strconv"
	"strings"
)

// api is where each request is authenticated.
const api = "fail func(http.ResponseWriter, *http.Request, error),\n) http.Handler {\n\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n"

// authority breaks who a request comes from.
func authority() []mutant {
	at := in{"server/server.go", "server", "TestAuthorisation"}
	all := []mutant{
		at.mutant("authority: the tenant is dropped", "run.Owner{Tenant: principal.Tenant, Subject: principal.Subject}", "run.Owner{Subject: principal.Subject}").daily(),
		at.mutant("authority: the subject is dropped", "run.Owner{Tenant: principal.Tenant, Subject: principal.Subject}", `run.Owner{Tenant: principal.Tenant, Subject: "any"}`),
		at.mutant("authority: refused credentials are taken", api, api+"if p, err := s.cfg.Authenticate(r); err != nil {\n"+
			"_ = guarded(handle, call{w: w, r: r, principal: p, owner: run.Owner{Tenant: p.Tenant, Subject: p.Subject}})\nreturn\n}\n"),
	}
	for _, path := range []string{"instructions/", "inspector/", "actions/", "agents", "threads", "runs/", "definitions", "resolve", "suggestions", "chat/"} {
		all = append(all, at.mutant("authority: no authentication on /v1/"+path, api, api+"if strings.HasPrefix(r.URL.Path, "+strconv.Quote("/v1/"+path)+") {\n"+
			"if err := guarded(handle, call{w: w, r: r, principal: auth.Local, owner: run.Owner{Subject: \"local\"}}); err != nil {\ns.fail(w, r, err)\n}\nreturn\n}\n"))
	}
	run := in{"run/start.go", "server", "TestAuthorisation"}
	stored := in{"server/inspector.go", "server", "TestConversations"}
	return append(all,
		stored.mutant("authority: a run of the store is not redacted", "detail = detail.For(access)", ""),
		run.mutant("authority: runs belong to no tenant", "store.Owner{Tenant: p.Tenant, Subject: p.Subject}", "store.Owner{Subject: p.Subject}"),
		in{"run/call.go", "server", "TestAuthorisation"}.mutant("authority: an action's tool is not told who acts", "ThreadID: c.thread, Principal: c.Principal,", "ThreadID: c.thread,"),
	)
}

// locals has routes use the principal "local" in place of the caller.
func locals() []mutant {
	var all []mutant
	for _, each := range []struct{ name, file, old string }{
		{"inspector", "inspector.go", "inspect.Access{Owner: c.owner.Key(), "},
		{"stored runs", "inspector.go", "inspectPast(c.r.Context(), s.cfg.Runs, c.owner)"},
		{"report", "inspector.go", "Inspector.Report(c.owner.Key(), id)"},
		{"feedback", "feedback.go", "SetFeedback(c.r.Context(), c.owner, "},
		{"read instructions", "instructions.go", "ScopeInstructions(c.r.Context(), c.owner, "},
		{"write instructions", "instructions.go", "PutInstructions(c.r.Context(), c.owner, "},
		{"payload status", "threads.go", "SetPayloadStatus(c.r.Context(), c.owner, "},
		{"runs of a thread", "threads.go", "Branches(c.r.Context(), c.owner, "},
		{"list of threads", "threads.go", "Runs.Threads(c.r.Context(), c.owner, q)"},
		{"thread", "threads.go", `Runs.Thread(c.r.Context(), c.owner, c.r.PathValue("thread"))`},
		{"change of a thread", "threads.go", `UpdateThread(c.r.Context(), c.owner, c.r.PathValue("thread"),` + "\n"},
		{"deletion of a thread", "threads.go", "UpdateThread(c.r.Context(), c.owner, threadID,\n"},
		{"messages", "threads.go", "Runs.Messages(c.r.Context(), c.owner, "},
		{"allowances", "allowances.go", "Runs.Allowances(c.r.Context(), c.owner, "},
		{"revoking an allowance", "allowances.go", `RevokeAllowance(c.r.Context(), c.owner, c.r.PathValue("thread")`},
		{"what protocols look up", "exchange.go", "Owner: c.owner, c: c"},
		{"deletion by a protocol", "own.go", "s.deleteOwn(c, "},
		{"resolve", "definitions.go", "Describe(c.r.Context(), c.owner, "},
	} {
		to := strings.ReplaceAll(each.old, "c.owner.Key()", `"0:local"`)
		to = strings.ReplaceAll(to, "c.owner", `func(c call) call { c.owner.Tenant, c.owner.Subject = "", "local"; return c }(c).owner`)
		to = strings.ReplaceAll(to, "deleteOwn(c", `deleteOwn(func(c call) call { c.owner.Tenant, c.owner.Subject = "", "local"; return c }(c)`)
		all = append(all, in{"server/" + each.file, "server", "TestAuthorisation"}.mutant("local: "+each.name, each.old, to))
	}
	all = append(all, in{"run/call.go", "server", "TestAuthorisation"}.mutant("local: an action's thread",
		"_, err = c.m.cfg.Store.Thread(ctx, c.owner, c.ThreadID)\n\tvar runs []store.Run\n\tif err == nil {\n\t\truns, err = c.m.cfg.Store.Runs(ctx, c.owner, ",
		"local := store.Owner{Subject: \"local\"}\n\t_, err = c.m.cfg.Store.Thread(ctx, local, c.ThreadID)\n\tvar runs []store.Run\n\tif err == nil {\n\t\truns, err = c.m.cfg.Store.Runs(ctx, local, "))
	all = append(all, in{"run/settings.go", "server", "TestAuthorisation"}.mutant("local: rating in the message",
		"s.db.SetMessageMetadata(ctx, o, ", `s.db.SetMessageMetadata(ctx, Owner{Subject: "local"}, `))
	exchange := in{"server/exchange.go", "server", "TestAuthorisation"}
	all = append(all,
		exchange.mutant("local: cancel", "x.Owner, runID)", `run.Owner{Subject: "local"}, runID)`),
		exchange.mutant("local: a run's events", "req.Owner = x.Owner\n\treturn x.s.cfg.Runs.Follow(",
			"req.Owner = run.Owner{Subject: \"local\"}\n\treturn x.s.cfg.Runs.Follow("),
		exchange.mutant("local: a thread's events", "req.Owner = x.Owner\n\treturn x.s.cfg.Runs.FollowThread(",
			"req.Owner = run.Owner{Subject: \"local\"}\n\treturn x.s.cfg.Runs.FollowThread("))
	return append(all, in{"server/start.go", "server", "TestAuthorisation"}.mutant("local: the run", "Principal: c.principal, ",
		`Principal: func(c call) call { c.principal.Tenant, c.principal.Subject = "", "local"; return c }(c).principal, `))
}

// isolation breaks what keeps owners apart below the routes.
func isolation() []mutant {
	at := func(file string) in { return in{file, "server", "TestAuthorisation"} }
	return []mutant{
		at("server/suggestions.go").mutant("isolation: suggestions are cached for all tenants", `o.Tenant + "\x00" + o.Subject`, `o.Subject`),
		at("server/suggestions.go").mutant("isolation: suggestions are cached for all users", `o.Tenant + "\x00" + o.Subject`, `o.Tenant`),
		at("run/execute.go").mutant("isolation: the inspector keeps runs of all owners together", "Owner:     r.owner.Key(),", `Owner:     "0:local",`),
		in{"run/runcache.go", "server", "TestConversations"}.mutant("isolation: live runs are found for any owner", "\treturn c.runs[runKey{o, id}]\n}\n\n// newest",
			"\tfor key, r := range c.runs {\n\t\tif key.id == id {\n\t\t\treturn r\n\t\t}\n\t}\n\treturn nil\n}\n\n// newest"),
		at("store/sqlstore/queries_log.go").mutant("isolation: SQL reads instructions of any tenant", "updated_by FROM instructions WHERE tenant = $1 ", "updated_by FROM instructions WHERE $1 = $1 "),
		{name: "isolation: SQL lists threads of any subject", file: "store/sqlstore/queries.go", pkg: "server", tests: "TestAuthorisation",
			old: "WHERE t.tenant = $1 AND t.subject = $2\n\t\t\tAND (t.deleted_at", new: "WHERE t.tenant = $1 AND $2 = $2\n\t\t\tAND (t.deleted_at", sample: true},
		{name: "isolation: SQL reads runs of any tenant", file: "store/sqlstore/queries.go", pkg: "server", tests: "TestAuthorisation",
			old: "WHERE r.tenant = $1 AND r.subject = $2 AND r.id = $3` + notDeleted", new: "WHERE $1 = $1 AND r.subject = $2 AND r.id = $3` + notDeleted"},
	}
}

package main

import "strings"

// addresses forgets what addresses are.
func addresses() []mutant {
	at := in{"internal/egress/addr.go", "internal/egress", "TestHostileURLsAreRefused"}
	var all []mutant
	for block := range strings.FieldsSeq("168.63.129.16/32 169.254.0.0/16 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 " +
		"2001::/23 2002::/16 2001:db8::/32 3fff::/20") {
		all = append(all, at.mutant("addresses: "+block, `"`+block+`", `, `"233.252.0.0/24", `))
	}
	return append(all,
		at.mutant("addresses: NAT64 hides them", "nat64.Contains(addr) && kindOf(lastFour(addr)) == public", "nat64.Contains(addr)"),
		at.mutant("addresses: ISATAP hides them", "if isISATAP(addr) {", "if false {"),
		at.mutant("addresses: what is not assigned", "if !global.Contains(addr) {", "if false {"),
	)
}

// requests breaks what is checked about a request that leaves the server.
func requests() []mutant {
	client := func(tests string) in { return in{"internal/egress/client.go", "internal/egress", tests} }
	policy := func(tests string) in { return in{"internal/egress/policy.go", "internal/egress", tests} }
	return []mutant{
		client("TestHostileURLsConnectToNothing|TestHostileURLsAreRefused").mutant("requests: connections are not checked", "return g.checkAddr(host, target.Addr())", "_ = target\n\t\t\treturn nil").daily(),
		in{"protocol/a2a/sender.go", "protocol/a2a", "TestRedirectedNotifications"}.mutant("requests: notifications follow redirects", "client.CheckRedirect = func", "_ = func"),
		client("TestRedirects").mutant("requests: redirects to other hosts", "case !strings.EqualFold(from.Hostname(), to.Hostname()):", "case false:"),
		client("TestRedirectsKeepTheirScheme").mutant("requests: redirects to http", `case from.Scheme == "https" && to.Scheme != "https":`, "case false:"),
		client("TestRedirects").mutant("requests: redirects to other ports", "case portOf(from) != portOf(to) && from.Scheme == to.Scheme:", "case false:"),
		client("TestRedirects").mutant("requests: any number of redirects", "case len(via) > maxRedirects:", "case false:"),
		client("TestProxiesOfTheEnvironmentAreIgnored").mutant("requests: through a proxy of the environment", "Proxy:                  nil,", "Proxy:                  http.ProxyFromEnvironment,"),
		policy("TestUserInfoIsRefused").mutant("requests: names and passwords", "case u.User != nil:", "case false:"),
		policy("TestHostileURLsAreRefused|TestPolicies|TestHostileURLsConnectToNothing").mutant("requests: any port", "err != nil || !slices.Contains(g.policy.Ports, n)", "err != nil || n < 0"),
		policy("TestPrivateHostsDoNotReachMetadata").mutant("requests: private hosts lead to metadata", "k.internal() && matches(g.private, host)", "matches(g.private, host)"),
		policy("TestPolicies").mutant("requests: any host", "if len(g.hosts) > 0 && !matches(g.hosts, host) {", "if false {"),
		client("TestBodiesAreBounded").mutant("requests: answers without an end", "left: most, most: most", "left: 4 * most, most: most"),
	}
}

// tools breaks what stands between a model and a tool, and between a browser and the server.
func tools() []mutant {
	return []mutant{
		{name: "tools: arguments are not checked", file: "tool/args.go", old: "if err := s.Validate(args); err != nil {", new: "if err := s.Validate(args); err != nil && false {", pkg: "tool", tests: "TestParseArgs"},
		{name: "tools: secrets in results", file: "tool/httptool/stream.go", old: "return e.secrets.Replace(string(raw)), err", new: "return string(raw), err", pkg: "tool/httptool", tests: "TestSecretsAreStruckOut"},
		{name: "tools: secrets in the log of a failure", file: "tool/httptool/call.go", old: `"error", e.secrets.Replace(err.Error()))`, new: `"error", err.Error())`, pkg: "tool/httptool", tests: "TestALoggedFailureHasNoSecret"},
		{name: "tools: pins that do not fit", file: "tool/mcptool/pins.go", old: "err != nil || hash != p.Hash {", new: `err != nil || hash == "" {`, pkg: "tool/mcptool", tests: "TestPinFilesThatCannotBeTrusted"},
		{name: "server: any host", file: "server/guard.go", old: "return ip != nil && ip.IsLoopback()", new: "return ip == nil || true", pkg: "server", tests: "TestConversations"},
		{name: "server: any origin", file: "server/guard.go", old: "protected := origins.Handler(next)", new: "protected := next", pkg: "server", tests: "TestConversations"},
		{name: "server: origins that nobody named", file: "server/guard.go", old: "if !slices.Contains(s.cfg.Origins, origin) {", new: "if false {", pkg: "server", tests: "TestConversations"},
		{name: "server: bodies of any type", file: "server/body.go", old: `err != nil || t != "application/json" {`, new: "err != nil && t == \"\" && false {", pkg: "server", tests: "TestConversations"},
		{name: "server: bodies of any size", file: "server/body.go", old: "http.MaxBytesReader(c.w, c.r.Body, most)", new: "http.MaxBytesReader(c.w, c.r.Body, 1<<40)", pkg: "server", tests: "TestLargeBodies"},
		{name: "server: browsers guess the type", file: "server/guard.go", old: `h.Set("X-Content-Type-Options", "nosniff")`, new: ``, pkg: "server", tests: "TestAuthorisation"},
	}
}

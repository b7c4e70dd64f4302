package main

// credentials break what strangers may have the server do before it knows who they are.
func credentials() []mutant {
	unknown := in{"auth/forward/sessions.go", "auth/forward", "TestUnknownCookiesFromOneAddress"}
	strangers := in{"auth/forward/strangers.go", unknown.pkg, unknown.tests}
	return []mutant{
		unknown.mutant("credentials: each unknown cookie is a question to the application", "err := s.strangers.admit(from); err", "err := error(nil); err"),
		unknown.mutant("credentials: a good session is a stranger when its answer is old", "if s.good.Contains(id) {", "if false {"),
		strangers.mutant("credentials: bad answers are not counted", "s.refused.Take(from, badAnswers, time.Now())", "_ = badAnswers"),
		in{unknown.file, unknown.pkg, "TestBadAnswersPushNoSessionOut"}.mutant("credentials: bad answers push sessions out", "s.bad.Add(id, a)", "s.good.Add(id, a)"),
		in{strangers.file, unknown.pkg, "TestQuestionsAtOnce"}.mutant("credentials: any number of questions at once", "s.questions.Take(from, 1) != limit.None {", "false {"),
		in{strangers.file, unknown.pkg, "TestNetworksOfIPv6"}.mutant("credentials: each address of an IPv6 network is another stranger", "bits = 64", "bits = 128"),
		in{"server/auth.go", "server", "TestConversations"}.mutant("credentials: an address with too many bad ones is called a bad credential", "errors.Is(err, auth.ErrTooMany) {", "false {"),
	}
}
